import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type HeldLock, isLock, type LockHolder, takeLock } from '@assay/cli/process/process-lock';
import { scratch } from '../fixture/run.ts';

async function taken(path: string): Promise<HeldLock> {
  const lock = await takeLock(path);
  assert.ok(isLock(lock), JSON.stringify(lock));
  return lock;
}

async function refused(path: string): Promise<LockHolder> {
  const lock = await takeLock(path);
  if (isLock(lock)) return assert.fail('two hold it');
  return lock;
}

/** Has a process of its own take a lock, and end without letting go of it; its number. */
async function killedWith(path: string): Promise<number> {
  const code = `import(${JSON.stringify(import.meta.resolve('@assay/cli/process/process-lock'))})
    .then(({ takeLock }) => takeLock(${JSON.stringify(path)}))
    .then(() => process.kill(process.pid, 'SIGKILL'))`;
  const child = spawn(process.execPath, ['-e', code]);
  const signal = await new Promise((resolve) => child.on('exit', (_, by) => resolve(by)));
  assert.equal(signal, 'SIGKILL');
  return child.pid as number;
}

test('process lock: one at a time, and whoever waits is told who has it', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'deep', 'lock');
  const lock = await taken(path);
  assert.deepEqual(
    [await lock.isHeld(), await refused(path)].map((each) =>
      each === true ? each : (each as LockHolder).pid,
    ),
    [true, process.pid],
  );
  await lock.release();
  assert.equal(await lock.isHeld(), false);
  assert.deepEqual(await readdir(join(folder, 'deep')), []);
  const next = await taken(path);
  // A second release, or one that comes late, lets go of nobody else's.
  await lock.release();
  assert.equal(await next.isHeld(), true);
  await refused(path);
  await next.release();
});

test('process lock: of many that ask at once one has it, each time', async (t) => {
  const path = join(await scratch(t), 'lock');
  for (let round = 0; round < 20; round += 1) {
    const asked = await Promise.all(Array.from({ length: 8 }, () => takeLock(path)));
    const held = asked.filter((each) => isLock(each));
    assert.equal(held.length, 1);
    await held[0]?.release();
  }
});

test('process lock: that of a process that is gone is taken over, by one', async (t) => {
  const path = join(await scratch(t), 'lock');
  for (let round = 0; round < 3; round += 1) {
    await killedWith(path);
    assert.equal((await readdir(path)).length, 1);
    const asked = await Promise.all(Array.from({ length: 8 }, () => takeLock(path)));
    const held = asked.filter((each) => isLock(each));
    assert.equal(held.length, 1);
    await held[0]?.release();
  }
});

test('process lock: whoever takes away a left one late takes nothing from the next holder', async (t) => {
  const path = join(await scratch(t), 'lock');
  await killedWith(path);
  const [left = ''] = await readdir(path);
  const lock = await taken(path);
  // What a waiter does that had found the left one, and slept until now.
  await assert.rejects(rename(join(path, left), join(path, '..', 'away')), { code: 'ENOENT' });
  assert.equal(await lock.isHeld(), true);
  await refused(path);
  await lock.release();
});

test('process lock: a process number that is another’s by now holds nothing', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells when a process began');
  const path = join(await scratch(t), 'lock');
  const own = await taken(path);
  const [name = ''] = await readdir(path);
  await own.release();
  const [pid, start, host, random] = name.split('.');
  assert.match(start ?? '', /^[0-9]+$/);
  await mkdir(path);
  await writeFile(join(path, `${pid}.1.${host}.${random}`), '');
  await (await taken(path)).release();
  await mkdir(path);
  await writeFile(join(path, name), '');
  assert.deepEqual((await refused(path)).pid, process.pid);
});

test('process lock: one of another machine counts for ten minutes', async (t) => {
  const path = join(await scratch(t), 'lock');
  await mkdir(path);
  const file = join(path, '1.2.ff.00');
  await writeFile(file, '');
  const { pid, isHere } = await refused(path);
  assert.deepEqual([pid, isHere], [1, false]);
  const long = new Date(Date.now() - 700_000);
  await utimes(file, long, long);
  await (await taken(path)).release();
});
