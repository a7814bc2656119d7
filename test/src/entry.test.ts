import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from './core/fixture/fixture.ts';

const ENTRY = pathToFileURL(join(ROOT, 'test', 'entry.js')).href;

/** What an entry of several files came to: its exit code, its report, and the file in which it was cut off. */
interface Ended {
  readonly code: number | null;
  readonly report: string;
  readonly cutOffIn: string | undefined;
}

/** What `execFile` throws for a command that did not end well. */
interface Failed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one entry of test files with these bodies, in this order, in a process of its own. */
async function runEntry(t: TestContext, bodies: Readonly<Record<string, string>>): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-entry-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'room'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'shared.js'), 'await new Promise((go) => setTimeout(go, 50));');
  const files = Object.keys(bodies).map((name) => `room/${name}.test.js`);
  for (const [name, body] of Object.entries(bodies)) {
    const imports = `import { after, test } from 'node:test';\nimport '../shared.js';\n`;
    await writeFile(join(folder, 'room', `${name}.test.js`), imports + body);
  }
  const marker = join(folder, 'marker');
  const args = [`${pathToFileURL(folder).href}/`, files, marker, 500];
  const code = `import { runFiles } from ${JSON.stringify(ENTRY)};
await runFiles(${args.map((arg) => JSON.stringify(arg)).join(', ')});`;
  await writeFile(join(folder, 'entry.js'), code);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--test-reporter=tap', join(folder, 'entry.js')],
    { env },
  ).then(
    (ran) => ({ status: 0, ...ran }),
    (error: Failed) => ({ ...error, status: error.code }),
  );
  const cutOffIn = await readFile(marker, 'utf8').catch(() => undefined);
  return { code: status, report: stdout + stderr, cutOffIn };
}

const GOOD = `test('good', () => {});`;

/** The lines of test points, in order. */
function points(report: string): readonly string[] {
  return report.split('\n').filter((line) => /^ *(not )?ok /.test(line));
}

test('entry: the tests of each file are under its name, though all wait for one module', async (t) => {
  const { code, report, cutOffIn } = await runEntry(t, { first: GOOD, second: GOOD, third: GOOD });
  assert.equal(code, 0, report);
  assert.equal(cutOffIn, undefined);
  assert.deepEqual(points(report), [
    'ok 1 - room/first.test.ts',
    'ok 2 - good',
    'ok 3 - room/second.test.ts',
    'ok 4 - good',
    'ok 5 - room/third.test.ts',
    'ok 6 - good',
    'ok 7 - every file has run',
  ]);
});

test('entry: a file is loaded when the tests before it are over', async (t) => {
  const { code, report } = await runEntry(t, {
    first: `test('changes the world', async () => {
      globalThis.world = 'changed';
      await new Promise((go) => setTimeout(go, 100));
      delete globalThis.world;
    });`,
    second: `if (globalThis.world !== undefined) throw new Error('loaded too soon'); ${GOOD}`,
  });
  assert.equal(code, 0, report);
});

test('entry: a file that fails or does not load is named, and the others run', async (t) => {
  const { code, report } = await runEntry(t, {
    first: `test('bad', () => { throw new Error('is bad'); });`,
    second: `throw new Error('cannot be loaded');`,
    third: GOOD,
  });
  assert.equal(code, 1);
  assert.deepEqual(points(report), [
    'ok 1 - room/first.test.ts',
    'not ok 2 - bad',
    'ok 3 - room/second.test.ts',
    'not ok 4 - room/second.test.js is loaded',
    'ok 5 - room/third.test.ts',
    'ok 6 - good',
    'ok 7 - every file has run',
  ]);
});

test('entry: a file that hangs with nothing left to wait for fails, and is named', async (t) => {
  const hangs = `test('hangs', () => new Promise(() => {}));`;
  const { code, cutOffIn } = await runEntry(t, { first: GOOD, second: hangs, third: GOOD });
  assert.equal(code, 1);
  assert.equal(cutOffIn, 'room/second.test.js');
});

test('entry: a file that ends the process is named, whatever it says that it ended with', async (t) => {
  for (const end of ['process.exit(0)', `process.kill(process.pid, 'SIGKILL')`]) {
    const { code, cutOffIn } = await runEntry(t, {
      first: GOOD,
      second: `test('ends', () => { ${end}; });`,
      third: GOOD,
    });
    assert.notEqual(code, 0, end);
    assert.equal(cutOffIn, 'room/second.test.js');
  }
});

test('entry: a file that leaves a server open is named', async (t) => {
  const open = `import { createServer } from 'node:net';
test('opens', (t, done) => { createServer().listen(0, '127.0.0.1', () => done()); });`;
  const { code, report } = await runEntry(t, { first: GOOD, second: open, third: GOOD });
  assert.equal(code, 1);
  assert.match(report, /left something open:\nroom\/second\.test\.js: .*TCPServerWrap/);
});

test('entry: no test file has hooks that would run before or after each test of another file', () => {
  const folder = join(ROOT, 'test', 'src');
  const names = readdirSync(folder, { recursive: true }).map(String);
  const files = names.filter((name) => name.endsWith('.test.ts'));
  assert.ok(files.length > 0);
  for (const name of files)
    assert.doesNotMatch(
      readFileSync(join(folder, name), 'utf8'),
      /^(?:test\.)?(?:before|after|beforeEach|afterEach)\(/m,
      name,
    );
});
