import type { HorizonReturns } from '@assay/core/terminal/study/base-rate';
import { type Bucket, type BreadthName, EVENT_GROUPS } from '@assay/core/kind/event-group';
import { OrdinaryTally } from '@assay/core/terminal/study/ordinary-tally';
import type { Ordinary, StudyBlob, StudyGroup } from '@assay/core/terminal/study/study-blob';
import { SOME_HASH } from '../fixture/fixture.ts';
import { CRYPTO_RULE_HASH } from './terminal-log.ts';

const STATISTICS = { n: 64, up_share: 5938, median_ret: 214, median_excess: -107 };
const HORIZONS = { '1d': STATISTICS, '7d': STATISTICS, '30d': STATISTICS };

/** A study in which one group holds. */
export function studyWith(
  holds: { readonly bucket: Bucket; readonly breadth: BreadthName },
  change: Partial<StudyBlob> = {},
): StudyBlob {
  const groups = EVENT_GROUPS.map((group): StudyGroup => {
    const held = group.bucket === holds.bucket && group.breadth === holds.breadth;
    return {
      ...group,
      n: 64,
      n_dates: 41,
      top_date_share: 938,
      horizons: HORIZONS,
      edge_7d: 23,
      edge_7d_ci: [4, 41],
      p_draws: 12,
      withheld: held ? [] : ['interval'],
    };
  });
  return {
    type: 'assay-study/1',
    class: 'crypto',
    rule: CRYPTO_RULE_HASH,
    from: 0,
    to: 100,
    data: SOME_HASH,
    symbols: ['ETH'],
    ordinary: { horizons: HORIZONS, excess_7d: { n: 9, sum: '-12' } },
    groups,
    ...change,
  };
}

/** What became of ordinary moments. */
export function ordinaryOf(rows: readonly HorizonReturns[]): Ordinary {
  const tally = new OrdinaryTally();
  for (const row of rows) tally.add(row);
  return tally.ordinary;
}
