import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { HORIZONS } from '@assay/core/terminal/horizon';
import { formatTime, type TimeText } from '@assay/core/time';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import {
  closedSince,
  eventRow,
  type EventRow,
  eventsByClosing,
  eventsByOpening,
  eventStatus,
  openEvent,
  pastEvents,
} from '@assay/core/view/terminal-events';
import { sha256 } from '../fixture.ts';
import { MARKET_START, marketEvent, terminalLog } from '../terminal/terminal-log.ts';

const names = (rows: Iterable<EventRow>): readonly string[] =>
  [...rows].map(({ open: { body } }) => `${body.symbol} ${body.opened_at.slice(0, 16)}`);

test('terminal events view: by opening, by closing, by asset, and what is open', () => {
  const { log, market } = terminalLog(9);
  const { views } = log;
  const last = `ETH ${formatTime(market.newest - 4 * 900).slice(0, 16)}`;
  const [eth, btc, hid] = [
    'ETH 2026-08-27T02:00',
    'BTC 2026-08-27T03:00',
    'HID 2026-08-27T07:30',
  ] as const;
  assert.deepEqual(names(eventsByOpening(views)), [last, hid, btc, eth]);
  assert.deepEqual(names(eventsByClosing(views)), [hid, btc, eth]);
  assert.deepEqual(names(pastEvents(views, 'ETH')), [eth]);
  assert.deepEqual(names(pastEvents(views, 'SOL')), []);
  assert.equal(openEvent(views, 'ETH')?.open.body.opened_at.slice(0, 16), last.slice(4));
  assert.equal(openEvent(views, 'BTC'), undefined);
  assert.deepEqual(names(closedSince(views, '2026-08-27T10:00:00Z' as TimeText)), [btc, hid]);
  assert.deepEqual(names(closedSince(views, '2026-08-27T10:00:01Z' as TimeText)), [hid]);
});

test('terminal events view: open, cooling until the last receipt, then resolved', () => {
  const { log } = terminalLog(31);
  const statuses = new Map<string, string[]>();
  const views = new MemoryViews();
  for (const bytes of log.entries) {
    const layout = scanEntry(bytes);
    const known = bodyParser(sha256)(layout.kind, entryBody(bytes, layout));
    if (known === undefined) continue;
    views.write(
      foldEntry({ ...known, seq: layout.seq, at: layout.at, log: log.log }, views, sha256),
    );
    for (const [symbol, tick] of [
      ['ETH', 8],
      ['HID', 30],
    ] as const) {
      const row = eventRow(views, marketEvent(symbol, tick));
      const seen = statuses.get(symbol) ?? [];
      if (row !== undefined && seen.at(-1) !== eventStatus(row)) seen.push(eventStatus(row));
      statuses.set(symbol, seen);
    }
  }
  // A receipt that is void cools like any other: the last of HID's comes after the market's end.
  assert.deepEqual(
    [...statuses.values()],
    [
      ['open', 'cooling', 'resolved'],
      ['open', 'cooling'],
    ],
  );
  const eth = eventRow(views, marketEvent('ETH', 8));
  for (const horizon of HORIZONS) {
    assert.equal(eth?.receipts[horizon]?.body.status, 'resolved');
    assert.equal(eth.benchmarks[horizon]?.body.symbol, 'BTC');
  }
});

test('terminal events view: what is said a second time, or of an event that is not there, changes nothing', () => {
  const { log, market } = terminalLog(9);
  const at = formatTime(market.newest + 60);
  const id = marketEvent('ETH', 8);
  const before = JSON.stringify(eventRow(log.views, id));
  const bodyOf = (kind: string): object =>
    market.drafts.find((each) => each.kind === kind && (each.body as { id: string }).id === id)
      ?.body ?? {};
  const changes = [
    ['event/1', { score: 99 }],
    ['event-close/1', { peak_score: 100, closed_at: at }],
    ['receipt/1', { ret: 1 }],
    ['benchmark/1', { ret: 1 }],
  ] as const;
  for (const [kind, change] of changes) {
    log.append(kind, { ...bodyOf(kind), ...change }, at);
    assert.equal(JSON.stringify(eventRow(log.views, id)), before, kind);
  }
  const count = names(eventsByOpening(log.views)).length;
  const unknown = marketEvent('SOL', 1);
  for (const kind of ['event-close/1', 'receipt/1', 'benchmark/1']) {
    log.append(kind, { ...bodyOf(kind), id: unknown }, at);
  }
  assert.equal(eventRow(log.views, unknown), undefined);
  assert.equal(names(eventsByOpening(log.views)).length, count);
  assert.equal(names(eventsByClosing(log.views)).length, 3);
});

test('terminal events view: two events of an asset that are open at once are both kept', () => {
  const { log, market } = terminalLog(1);
  const opened = market.drafts.find(
    ({ kind, body }) => kind === 'event/1' && (body as { symbol: string }).symbol === 'BTC',
  );
  const at = formatTime(market.newest + 60);
  const second = marketEvent('BTC', 90);
  const third = marketEvent('BTC', 91);
  for (const [id, tick] of [
    [second, 90],
    [third, 91],
  ] as const) {
    const opened_at = formatTime(MARKET_START + tick * 900);
    log.append('event/1', { ...opened?.body, id, opened_at }, at);
  }
  assert.equal(openEvent(log.views, 'BTC')?.open.body.id, second);
  const closed = { closed_at: formatTime(market.newest), reason: 'below', peak_score: 90 };
  log.append('event-close/1', { id: second, ...closed }, at);
  assert.equal(openEvent(log.views, 'BTC')?.open.body.id, third);
  log.append('event-close/1', { id: third, ...closed }, at);
  assert.equal(openEvent(log.views, 'BTC'), undefined);
  // Both closed at one instant: neither takes the other's place.
  assert.equal([...pastEvents(log.views, 'BTC')].length, 3);
  assert.equal(
    names(eventsByClosing(log.views)).filter((name) => name.startsWith('BTC')).length,
    3,
  );
});
