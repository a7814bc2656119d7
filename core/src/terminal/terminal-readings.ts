import type { AssetClass } from './asset-symbol.ts';
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

/** The newest reading of each asset, from whoever makes the ticks; nothing before the first since the start. */
export interface TerminalReadings {
  /** Rises with each tick. */
  readonly version: number;
  readonly of: (symbol: string) => LiveReading | undefined;
}

/** What a service knows of the Terminal at a moment beside the rows of the log. */
export interface TerminalMoment {
  readonly history: (of: AssetClass) => ScoreHistory;
  readonly readings: Pick<TerminalReadings, 'of'>;
  /** Whether a reading of `ts` is of now. */
  readonly isCurrent: (of: AssetClass, ts: number) => boolean;
}
