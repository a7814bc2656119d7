// Runs one suite of compiled tests: `node test/run.js unit|coverage|interop|fault [filter]`.
// The unit tests run on tap by rooms, a process for each (`rooms.js`), and `coverage` is the same and says which lines they
// reach. The other suites, and files that a filter chose, run on Node's own runner, a process for each file.
// With ASSAY_SECOND_TRY=FILE, test files that failed are run once more, one at a time and with nothing beside
// them; those that pass then are named in FILE, a line each, so that whoever asked for it can say so.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readResults } from './results.js';
import { cutOff, writeEntries } from './rooms.js';

const FOLDERS = { unit: 'src', coverage: 'src', interop: 'interop', fault: 'fault' };
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
  // By the path within the project: a folder above it may have any name.
  .filter((name) => relative(join(here, '..'), name).includes(filter))
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

/** A file that still runs after so long hangs, and fails; the long form of the fault suite takes its time. */
const MOST_MS = 1_800_000;

/** Runs `chosen` on Node's runner, at most `concurrency` files at once: the runner's exit code and the files with a failure. */
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
        ...(process.env['ASSAY_FAULT_LONG'] === undefined ? [`--test-timeout=${MOST_MS}`] : []),
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

/** Runs all files on tap, by rooms: the exit code, and the files with a failure, or none where that is not known. */
function runRooms() {
  const project = join(here, '..');
  const entryFolder = join(here, 'dist', 'entry');
  const names = files.map((file) => relative(root, file));
  const entries = writeEntries(names, entryFolder).map((path) => relative(project, path));
  // tap leaves the entries that failed in this file.
  const list = join(entryFolder, 'failed');
  const kept = join(project, '.tap', 'test-results');
  rmSync(kept, { recursive: true, force: true });
  const coverage =
    suite === 'coverage'
      ? ['--coverage-report=text', '--allow-incomplete-coverage']
      : // tap covers threads all the same.
        ['--disable-coverage', '--allow-incomplete-coverage', '--coverage-report=none'];
  const { status } = spawnSync(
    process.execPath,
    [
      join(project, 'node_modules', 'tap', 'dist', 'esm', 'run.mjs'),
      'run',
      // One more than there are processors: many tests wait for others and for the clock.
      `--jobs=${availableParallelism() + 1}`,
      `--reporter=${join(here, 'reporter.js')}`,
      // From Node 23 on a test that writes to no terminal reports in another form, which tap does not read.
      '--node-arg=--test-reporter=tap',
      '--node-arg=--test-reporter-destination=stdout',
      `--save=${list}`,
      ...coverage,
      ...entries,
    ],
    { cwd: project, stdio: 'inherit' },
  );
  const results = entries.map((entry) => {
    const path = join(kept, `${entry}.tap`);
    return { entry, ...readResults(existsSync(path) ? readFileSync(path, 'utf8') : '') };
  });
  for (const { entry, isWhole } of results)
    if (!isWhole) console.log(`\n✖ ${entry} did not run to its end`);
  for (const { skipped } of results) for (const name of skipped) console.log(`﹣ ${name}`);
  const failures = results.flatMap((each) => each.failures);
  for (const { file, block } of failures) console.log(`\n✖ ${file}\n${block.join('\n')}`);
  for (const file of cutOff(entryFolder))
    console.log(`\n✖ the process that ran ${file} ended before its other files had run`);
  const sum = (of) => results.reduce((total, each) => total + (each[of] || 0), 0);
  const skips = results.reduce((total, { skipped }) => total + skipped.length, 0);
  console.log(`\n${sum('pass')} passed, ${sum('fail')} failed, ${skips} skipped`);
  const failed = existsSync(list) ? readFileSync(list, 'utf8').split('\n').filter(Boolean) : [];
  const isKnown = failed.every((entry) =>
    results.some((each) => each.entry === entry && each.isWhole && each.failures.length > 0),
  );
  const again = new Set(failures.map(({ file }) => join(root, file.replace(/\.ts$/, '.js'))));
  return {
    status: results.every(({ isWhole }) => isWhole) ? (status ?? 1) : 1,
    failed: isKnown ? [...again] : [],
  };
}

const byRooms = root.endsWith(FOLDERS.unit) && filter === '';
const first = byRooms ? runRooms() : run(files, Math.max(2, availableParallelism()));
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
