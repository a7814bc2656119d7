import type { TestContext } from 'node:test';
import { join } from 'node:path';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { formatTime, parseTime } from '@assay/core/time/time';
import type { EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { thinTicks } from '@assay/node/terminal/tick/thin-ticks';
import { TickOpenings } from '@assay/node/terminal/tick/tick-openings';
import { TickRound, type TickRoundParts } from '@assay/node/terminal/tick/tick-round';
import type { TickSource } from '@assay/node/terminal/vendor/tick-source';
import { Random } from '../../core/terminal/random.ts';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';
import {
  GENESIS_DRAFT,
  memoryPlace,
  openAt,
  type Place,
  temporaryFolder,
} from '../ledger/ledger-fixture.ts';

export const START: number = parseTime('2026-10-01T00:00:00Z');
export const TICK = 900;
export const SYMBOLS: readonly string[] = ['BTC', 'ETH', 'SOL'];
/** As many as a study of version 2 wants to compare with, and some more. */
export const MANY: readonly string[] = [...SYMBOLS, 'ADA', 'AVAX', 'BNB', 'DOGE', 'DOT', 'LINK'];
const BASE = shortRule();
export const RULE: ScoreRule = shortRule({
  sources: { ...BASE.sources, required: 2 },
  receipts: { void_after_s: 3600, benchmark: 'BTC', benchmark_tolerance_s: TICK },
});
/** A later version: one source does, over other windows and with other bounds. */
export const LATER_RULE: ScoreRule = shortRule({
  ...RULE,
  version: 2,
  sources: { ...RULE.sources, required: 1 },
  returns: { long: 6, short: 3, tolerance: 1, sample: 1, window: 50, min_samples: 20 },
  volume: { day: 6, days: 8, min_days: 4 },
  event: { open: 75, close: 50, consecutive: 3, max: 12, silent: 5, rearm: 20 },
});
/** The version after `RULE` whose studies are of version 2. */
export const SECOND_RULE: ScoreRule = { ...RULE, type: 'assay-score-rule/2', study: 2, version: 2 };
export const SEED: Uint8Array = new Uint8Array(32).fill(5);
export const never: AbortSignal = new AbortController().signal;

/** Cents of an asset at tick `k`: it wanders, and jumps now and then with much volume. */
export function marketAt(
  symbol: string,
  k: number,
): { readonly cents: number; readonly volume: number } {
  const i = MANY.indexOf(symbol);
  const random = new Random(1 + i * 100_003 + k * 7);
  const wild = k > 60 && Math.floor(k / 6) % 29 === 7 * i;
  const level = 100_000 + 700 * ((k * (i + 3)) % 11);
  return {
    cents: level + random.below(400) + (wild ? 9000 * (1 + (k % 6)) : 0),
    volume: wild ? 9000 : 1000,
  };
}

/** A source that knows the made-up market, but for what `silent` says. */
export function marketSource(
  provider: string,
  silent: (symbol: string, k: number) => boolean = () => false,
): TickSource {
  return {
    provider,
    read(ts, symbols, signal) {
      signal.throwIfAborted();
      const k = (ts - START) / TICK;
      return Promise.resolve(
        symbols.map((symbol) => {
          if (silent(symbol, k)) {
            const said = { provider, price: null, volume_24h: null, stamped_at: null };
            return { symbol, said, reason: 'silent' };
          }
          const { cents, volume } = marketAt(symbol, k);
          const price = (cents / 100).toFixed(2);
          const said = { provider, price, volume_24h: `${volume}`, stamped_at: formatTime(ts) };
          return { symbol, said, reason: null };
        }),
      );
    },
  };
}

export function assetDraft(symbol: string, listed = true): EntryDraft {
  const body = {
    symbol,
    name: symbol,
    class: 'crypto',
    decimals: 2,
    listed,
    display: true,
  } as const;
  return { kind: 'asset/1', body };
}

/** A log with listed assets, and what makes its ticks. */
export interface TickWorld {
  readonly place: Place;
  readonly ledger: Ledger;
  readonly blobs: MemoryBlobStore;
  readonly openings: TickOpenings;
  readonly folder: string;
  readonly parts: TickRoundParts;
  /** Puts the clock to a second of tick `k`. */
  readonly at: (k: number, second?: number) => number;
  /** Runs ticks `from` to `to - 1`. */
  readonly run: (round: TickRound, from: number, to: number) => Promise<void>;
}

export async function tickWorld(
  t: TestContext,
  change: Partial<TickRoundParts> = {},
  symbols: readonly string[] = SYMBOLS,
): Promise<TickWorld> {
  let now = START;
  const place = await memoryPlace();
  const ledger = await openAt(place, { now: () => now });
  await ledger.write(() => [GENESIS_DRAFT]);
  const rule = { kind: 'score-rule/1', body: { rule: change.rule ?? RULE } } as const;
  await ledger.write(() => [rule, ...symbols.map((each) => assetDraft(each))]);
  const blobs = new MemoryBlobStore();
  const folder = join(await temporaryFolder(t), 'openings');
  const openings = await TickOpenings.open(folder, {
    sha256: nodeSha256,
    thinFrom: 0,
    sync: false,
  });
  const parts: TickRoundParts = {
    ledger,
    entries: (size) => place.store.entries(0, size),
    blobs,
    openings,
    sha256: nodeSha256,
    seed: SEED,
    rule: RULE,
    grid: utcGrid,
    sources: [
      marketSource('first', (symbol, k) => symbol === 'SOL' && k % 50 === 3),
      marketSource('second', (symbol, k) => symbol === 'ETH' && k % 70 === 5),
    ],
    now: () => now,
    readMs: 60_000,
    ...change,
  };
  const at = (k: number, second = 20): number => {
    now = START + TICK * k + second;
    return START + TICK * k;
  };
  return {
    place,
    ledger,
    blobs,
    openings,
    folder,
    parts,
    at,
    async run(round, from, to) {
      for (let k = from; k < to; k += 1) await round.run(at(k), never);
    },
  };
}

/** Thins what the log of a world does not need at `now`: how many days. */
export function thinned({ openings, ledger, blobs }: TickWorld, now: number): Promise<number> {
  return thinTicks({ openings, views: ledger.tip, blobs, rule: RULE, grid: utcGrid }, now);
}
