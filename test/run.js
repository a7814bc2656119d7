// Runs one suite of compiled tests with Node's own runner: `node test/run.js unit|interop|fault [filter]`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDERS = { unit: 'src', interop: 'interop', fault: 'fault' };
const [suite = 'unit', filter = ''] = process.argv.slice(2);
const folder = FOLDERS[suite];
if (folder === undefined) {
  console.error(`usage: node test/run.js ${Object.keys(FOLDERS).join('|')} [filter]`);
  process.exit(2);
}
const root = join(fileURLToPath(new URL('.', import.meta.url)), 'dist', folder);
const files = readdirSync(root, { recursive: true })
  .map((name) => join(root, String(name)))
  .filter((name) => name.endsWith('.test.js') && name.includes(filter))
  .sort();
if (files.length === 0) {
  console.error(`no test under ${root} matches "${filter}"`);
  process.exit(1);
}
const run = spawnSync(
  process.execPath,
  [
    '--enable-source-maps',
    '--test',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    '--test-reporter=spec',
    ...files,
  ],
  { stdio: 'inherit' },
);
process.exit(run.status ?? 1);
