import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { STUDIED } from '@assay/core/terminal/study/study-maker';
import { CLASS_GRIDS } from '../api/terminal-routes.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { MarketListing } from './tick/market-listing.ts';
import { Studies } from './study/studies.ts';
import { StudyRound } from './study/study-round.ts';
import { thinTicks } from './tick/thin-ticks.ts';
import { TickLoop } from './tick-loop.ts';
import type { TickOpenings } from './tick/tick-openings.ts';
import { TickRound } from './tick/tick-round.ts';
import type { TickSource } from './vendor/tick-source.ts';

/** A class of assets that a node makes ticks of. */
export interface TickClass {
  readonly rule: ScoreRule;
  /** The first one that has a price is scored. */
  readonly sources: readonly TickSource[];
  readonly openings: TickOpenings;
}

/** How a node makes its ticks. */
export interface NodeTicks {
  readonly classes: readonly TickClass[];
  /** A secret of 32 bytes. */
  readonly seed: Uint8Array;
  readonly listing: MarketListing;
  /** Milliseconds between two polls for a tick that is due. */
  readonly everyMs: number;
  /** Milliseconds that sources have for a tick. */
  readonly readMs: number;
  /** Called after each poll of a class, when no tick of it that could be made is missing. */
  readonly onPolled?: () => void;
}

export interface TickWorld {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly hold?: (() => () => void) | undefined;
  /** Called before each tick is written. */
  readonly before?: (() => Promise<void>) | undefined;
  readonly log: Logger;
}

/** The loop of a node's ticks, whose events are logged. */
export function nodeTicks(
  { classes, seed, everyMs, readMs, onPolled }: NodeTicks,
  { ledger, blobs, sha256, now, hold, before, log }: TickWorld,
): TickLoop {
  const entries = (size: number): AsyncIterable<Uint8Array> => ledger.entries(0, size);
  const rounds = classes.map(({ rule, sources, openings }) => {
    const grid = CLASS_GRIDS[rule.class];
    const common = { ledger, entries, blobs, sha256, seed, now, readMs, before };
    return new TickRound({ ...common, rule, grid, sources, openings });
  });
  const studies = new Studies(
    {
      rounds: classes
        .filter(({ rule }) => STUDIED.has(rule.class))
        .map(({ rule, openings }) => {
          const grid = CLASS_GRIDS[rule.class];
          return new StudyRound({ ledger, entries, blobs, openings, sha256, rule, grid });
        }),
      now,
      blocked: () => ledger.blocked !== undefined,
      ...(hold === undefined ? {} : { hold }),
    },
    {
      onStudy: (study) => log.info(study, 'a study is frozen'),
      onFailed: (of, error) => log.error({ class: of, reason: messageOf(error) }, 'a study failed'),
    },
  );
  const daily = async (of: AssetClass): Promise<void> => {
    for (const { rule, openings } of classes.filter((each) => each.rule.class === of)) {
      try {
        const parts = { openings, views: ledger.tip, blobs, rule, grid: CLASS_GRIDS[of] };
        const days = await thinTicks(parts, now());
        if (days > 0) log.info({ class: of, days }, 'old readings are thinned');
      } catch (error) {
        log.error({ class: of, reason: messageOf(error) }, 'thinning failed');
      }
    }
  };
  return new TickLoop(
    {
      rounds,
      now,
      everyMs,
      blocked: () => ledger.blocked !== undefined,
      daily,
      studies,
      ...(onPolled === undefined ? {} : { onPolled }),
      ...(hold === undefined ? {} : { hold }),
    },
    {
      onTick(of, ts, outcome) {
        const line = { class: of, ts: new Date(ts * 1000).toISOString(), ...outcome };
        if (outcome.kind === 'nothing') log.warn(line, 'no tick');
        else log.info(line, 'tick');
      },
      onFailed: (of, error) => log.error({ class: of, reason: messageOf(error) }, 'ticks failed'),
    },
  );
}
