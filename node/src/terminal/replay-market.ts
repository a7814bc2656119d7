import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash';
import { CRYPTO_REPLAY_RULE, STOCK_REPLAY_RULE } from '@assay/core/terminal/score-rules';
import type { DataFolder } from '../data-folder.ts';
import { CRYPTO_FORMAT, STOCK_FORMAT } from './market-formats.ts';
import { MarketFolder, type MarketSpan } from './market-folder.ts';
import { openReplayPlace, replayGenesis } from './replay-place.ts';
import { type ReplayMarket, type ReplayStep, replaySteps } from './replay-steps.ts';
import { type ReplayEnd, writeReplay } from './write-replay.ts';

export interface ReplayChoices {
  /** Folders of the files of crypto assets and of stocks: one of them, or both. */
  readonly market?: string | undefined;
  readonly stocks?: string | undefined;
  readonly span: MarketSpan;
  readonly data: DataFolder;
  /** Called after each step, with the times that the files are about, unix seconds. */
  readonly onStep?: (step: ReplayStep, of: MarketSpan) => void;
}

/**
 * Replays recorded markets into a data folder, which it makes, or carries on where an earlier replay of the same files
 * ended. Throws `not_found` where the files have nothing in the span, and what its parts throw.
 */
export async function replayMarket(sha256: Sha256, choices: ReplayChoices): Promise<ReplayEnd> {
  const { market, stocks, span, data, onStep } = choices;
  const markets: ReplayMarket[] = [];
  if (market !== undefined) {
    const folder = await MarketFolder.open(market, CRYPTO_FORMAT);
    markets.push({ folder, rule: CRYPTO_REPLAY_RULE, grid: CRYPTO_FORMAT.grid });
  }
  if (stocks !== undefined) {
    const folder = await MarketFolder.open(stocks, STOCK_FORMAT);
    markets.push({ folder, rule: STOCK_REPLAY_RULE, grid: STOCK_FORMAT.grid });
  }
  const about = overlap(markets, span);
  if (about === undefined) {
    throw new Fault('not_found', 'recorded market', { expected: 'rows in the span' });
  }
  const steps = replaySteps(sha256, markets, replayGenesis(sha256), span);
  const place = await openReplayPlace(data, sha256);
  return writeReplay(place, sha256, steps, (step) => onStep?.(step, about));
}

/** From the first to the last row that is in the span; undefined for none. */
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
