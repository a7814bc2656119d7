import assert from 'node:assert/strict';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PrivateLog } from '@assay/node/intake/private-log';
import { failOnce } from './failing-file.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

test('private log: what was added is there again, in its order, for its owner alone', async (t) => {
  const path = join(await temporaryFolder(t), 'private', 'rows');
  const { log, values } = await PrivateLog.open(path);
  assert.deepEqual(values, []);
  await Promise.all([log.append([{ a: 1 }, { b: '\n' }]), log.append([]), log.append([{ c: 2 }])]);
  await log.close();
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  const again = await PrivateLog.open(path);
  assert.deepEqual(again.values, [{ a: 1 }, { b: '\n' }, { c: 2 }]);
  await again.log.append([{ d: 3 }]);
  await again.log.close();
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 5);
  await assert.rejects(again.log.append([1]), { code: 'read_only' });
});

test('private log: cut anywhere, it has the lines that were whole, and what is added next follows them', async (t) => {
  const path = join(await temporaryFolder(t), 'rows');
  const { log } = await PrivateLog.open(path);
  await log.append([{ a: 'é' }, { b: 2 }]);
  await log.close();
  const whole = await readFile(path);
  for (let length = 0; length <= whole.length; length += 1) {
    await writeFile(path, whole);
    await truncate(path, length);
    const cut = await PrivateLog.open(path);
    const lines = whole.subarray(0, length).filter((byte) => byte === 0x0a).length;
    assert.equal(cut.values.length, lines, `${length} bytes`);
    await cut.log.append([{ c: 3 }]);
    await cut.log.close();
    const { log: last, values } = await PrivateLog.open(path);
    assert.deepEqual(values.at(-1), { c: 3 });
    assert.equal(values.length, lines + 1);
    await last.close();
  }
});

test('private log: a line of zeros at the end was never whole, and one in the middle is damage', async (t) => {
  const path = join(await temporaryFolder(t), 'rows');
  await writeFile(path, '{"a":1}\n\0\0\0\0\n');
  const { log, values } = await PrivateLog.open(path);
  assert.deepEqual(values, [{ a: 1 }]);
  await log.append([{ b: 2 }]);
  await log.close();
  assert.equal(await readFile(path, 'utf8'), '{"a":1}\n{"b":2}\n');
  await writeFile(path, '{"a":1}\n{"b"\n{"c":3}\n');
  await assert.rejects(PrivateLog.open(path), { code: 'ledger_corrupt', at: `${path}: line 2` });
});

test('private log: where it cannot be written, nobody is told that it was', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  const { log } = await PrivateLog.open(join(folder, 'rows'));
  const other = join(folder, 'file', 'rows');
  await assert.rejects(PrivateLog.open(other).then((opened) => opened.log.append([1])));
  await log.append([1]);
  await log.close();
});

test('private log: lines that are added as soon as others are written are written too', async (t) => {
  const { log } = await PrivateLog.open(join(await temporaryFolder(t), 'rows'));
  let written = 0;
  const next = (): Promise<void> =>
    log.append([written]).then(() => {
      written += 1;
      return written < 20 ? next() : undefined;
    });
  await next();
  // However many turns of the microtask queue lie between.
  for (let waits = 0; waits < 12; waits += 1) {
    const before = log.append([waits]);
    const after = (async (): Promise<void> => {
      await before;
      for (let i = 0; i < waits; i += 1) await Promise.resolve();
      await log.append([waits]);
    })();
    await after;
  }
  await log.close();
});

test('private log: a write that fails leaves nothing, and the next goes on from what was whole', async (t) => {
  for (const method of ['appendFile', 'datasync'] as const) {
    const path = join(await temporaryFolder(t), 'rows');
    const { log } = await PrivateLog.open(path);
    await log.append([{ a: 1 }]);
    await failOnce(t, method);
    await assert.rejects(log.append([{ b: 'a longer line that is cut' }]), { code: 'ENOSPC' });
    await log.append([{ c: 3 }]);
    assert.equal(await readFile(path, 'utf8'), '{"a":1}\n{"c":3}\n', method);
    await log.close();
  }
});

test('private log: all lines can be replaced, and where that fails those before are there', async (t) => {
  const path = join(await temporaryFolder(t), 'rows');
  const { log } = await PrivateLog.open(path);
  await log.append([{ a: 1 }, { b: 2 }]);
  await failOnce(t, 'writeFile');
  await assert.rejects(log.replace([]), { code: 'ENOSPC' });
  await log.append([{ c: 3 }]);
  await log.replace([{ b: 2 }, { c: 3 }]);
  await log.append([{ d: 4 }]);
  await log.close();
  assert.equal(await readFile(path, 'utf8'), '{"b":2}\n{"c":3}\n{"d":4}\n');
  await assert.rejects(log.replace([]), { code: 'read_only' });
});
