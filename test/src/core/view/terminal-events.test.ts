import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { bodyParser } from '@assay/core/kind/kinds';
import { eventId } from '@assay/core/kind/event-id';
import { HORIZONS } from '@assay/core/kind/horizon';
import { formatTime, toDate } from '@assay/core/time/time';
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
import type { ViewState } from '@assay/core/view/view';
import { sha256 } from '../fixture/fixture.ts';
import { Random } from '../terminal/random.ts';
import { MARKET_START, marketEvent, terminalLog } from '../terminal/terminal-log.ts';

const names = (rows: Iterable<EventRow>): readonly string[] =>
  [...rows].map(({ open: { body } }) => `${body.symbol} ${body.opened_at.slice(0, 16)}`);

const ids = (rows: Iterable<EventRow>): readonly string[] =>
  [...rows].map(({ open: { body } }) => body.id);

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
  assert.deepEqual(names(closedSince(views, toDate('2026-08-27'), 0)), [eth, btc, hid]);
  assert.deepEqual(names(closedSince(views, toDate('2026-08-27'), 1)), [btc, hid]);
  assert.deepEqual(names(closedSince(views, toDate('2026-08-27'), 3)), []);
  assert.deepEqual(names(closedSince(views, toDate('2026-08-28'), 0)), []);
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

test('terminal events view: an offset names the same closed event for good, whatever day is asked for', () => {
  const { log, market } = terminalLog(1);
  const at = formatTime(market.newest + 60);
  const opening = market.drafts.find(({ kind }) => kind === 'event/1')?.body;
  const expected = [...closedSince(log.views, toDate('2000-01-01'), 0)].map(
    ({ open }) => open.body,
  );
  const random = new Random(7);
  const open: { readonly id: string; readonly opened_at: string }[] = [];
  const days = ['2000-01-01', '2026-08-29', '2026-09-03', '2026-09-07', '2026-10-01'].map(toDate);
  const idsSince = (since: string): readonly string[] =>
    expected.filter(({ opened_at }) => opened_at >= since).map(({ id }) => id);
  for (let i = 0; i < 150; i += 1) {
    if (i < 120) {
      const opened = MARKET_START + 86_400 + i * 8100;
      const event = { id: eventId(sha256, 'SOL', opened), opened_at: formatTime(opened) };
      log.append('event/1', { ...opening, ...event, symbol: 'SOL' }, at);
      open.push(event);
    }
    if (i < 30) continue;
    // Some close days after those that opened behind them.
    const [event] = open.splice(random.below(open.length), 1);
    const closing = { closed_at: at, reason: 'below', peak_score: 90 };
    log.append('event-close/1', { id: event?.id, ...closing }, at);
    expected.push(event as (typeof expected)[number]);
    for (const day of days) {
      assert.deepEqual(ids(closedSince(log.views, day, 0)), idsSince(day));
    }
  }
  for (const day of days) {
    const all = idsSince(day);
    for (let offset = 0; offset < all.length + 2; offset += 1) {
      const page = ids(closedSince(log.views, day, offset));
      assert.deepEqual(page, all.slice(offset), `${day} ${offset}`);
    }
  }
});

test('terminal events view: a page is read without those before it', () => {
  const { log, market } = terminalLog(9);
  const closed = market.drafts.filter(({ kind }) => kind === 'event-close/1').length;
  let read = 0;
  const counted: ViewState = {
    get: (table, key) => {
      if (table === 'events') read += 1;
      return log.views.get(table, key);
    },
    list: (table) => log.views.list(table),
    descend: (table, below) => log.views.descend(table, below),
  };
  const [last] = closedSince(counted, toDate('2026-08-27'), closed - 1);
  assert.equal(last?.open.body.symbol, 'HID');
  assert.equal(read, 1);
});
