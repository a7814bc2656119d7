import { type EdgePart, jointInterval } from '@assay/core/terminal/edge/edge-part';
import { MIN_CLASSES } from '@assay/core/terminal/edge/jackknife';
import { type EdgeLevel, studentQuantile } from '@assay/core/terminal/edge/student-quantiles';

/** The ends of a 95 % interval, in percentage points. */
export type PointsInterval = readonly [number, number];

/**
 * The edge of a set of openings after 7 days, in percentage points with two decimals. Where assets have no price any more
 * it lies between two bounds: `low` as if all was lost in those of the openings, and their controls were paid their last
 * prices; `high` the other way round. `t` has three decimals.
 */
export interface EdgeNumbers {
  readonly n: number;
  readonly n_weeks: number;
  readonly n_assets: number;
  /** The interval that holds for both bounds. */
  readonly edge_7d_ci: PointsInterval | null;
  readonly edge_7d_low_pts: number | null;
  readonly edge_7d_high_pts: number | null;
  readonly edge_7d_low_t: number | null;
  readonly edge_7d_high_t: number | null;
  /** What both `t` have to reach; null with too few weeks or assets. */
  readonly t_needed: number | null;
}

/** The numbers of a part that is judged at `level`. */
export function edgeNumbers(part: EdgePart, level: EdgeLevel): EdgeNumbers {
  const { n, n_weeks, n_assets, low, high } = part;
  const needed = neededT(part, level);
  const ci = jointInterval(part);
  return {
    n,
    n_weeks,
    n_assets,
    edge_7d_ci: ci === null ? null : [ci[0] / 100, ci[1] / 100],
    edge_7d_low_pts: scaled(low.mean, 100),
    edge_7d_high_pts: scaled(high.mean, 100),
    edge_7d_low_t: scaled(low.t, 1000),
    edge_7d_high_t: scaled(high.t, 1000),
    t_needed: scaled(needed, 1000),
  };
}

/** The least `t` that passes at a level, in thousandths; null with too few weeks or assets. */
export function neededT(
  { n_weeks, n_assets }: Pick<EdgePart, 'n_weeks' | 'n_assets'>,
  level: EdgeLevel,
): number | null {
  const classes = Math.min(n_weeks, n_assets);
  return classes < MIN_CLASSES ? null : studentQuantile(level, classes - 1);
}

function scaled(value: number | null, unit: number): number | null {
  return value === null ? null : value / unit;
}
