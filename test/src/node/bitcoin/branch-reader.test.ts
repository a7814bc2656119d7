import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { extendBack, MAX_GAP, readAll, readBranch } from '@assay/node/bitcoin/branch-reader';
import { checkBranch, newest, tipHeight } from '@assay/node/bitcoin/header-branch';
import type { HeaderSource } from '@assay/node/bitcoin/header-source';
import fc from 'fast-check';
import { ListSource, mined } from './mined-headers.ts';

const ALL = mined(60);
const idsOf = (headers: readonly Uint8Array[]) => checkBranch(DEVELOPMENT, headers, 0).ids;

test('branch reader: the newest headers, and later only what is new', async () => {
  const source = new ListSource(ALL.slice(0, 41));
  const { branch: first } = await readBranch(source, DEVELOPMENT, 20);
  assert.deepEqual([first.first, tipHeight(first)], [21, 40]);
  source.asked.length = 0;
  source.all = ALL;
  const { branch: second } = await readBranch(source, DEVELOPMENT, 20, [first]);
  assert.deepEqual(source.asked, [[40, 21]]);
  assert.deepEqual(second.ids, idsOf(ALL).slice(21));
  source.asked.length = 0;
  const third = await readBranch(source, DEVELOPMENT, 20, [second]);
  assert.deepEqual([third.branch.ids, third.tip], [second.ids, 60]);
  assert.deepEqual(source.asked, [[60, 1]]);
});

test('branch reader: a chain shorter than asked for', async () => {
  const { branch } = await readBranch(new ListSource(ALL.slice(0, 3)), DEVELOPMENT, 20);
  assert.deepEqual([branch.first, tipHeight(branch)], [0, 2]);
});

test('branch reader: walks back to where the chain has changed, however deep', async () => {
  const known = newest(checkBranch(DEVELOPMENT, ALL, 0), 40);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.nat(60), async (keep, more) => {
      const all = mined(more, 2, ALL.slice(0, keep + 1));
      const { branch } = await readBranch(new ListSource(all), DEVELOPMENT, 20, [known]);
      assert.equal(tipHeight(branch), keep + more);
      assert.deepEqual(branch.ids, idsOf(all).slice(branch.first));
      if (keep >= known.first) assert.equal(branch.first, known.first);
    }),
  );
});

test('branch reader: a source that contradicts itself', async () => {
  const known = newest(checkBranch(DEVELOPMENT, ALL, 0), 40);
  const source = (tip: unknown, headers: HeaderSource['headers']): HeaderSource => ({
    name: 'liar',
    tip: async () => tip as number,
    headers,
  });
  const honest: HeaderSource['headers'] = async (from, count) => ALL.slice(from, from + count);
  for (const tip of [-1, 1.5, Number.NaN, 2 ** 31, 61, 70_000, 2_147_483_647]) {
    for (const before of [[], [known]]) {
      const read = readBranch(source(tip, honest), DEVELOPMENT, 20, before);
      await assert.rejects(read, { code: 'malformed' }, String(tip));
    }
  }
  const lies: readonly HeaderSource['headers'][] = [
    async () => [],
    async (from, count) => ALL.slice(from, from + count - 1),
    async (from, count) => [...ALL, ...ALL].slice(from, from + count + 1),
    async (_, count) => Array.from({ length: count }, () => new Uint8Array(79)),
    async (_, count) => Array.from({ length: count }, () => new Uint8Array(80)),
    async (_, count) => ALL.slice(1, 1 + count).toReversed(),
    async (from, count) => ALL.slice(from - 1, from - 1 + count),
  ];
  for (const lie of lies.slice(0, 6)) {
    const read = readBranch(source(60, lie), DEVELOPMENT, 20);
    await assert.rejects(read, /liar|Bitcoin header/, String(lie));
  }
  // Headers that are one off from their heights never join what is known.
  const { branch: off } = await readBranch(
    source(60, lies[6] as HeaderSource['headers']),
    DEVELOPMENT,
    20,
    [known],
  );
  assert.equal(off.first, 41);
});

test('branch reader: a long gap is read on from the known end, in pieces', async () => {
  const all = mined(7000);
  const whole = checkBranch(DEVELOPMENT, all, 0);
  const known = checkBranch(DEVELOPMENT, all.slice(0, 31), 0);
  const source = new ListSource(all);
  const read = await readBranch(source, DEVELOPMENT, 20, [known]);
  assert.deepEqual([tipHeight(read.branch), read.tip], [30 + MAX_GAP, 7000]);
  assert.deepEqual(read.branch.ids, whole.ids.slice(0, 31 + MAX_GAP));
  const rest = await readBranch(source, DEVELOPMENT, 20, [read.branch]);
  assert.deepEqual([rest.branch.ids, rest.branch.first], [whole.ids, 0]);
  // Without time there is one piece, so that it ends some day.
  const slow = await readBranch(source, DEVELOPMENT, 20, [known], () => true);
  assert.equal(tipHeight(slow.branch), 30 + 504);
  // What does not link is no chain.
  source.all = [...all.slice(0, 1000), ...mined(6001, 2, all.slice(0, 1000)).slice(1001)];
  const broken = readBranch(source, DEVELOPMENT, 20, [known]);
  await assert.rejects(broken, { code: 'bad_header', at: 'height 1000' });
});

test('branch reader: the first of several known branches that is shared is carried on', async () => {
  const other = checkBranch(DEVELOPMENT, mined(60, 9), 0);
  const known = newest(checkBranch(DEVELOPMENT, ALL.slice(0, 41), 0), 10);
  const { branch } = await readBranch(new ListSource(ALL), DEVELOPMENT, 20, [
    newest(other, 20),
    known,
  ]);
  assert.deepEqual([branch.first, branch.ids], [31, idsOf(ALL).slice(31)]);
});

test('branch reader: older headers are joined only where they lead to those held', async () => {
  const branch = newest(checkBranch(DEVELOPMENT, ALL, 0), 20);
  const longer = await extendBack(new ListSource(ALL), DEVELOPMENT, branch, 3);
  assert.deepEqual(longer.ids, idsOf(ALL).slice(3));
  const other = new ListSource(mined(30, 3, ALL.slice(0, 31)));
  await assert.rejects(extendBack(other, DEVELOPMENT, branch, 3), { code: 'bad_header' });
});

test('branch reader: many headers come in parts', async () => {
  const asked: number[] = [];
  const source: HeaderSource = {
    name: 'long',
    tip: async () => 5000,
    headers: async (_, count) => {
      asked.push(count);
      return Array.from({ length: count }, () => new Uint8Array(80));
    },
  };
  assert.equal((await readAll(source, 1, 5000)).length, 5000);
  assert.deepEqual(asked, [2016, 2016, 968]);
  assert.deepEqual(await readAll(source, 7, 6), []);
});
