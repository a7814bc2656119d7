import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { parseTime } from '@assay/core/time/time';
import type { ViewState } from '@assay/core/view/view';
import type { Turns } from '@assay/node/ledger/store/slices';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { type IndexFault, IndexRecount } from '@assay/node/recounter/poll/index-recount';
import { CosignedWorld, FROZEN, RELEASE } from '../../cosign/cosigner-fixture.ts';

const ALL_AT_ONCE = { pause: () => undefined };

async function faults(
  recount: IndexRecount,
  state: ViewState,
  turns: Turns = ALL_AT_ONCE,
): Promise<readonly IndexFault[]> {
  const found: IndexFault[] = [];
  for await (const each of recount.poll(state, turns)) found.push(each);
  return found;
}

test('index recount: days out of their time, and days without an entry', async () => {
  const world = await CosignedWorld.open();
  const { ledger } = world;
  const recount = new IndexRecount(nodeSha256);
  const poll = async () =>
    (await faults(recount, ledger.shown)).map(({ code, day }) => `${code} ${day}`);
  const append = async (day: string) => {
    const size = ledger.nextSeq;
    const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size) } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  };
  const time = (day: string) => parseTime(`${day}T00:00:00Z`);
  assert.deepEqual(recount.missing(time('2030-01-01'), 0), [], 'nothing to begin with');
  world.at(RELEASE);
  await append('2026-07-28');
  await append('2026-07-30');
  await append('9999-12-31');
  assert.deepEqual(await poll(), ['index_not_due 2026-07-30', 'index_not_due 9999-12-31']);
  assert.deepEqual(recount.missing(time('2026-07-31'), 86_400), ['2026-07-29']);
  assert.deepEqual(recount.missing(time('2026-07-31') - 1, 86_400), []);
  world.at('2026-08-02T00:00:00Z');
  await append('2026-07-31');
  await append('2026-07-31');
  assert.deepEqual(await poll(), [
    'index_missing 2026-07-29',
    'index_missing 2026-07-30',
    'index_not_due 2026-07-31',
  ]);
  assert.equal(recount.missing(time('2030-01-01'), 0).length, 100);
});

test('index recount: a clock that passes over days leaves none missing; undue entries are reported all the same', async () => {
  const world = await CosignedWorld.open();
  const { ledger } = world;
  const recount = new IndexRecount(nodeSha256, false);
  world.at('2026-08-05T00:00:00Z');
  for (const day of ['2026-07-28', '2026-08-03', '2026-08-01']) {
    const size = ledger.nextSeq;
    const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size) } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  }
  const found = (await faults(recount, ledger.tip)).map(({ code, day }) => `${code} ${day}`);
  assert.deepEqual(found, ['index_not_due 2026-08-01']);
  assert.deepEqual(recount.missing(parseTime('2030-01-01T00:00:00Z'), 0), []);
});

test('index recount: one that says what the log holds is right, any other is reported once', async () => {
  const world = await CosignedWorld.open();
  const { ledger } = world;
  const recount = new IndexRecount(nodeSha256);
  const append = async (day: string, change: object = {}) => {
    const size = ledger.nextSeq;
    const content = recomputeIndex(ledger.tip, nodeSha256, size);
    const body = { day, size, ...content, ...change } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  };
  world.at(RELEASE);
  await world.round();
  await append('2026-07-28');
  assert.deepEqual(await faults(recount, ledger.shown), []);
  world.at(FROZEN);
  await world.round();
  const { prints } = recomputeIndex(ledger.tip, nodeSha256, ledger.nextSeq);
  const seq = ledger.nextSeq;
  await append('2026-07-29', { prints: { ...prints, count: prints.count - 1 } });
  const found = { code: 'index_differs', day: '2026-07-29', seq };
  assert.deepEqual(await faults(recount, ledger.shown), [found]);
  assert.deepEqual(await faults(recount, ledger.shown), []);
  const fresh = new IndexRecount(nodeSha256);
  assert.equal((await faults(fresh, ledger.shown)).length, 1, 'and by one who comes later');
});

test('index recount: it waits at each entry, and goes on where it was when it is stopped', async () => {
  const world = await CosignedWorld.open();
  const { ledger } = world;
  const recount = new IndexRecount(nodeSha256);
  world.at('2026-08-05T00:00:00Z');
  for (const day of ['2026-07-28', '2026-07-27', '2026-07-26']) {
    const size = ledger.nextSeq;
    const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size) } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  }
  const stop = new AbortController();
  let steps = 0;
  const pause = async (): Promise<void> => {
    steps += 1;
    if (steps === 3) stop.abort();
  };
  const days = (found: readonly IndexFault[]) => found.map(({ day }) => day);
  const first = await faults(recount, ledger.shown, { pause, signal: stop.signal });
  assert.deepEqual([days(first), steps], [['2026-07-27'], 3]);
  assert.deepEqual(days(await faults(recount, ledger.shown)), ['2026-07-26']);
});

test('index recount: an entry whose faults were not all taken comes again', async () => {
  const world = await CosignedWorld.open();
  const { ledger } = world;
  const recount = new IndexRecount(nodeSha256);
  world.at('2026-08-05T00:00:00Z');
  const append = async (day: string, change: object = {}): Promise<void> => {
    const size = ledger.nextSeq;
    const body = { day, size, ...recomputeIndex(ledger.tip, nodeSha256, size), ...change } as never;
    await ledger.write(() => [{ kind: 'index/1', body }]);
  };
  await append('2026-07-28');
  await append('2026-07-29', { events: { count: 7, root: 'ab'.repeat(32) } });
  await append('2026-07-30');
  // Whoever stores a finding may fail.
  await assert.rejects(async () => {
    for await (const { code } of recount.poll(ledger.shown, ALL_AT_ONCE)) throw new Error(code);
  }, /index_differs/);
  const names = async (): Promise<readonly string[]> =>
    (await faults(recount, ledger.shown)).map(({ code, day }) => `${code} ${day}`);
  assert.deepEqual(await names(), ['index_differs 2026-07-29']);
  assert.deepEqual(await names(), []);
});
