import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type TestContext } from 'node:test';
import { assayProcess, listen, scratch } from '../src/cli/fixture/run.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import {
  busyServer,
  drippingServer,
  hostileLog,
  hostilePages,
  rotatedLog,
  writeBundle,
  writeExport,
} from './hostile-subjects.ts';
import { LONG } from './told.ts';

/** Seconds that each verification is given, and the size of its hostile pages. */
const [SECONDS, MEGABYTES, ROTATIONS] = LONG ? [5, 30, 20_000] : [2, 8, 1000];
/** Seconds of processor time beyond those that nothing takes on any machine: it is no measure, it ends what hangs. */
const GENEROUS = 20;

const log = await sampleLog();

/** Has the child say what processor time it took, as its last line on standard error. */
async function watched(
  t: TestContext,
): Promise<{ folder: string; variables: { NODE_OPTIONS: string } }> {
  const folder = await scratch(t);
  const path = join(folder, 'usage.mjs');
  await writeFile(
    path,
    `process.on('exit', () => {
      const { user, system } = process.cpuUsage();
      process.stderr.write('\\nprocessor ' + (user + system) / 1e6 + '\\n');
    });`,
  );
  return { folder, variables: { NODE_OPTIONS: `--import=${pathToFileURL(path).href}` } };
}

/** Verifies `subject` within `SECONDS`: it must come to no yes, and to an end. */
async function never(t: TestContext, subject: string, expected: readonly number[]): Promise<void> {
  const { folder, variables } = await watched(t);
  const started = performance.now();
  const args = ['verify', subject, '--no-pin', '--json', '--timeout', String(SECONDS)];
  const { code, out, err } = await assayProcess(folder, args, variables);
  const seconds = (performance.now() - started) / 1000;
  const processor = Number(/\nprocessor ([0-9.]+)\n/.exec(err)?.[1]);
  const { outcome, reason = '' } = JSON.parse(out === '' ? '{}' : out) as Record<string, string>;
  t.diagnostic(
    `given ${SECONDS} s: ${seconds.toFixed(1)} s on the clock, ${processor.toFixed(1)} s of processor time, exit ${code}, ${outcome} ${reason}`,
  );
  assert.ok(code !== null && expected.includes(code), `exit ${code}: ${out}${err}`);
  if (!expected.includes(0)) assert.notEqual(outcome, 'verified');
  assert.ok(processor < SECONDS + GENEROUS, `${processor} s of processor time`);
}

for (const hostile of hostilePages(MEGABYTES)) {
  test(`deadline: ${hostile.name}`, async (t) => {
    const folder = await scratch(t);
    const published = hostileLog(log, hostile);
    await writeExport(folder, published);
    await never(t, folder, [1, 3]);
    const file = join(await scratch(t), 'number.json');
    await writeBundle(file, published);
    await never(t, file, [1, 3]);
  });
}

test(`deadline: ${ROTATIONS} rotations of the report key`, async (t) => {
  const folder = await scratch(t);
  await writeExport(folder, rotatedLog(log, ROTATIONS));
  // They are as they should be: with the time for it, it is a yes.
  await never(t, folder, LONG ? [3] : [0, 3]);
});

test('deadline: a server that sends a byte now and then', async (t) => {
  await never(t, await listen(t, drippingServer(300)), [3]);
});

test('deadline: a server that is always busy, and asks for a long pause', async (t) => {
  await never(t, await listen(t, busyServer(50)), [3]);
});
