import { DAY_SECONDS, formatDate, formatTime } from '@assay/core/time/time';
import { draw } from './draw.ts';
import { jsonPage, NOT_FOUND, pathOf, queryOf, type Site } from './site.ts';

/** One trade: whole contracts at a price in cents, with the side of the taker. */
interface Trade {
  readonly id: string;
  readonly time: number;
  readonly contracts: number;
  readonly cents: number;
  readonly taker: 'yes' | 'no';
}

const KALSHI_ROWS = 5;

/** For how many days of an exchange the trades are held. */
const HELD_DAYS = 64;
const held = new Map<string, readonly Trade[]>();

/** The trades of a day on an exchange, newest first, which are requested again and again. */
function tradesOf(exchange: string, day: number): readonly Trade[] {
  const key = `${exchange}/${day}`;
  const before = held.get(key);
  if (before !== undefined) return before;
  const made = trade(exchange, day);
  held.set(key, made);
  const [oldest] = held.keys();
  if (held.size > HELD_DAYS && oldest !== undefined) held.delete(oldest);
  return made;
}

function trade(exchange: string, day: number): readonly Trade[] {
  const words = `${exchange}/${formatDate(day)}`;
  const count = 4 + draw(words, 9);
  const trades = Array.from({ length: count }, (_, i): Trade => ({
    id: `${words}/${i}`,
    time: day * DAY_SECONDS + draw(`${words}/${i}/time`, DAY_SECONDS),
    contracts: 100_000 + draw(`${words}/${i}/contracts`, 4_900_000),
    cents: 1 + draw(`${words}/${i}/price`, 99),
    taker: draw(`${words}/${i}/taker`, 2) === 0 ? 'yes' : 'no',
  }));
  return trades.sort((a, b) => b.time - a.time || (a.id < b.id ? -1 : 1));
}

/** The trades in a span of time, in pages by cursor. */
export const kalshiSite: Site = (request, now) => {
  if (pathOf(request) !== '/trade-api/v2/markets/trades') return NOT_FOUND;
  const query = queryOf(request);
  const from = Number(query.get('min_ts'));
  const to = Math.min(Number(query.get('max_ts')), now);
  if (to - from > 32 * DAY_SECONDS) return NOT_FOUND;
  const all: Trade[] = [];
  for (let day = Math.floor(to / DAY_SECONDS); day >= Math.floor(from / DAY_SECONDS); day -= 1) {
    all.push(...tradesOf('kalshi', day).filter(({ time }) => time >= from && time <= to));
  }
  const start = Number(query.get('cursor') ?? '0');
  const end = start + KALSHI_ROWS;
  return jsonPage({
    trades: all.slice(start, end).map(({ id, time, contracts, cents, taker }) => ({
      trade_id: id,
      ticker: 'DEVELOPMENT',
      created_time: formatTime(time),
      count_fp: `${contracts}.00`,
      yes_price_dollars: dollars(cents),
      no_price_dollars: dollars(100 - cents),
      taker_side: taker,
    })),
    cursor: end < all.length ? String(end) : '',
  });
};

/**
 * How many days the list of takers goes back, which is more than a round reads after the deadline of its rule.
 */
const POLYMARKET_DAYS = 10;

/** The taker's side of each fill, newest first, in pages by offset. */
export const polymarketSite: Site = (request, now) => {
  if (pathOf(request) !== '/trades') return NOT_FOUND;
  const query = queryOf(request);
  const today = Math.floor(now / DAY_SECONDS);
  const all = Array.from({ length: POLYMARKET_DAYS }, (_, i) => tradesOf('polymarket', today - i))
    .flat()
    .filter(({ time }) => time <= now);
  const start = Number(query.get('offset'));
  const rows = all.slice(start, start + Number(query.get('limit')));
  return jsonPage(
    rows.map(({ id, time, contracts, cents, taker }) => ({
      proxyWallet: '0x0',
      asset: taker === 'yes' ? '1' : '0',
      side: taker === 'yes' ? 'BUY' : 'SELL',
      size: contracts,
      price: cents / 100,
      timestamp: time,
      transactionHash: id,
    })),
  );
};

function dollars(cents: number): string {
  return (cents / 100).toFixed(4);
}
