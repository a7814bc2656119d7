import type { HorizonReturns } from './base-rate.ts';
import { ReturnTally } from './return-statistics.ts';
import { type Ordinary, STUDY_HORIZONS } from './study-blob.ts';

/** What became of moments that were not near an event, one added after the other. */
export class OrdinaryTally {
  readonly #tallies = {
    '1d': new ReturnTally(),
    '7d': new ReturnTally(),
    '30d': new ReturnTally(),
  };

  add(row: HorizonReturns): void {
    for (const horizon of STUDY_HORIZONS) this.#tallies[horizon].add(row[horizon]);
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
