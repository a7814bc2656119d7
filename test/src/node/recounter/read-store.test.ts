import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatTime, toDate } from '@assay/core/time/time';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  FileReadStore,
  MAX_READ_SETS,
  MemoryReadStore,
  type ReadSet,
  withReadSet,
} from '@assay/node/recounter/read-store';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const TICKER = 'LAYOFFS' as Ticker;
const PERIOD = toDate('2026-07-25');
const hash = (text: string) => hashHex(contentHash(nodeSha256, Buffer.from(text)));

function set(value: number, at: number): ReadSet {
  const reads = [
    {
      provider: 'press',
      role: 'record' as const,
      outcome: 'ok' as const,
      value: `${value}`,
      snapshot: hash(`${value}`),
      retain: 'bytes' as const,
      read_at: formatTime(NOON + at),
    },
  ];
  return { rule: hash('rule'), reads };
}

const times = (sets: readonly ReadSet[]): readonly string[] =>
  sets.map(({ reads }) => `${reads[0]?.value} ${reads[0]?.read_at}`);

test('read store: of a run of the same the first and the last are kept', () => {
  let sets: readonly ReadSet[] = [];
  for (const [value, at] of [
    [1, 0],
    [1, 1],
    [1, 2],
    [2, 3],
    [1, 4],
    [1, 5],
    [1, 6],
  ] as const) {
    sets = withReadSet(sets, set(value, at));
  }
  assert.deepEqual(times(sets), times([set(1, 0), set(1, 2), set(2, 3), set(1, 4), set(1, 6)]));
});

test('read store: the first set that showed a number stays, however often a source changes afterwards', () => {
  const absent = (at: number): ReadSet => {
    const [read] = set(at, at).reads;
    return {
      rule: hash('rule'),
      reads: [{ ...(read as ReadSet['reads'][number]), outcome: 'not_published', value: null }],
    };
  };
  let sets: readonly ReadSet[] = [];
  for (let i = 0; i < 20; i += 1) sets = withReadSet(sets, absent(i));
  for (let i = 20; i < 60; i += 1) sets = withReadSet(sets, set(i, i));
  assert.equal(sets.length, MAX_READ_SETS);
  const values = sets.map(({ reads }) => reads[0]?.value);
  assert.deepEqual([values[0], values[1]], [null, '20']);
  assert.equal(values.at(-1), '59');
});

test('read store: beyond the most the first stays, and the newest', () => {
  let sets: readonly ReadSet[] = [];
  for (let i = 0; i < 40; i += 1) sets = withReadSet(sets, set(i, i));
  assert.equal(sets.length, MAX_READ_SETS);
  assert.equal(sets[0]?.reads[0]?.value, '0');
  assert.equal(sets[1]?.reads[0]?.value, '25');
  assert.equal(sets.at(-1)?.reads[0]?.value, '39');
});

test('read store: what was kept is there after a restart, and gone when it is forgotten', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await FileReadStore.open(folder);
  await Promise.all([store.keep(TICKER, PERIOD, set(1, 0)), store.keep(TICKER, PERIOD, set(2, 1))]);
  const again = await FileReadStore.open(folder, { sync: false });
  assert.deepEqual(await again.of(TICKER, PERIOD), [set(1, 0), set(2, 1)]);
  await again.keep(TICKER, PERIOD, set(3, 2));
  assert.equal((await store.of(TICKER, PERIOD)).length, 3);
  assert.deepEqual(await store.list(), [[TICKER, PERIOD]]);
  await again.forget(TICKER, PERIOD);
  assert.deepEqual(await store.of(TICKER, PERIOD), []);
});

test('read store: a file that is none is refused', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await FileReadStore.open(folder);
  await store.keep(TICKER, PERIOD, set(1, 0));
  await appendFile(join(folder, TICKER, `${PERIOD}.json`), ' ');
  await assert.rejects(store.of(TICKER, PERIOD), { code: 'ledger_corrupt' });
});

test('read store: the one in memory does the same', async () => {
  const store = new MemoryReadStore();
  await store.keep(TICKER, PERIOD, set(1, 0));
  assert.deepEqual(await store.of(TICKER, PERIOD), [set(1, 0)]);
  await store.forget(TICKER, PERIOD);
  assert.deepEqual(await store.of(TICKER, PERIOD), []);
});
