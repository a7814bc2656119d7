import type { HorizonReturns } from './base-rate.ts';
import { type KeptReturns, ReturnTally } from './return-statistics.ts';
import { type Ordinary, STUDY_HORIZONS, type StudyHorizon } from './study-blob.ts';

/** How many moments have a return, and how many an excess return. This follows from public leaves alone. */
export type OrdinaryCounts = {
  readonly [H in StudyHorizon]: { readonly n: number; readonly excess: number };
};

/** What was added to a tally of moments, by horizon. */
export type KeptTally = { readonly [H in StudyHorizon]: KeptReturns };

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

  /** What a tally needs to go on in the place of this one. It changes with the next result. */
  get kept(): KeptTally {
    const { '1d': day, '7d': week, '30d': month } = this.#tallies;
    return { '1d': day.kept, '7d': week.kept, '30d': month.kept };
  }

  /** Goes on as the tally that was kept. Call it before anything is added. */
  resume(kept: KeptTally): void {
    for (const horizon of STUDY_HORIZONS) this.#tallies[horizon].resume(kept[horizon]);
  }

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
