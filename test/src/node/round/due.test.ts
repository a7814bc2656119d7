import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate, parseTime } from '@assay/core/time/time';
import type { ViewState } from '@assay/core/view/view';
import { duePeriods } from '@assay/node/round/due';
import { OpenPeriods } from '@assay/node/round/open-periods';
import { CLAIMS_RULE, type TestNode, testNode } from '../fixture/round-fixture.ts';

const { ticker } = CLAIMS_RULE;

function due(state: ViewState, time: string): readonly string[] {
  return duePeriods(ticker, state, parseTime(time), new OpenPeriods()).map((period) =>
    formatDate(period),
  );
}

/** A node whose log holds a print of the week, final or still provisional. */
async function printed(week: string, release: string, last = release): Promise<TestNode> {
  const node = await testNode('2026-07-20T00:00:00Z');
  node.source.show({ [week]: 200_000 });
  for (const time of new Set([release, last])) {
    node.at(time);
    await node.round(week);
  }
  return node;
}

test('due: nothing without a rule', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  assert.deepEqual(
    duePeriods('OTHER' as never, node.ledger.tip, 1_785_414_600, new OpenPeriods()),
    [],
  );
});

test('due: a week from the second of its release on, in the time of its zone', async () => {
  const { ledger } = await testNode('2026-07-20T00:00:00Z');
  assert.deepEqual(due(ledger.tip, '2026-07-23T12:29:59Z'), []);
  assert.deepEqual(due(ledger.tip, '2026-07-23T12:30:00Z'), ['2026-07-18']);
  assert.deepEqual(due(ledger.tip, '2026-07-30T12:29:59Z'), ['2026-07-18']);
  assert.deepEqual(due(ledger.tip, '2026-07-30T12:30:00Z'), ['2026-07-25', '2026-07-18']);
  const winter = await testNode('2026-11-02T00:00:00Z');
  assert.deepEqual(due(winter.ledger.tip, '2026-11-05T13:29:59Z'), []);
  assert.deepEqual(due(winter.ledger.tip, '2026-11-05T13:30:00Z'), ['2026-10-31']);
});

test('due: a release that was moved is due on its own day', async () => {
  const { ledger } = await testNode('2025-12-26T00:00:00Z');
  assert.deepEqual(due(ledger.tip, '2025-12-31T13:29:59Z'), []);
  assert.deepEqual(due(ledger.tip, '2025-12-31T13:30:00Z'), ['2025-12-27']);
});

test('due: newest first, so that what was missed is history before anything is printed for it', async () => {
  const { ledger } = await testNode('2026-07-20T00:00:00Z');
  const weeks = due(ledger.tip, '2026-08-20T12:30:00Z');
  assert.deepEqual(weeks, ['2026-08-15', '2026-08-08', '2026-08-01', '2026-07-25', '2026-07-18']);
});

test('due: what was released before the log had the rule is never due', async () => {
  const { ledger } = await testNode('2026-07-23T12:30:01Z');
  assert.deepEqual(due(ledger.tip, '2026-07-23T12:30:01Z'), []);
  assert.deepEqual(due(ledger.tip, '2026-07-30T12:30:00Z'), ['2026-07-25']);
  const same = await testNode('2026-07-23T12:30:00Z');
  assert.deepEqual(due(same.ledger.tip, '2026-07-23T12:30:00Z'), ['2026-07-18']);
});

test('due: a provisional week is, until it is final, however long that takes', async () => {
  const open = await printed('2026-07-18', '2026-07-23T12:30:00Z');
  assert.deepEqual(due(open.ledger.tip, '2026-07-23T14:30:00Z'), ['2026-07-18']);
  const later = due(open.ledger.tip, '2027-07-23T14:30:00Z');
  assert.equal(later.at(-1), '2026-07-18', 'also long after the others are given up');
  assert.equal(later[0], '2027-07-17');
  assert.ok(later.length < 10);
  const closed = await printed('2026-07-18', '2026-07-23T12:30:00Z', '2026-07-23T14:30:00Z');
  assert.deepEqual(due(closed.ledger.tip, '2026-07-29T00:00:00Z'), []);
});

test('due: history is done with', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  node.source.show({ '2026-07-18': 200_000, '2026-07-25': 210_000 });
  node.at('2026-07-30T12:30:00Z');
  await node.round('2026-07-25');
  assert.deepEqual(due(node.ledger.tip, '2026-07-30T12:30:00Z'), ['2026-07-25']);
});
