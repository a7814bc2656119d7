import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import type { TickInput } from '@assay/core/terminal/score/good';
import { type BoardRow, Terminal } from '@assay/core/terminal/terminal';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { historyTimes } from '@assay/node/dev/market/development-ticks';
import { marketSources } from '@assay/node/dev/market/market-source';
import {
  MARKET_FROM,
  SYNTHETIC_ASSETS,
  SyntheticMarket,
} from '@assay/node/dev/market/synthetic-market';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const SYMBOLS = SYNTHETIC_ASSETS.map(({ symbol }) => symbol);
const LIVE_FROM = parseTime('2026-08-01T06:00:00Z');
const SIGNAL = new AbortController().signal;

const FIXED = [
  { price: '59661.81', volume24h: '22118000000' },
  { price: '288.15', volume24h: '81555000' },
  { price: '0.0694565', volume24h: '40736267' },
];

test('synthetic market: the same at any time, in whatever order it is asked', () => {
  // Written down once: a demo that is started again must not change its past.
  const ts = parseTime('2026-08-01T06:15:00Z');
  const fixed = ['BTC', 'AMBER', 'HAZEL'].map((symbol) =>
    new SyntheticMarket().reading(symbol, ts),
  );
  assert.deepEqual(fixed, FIXED);
  const market = new SyntheticMarket();
  const times = Array.from({ length: 40 }, (_, i) => MARKET_FROM + i * 7 * 3600);
  const onwards = times.map((each) => market.reading('CEDAR', each));
  const back = times.toReversed().map((each) => market.reading('CEDAR', each));
  assert.deepEqual(back.reverse(), onwards);
  assert.equal(new Set(onwards.map((each) => each?.price)).size, times.length);
});

test('synthetic market: it says that it is invented, and has nothing before it begins', () => {
  for (const { name } of SYNTHETIC_ASSETS) assert.match(name, /invented/);
  const market = new SyntheticMarket();
  assert.equal(market.reading('BTC', MARKET_FROM - 1), undefined);
  assert.equal(market.reading('ETH', MARKET_FROM), undefined);
});

test('synthetic market: under the production rule it opens an event every few hours, with either outcome', async () => {
  const terminal = new Terminal({
    sha256: nodeSha256,
    seed: new Uint8Array(32),
    rule: CRYPTO_RULE,
    grid: utcGrid,
  });
  for (const { symbol, name, decimals } of SYNTHETIC_ASSETS) {
    terminal.list({ symbol, name, class: 'crypto', decimals, listed: true, display: true }, 0);
  }
  const sources = marketSources(new SyntheticMarket());
  const opened: { readonly symbol: string; readonly ts: number }[] = [];
  const boards = new Map<number, ReadonlyMap<string, BoardRow>>();
  for (const ts of historyTimes(LIVE_FROM + 8 * DAY_SECONDS)) {
    const reads = new Map<string, TickInput>();
    const all = (await Promise.all(sources.map(({ read }) => read(ts, SYMBOLS, SIGNAL)))).flat();
    for (const symbol of SYMBOLS) {
      const own = all.filter((read) => read.symbol === symbol).map(({ said }) => said);
      const [{ price, volume_24h: volume24h } = { price: null, volume_24h: null }] = own;
      reads.set(symbol, { price, volume24h, sources: own });
    }
    const { drafts, board } = terminal.step(ts, reads);
    for (const { kind, body } of drafts) {
      if (kind === 'event/1') opened.push({ symbol: body.symbol, ts });
    }
    boards.set(ts, board);
  }
  const live = [...boards].filter(([ts]) => ts >= LIVE_FROM);
  for (const [ts, board] of live) {
    const good = [...board.values()].filter((row) => row.good && row.score !== null);
    assert.equal(good.length, SYMBOLS.length, `all have a score at ${formatTime(ts)}`);
  }
  const early = opened.filter(({ ts }) => ts < LIVE_FROM - 8 * DAY_SECONDS);
  assert.ok(early.length >= 3, `${early.length} events whose receipts of a week are there`);
  const asks = live.filter(([ts]) => opened.some(({ ts: at }) => at <= ts && ts < at + 4 * 3600));
  assert.ok(asks.length > 0.9 * live.length, `${asks.length} of ${live.length}`);
  const scores = opened.flatMap(({ symbol, ts }) => {
    const row = boards.get(ts + DAY_SECONDS)?.get(symbol);
    return row?.score == null ? [] : [row.score];
  });
  const yes = scores.filter((score) => score >= 40).length;
  assert.ok(yes > scores.length / 5 && yes < scores.length * 0.9, `${yes} of ${scores.length}`);
});
