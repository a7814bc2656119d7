// Runs one suite of compiled tests with Node's own runner: `node test/run.js unit|interop|fault [filter]`.
// The whole unit suite runs by rooms, a process for each (`rooms.js`); files that a filter chose run one by one.
// With ASSAY_SECOND_TRY=FILE, test files that failed are run once more, one at a time and with nothing beside
// them; those that pass then are named in FILE, a line each, so that whoever asked for it can say so.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cutOff, writeEntries } from './rooms.js';

const FOLDERS = { unit: 'src', interop: 'interop', fault: 'fault' };
/** More failed files than this are a fault of the code, not of a busy machine: none is tried again. */
const MOST_TRIED_AGAIN = 6;

const [suite = 'unit', filter = ''] = process.argv.slice(2);
const folder = FOLDERS[suite];
if (folder === undefined) {
  console.error(`usage: node test/run.js ${Object.keys(FOLDERS).join('|')} [filter]`);
  process.exit(2);
}
const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, 'dist', folder);
// By their sources: a compiled test whose source is gone is not run.
const files = readdirSync(join(here, folder), { recursive: true })
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => join(root, name.replace(/\.ts$/, '.js')))
  .filter((name) => name.includes(filter))
  .sort();
if (files.length === 0) {
  console.error(`no test under ${root} matches "${filter}"`);
  process.exit(1);
}

/** The compiled file of a test file, which source maps let the runner call by its source. */
function compiled(file) {
  if (!file.endsWith('.ts')) return file;
  return join(here, 'dist', relative(here, file).replace(/\.ts$/, '.js'));
}

/** Runs `chosen`, at most `concurrency` files at once: the runner's exit code and the files with a failure. */
function run(chosen, concurrency) {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-run-'));
  const list = join(scratch, 'failed');
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        '--enable-source-maps',
        '--test',
        `--test-concurrency=${concurrency}`,
        '--test-reporter=spec',
        '--test-reporter-destination=stdout',
        `--test-reporter=${new URL('failed-files.js', import.meta.url).href}`,
        `--test-reporter-destination=${list}`,
        ...chosen,
      ],
      { stdio: 'inherit' },
    );
    const failed = readFileSync(list, 'utf8').split('\n').filter(Boolean).map(compiled);
    return { status: status ?? 1, failed };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const entries = join(here, 'dist', 'entry');
const isWhole = suite === 'unit' && filter === '';
const names = files.map((file) => relative(root, file));
const first = run(
  isWhole ? writeEntries(names, entries) : files,
  Math.max(2, availableParallelism()),
);
for (const file of isWhole ? cutOff(entries) : [])
  console.error(`the process that ran ${file} ended before its other files had run`);
const log = process.env.ASSAY_SECOND_TRY;
const again = first.failed;
const tellsAll = again.length > 0 && again.every((file) => files.includes(file));
if (first.status === 0 || log === undefined || !tellsAll || again.length > MOST_TRIED_AGAIN)
  process.exit(first.status);
for (const file of again) {
  const name = relative(root, file);
  console.log(`\nsecond try, alone: ${name}`);
  const second = run([file], 1);
  if (second.status !== 0) process.exit(second.status);
  appendFileSync(log, `${suite} ${name}\n`);
}
