import type { HorizonReturns } from './base-rate.ts';
import { ReturnTally } from './return-statistics.ts';
import { type Ordinary, STUDY_HORIZONS, type StudyHorizon } from './study-blob.ts';

/** How many moments have a return, and how many an excess return. This follows from public leaves alone. */
export type OrdinaryCounts = {
  readonly [H in StudyHorizon]: { readonly n: number; readonly excess: number };
};

export function addCounts(a: OrdinaryCounts, b: OrdinaryCounts): OrdinaryCounts {
  const sum = (horizon: StudyHorizon): OrdinaryCounts[StudyHorizon] => ({
    n: a[horizon].n + b[horizon].n,
    excess: a[horizon].excess + b[horizon].excess,
  });
  return { '1d': sum('1d'), '7d': sum('7d'), '30d': sum('30d') };
}

/** The results of moments that were not near an event, added one after the other. */
export class OrdinaryTally {
  readonly #tallies = {
    '1d': new ReturnTally(),
    '7d': new ReturnTally(),
    '30d': new ReturnTally(),
  };

  add(row: HorizonReturns): void {
    for (const horizon of STUDY_HORIZONS) this.#tallies[horizon].add(row[horizon]);
  }

  get counts(): OrdinaryCounts {
    const { '1d': day, '7d': week, '30d': month } = this.#tallies;
    return { '1d': day.counts, '7d': week.counts, '30d': month.counts };
  }

  get ordinary(): Ordinary {
    const { '1d': day, '7d': week, '30d': month } = this.#tallies;
    const { n, sum } = week.excess;
    return {
      horizons: { '1d': day.statistics, '7d': week.statistics, '30d': month.statistics },
      excess_7d: { n, sum: String(sum) },
    };
  }
}
