import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDate, parseDate } from '@assay/core/time/time';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { duePeriods } from '@assay/node/round/due';
import { OpenPeriods } from '@assay/node/round/open-periods';
import { CLAIMS_RULE, testNode } from '../fixture/round-fixture.ts';

const { ticker } = CLAIMS_RULE;
const NEWEST = parseDate('2026-07-18');

/** Rows of `weeks` weeks of an index, of which those in `open` are provisional. */
function withWeeks(views: MemoryViews, weeks: number, open: ReadonlySet<number>): MemoryViews {
  for (let week = 0; week < weeks; week += 1) {
    const key = formatDate(NEWEST - 7 * week);
    const status = open.has(week) ? 'provisional' : 'final';
    views.write([{ table: `periods/${ticker}`, key, value: { basis: 'print', status } }]);
  }
  return views;
}

/** The same rows, with a count of those that were read. */
function counted(views: ViewState): { readonly state: ViewState; readonly take: () => number } {
  let rows = 0;
  function* count<T>(all: Iterable<T>): Generator<T> {
    for (const each of all) {
      rows += 1;
      yield each;
    }
  }
  return {
    state: {
      get: (table, key) => {
        rows += 1;
        return views.get(table, key);
      },
      list: (table) => count(views.list(table)),
      descend: (table, below) => count(views.descend(table, below)),
    },
    take: () => {
      const taken = rows;
      rows = 0;
      return taken;
    },
  };
}

test('open periods: each provisional period is found in the end, the newest at once', () => {
  const open = new OpenPeriods();
  const views = withWeeks(new MemoryViews(), 3000, new Set([0, 900, 1500, 2999]));
  const week = (number: number): number => NEWEST - 7 * number;
  assert.deepEqual(open.of(ticker, views), [week(0), week(900)]);
  for (let poll = 0; poll < 20; poll += 1) open.of(ticker, views);
  assert.deepEqual(open.of(ticker, views), [0, 900, 1500, 2999].map(week));
});

test('open periods: one that has ended is forgotten, and one that was noted is found', () => {
  const open = new OpenPeriods();
  const views = withWeeks(new MemoryViews(), 10, new Set([3]));
  assert.deepEqual(open.of(ticker, views), [NEWEST - 21]);
  withWeeks(views, 10, new Set());
  assert.deepEqual(open.of(ticker, views), []);
  open.note(ticker, [NEWEST - 14]);
  withWeeks(views, 10, new Set([2]));
  assert.deepEqual(open.of(ticker, views), [NEWEST - 14]);
});

test('open periods: a poll reads as many rows of a long log as of a short one', async () => {
  const node = await testNode('2026-07-20T00:00:00Z');
  const polls = [200, 20_000].map((weeks) => {
    const views = new MemoryViews();
    for (const table of ['log', 'tickers', `rules/${ticker}`]) {
      for (const [key, value] of node.ledger.tip.list(table)) views.write([{ table, key, value }]);
    }
    const { state, take } = counted(withWeeks(views, weeks, new Set([1])));
    const open = new OpenPeriods();
    const now = (NEWEST + 12) * 86_400;
    for (let poll = 0; poll < 200; poll += 1) duePeriods(ticker, state, now, open);
    take();
    const due = duePeriods(ticker, state, now, open);
    assert.ok(due.includes(NEWEST - 7));
    return take();
  });
  assert.equal(polls[1], polls[0]);
});
