import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { ScoreHistory } from './score-history.ts';

/** Values of an asset that the public leaves of a tick do not contain. */
export interface LiveReading {
  /** The time of the tick in unix seconds. */
  readonly ts: number;
  /** Basis points over the long return of the rule. */
  readonly move: number | null;
  /** Hundredths of the asset's own average. */
  readonly volMult: number | null;
}

/**
 * The readings of the last ticks, from whoever makes them: of the newest published tick and of some before it.
 */
export interface TerminalReadings {
  /** Rises with each tick. */
  readonly version: number;
  /** The good reading of an asset at the tick `ts` (unix seconds); undefined if it is not known. */
  readonly of: (symbol: string, ts: number) => LiveReading | undefined;
}

/** What a service knows about the Terminal at a moment in addition to the rows of the log. */
export interface TerminalMoment {
  readonly history: (of: AssetClass) => ScoreHistory;
  readonly readings: Pick<TerminalReadings, 'of'>;
  /** Whether a reading at `ts` is still current. */
  readonly isCurrent: (of: AssetClass, ts: number) => boolean;
}
