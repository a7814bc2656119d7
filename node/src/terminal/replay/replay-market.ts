import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { DataFolder } from '../../platform/data-folder.ts';
import { type FoundOutliers, foundOutliers } from './found-outliers.ts';
import type { MarketSpan } from './market-folder.ts';
import { type MarketPaths, openReplayMarkets } from './replay-markets.ts';
import { openReplayPlace, replayGenesis } from './replay-place.ts';
import { type ReplayMarket, type ReplayStep, replaySteps } from './replay-steps.ts';
import { type ReplayEnd, writeReplay } from './write-replay.ts';

export interface ReplayChoices extends MarketPaths {
  readonly span: MarketSpan;
  readonly data: DataFolder;
  /** Called after each step, with the span of the files in unix seconds. */
  readonly onStep?: (step: ReplayStep, of: MarketSpan) => void;
}

export interface ReplayedMarket extends ReplayEnd {
  /** What was left out of the files, also outside the span; undefined for nothing. */
  readonly outliers: FoundOutliers | undefined;
}

/**
 * Replays recorded markets into a data folder, which it creates, or continues where an earlier replay of the
 * same files ended. Throws `not_found` if the files have nothing in the span, and what its parts throw.
 */
export async function replayMarket(
  sha256: Sha256,
  choices: ReplayChoices,
): Promise<ReplayedMarket> {
  const { span, data, onStep } = choices;
  const markets = await openReplayMarkets(choices);
  const about = overlap(markets, span);
  const steps = replaySteps(sha256, markets, replayGenesis(sha256), span);
  // A file may have rows only before and after the span. Nothing is created before there is something to write.
  const first = about === undefined ? undefined : await steps.next();
  if (about === undefined || first === undefined || first.done === true) {
    throw new Fault('not_found', 'recorded market', { expected: 'rows in the span' });
  }
  try {
    const place = await openReplayPlace(data, sha256);
    const all = behind(first.value, steps);
    const end = await writeReplay(place, sha256, all, (step) => onStep?.(step, about));
    return { ...end, outliers: foundOutliers(markets.flatMap(({ folder }) => folder.files)) };
  } finally {
    await steps.return(undefined);
  }
}

async function* behind(
  first: ReplayStep,
  rest: AsyncGenerator<ReplayStep>,
): AsyncGenerator<ReplayStep> {
  yield first;
  yield* rest;
}

/** From the first to the last row in the span; undefined if there is none. */
function overlap(
  markets: readonly ReplayMarket[],
  { from, to }: MarketSpan,
): MarketSpan | undefined {
  const files = markets.flatMap(({ folder }) => folder.files);
  const inside = files.filter(({ first, last }) => first < to && last >= from);
  if (inside.length === 0) return undefined;
  return {
    from: Math.max(from, Math.min(...inside.map(({ first }) => first))),
    to: Math.min(to, Math.max(...inside.map(({ last }) => last)) + 1),
  };
}
