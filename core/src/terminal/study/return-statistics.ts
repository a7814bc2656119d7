import { divideRounded } from '../../number/scaled.ts';
import { ValueCounts } from './value-counts.ts';

/** The result of one event, or of one ordinary moment, at one horizon, in basis points. */
export interface HorizonReturn {
  readonly ret: number | null;
  /** The benchmark's return over the same window. */
  readonly benchmark: number | null;
}

/** Statistics of the returns of a number of moments. A value is null if there is no return. */
export interface ReturnStatistics {
  /** The number of returns. */
  readonly n: number;
  /** The share of returns above 0, in hundredths of a percent. */
  readonly up_share: number | null;
  /** Basis points. */
  readonly median_ret: number | null;
  /** The median of the return minus the benchmark's, in basis points, over those that have both. */
  readonly median_excess: number | null;
}

/** The return minus the benchmark's, in basis points, limited to +-(2^53-1); null if one of them is. */
export function excessOf({ ret, benchmark }: HorizonReturn): number | null {
  if (ret === null || benchmark === null) return null;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(ret - benchmark, Number.MAX_SAFE_INTEGER));
}

/** What was added to a tally of returns: how often each return and each excess return came, in basis points. */
export interface KeptReturns {
  readonly returns: Map<number, number>;
  readonly excesses: Map<number, number>;
}

/** The results of many moments, added one after the other. */
export class ReturnTally {
  readonly #returns = new ValueCounts();
  readonly #excesses = new ValueCounts();

  /** What a tally needs to go on in the place of this one. It changes with the next result. */
  get kept(): KeptReturns {
    return { returns: this.#returns.kept, excesses: this.#excesses.kept };
  }

  /** Goes on as the tally that was kept. Call it before anything is added. */
  resume({ returns, excesses }: KeptReturns): void {
    this.#returns.resume(returns);
    this.#excesses.resume(excesses);
  }

  add(row: HorizonReturn): void {
    if (row.ret !== null) this.#returns.add(row.ret);
    const excess = excessOf(row);
    if (excess !== null) this.#excesses.add(excess);
  }

  /** The number of excess returns, and their sum in basis points. */
  get excess(): { readonly n: number; readonly sum: bigint } {
    const { n, sum } = this.#excesses;
    return { n, sum };
  }

  /** How many returns there are, and how many excess returns. */
  get counts(): { readonly n: number; readonly excess: number } {
    return { n: this.#returns.n, excess: this.#excesses.n };
  }

  get statistics(): ReturnStatistics {
    const { n, positive, median } = this.#returns;
    return {
      n,
      up_share: n === 0 ? null : divideRounded(10_000 * positive, n),
      median_ret: median,
      median_excess: this.#excesses.median,
    };
  }
}

export function returnStatistics(rows: readonly HorizonReturn[]): ReturnStatistics {
  const tally = new ReturnTally();
  for (const row of rows) tally.add(row);
  return tally.statistics;
}
