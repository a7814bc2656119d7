import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import type { Due } from '@assay/core/terminal/event/event-book';
import { parseTime, toTime } from '@assay/core/time/time';
import { OwedByTick } from '@assay/verifier/terminal/event-check';
import { Findings } from '@assay/verifier/verdict/finding';
import type { DueBody } from '@assay/verifier/terminal/terminal-kinds';

const RULE = toHashHex('5e'.repeat(32));
const AT = toTime('2026-03-02T15:00:00Z');
const BEFORE = toTime('2026-03-01T15:00:00Z');
const [ONE, TWO] = ['bf9dc03e-b9a2-8161-bff0-a42826f82d01', '00000000-0000-8000-8000-000000000002'];
const DUES: readonly Due[] = [
  {
    kind: 'receipt',
    id: ONE,
    symbol: 'ETH',
    horizon: '24h',
    opened_at: parseTime(BEFORE),
    status: 'resolved',
    resolved_at: parseTime(AT),
    reason: null,
  },
  {
    kind: 'benchmark',
    id: ONE,
    symbol: 'ETH',
    horizon: '24h',
    benchmark: 'BTC',
    from: parseTime(BEFORE),
    to: parseTime(AT),
    reason: null,
  },
  { kind: 'open', id: TWO, symbol: 'SOL', opened_at: parseTime(AT), score: 80 },
];

const ENTRIES: readonly DueBody[] = [
  {
    kind: 'receipt/1',
    body: {
      id: ONE,
      horizon: '24h',
      status: 'resolved',
      resolved_at: AT,
      ret: 12,
      price: RULE,
      reason: null,
    },
  },
  {
    kind: 'benchmark/1',
    body: {
      id: ONE,
      horizon: '24h',
      symbol: 'BTC',
      from: BEFORE,
      to: AT,
      ret: 3,
      from_price: RULE,
      to_price: RULE,
      reason: null,
    },
  },
  {
    kind: 'event/1',
    body: {
      id: TWO,
      symbol: 'SOL',
      class: 'crypto',
      opened_at: AT,
      score: 80,
      move_24h: 700,
      vol_mult: 300,
      breadth: { up: 1, down: 1, of: 3 },
      price: RULE,
      rule: RULE,
    },
  },
];

function found(entries: readonly DueBody[]): readonly string[] {
  const findings = new Findings();
  const tick = { class: 'crypto', rule: RULE, place: 'entry 5', moved: 3 } as const;
  const owed = new OwedByTick(tick, DUES, findings);
  for (const [i, entry] of entries.entries()) owed.take(entry, `entry ${6 + i}`);
  const { left } = owed;
  owed.nameMissing();
  assert.equal(owed.left, 0);
  const missing = findings.list.filter(({ code }) => code.endsWith('missing'));
  assert.equal(missing.length, left);
  return findings.list.map(({ code, place }) => `${code} ${place}`);
}

/** The entries with members of one of them changed. */
function changed(i: number, change: object): readonly DueBody[] {
  const entry = ENTRIES[i] as DueBody;
  return ENTRIES.with(i, { ...entry, body: { ...entry.body, ...change } } as DueBody);
}

test('event check: what the leaves decide must be recorded, once, in its order', () => {
  const [receipt, benchmark, event] = ENTRIES as readonly [DueBody, DueBody, DueBody];
  assert.deepEqual(found(ENTRIES), []);
  assert.deepEqual(found([]), [
    'receipt_missing entry 5',
    'benchmark_missing entry 5',
    'event_missing entry 5',
  ]);
  assert.deepEqual(found([receipt, event]), ['benchmark_missing entry 5']);
  assert.deepEqual(found([benchmark, receipt, event]), ['receipt_not_due entry 7']);
  assert.deepEqual(found([receipt, benchmark, event, event]), ['event_not_due entry 9']);
  assert.deepEqual(found(changed(2, { id: ONE })), [
    'event_not_due entry 8',
    'event_missing entry 5',
  ]);
});

test('event check: what differs is named with its member', () => {
  assert.deepEqual(found(changed(0, { status: 'void' })), ['receipt_differs entry 6/status']);
  assert.deepEqual(found(changed(1, { from: AT })), ['benchmark_differs entry 7/from']);
  assert.deepEqual(found(changed(2, { score: 79 })), ['event_differs entry 8/score']);
  assert.deepEqual(found(changed(2, { symbol: 'ETH' })), ['event_differs entry 8/symbol']);
  assert.deepEqual(found(changed(2, { class: 'stock' })), ['event_differs entry 8/class']);
});

test('event check: what rests on vendor values is held as far as the leaves bound it', () => {
  for (const of of [2, 4]) {
    const breadth = { up: 1, down: 1, of };
    assert.deepEqual(found(changed(2, { breadth })), ['event_differs entry 8/breadth/of']);
  }
  for (const change of [{ move_24h: null }, { vol_mult: null }]) {
    assert.deepEqual(found(changed(2, change)), ['event_differs entry 8/move_24h']);
  }
  // Returns and prices are committed: nothing here tells.
  assert.deepEqual(found(changed(0, { ret: 99_999 })), []);
});
