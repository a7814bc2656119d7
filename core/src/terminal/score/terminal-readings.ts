import type { AssetClass } from '../tick/asset-symbol.ts';
import type { ScoreHistory } from './score-history.ts';

/** What the public leaves of a tick do not say of an asset. */
export interface LiveReading {
  /** The tick, unix seconds. */
  readonly ts: number;
  /** Basis points over the rule's long return. */
  readonly move: number | null;
  /** Hundredths of the asset's own average. */
  readonly volMult: number | null;
}

/** The readings of the last ticks, from whoever makes them: of the newest that is published, and of some before it. */
export interface TerminalReadings {
  /** Rises with each tick. */
  readonly version: number;
  /** The good reading of an asset at the tick `ts`, unix seconds; undefined where it is not known. */
  readonly of: (symbol: string, ts: number) => LiveReading | undefined;
}

/** What a service knows of the Terminal at a moment beside the rows of the log. */
export interface TerminalMoment {
  readonly history: (of: AssetClass) => ScoreHistory;
  readonly readings: Pick<TerminalReadings, 'of'>;
  /** Whether a reading of `ts` is of now. */
  readonly isCurrent: (of: AssetClass, ts: number) => boolean;
}
