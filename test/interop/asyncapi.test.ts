import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { asyncDocument } from '@assay/node/api/events/async-document';

const run = promisify(execFile);

const PARSER = '@asyncapi/parser@3.6.3';

/** Prints what the parser finds in the document that it reads: severities (0 is an error) and texts. */
const PROGRAM = `
const { Parser } = require('@asyncapi/parser');
const text = require('fs').readFileSync(process.argv[2], 'utf8');
new Parser().parse(text).then(({ document, diagnostics }) => console.log(JSON.stringify({
  messages: document === undefined ? [] : document.allMessages().all().map((each) => each.name()),
  diagnostics: diagnostics.map(({ severity, message }) => [severity, message]),
})));
`;

interface Parsed {
  readonly messages: readonly string[];
  readonly diagnostics: readonly (readonly [severity: number, message: string])[];
}

test(
  'the AsyncAPI document passes the parser of another party',
  { timeout: 600_000 },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-asyncapi-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
    try {
      await run('npm', ['install', ...quiet, '--prefix', folder, PARSER], { timeout: 300_000 });
    } catch {
      t.skip(`${PARSER} could not be installed`);
      return;
    }
    const program = join(folder, 'parse.cjs');
    await writeFile(program, PROGRAM);
    const parse = async (document: unknown): Promise<Parsed> => {
      const file = join(folder, 'asyncapi.json');
      await writeFile(file, JSON.stringify(document));
      const { stdout } = await run(process.execPath, [program, file], { cwd: folder });
      return JSON.parse(stdout) as Parsed;
    };
    const { messages, diagnostics } = await parse(asyncDocument());
    assert.deepEqual(
      diagnostics.filter(([severity]) => severity <= 1),
      [],
    );
    assert.deepEqual(messages, ['entry', 'position', 'tick']);
    const bad = await parse({ ...asyncDocument(), channels: { events: { adress: '/events' } } });
    assert.ok(bad.diagnostics.some(([severity]) => severity === 0));
  },
);
