import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '@assay/core/fault';
import { DiskRoom } from '@assay/node/health/disk-room';
import { turns } from '../ledger/ledger-fixture.ts';

const MB = 1_000_000;
const LIMITS = { lowBytes: 1000 * MB, reserveBytes: 200 * MB };

function room(bytes: number, files?: number) {
  const space = { bytes, files, failing: false };
  const failures: unknown[] = [];
  const disk = new DiskRoom({
    measure: () => {
      if (space.failing) return Promise.reject(new Error('EIO'));
      return Promise.resolve({ bytes: space.bytes, files: space.files });
    },
    limits: LIMITS,
    onFailed: (error) => failures.push(error),
  });
  const shortage = (): Fault | undefined => disk.shortage;
  return {
    disk,
    space,
    failures,
    shortage,
    reasons: () => disk.concerns().map(({ reason }) => reason),
  };
}

test('disk room: nothing is reported before a measurement, nor of a disk with room', async () => {
  const { disk, shortage, reasons } = room(1000 * MB, 10_000);
  assert.deepEqual([disk.free, shortage(), reasons()], [undefined, undefined, []]);
  await disk.measure();
  assert.deepEqual([disk.free?.bytes, shortage(), reasons()], [1000 * MB, undefined, []]);
});

test('disk room: below each limit it says so, in a text that does not change with every byte', async () => {
  const { disk, space, shortage, reasons } = room(999 * MB);
  await disk.measure();
  assert.deepEqual(reasons(), ['The disk has about 900 MB left, which is less than 1000 MB.']);
  assert.equal(shortage(), undefined);
  space.bytes = 905 * MB;
  await disk.measure();
  assert.deepEqual(reasons(), ['The disk has about 900 MB left, which is less than 1000 MB.']);
  space.bytes = 199 * MB;
  await disk.measure();
  assert.deepEqual(reasons(), [
    'The disk has about 100 MB left: nothing new is begun below 200 MB.',
  ]);
  assert.equal(shortage()?.code, 'no_room');
  space.bytes = 0;
  await disk.measure();
  assert.match(reasons().join(), /about 0 MB left/);
  space.bytes = 2000 * MB;
  await disk.measure();
  assert.deepEqual([reasons(), shortage()], [[], undefined]);
});

test('disk room: files count as bytes do', async () => {
  const { disk, space, shortage, reasons } = room(2000 * MB, 9999);
  await disk.measure();
  assert.deepEqual(reasons(), ['The disk has room for about 9000 files.']);
  assert.equal(shortage(), undefined);
  space.files = 999;
  await disk.measure();
  assert.deepEqual(reasons(), [
    'The disk has room for about 900 files: nothing new is begun below 1000.',
  ]);
  assert.match(shortage()?.message ?? '', /room for 1000 files, found 999/);
});

test('disk room: where it cannot be measured that is reported once, and nothing is refused', async () => {
  const { disk, space, failures, shortage, reasons } = room(10 * MB);
  space.failing = true;
  await disk.measure();
  await disk.measure();
  assert.equal(failures.length, 1);
  assert.deepEqual(reasons(), ['The room on the disk cannot be measured.']);
  assert.equal(shortage(), undefined);
  (await disk.claim('a round', 500 * MB))();
  space.failing = false;
  await disk.measure();
  assert.equal(shortage()?.code, 'no_room');
});

test('disk room: work that could not be finished is refused, and named until it would fit', async () => {
  const { disk, space, reasons } = room(1500 * MB);
  const none = { code: 'no_room' };
  await assert.rejects(disk.claim('a round of X', 1400 * MB), none);
  assert.deepEqual(reasons(), [
    'The disk has about 1000 MB left: a round of X is not begun, for it may need 1400 MB in addition to 200 MB in reserve.',
  ]);
  (await disk.claim('a round of Y', 1300 * MB))();
  space.bytes = 1600 * MB;
  await disk.measure();
  assert.deepEqual(reasons(), []);
  space.bytes = 1500 * MB;
  await disk.measure();
  assert.equal(reasons().length, 1, 'it has not asked again');
  space.bytes = 1600 * MB;
  (await disk.claim('a round of X', 1400 * MB))();
  space.bytes = 1500 * MB;
  await disk.measure();
  assert.deepEqual(reasons(), [], 'it was begun meanwhile');
});

test('disk room: claims that do not fit together come one after the other', async () => {
  const { disk, space } = room(1000 * MB);
  const begun: string[] = [];
  const claim = async (what: string, bytes: number): Promise<() => void> => {
    const giveBack = await disk.claim(what, bytes);
    begun.push(what);
    return giveBack;
  };
  const first = await claim('a', 500 * MB);
  const second = claim('b', 400 * MB);
  const small = await claim('c', 200 * MB);
  await turns();
  assert.deepEqual(begun, ['a', 'c']);
  small();
  small();
  await turns();
  assert.deepEqual(begun, ['a', 'c']);
  first();
  (await second)();
  assert.deepEqual(begun, ['a', 'c', 'b']);
  // What waits is refused once there is too little whoever gives back.
  const last = await claim('d', 700 * MB);
  const refused = assert.rejects(claim('e', 300 * MB), { code: 'no_room' });
  await turns();
  space.bytes = 400 * MB;
  last();
  await refused;
});
