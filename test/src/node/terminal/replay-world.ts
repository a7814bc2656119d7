import type { TestContext } from 'node:test';
import { join } from 'node:path';
import { parseEntry } from '@assay/core/log/entry';
import { parseScoreRule, type ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { parseTime } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import type { BlobStore } from '@assay/node/blob/blob-store';
import type { HeadGuard } from '@assay/node/ledger/guard/head-guard';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import type { LedgerStore } from '@assay/node/ledger/store/store';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { MarketFolder, type MarketSpan } from '@assay/node/terminal/replay/market-folder';
import { replayGenesis, replaySigner } from '@assay/node/terminal/replay/replay-place';
import { type ReplayStep, replaySteps } from '@assay/node/terminal/replay/replay-steps';
import {
  type ReplayEnd,
  type ReplayPlace,
  writeReplay,
} from '@assay/node/terminal/replay/write-replay';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { makeMarket } from './made-market.ts';

export const FROM = parseTime('2025-01-01T00:00:00Z');
export const ALL: MarketSpan = { from: 0, to: Number.POSITIVE_INFINITY };

/** Windows so short that a few hundred ticks open events, of one source. */
export const RULE: ScoreRule = parseScoreRule(
  wire({
    ...shortRule(),
    sources: { required: 1, max_age_s: 0, max_apart_bp: 0 },
    receipts: { void_after_s: 3600, benchmark: 'BTC', benchmark_tolerance_s: 900 },
  }),
  'rule',
);

/** The same, with studies of version 2. */
export const SECOND_RULE: ScoreRule = { ...RULE, type: 'assay-score-rule/2', study: 2, version: 2 };

const FOUR: readonly string[] = ['ADA', 'BTC', 'ETH', 'SOL'];
/** As many as a moment of a study of version 2 wants to be compared with, and some more. */
export const THIRTEEN: readonly string[] = [
  ...FOUR,
  'AVAX',
  'BNB',
  'DOGE',
  'DOT',
  'LINK',
  'LTC',
  'NEAR',
  'UNI',
  'XRP',
];

/** A folder with `ticks` quarter hours of some assets. */
export async function market(
  t: TestContext,
  ticks: number,
  {
    seed = 5,
    symbols = FOUR,
  }: { readonly seed?: number; readonly symbols?: readonly string[] } = {},
): Promise<string> {
  const root = join(await temporaryFolder(t), 'market');
  await makeMarket(root, { symbols, from: FROM, ticks, seed });
  return root;
}

/** The steps of a folder's replay, under the short rule unless another is given. */
export async function stepsOf(
  root: string,
  span: MarketSpan = ALL,
  rule: ScoreRule = RULE,
): Promise<readonly ReplayStep[]> {
  const folder = await MarketFolder.open(root, CRYPTO_FORMAT);
  const markets = [{ folder, rule, grid: utcGrid }];
  const steps: ReplayStep[] = [];
  for await (const step of replaySteps(nodeSha256, markets, replayGenesis(nodeSha256), span)) {
    steps.push(step);
  }
  return steps;
}

async function* each(steps: readonly ReplayStep[]): AsyncGenerator<ReplayStep> {
  yield* steps;
}

/** Stores in memory that outlive the ledger that writes to them. */
export class MemoryPlace {
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  readonly blobs: BlobStore;

  private constructor(store: LedgerStore, guard: HeadGuard, blobs: BlobStore) {
    this.store = store;
    this.guard = guard;
    this.blobs = blobs;
  }

  static async make(): Promise<MemoryPlace> {
    return new MemoryPlace(await openMemoryStore(), new MemoryHeadGuard(), new MemoryBlobStore());
  }

  /** `change` stands between the ledger and what it writes to. */
  write(
    steps: readonly ReplayStep[],
    change: (place: ReplayPlace) => ReplayPlace = (place) => place,
  ): Promise<ReplayEnd> {
    const stays = { close: () => Promise.resolve() };
    const place: ReplayPlace = {
      store: over(this.store, stays),
      guard: over(this.guard, stays),
      blobs: this.blobs,
      signer: replaySigner(nodeSha256),
    };
    return writeReplay(change(place), nodeSha256, each(steps));
  }

  /** The kinds of the entries, in order. */
  async kinds(): Promise<readonly string[]> {
    const kinds: string[] = [];
    for await (const bytes of this.store.entries(0, Number.MAX_SAFE_INTEGER)) {
      kinds.push(parseEntry(bytes).kind);
    }
    return kinds;
  }
}

/** `target` with some of its methods replaced. */
export function over<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(from, name) {
      const replaced = (methods as Record<PropertyKey, unknown>)[name];
      if (replaced !== undefined) return replaced;
      const value = Reflect.get(from, name, from) as unknown;
      return typeof value === 'function' ? (value.bind(from) as unknown) : value;
    },
  });
}
