import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withDemo } from '../src/node/fixture/demo-node.ts';

const run = promisify(execFile);

const LINTER = '@redocly/cli@2.77.0';

interface LintReport {
  readonly totals: { readonly errors: number; readonly warnings: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

/** Installs the linter into a folder of its own: a registry may be busy for a moment, or not there. */
async function installed(folder: string): Promise<boolean> {
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
      await run('npm', ['install', ...quiet, '--prefix', folder, LINTER], { timeout: 120_000 });
      return true;
    } catch {
      await sleep(attempt * 2000);
    }
  }
  return false;
}

test('the OpenAPI document passes the rules of another party', { timeout: 600_000 }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-lint-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  if (!(await installed(folder))) {
    t.skip(`${LINTER} could not be installed`);
    return;
  }
  const file = join(folder, 'openapi.json');
  await withDemo({}, async (base) => {
    await writeFile(file, await (await fetch(`${base}/openapi.json`)).text());
  });
  const lint = async (path: string): Promise<LintReport> => {
    const args = ['lint', path, '--extends=recommended', '--format=json'];
    const env = {
      ...process.env,
      REDOCLY_TELEMETRY: 'off',
      REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    };
    const done = run(join(folder, 'node_modules', '.bin', 'redocly'), args, {
      cwd: folder,
      env,
      maxBuffer: 16 * 1024 * 1024,
    });
    // It ends with 1 where it finds errors, its report on stdout all the same.
    const { stdout } = await done.catch((error: unknown) => error as { readonly stdout: string });
    return JSON.parse(stdout.slice(stdout.indexOf('{'))) as LintReport;
  };
  const report = await lint(file);
  assert.deepEqual(report.problems, []);
  assert.deepEqual([report.totals.errors, report.totals.warnings], [0, 0]);

  // That it looks at all: a reference that leads nowhere.
  const broken = join(folder, 'broken.json');
  const text = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'x', version: '1' },
    paths: { '/x': { $ref: '#/nowhere' } },
  });
  await writeFile(broken, text);
  assert.ok((await lint(broken)).totals.errors > 0);
});
