import assert from 'node:assert/strict';
import { cp, mkdtemp, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FileHeadGuard } from '@assay/node/ledger/guard/file-head-guard';
import type { PendingBatch } from '@assay/node/ledger/guard/head-guard';
import { bareHead, batchOf, headGuardSuite } from './head-guard-suite.ts';

const BLOCK = 4096;
const corrupt = { name: 'Fault', code: 'guard_corrupt' };
const conflict = { name: 'Fault', code: 'guard_conflict' };

async function place(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-guard-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'guard');
}

async function opened(t: TestContext, path: string): Promise<FileHeadGuard> {
  const guard = await FileHeadGuard.open(path, { sync: false });
  t.after(() => guard.close());
  return guard;
}

headGuardSuite(
  'FileHeadGuard',
  async (t) => {
    const path = await place(t);
    return () => opened(t, path);
  },
  { isShared: false },
);

/** A batch of one entry of some bytes. */
function sized(from: number, bytes: number): PendingBatch {
  return { ...batchOf(from, from + 1), entries: [new Uint8Array(bytes).fill(from + 1)] };
}

/** A journal that moved to each size up to `size`, of which everything from `floor` on is needed; it is not closed. */
async function filled(t: TestContext, size: number, floor = 0): Promise<string> {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  for (let at = 0; at < size; at += 1) {
    if (at === floor) await guard.settled(floor);
    await guard.move(sized(at, 100));
  }
  return path;
}

async function sizeIn(t: TestContext, path: string): Promise<number> {
  const guard = await opened(t, path);
  const { head } = await guard.take('one', 'one');
  await guard.close();
  return head?.size ?? 0;
}

async function overwrite(path: string, at: number, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  await file.write(bytes, 0, bytes.length, at);
  await file.close();
}

test('FileHeadGuard: each write is synced by itself, over bytes that the file has', async (t) => {
  const path = await place(t);
  const guard = await FileHeadGuard.open(path);
  await guard.take('one', 'one');
  await guard.move(batchOf(0, 1));
  const before = await stat(join(path, '0'));
  for (let size = 1; size < 9; size += 1) await guard.move(batchOf(size, size + 1));
  const after = await stat(join(path, '0'));
  assert.deepEqual([after.size, after.blocks], [before.size, before.blocks]);
  await guard.close();
  await assert.rejects(guard.look(), { code: 'stopped' });
});

test('FileHeadGuard: a write that was cut off at any block leaves the head before', async (t) => {
  const path = await filled(t, 3);
  const whole = await readFile(join(path, '0'));
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  await guard.close();
  const base = await readFile(join(path, '0'));
  assert.ok(base.length === whole.length);
  const last = 3 * BLOCK + 2 * BLOCK;
  const next = await opened(t, path);
  await next.take('one', 'one');
  await next.move({ ...batchOf(3, 4), entries: [new Uint8Array(3 * BLOCK).fill(9)] });
  await next.close();
  const done = await readFile(join(path, '0'));
  const start = last + 2 * BLOCK;
  for (let cut = 0; cut <= 4; cut += 1) {
    for (const order of ['first', 'last']) {
      const image = Buffer.from(done);
      const [from, to] = order === 'first' ? [cut, 4] : [0, 4 - cut];
      for (let block = from; block < to; block += 1) {
        const at = start + block * BLOCK;
        base.copy(image, at, at, at + BLOCK);
      }
      await writeFile(join(path, '0'), image);
      assert.equal(await sizeIn(t, path), cut === 4 ? 4 : 3, `${order} ${cut}`);
    }
  }
});

test('FileHeadGuard: the writes after one that was cut off go on', async (t) => {
  const path = await filled(t, 3);
  // The header of a fourth record, and nothing of its entries.
  const bytes = await readFile(join(path, '0'));
  const torn = Buffer.from(bytes.subarray(4 * BLOCK, 5 * BLOCK));
  torn.fill(0, 300);
  await overwrite(join(path, '0'), 5 * BLOCK, torn);
  const guard = await opened(t, path);
  assert.deepEqual((await guard.take('one', 'one')).head, bareHead(3));
  await guard.move(batchOf(3, 4));
  await guard.close();
  assert.equal(await sizeIn(t, path), 4);
});

test('FileHeadGuard: a flipped bit in a record that is needed is an error, in one that is not it is nothing', async (t) => {
  for (const floor of [0, 3]) {
    const path = await filled(t, 6, floor);
    const whole = await readFile(join(path, '0'));
    // Block 1 is the take, and block 2 the move to 1.
    for (let record = 1; record <= 7; record += 1) {
      for (const at of [0, 9, 100, 200, 290, 390]) {
        const image = Buffer.from(whole);
        const byte = record * BLOCK + at;
        image[byte] = (image[byte] as number) ^ 8;
        await writeFile(join(path, '0'), image);
        const isPayload = record === 1 && at >= 290;
        const isNewest = record === 7;
        const isNeeded = record - 1 > floor && !isNewest;
        const isBefore = record === 1 && floor === 0;
        const found = sizeIn(t, path);
        if (isNeeded) await assert.rejects(found, corrupt, `record ${record} at ${at}`);
        else if (isPayload || isBefore) await found;
        else assert.equal(await found, isNewest ? 5 : 6, `record ${record} at ${at}`);
      }
      await writeFile(join(path, '0'), whole);
    }
  }
});

test('FileHeadGuard: it goes on in the other file where nothing there is needed, and stays bounded', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  const MB = 1024 * 1024;
  for (let at = 0; at < 60; at += 1) {
    await guard.move(sized(at, MB));
    if (at % 3 === 2) await guard.settled(at - 1);
  }
  const sizes = await Promise.all(
    ['0', '1'].map(async (name) => (await stat(join(path, name))).size),
  );
  for (const size of sizes) assert.ok(size < 12 * MB, sizes.join(' '));
  await guard.reopen();
  const { head, pending } = await guard.take('one', 'one');
  assert.equal(head?.size, 60);
  assert.deepEqual(
    pending.map(({ to }) => to.size),
    [56, 57, 58, 59, 60],
    'back to what was settled when the newest record was written',
  );
  for (const { to, entries } of pending) {
    assert.deepEqual(entries, sized(to.size - 1, MB).entries);
  }
});

test('FileHeadGuard: what is needed is never written over, however much that is', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  const MB = 1024 * 1024;
  for (let at = 0; at < 24; at += 1) await guard.move(sized(at, MB));
  await guard.close();
  const { pending } = await (await opened(t, path)).take('one', 'one');
  assert.deepEqual(
    pending.map(({ to }) => to.size),
    Array.from({ length: 24 }, (_, i) => i + 1),
  );
});

test('FileHeadGuard: files that are no journal, or not of one, are an error', async (t) => {
  const path = await filled(t, 3);
  const [one, other] = [await readFile(join(path, '0')), await readFile(join(path, '1'))];
  const restore = async (): Promise<void> => {
    await writeFile(join(path, '0'), one);
    await writeFile(join(path, '1'), other);
  };
  await rm(join(path, '1'));
  await assert.rejects(FileHeadGuard.open(path), corrupt);
  await restore();
  await writeFile(join(path, '1'), await readFile(join(await filled(t, 1), '1')));
  await assert.rejects(FileHeadGuard.open(path), corrupt);
  await restore();
  for (const cut of [0, BLOCK]) {
    await writeFile(join(path, '0'), one.subarray(0, cut));
    await assert.rejects(FileHeadGuard.open(path), corrupt);
  }
  await restore();
  // The beginning of one file may go bad.
  await overwrite(join(path, '0'), 0, new Uint8Array(BLOCK));
  assert.equal(await sizeIn(t, path), 3);
  await overwrite(join(path, '1'), 0, new Uint8Array(BLOCK));
  await assert.rejects(FileHeadGuard.open(path), corrupt);
});

test('FileHeadGuard: bytes of an entry are never taken for a record', async (t) => {
  const path = await filled(t, 2);
  const stolen = (await readFile(join(await filled(t, 9), '0'))).subarray(9 * BLOCK, 10 * BLOCK);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  const entry = Buffer.concat([new Uint8Array(BLOCK - 292), stolen, stolen]);
  await guard.move({ ...batchOf(2, 3), entries: [entry] });
  await guard.close();
  // Its first block is lost, so that the next ones are looked at as if they began something.
  const name = join(path, '0');
  const bytes = await readFile(name);
  const at = bytes.indexOf(stolen);
  assert.equal(at % BLOCK, 0);
  await overwrite(name, at - BLOCK, new Uint8Array(BLOCK));
  assert.equal(await sizeIn(t, path), 2, 'the newest record looks as if it had been cut off');
});

test('FileHeadGuard: a file put in its place, or taken away, is noticed', async (t) => {
  const path = await filled(t, 2);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  const name = join(path, '0');
  await cp(name, `${name}.copy`);
  await rename(`${name}.copy`, name);
  await assert.rejects(guard.move(batchOf(2, 3)), conflict);
  await rm(name);
  await assert.rejects(guard.move(batchOf(2, 3)), conflict);
});

test('FileHeadGuard: a journal begins at the head of an earlier guard, once', async (t) => {
  const path = await place(t);
  await FileHeadGuard.begin(path, bareHead(7));
  await assert.rejects(FileHeadGuard.begin(path, bareHead(8)), conflict);
  const guard = await opened(t, path);
  assert.deepEqual(await guard.look(), { epoch: 0, writer: '', head: bareHead(7) });
  assert.deepEqual(await guard.take('one', 'one'), {
    epoch: 1,
    writer: 'one',
    head: bareHead(7),
    pending: [],
  });
  await guard.move(batchOf(7, 8));
});

test('FileHeadGuard: after a write that failed nothing goes on before it is opened anew', async (t) => {
  const path = await filled(t, 2);
  const guard = await opened(t, path);
  await guard.take('one', 'one');
  const file = await open(join(path, '0'));
  const kind = Object.getPrototypeOf(file) as { write: unknown };
  await file.close();
  const { write } = kind;
  for (const [code, words] of [
    ['guard_unknown', 'EIO'],
    ['no_room', 'ENOSPC'],
  ] as const) {
    kind.write = () => Promise.reject(Object.assign(new Error(words), { code: words }));
    await assert.rejects(guard.move(batchOf(2, 3)), { code });
    kind.write = write;
    await assert.rejects(guard.move(batchOf(2, 3)), { code: 'stopped' });
    await assert.rejects(guard.look(), { code: 'stopped' });
    await guard.reopen();
    await assert.rejects(guard.move(batchOf(2, 3)), { code: 'epoch_over' });
    assert.deepEqual((await guard.take('one', 'one')).head, bareHead(2));
  }
  await guard.move(batchOf(2, 3));
});
