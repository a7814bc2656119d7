import type { HorizonReturns } from '@assay/core/terminal/study/base-rate';
import { OrdinaryTally } from '@assay/core/terminal/study/ordinary-tally';
import type { Ordinary } from '@assay/core/terminal/study/study-blob';

/** What became of ordinary moments. */
export function ordinaryOf(rows: readonly HorizonReturns[]): Ordinary {
  const tally = new OrdinaryTally();
  for (const row of rows) tally.add(row);
  return tally.ordinary;
}
