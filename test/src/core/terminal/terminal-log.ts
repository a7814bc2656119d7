import { commitmentOf } from '@assay/core/hash/commitment';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import type { CloseReason } from '@assay/core/kind/event-close';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { eventId } from '@assay/core/kind/event-id';
import { type Horizon, HORIZON_SECONDS, HORIZONS } from '@assay/core/kind/horizon';
import { divideRounded } from '@assay/core/number/scaled';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatTickLeaves, type TickLeaf, tickRoot } from '@assay/core/terminal/tick/tick-leaf';
import {
  formatTickValues,
  tickCommitment,
  tickSalt,
  type TickValues,
} from '@assay/core/terminal/tick/tick-values';
import { formatTime, parseTime } from '@assay/core/time/time';
import { GENESIS, SampleLog, sha256 } from '../fixture/fixture.ts';

/** An entry to come, and when it says that it was written. */
export interface Draft {
  readonly kind: string;
  readonly body: object;
  readonly at: string;
}

/** The day on which the small market begins. */
export const MARKET_START: number = parseTime('2026-08-27T00:00:00Z');
export const CRYPTO_RULE_HASH: HashHex = scoreRuleHash(sha256, CRYPTO_RULE);

export const MARKET_SEED: Uint8Array = new Uint8Array(32).fill(7);
const QUARTER = 900;
const DECIMALS = 2;

interface MarketAsset {
  readonly symbol: string;
  readonly name: string;
  readonly display: boolean;
  /** Price at the start, in cents. */
  readonly from: number;
}

const ASSETS: readonly MarketAsset[] = [
  { symbol: 'BTC', name: 'Bitcoin', display: true, from: 6_801_201 },
  { symbol: 'ETH', name: 'Ethereum', display: true, from: 3_412_577 },
  { symbol: 'HID', name: 'Hidden', display: false, from: 1_234_567 },
  { symbol: 'SOL', name: 'Solana', display: true, from: 1_998_843 },
];

interface Scripted {
  readonly symbol: string;
  /** Ticks from the start. */
  readonly open: number;
  readonly close: number | undefined;
  readonly reason: CloseReason;
  readonly score: number;
  readonly peak: number;
  /** An asset without a good tick when its receipts are due. */
  readonly silent?: true;
}

/** A small crypto market as entries: ticks with their blobs, events and what became of them. */
export class TerminalMarket {
  readonly drafts: Draft[] = [];
  readonly blobs = new Map<HashHex, Uint8Array>();
  /** What vendors said, tick by tick: nothing of it may be served. */
  readonly values: TickValues[] = [];
  readonly #days: number;

  /** `days` of ticks from `MARKET_START`. The first event of ETH is resolved after 31 of them. */
  constructor(days: number) {
    this.#days = days;
    this.#draft('score-rule/1', { rule: CRYPTO_RULE }, MARKET_START - QUARTER);
    for (const { symbol, name, display } of ASSETS) {
      const body = { symbol, name, class: 'crypto', decimals: DECIMALS, listed: true, display };
      this.#draft('asset/1', body, MARKET_START - QUARTER);
    }
    const last = days * 96;
    const scripts: readonly Scripted[] = [
      { symbol: 'ETH', open: 8, close: 20, reason: 'below', score: 72, peak: 81 },
      { symbol: 'BTC', open: 12, close: 40, reason: 'age', score: 90, peak: 95 },
      { symbol: 'HID', open: 30, close: 60, reason: 'silent', score: 77, peak: 77, silent: true },
      {
        symbol: 'ETH',
        open: last - 4,
        close: undefined,
        reason: 'below',
        score: 71,
        peak: 74,
      },
    ];
    for (let tick = 0; tick <= last; tick += 1) this.#tick(tick, scripts);
  }

  /** The time of the newest tick. */
  get newest(): number {
    return MARKET_START + this.#days * 96 * QUARTER;
  }

  #draft(kind: string, body: object, ts: number): void {
    this.drafts.push({ kind, body, at: formatTime(ts + 60) });
  }

  #tick(tick: number, scripts: readonly Scripted[]): void {
    const ts = MARKET_START + tick * QUARTER;
    const leaves = ASSETS.map((asset) => this.#leaf(asset, tick, scripts));
    const blob = formatTickLeaves(leaves);
    const hash = hashHex(contentHash(sha256, blob));
    this.blobs.set(hash, blob);
    const body = {
      class: 'crypto' satisfies AssetClass,
      ts: formatTime(ts),
      rule: CRYPTO_RULE_HASH,
      size: leaves.length,
      root: hashHex(tickRoot(sha256, blob)),
      blob: hash,
    };
    this.#draft('tick/1', body, ts);
    for (const each of scripts) if (each.close === tick) this.#close(each, ts);
    for (const each of scripts) for (const horizon of HORIZONS) this.#receipt(each, horizon, ts);
    for (const each of scripts) if (each.open === tick) this.#open(each, ts);
  }

  #leaf({ symbol }: MarketAsset, tick: number, scripts: readonly Scripted[]): TickLeaf {
    const ts = MARKET_START + tick * QUARTER;
    const silent = symbol === 'HID' && tick > 50;
    const price = silent ? null : decimal(units(symbol, ts));
    const volume = silent ? null : String(1_234_567_000 + tick * 10_007 + symbol.charCodeAt(0));
    const values: TickValues = {
      type: 'assay-tick-values/1',
      symbol,
      ts: formatTime(ts),
      price,
      volume_24h: volume,
      sources: [{ provider: 'sample', price, volume_24h: volume, stamped_at: formatTime(ts) }],
    };
    this.values.push(values);
    const salt = tickSalt(sha256, MARKET_SEED, 'tick', symbol, ts);
    return {
      symbol,
      ts,
      score: silent ? null : scoreAt(symbol, tick, scripts),
      good: !silent,
      commitment: tickCommitment(sha256, salt, formatTickValues(values)),
    };
  }

  #open({ symbol, score }: Scripted, ts: number): void {
    this.#draft(
      'event/1',
      {
        id: eventId(sha256, symbol, ts),
        symbol,
        class: 'crypto',
        opened_at: formatTime(ts),
        score,
        move_24h: 842,
        vol_mult: 315,
        breadth: { up: 2, down: 0, of: 3 },
        price: commitment(symbol, ts),
        rule: CRYPTO_RULE_HASH,
      },
      ts,
    );
  }

  #close(script: Scripted, ts: number): void {
    const { reason, peak } = script;
    const body = { id: idOf(script), closed_at: formatTime(ts), reason, peak_score: peak };
    this.#draft('event-close/1', body, ts);
  }

  #receipt(script: Scripted, horizon: Horizon, ts: number): void {
    const due = openedAt(script) + HORIZON_SECONDS[horizon];
    const voidAt = due + CRYPTO_RULE.receipts.void_after_s + QUARTER;
    if (ts !== (script.silent === true ? voidAt : due)) return;
    const { symbol } = script;
    const id = idOf(script);
    if (script.silent === true) {
      const nothing = { resolved_at: null, ret: null, price: null, reason: 'no_data' };
      this.#draft('receipt/1', { id, horizon, status: 'void', ...nothing }, ts);
      return;
    }
    this.#draft(
      'receipt/1',
      {
        id,
        horizon,
        status: 'resolved',
        resolved_at: formatTime(ts),
        ret: basisPoints(symbol, openedAt(script), ts),
        price: commitment(symbol, ts),
        reason: null,
      },
      ts,
    );
    this.#benchmark(script, horizon, ts);
  }

  #benchmark(script: Scripted, horizon: Horizon, ts: number): void {
    const { benchmark: symbol } = CRYPTO_RULE.receipts;
    const id = idOf(script);
    const from = openedAt(script);
    const own = script.symbol === symbol;
    this.#draft(
      'benchmark/1',
      {
        id,
        horizon,
        symbol,
        from: own ? null : formatTime(from),
        to: own ? null : formatTime(ts),
        ret: own ? null : basisPoints(symbol, from, ts),
        from_price: own ? null : commitment(symbol, from),
        to_price: own ? null : commitment(symbol, ts),
        reason: own ? 'own' : null,
      },
      ts,
    );
  }
}

/** The market's entries in a log of their own, and its blobs. */
export function terminalLog(days: number): { log: SampleLog; market: TerminalMarket } {
  const market = new TerminalMarket(days);
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const { kind, body, at } of market.drafts) log.append(kind, body, at);
  return { log, market };
}

/** The id of an event of the market by its asset and the tick that opened it. */
export function marketEvent(symbol: string, tick: number): string {
  return eventId(sha256, symbol, MARKET_START + tick * QUARTER);
}

function idOf(script: Scripted): string {
  return eventId(sha256, script.symbol, openedAt(script));
}

function openedAt({ open }: Scripted): number {
  return MARKET_START + open * QUARTER;
}

/** A price that wanders without a pattern that a search could take for anything else. */
function units(symbol: string, ts: number): number {
  const { from } = ASSETS.find((each) => each.symbol === symbol) as MarketAsset;
  const tick = (ts - MARKET_START) / QUARTER;
  return from + ((tick * 7919 + symbol.charCodeAt(1) * 104_729) % 99_991);
}

function decimal(cents: number): string {
  const digits = String(cents);
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

function basisPoints(symbol: string, from: number, to: number): number {
  const before = units(symbol, from);
  return divideRounded(10_000 * (units(symbol, to) - before), before);
}

function commitment(symbol: string, ts: number): HashHex {
  const salt = tickSalt(sha256, MARKET_SEED, 'price', symbol, ts);
  return commitmentOf(sha256, salt, BigInt(units(symbol, ts)));
}

function scoreAt(symbol: string, tick: number, scripts: readonly Scripted[]): number {
  const script = scripts.find(
    (each) =>
      each.symbol === symbol && tick >= each.open && tick < (each.close ?? Number.MAX_SAFE_INTEGER),
  );
  if (script === undefined) return (tick * 31 + symbol.charCodeAt(0)) % 40;
  if (tick === script.open) return script.score;
  return tick === script.open + 2 ? script.peak : 60;
}
