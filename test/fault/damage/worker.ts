// Damages folders, one case at a time, and tells what became of each, as a line of JSON.
//
//     worker.js closed BASE                   makes the template of a publisher that is closed
//     worker.js pair BASE                     makes the one of a publisher and a recounter
//     worker.js killed BASE                   makes the one that is killed, and dies of it
//     worker.js cases BASE TEMPLATE FROM N    runs the seeds from FROM on until N folders were damaged
import { rmSync, writeSync } from 'node:fs';
import { caseFolder, controlOf, runCase } from './case.ts';
import { makeClosed, makeKilled, readTemplate, type TemplateName } from './template.ts';

const [, , mode, base = '', name = 'closed', from = '0', count = '0'] = process.argv;

function tell(value: object): void {
  writeSync(1, `${JSON.stringify(value)}\n`);
}

if (mode === 'closed' || mode === 'pair') await makeClosed(base, mode);
else if (mode === 'killed') await makeKilled(base);
else {
  await runCases().catch((error: unknown) => {
    tell({ broken: error instanceof Error ? error.stack : String(error) });
    process.exit(1);
  });
  process.exit(0);
}

async function runCases(): Promise<void> {
  const template = await readTemplate(base, name as TemplateName);
  const root = caseFolder(base);
  const control = await controlOf(template, root);
  let left = Number(count);
  for (let seed = Number(from); left > 0; seed += 1) {
    tell({ begun: seed });
    const result = await runCase(template, control, seed, root);
    // Some seeds change nothing.
    if (result !== undefined) left -= 1;
    tell(result ?? { nothing: seed });
  }
  rmSync(root, { recursive: true, force: true });
}
