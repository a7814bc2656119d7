import type { EdgePart } from '@assay/core/terminal/edge/edge-part';
import { MIN_CLASSES } from '@assay/core/terminal/edge/jackknife';
import { type EdgeLevel, studentQuantile } from '@assay/core/terminal/edge/student-quantiles';

/** The ends of a 95 % interval, in percentage points. */
export type PointsInterval = readonly [number, number];

/**
 * The edge of a set of openings after 7 days, in percentage points with two decimals: with the last price of an asset that
 * has none any more, and as if everything was lost in it. `t` has three decimals.
 */
export interface EdgeNumbers {
  readonly n: number;
  readonly n_weeks: number;
  readonly n_assets: number;
  readonly edge_7d_pts: number | null;
  readonly edge_7d_ci: PointsInterval | null;
  readonly edge_7d_t: number | null;
  readonly edge_7d_lost_pts: number | null;
  readonly edge_7d_lost_ci: PointsInterval | null;
  readonly edge_7d_lost_t: number | null;
  /** What both `t` have to reach; null with too few weeks or assets. */
  readonly t_needed: number | null;
}

/** The numbers of a part that is judged at `level`. */
export function edgeNumbers(part: EdgePart, level: EdgeLevel): EdgeNumbers {
  const { n, n_weeks, n_assets, last, lost } = part;
  const needed = neededT(part, level);
  return {
    n,
    n_weeks,
    n_assets,
    edge_7d_pts: scaled(last.mean, 100),
    edge_7d_ci: interval(last.ci),
    edge_7d_t: scaled(last.t, 1000),
    edge_7d_lost_pts: scaled(lost.mean, 100),
    edge_7d_lost_ci: interval(lost.ci),
    edge_7d_lost_t: scaled(lost.t, 1000),
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

function interval(ci: PointsInterval | null): PointsInterval | null {
  return ci === null ? null : [ci[0] / 100, ci[1] / 100];
}

function scaled(value: number | null, unit: number): number | null {
  return value === null ? null : value / unit;
}
