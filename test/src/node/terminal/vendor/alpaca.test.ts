import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xnysGrid } from '@assay/core/terminal/calendar/session';
import { formatTime, parseTime } from '@assay/core/time/time';
import { alpaca } from '@assay/node/terminal/vendor/alpaca';
import { never, NO_ANSWERS, page, type TestVendor, vendor } from '../vendor-fixture.ts';

/** 11:00 in New York on a Thursday: the sixth tick of its session. */
const TS = parseTime('2026-10-08T15:00:00Z');
const NAMES = { SPY: 'SPY', BRKB: 'BRK.B' };
const ACCESS = { feed: 'sip', keyId: 'ALPACA_ID', key: 'ALPACA_KEY' };

/** A bar as the vendor writes it, made up; `end` is that of its quarter hour. */
const bar = (end: number, close: string, change = ''): string =>
  `{"t":"${formatTime(end - 900)}","o":1,"h":1,"l":1,"c":${close},"v":1000,"n":3,"vw":2.5${change}}`;

const answer = (bars: readonly string[], next = 'null', symbol = 'SPY'): string =>
  `{"bars":{"${symbol}":[${bars.join(',')}]},"next_page_token":${next}}`;

/** The ends of the newest quarter hours of sessions, oldest first. */
function ends(count: number): readonly number[] {
  const index = xnysGrid.indexOf(TS) as number;
  return Array.from({ length: count }, (_, i) => xnysGrid.timeOf(index - count + 1 + i));
}

test('alpaca: the newest close, and what was traded over 26 quarter hours of sessions', async () => {
  const all = ends(27).map((end, i) => bar(end, `${100 + i}.5`));
  // Before the session opens, and after it closed the day before.
  const outside = bar(parseTime('2026-10-08T13:30:00Z'), '900');
  const source = vendor(answer([...all.slice(0, 21), outside, ...all.slice(21)]));
  const reads = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['SPY', 'X'], never);
  const said = {
    provider: 'alpaca',
    price: '126.5',
    volume_24h: '65000',
    stamped_at: '2026-10-08T15:00:00Z',
  };
  assert.deepEqual(reads, [{ symbol: 'SPY', said, reason: null }]);
  const [request] = source.asked;
  const query = new URL(request?.url ?? '').searchParams;
  assert.equal(query.get('symbols'), 'SPY');
  assert.equal(query.get('start'), '2026-10-07T15:00:00Z');
  assert.equal(query.get('end'), '2026-10-08T14:59:59Z');
  assert.deepEqual(
    [query.get('timeframe'), query.get('adjustment'), query.get('feed')],
    ['15Min', 'raw', 'sip'],
  );
  assert.deepEqual(request?.headers, [
    { name: 'apca-api-key-id', value: '{secret:ALPACA_ID}' },
    { name: 'apca-api-secret-key', value: '{secret:ALPACA_KEY}' },
  ]);
});

test('alpaca: the stamp is that of the newest bar, however old', async () => {
  const [before] = ends(4);
  const source = vendor(answer([bar(before as number, '7.25')]));
  const [read] = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['SPY'], never);
  assert.deepEqual(
    [read?.said.price, read?.said.stamped_at, read?.said.volume_24h],
    ['7.25', formatTime(before as number), '2500'],
  );
});

test('alpaca: a bar without its volume leaves the price', async () => {
  const [a, b] = ends(2) as [number, number];
  const source = vendor(answer([bar(a, '7').replace('"vw":2.5', '"vw":null'), bar(b, '8')]));
  const [read] = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['SPY'], never);
  assert.deepEqual([read?.said.price, read?.said.volume_24h], ['8', null]);
});

test('alpaca: whatever it answers, it is a price or a reason', async () => {
  const [a, b] = ends(2) as [number, number];
  const answers: readonly (readonly [string, string])[] = [
    [answer([bar(a, '1')], '"more"'), 'no whole answer'],
    ['{"bars":[],"next_page_token":null}', 'no whole answer'],
    ['[]', 'no whole answer'],
    [answer([]), 'no bar'],
    [answer([bar(a, '1')], 'null', 'QQQ'), 'no bar'],
    [answer([bar(TS + 900, '1')]), 'no bar'],
    [answer([bar(b, '2'), bar(a, '1')]), 'bars that do not rise'],
    [answer([bar(b, '2'), bar(b, '1')]), 'bars that do not rise'],
    [answer([bar(b, '-2')]), 'no price'],
    [answer([bar(b, 'null')]), 'no price'],
    [answer([bar(b, '1').replace('"t"', '"u"')]), 'a bar without its time'],
    [answer(['5']), 'a bar without its time'],
  ];
  for (const [text, reason] of answers) {
    const source = vendor(text);
    const reads = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['SPY'], never);
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
      text,
    );
  }
  for (const [said, reason] of NO_ANSWERS) {
    const source = vendor(() => said);
    const reads = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['BRKB'], never);
    assert.deepEqual(
      reads.map((each) => [each.said.price, each.reason]),
      [[null, reason]],
    );
  }
});

test('alpaca: nobody is asked outside a session', async () => {
  const source = vendor('{}');
  const saturday = parseTime('2026-10-10T15:00:00Z');
  const reads = await alpaca({ source, names: NAMES, ...ACCESS }).read(saturday, ['SPY'], never);
  assert.deepEqual(
    reads.map((each) => [each.said.price, each.reason]),
    [[null, 'no time of a session']],
  );
  assert.equal(source.asked.length, 0);
});

test('alpaca: bars of the whole trading day of 500 symbols, on as many pages as there are', async () => {
  // 16 hours of bars up to the tick, of a vendor that gives so many rows a page.
  const from = parseTime('2026-10-07T15:00:00Z');
  const starts = Array.from({ length: 96 }, (_, i) => from + 900 * i).filter((each) => {
    const hour = (each / 3600 - 4) % 24;
    return hour >= 4 && hour < 20;
  });
  const names = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`S${i}`, `S${i}`]));
  for (const most of [10_000, 1000]) {
    const source = vendor(({ url }) => {
      const query = new URL(url).searchParams;
      assert.equal(query.get('limit'), '10000');
      const all = (query.get('symbols') ?? '')
        .split(',')
        .flatMap((symbol) => starts.map((start) => [symbol, bar(start + 900, '7')] as const));
      const at = Number(query.get('page_token') ?? '0');
      const bars = new Map<string, string[]>();
      for (const [symbol, text] of all.slice(at, at + most)) {
        bars.set(symbol, [...(bars.get(symbol) ?? []), text]);
      }
      const next = at + most < all.length ? `"${at + most}"` : 'null';
      const lists = [...bars].map(([symbol, list]) => `"${symbol}":[${list.join(',')}]`);
      return `{"bars":{${lists.join(',')}},"next_page_token":${next}}`;
    });
    const reads = await alpaca({ source, names, ...ACCESS }).read(TS, Object.keys(names), never);
    assert.equal(reads.length, 500);
    assert.ok(reads.every(({ said, reason }) => reason === null && said.volume_24h === '65000'));
    assert.equal(source.asked.length, most === 1000 ? 5 * 7 : 5);
  }
});

test('alpaca: an answer whose pages do not end, or break off, says nothing', async () => {
  const [a] = ends(1) as [number];
  for (const [next, reason] of [
    [(n: number) => `"t${n}"`, 'no whole answer'],
    [() => '7', 'no whole answer'],
    [() => `"${'x'.repeat(2000)}"`, 'no whole answer'],
  ] as const) {
    const source: TestVendor = vendor(() => answer([bar(a, '1')], next(source.asked.length)));
    const [read] = await alpaca({ source, names: NAMES, ...ACCESS }).read(TS, ['SPY'], never);
    assert.equal(read?.reason, reason);
    assert.ok(source.asked.length <= 8);
  }
  const broken = vendor(({ url }) =>
    url.includes('page_token') ? page('', 503) : answer([bar(a, '1')], '"t"'),
  );
  const [read] = await alpaca({ source: broken, names: NAMES, ...ACCESS }).read(TS, ['SPY'], never);
  assert.equal(read?.reason, 'status 503');
});
