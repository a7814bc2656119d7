import assert from 'node:assert/strict';
import {
  constants,
  copyFile,
  mkdtemp,
  open,
  readFile,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FileNoteSlot, MAX_NOTE_BYTES } from '@assay/node/ledger/guard/file-note-slot';
import fc from 'fast-check';
import { noteSlotSuite } from './note-slot-suite.ts';

const SECTOR = 512;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const corrupt = { name: 'Fault', code: 'guard_corrupt' };
const conflict = { name: 'Fault', code: 'guard_conflict' };

async function place(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-guard-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'head');
}

async function opened(t: TestContext, path: string): Promise<FileNoteSlot> {
  const guard = await FileNoteSlot.open(path);
  t.after(() => guard.close());
  return guard;
}

/** What a guard opened on these bytes holds. */
async function heldBy(path: string, image: Uint8Array): Promise<Uint8Array | undefined> {
  await writeFile(path, image);
  const guard = await FileNoteSlot.open(path);
  const held = await guard.read();
  await guard.close();
  return held;
}

/** Longer than a sector, so that a record can be torn inside. */
const head = (i: number): Uint8Array => bytes(`head ${i} `.repeat(120));

/** A file before and after a swap from `old`, which the guard reached in `swaps` steps, to `next`. */
async function twoImages(
  path: string,
  swaps: number,
): Promise<{ before: Uint8Array; after: Uint8Array; old: Uint8Array; next: Uint8Array }> {
  await rm(path, { force: true });
  const guard = await FileNoteSlot.open(path);
  for (let i = 0; i < swaps; i += 1) await guard.swap(i === 0 ? undefined : head(i - 1), head(i));
  const before = new Uint8Array(await readFile(path));
  await guard.swap(head(swaps - 1), head(swaps));
  const after = new Uint8Array(await readFile(path));
  await guard.close();
  return { before, after, old: head(swaps - 1), next: head(swaps) };
}

noteSlotSuite('FileNoteSlot', async (t) => opened(t, await place(t)));

test('FileNoteSlot: what was swapped in is there for the next process', async (t) => {
  const path = await place(t);
  for (let i = 0; i < 5; i += 1) {
    const guard = await FileNoteSlot.open(path);
    const held = await guard.read();
    assert.deepEqual(held, i === 0 ? undefined : bytes(`${i - 1}`));
    await guard.swap(held, bytes(`${i}`));
    await guard.close();
    await assert.rejects(guard.read(), { code: 'stopped' });
  }
});

test('FileNoteSlot: a write cut off at any byte leaves the old head or the new', async (t) => {
  const path = await place(t);
  for (const swaps of [1, 2]) {
    const { before, after, old, next } = await twoImages(path, swaps);
    const first = before.findIndex((byte, i) => byte !== after[i]);
    const last = before.findLastIndex((byte, i) => byte !== after[i]);
    const seen = new Set<boolean>();
    for (let cut = first; cut <= last + 1; cut += cut < first + 64 ? 1 : 61) {
      const torn = after.slice();
      torn.set(before.subarray(cut), cut);
      const held = await heldBy(path, torn);
      const isNew = Buffer.from(next).equals(held ?? new Uint8Array(0));
      assert.deepEqual(held, isNew ? next : old, `cut at ${cut}`);
      seen.add(isNew);
    }
    assert.deepEqual([...seen], [false, true], 'first old, from some byte on new');
  }
});

test('FileNoteSlot: sectors of a write in any order, some spoilt, leave the old or the new', async (t) => {
  const path = await place(t);
  const { before, after, old, next } = await twoImages(path, 4);
  const start = before.findIndex((byte, i) => byte !== after[i]) & ~(SECTOR - 1);
  const state = fc.constantFrom('old', 'new', 'spoilt' as const);
  await fc.assert(
    fc.asyncProperty(fc.array(state, { minLength: 16, maxLength: 16 }), async (sectors) => {
      const image = before.slice();
      for (const [i, sector] of sectors.entries()) {
        const at = start + i * SECTOR;
        if (sector === 'new') image.set(after.subarray(at, at + SECTOR), at);
        if (sector === 'spoilt') image.fill(0xa5, at, at + SECTOR);
      }
      const held = await heldBy(path, image);
      const isNew = Buffer.from(next).equals(held ?? new Uint8Array(0));
      assert.deepEqual(held, isNew ? next : old);
    }),
    { numRuns: 200 },
  );
});

test('FileNoteSlot: a head that was swapped in outlives one bad block', async (t) => {
  const path = await place(t);
  const { after, next } = await twoImages(path, 3);
  for (let block = 0; block < after.length; block += 4096) {
    const image = after.slice();
    image.fill(0xff, block, block + 4096);
    assert.deepEqual(await heldBy(path, image), next);
  }
});

test('FileNoteSlot: after a torn write the next swaps go on', async (t) => {
  const path = await place(t);
  const { before, after, old } = await twoImages(path, 3);
  const torn = before.slice();
  const first = before.findIndex((byte, i) => byte !== after[i]);
  torn.fill(0, first, first + 10);
  torn.fill(0, first + 4096, first + 4106);
  await writeFile(path, torn);
  const guard = await opened(t, path);
  await guard.swap(old, bytes('x'));
  await guard.swap(bytes('x'), bytes('y'));
  assert.deepEqual(await guard.read(), bytes('y'));
});

test('FileNoteSlot: a file that holds no whole head is an error, never empty', async (t) => {
  const path = await place(t);
  const { before, after } = await twoImages(path, 3);
  const exchanged = after.slice();
  exchanged.set(after.subarray(65_536), 0);
  exchanged.set(after.subarray(0, 8192), 65_536);
  const other = await place(t);
  const guard = await FileNoteSlot.open(other);
  for (const i of [0, 1, 2, 3])
    await guard.swap(i === 0 ? undefined : bytes(`${i - 1}`), bytes(`${i}`));
  await guard.close();
  const twoHeads = after.slice();
  twoHeads.set((await readFile(other)).subarray(65_536, 65_536 + 4096), 65_536);
  const jumped = (await twoImages(path, 6)).after.slice();
  jumped.set(before.subarray(0, 8192), 0);
  const images = {
    empty: new Uint8Array(0),
    zeros: new Uint8Array(after.length),
    short: after.subarray(0, after.length - 1),
    long: Buffer.concat([after, new Uint8Array(1)]),
    text: bytes('{}'),
    'slots exchanged': exchanged,
    'two heads of one number': twoHeads,
    'slots of other times': jumped,
  };
  for (const [name, image] of Object.entries(images)) {
    await writeFile(path, image);
    await assert.rejects(FileNoteSlot.open(path), corrupt, name);
    assert.ok(Buffer.from(image).equals(await readFile(path)), 'and is left as it is');
  }
});

test('FileNoteSlot: a file spoilt while it is open is an error at the next call', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.swap(bytes('a'), bytes('b'));
  await truncate(path, 100);
  await assert.rejects(guard.read(), corrupt);
  await assert.rejects(guard.swap(bytes('b'), bytes('c')), corrupt);
});

test('FileNoteSlot: a second writer is noticed', async (t) => {
  const path = await place(t);
  const one = await opened(t, path);
  const two = await opened(t, path);
  await one.swap(undefined, bytes('a'));
  await assert.rejects(two.swap(undefined, bytes('b')), conflict);
  await two.swap(bytes('a'), bytes('b'));
  await assert.rejects(one.swap(bytes('a'), bytes('c')), conflict);
  assert.deepEqual(await one.read(), bytes('b'));
});

test('FileNoteSlot: of two writers of a first head one wins', async (t) => {
  const path = await place(t);
  const guards = [await opened(t, path), await opened(t, path)];
  const results = await Promise.allSettled(
    guards.map((guard, i) => guard.swap(undefined, bytes(`${i}`)).then(() => bytes(`${i}`))),
  );
  const [won] = results.filter((each) => each.status === 'fulfilled');
  const [lost] = results.filter((each) => each.status === 'rejected');
  assert.equal(lost?.reason.code, 'guard_conflict');
  for (const guard of guards) assert.deepEqual(await guard.read(), won?.value);
});

test('FileNoteSlot: a file put in its place, or taken away, is noticed', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.swap(bytes('a'), bytes('b'));
  await copyFile(path, `${path}.copy`);
  await rm(path);
  await assert.rejects(guard.read(), conflict);
  await copyFile(`${path}.copy`, path);
  await assert.rejects(guard.swap(bytes('b'), bytes('c')), conflict);
});

test('FileNoteSlot: what is found at opening is synced before it is returned', async (t) => {
  const path = await place(t);
  const guard = await FileNoteSlot.open(path);
  await guard.swap(undefined, bytes('a'));
  await guard.close();
  const prototype = await handles(path);
  const datasync = t.mock.method(prototype, 'datasync');
  const write = t.mock.method(prototype, 'write');
  const again = await opened(t, path);
  assert.deepEqual([write.mock.callCount(), datasync.mock.callCount()], [1, 1]);
  datasync.mock.mockImplementation(() => Promise.reject(new Error('EIO')));
  await assert.rejects(FileNoteSlot.open(path), /EIO/);
  assert.ok(again);
});

test('FileNoteSlot: each swap writes once and syncs once', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  assert.deepEqual(await guard.read(), bytes('a'));
  const prototype = await handles(path);
  const datasync = t.mock.method(prototype, 'datasync');
  const write = t.mock.method(prototype, 'write');
  await guard.swap(bytes('a'), bytes('b'));
  const synced = process.platform === 'linux';
  assert.deepEqual([write.mock.callCount(), datasync.mock.callCount()], [1, synced ? 0 : 1]);
  if (!synced) return;
  const call = write.mock.calls[0];
  assert.ok(call !== undefined);
  const handle = call.this as { readonly fd: number };
  const flags = /^flags:\s*([0-7]+)$/m.exec(
    await readFile(`/proc/self/fdinfo/${handle.fd}`, 'utf8'),
  )?.[1];
  assert.notEqual(Number.parseInt(flags ?? '', 8) & constants.O_DSYNC, 0);
});

test('FileNoteSlot: after a write or sync that failed it returns nothing more', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.swap(bytes('a'), bytes('b'));
  const failed = new Error('EIO');
  const mock = t.mock.method(await handles(path), 'write', () => Promise.reject(failed));
  const swaps = [guard.swap(bytes('b'), bytes('c')), guard.swap(bytes('b'), bytes('d'))];
  const [first, second] = await Promise.allSettled(swaps);
  mock.mock.restore();
  assert.equal((first as PromiseRejectedResult).reason, failed);
  assert.equal((second as PromiseRejectedResult).reason.code, 'stopped');
  await assert.rejects(guard.read(), { code: 'stopped', cause: failed });
});

test('FileNoteSlot: opened anew after a write that failed, it holds what that left on the disk', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.swap(bytes('a'), bytes('b'));
  const prototype = await handles(path);
  const failed = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  let mock = t.mock.method(prototype, 'write', () => Promise.reject(failed));
  await assert.rejects(guard.swap(bytes('b'), bytes('c')), failed);
  // The disk is as full as before: what is held can be read, and nothing is swapped in.
  await guard.reopen();
  assert.deepEqual(await guard.read(), bytes('b'));
  await assert.rejects(guard.swap(bytes('b'), bytes('c')), { code: 'no_room' });
  mock.mock.restore();
  await guard.reopen();
  assert.deepEqual(await guard.read(), bytes('b'));
  await guard.swap(bytes('b'), bytes('c'));

  const write = Reflect.get(prototype, 'write') as (...args: unknown[]) => Promise<unknown>;
  mock = t.mock.method(prototype, 'write', async function (this: unknown, ...args: unknown[]) {
    await write.apply(this, args);
    throw failed;
  });
  await assert.rejects(guard.swap(bytes('c'), bytes('d')), failed);
  mock.mock.restore();
  await guard.reopen();
  assert.deepEqual(await guard.read(), bytes('d'), 'it failed, but it is on the disk');
  await guard.swap(bytes('d'), bytes('e'));
  await guard.close();
  await assert.rejects(guard.reopen(), { code: 'stopped' });
});

test('FileNoteSlot: on a read-only disk it is read, and a swap says why it is not made', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.close();
  const prototype = await handles(path);
  const failed = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  const mock = t.mock.method(prototype, 'datasync', () => Promise.reject(failed));
  const again = await opened(t, path);
  assert.deepEqual(await again.read(), bytes('a'));
  await assert.rejects(again.swap(bytes('a'), bytes('b')), { code: 'no_room' });
  assert.deepEqual(await again.read(), bytes('a'));
  mock.mock.restore();
});

test('FileNoteSlot: a short write is completed', async (t) => {
  const path = await place(t);
  const guard = await opened(t, path);
  await guard.swap(undefined, bytes('a'));
  await guard.read();
  const prototype = await handles(path);
  const write = Reflect.get(prototype, 'write') as (...args: unknown[]) => Promise<unknown>;
  t.mock.method(
    prototype,
    'write',
    function (this: unknown, data: unknown, offset: number, length: number, at: number) {
      return write.call(this, data, offset, Math.min(length, 1000), at);
    },
  );
  await guard.swap(bytes('a'), head(300));
  const image = await readFile(path);
  assert.deepEqual(image.subarray(65_536, 69_632), image.subarray(69_632));
  assert.deepEqual(await guard.read(), head(300));
});

test('FileNoteSlot: a head over the limit is refused', async (t) => {
  const guard = await opened(t, await place(t));
  const largest = new Uint8Array(MAX_NOTE_BYTES).fill(7);
  await assert.rejects(guard.swap(undefined, new Uint8Array(MAX_NOTE_BYTES + 1)), {
    code: 'too_large',
  });
  await guard.swap(undefined, largest);
  assert.deepEqual(await guard.read(), largest);
});

/** The prototype of every file handle. */
async function handles(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as Awaited<ReturnType<typeof open>>;
  await handle.close();
  return prototype;
}
