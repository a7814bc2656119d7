import type { HashHex } from '../../hash/hash.ts';
import { BREADTHS, BUCKETS, EVENT_GROUPS, type EventGroup } from '../../kind/event-group.ts';
import {
  array,
  boolean,
  hashHex,
  integer,
  literal,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../../wire/schema.ts';
import { formatWire, parseWire, wire } from '../../wire/wire.ts';
import { NO_LIMIT, type WorkBudget } from '../../work-budget.ts';
import { ASSET_CLASSES, type AssetClass, parseSymbol } from '../tick/asset-symbol.ts';
import { EDGE_REASONS, type EdgeGroup } from './edge-groups.ts';
import type { Edge, EdgePart } from './edge-part.ts';
import type { LeftOut } from './moment-sample.ts';
import type { BaseStatistics, MomentStatistics } from './moment-statistics.ts';
import type { MomentReturn, StudyMoment } from './study-moment.ts';
import { MAX_STUDY_NUMBER } from './study-spending.ts';

/** A frozen study: the blob of a `study/2` entry (docs/spec/base-rate.md). */
export interface EdgeStudy {
  readonly type: 'assay-study/2';
  readonly class: AssetClass;
  /** The hash of the score rule of the newest tick in its range. */
  readonly rule: HashHex;
  /** The entries of the log that it is made from: `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  /** Which study it is, which decides what error it may spend. */
  readonly number: number;
  /** Where the later stretch begins, in unix seconds; null without moments. */
  readonly later_from: number | null;
  readonly left_out: LeftOut;
  /** In the order of their openings, then of their symbols. */
  readonly moments: readonly StudyMoment[];
  /** Every group of the class, in order. */
  readonly groups: readonly EdgeGroup[];
}

/** The most moments of a study, which bounds what is parsed. */
const MAX_MOMENTS = 1_000_000;
const MAX = Number.MAX_SAFE_INTEGER;
const count = integer(0, MAX);
const bp = integer(-MAX, MAX);
const share = nullable(integer(0, 10_000));
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const momentReturn = nullable(
  object<MomentReturn>({
    ret: bp,
    gone: boolean,
    base: bp,
    base_lost: bp,
    gone_controls: count,
    unpriced_controls: count,
  }),
);

const moment = object<StudyMoment>({
  id: string(36, 36, UUID),
  symbol: parseSymbol,
  opened_at: count,
  entered_at: count,
  bucket: oneOf(BUCKETS),
  breadth: oneOf(BREADTHS),
  controls: count,
  returns: object<StudyMoment['returns']>({
    '1d': momentReturn,
    '7d': momentReturn,
    '30d': momentReturn,
  }),
});

const interval: Parse<readonly [number, number]> = (value, at) => {
  const [low = 0, high = 0] = array(bp, 2, 2)(value, at);
  if (low > high) throw malformed(at, 'ends that rise', value);
  return [low, high];
};

const edge = object<Edge>({ mean: nullable(bp), ci: nullable(interval), t: nullable(bp) });
const part = object<EdgePart>({
  n: count,
  n_weeks: count,
  n_assets: count,
  low: edge,
  high: edge,
});

const statistics = object<MomentStatistics>({
  n: count,
  gone: count,
  up_share: share,
  median_ret: nullable(bp),
  mean_excess: nullable(bp),
  quarter_excess: nullable(bp),
  median_excess: nullable(bp),
  three_quarter_excess: nullable(bp),
});
const base = object<BaseStatistics>({ up_share: share, median_ret: nullable(bp) });

const group = object<EdgeGroup>({
  bucket: oneOf(BUCKETS),
  breadth: oneOf(BREADTHS),
  n_dates: count,
  top_date_share: integer(0, 10_000),
  horizons: object<EdgeGroup['horizons']>({
    '1d': statistics,
    '7d': statistics,
    '30d': statistics,
  }),
  ordinary: object<EdgeGroup['ordinary']>({ '1d': base, '7d': base, '30d': base }),
  whole: part,
  two_against: part,
  chosen: part,
  later: part,
  other_assets: part,
  withheld: array(oneOf(EDGE_REASONS), 0, EDGE_REASONS.length),
});

const parseShape: Parse<EdgeStudy> = object<EdgeStudy>({
  type: literal('assay-study/2'),
  class: oneOf(ASSET_CLASSES),
  rule: hashHex,
  from: count,
  to: count,
  number: integer(1, MAX_STUDY_NUMBER),
  later_from: nullable(count),
  left_out: object<LeftOut>({
    few_controls: count,
    no_entry: count,
    no_exit: count,
    not_over: count,
  }),
  moments: array(moment, 0, MAX_MOMENTS),
  groups: array(group, EVENT_GROUPS.length, EVENT_GROUPS.length),
});

/**
 * Parses the blob of a `study/2` entry. Throws `malformed` unless it has every group once and in order, and
 * moments in order with a return after 7 days. Also throws the errors of `work`. Whether the groups follow from
 * the moments is not checked here (`edgeGroups` makes them).
 */
export function parseEdgeStudy(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): EdgeStudy {
  const study = parseShape(parseWire(bytes, work), 'study');
  for (const [i, each] of study.groups.entries()) {
    const { bucket, breadth } = EVENT_GROUPS[i] as EventGroup;
    if (each.bucket === bucket && each.breadth === breadth) continue;
    throw malformed(`study.groups[${i}]`, `${bucket}, ${breadth}`, wire(each));
  }
  for (const [i, each] of study.moments.entries()) {
    const at = `study.moments[${i}]`;
    if (each.returns['7d'] === null) throw malformed(`${at}.returns.7d`, 'a return', null);
    const before = study.moments[i - 1];
    if (before !== undefined && inOrder(before, each) >= 0) {
      throw malformed(at, 'moments by opening, then by symbol', wire(each));
    }
  }
  return study;
}

/** The canonical bytes of a study, whose SHA-256 its entry names. */
export function formatEdgeStudy(study: EdgeStudy): Uint8Array {
  return formatWire(study);
}

/** Below 0 if `a` comes first. */
function inOrder(a: StudyMoment, b: StudyMoment): number {
  if (a.opened_at !== b.opened_at) return a.opened_at - b.opened_at;
  return a.symbol < b.symbol ? -1 : Number(a.symbol > b.symbol);
}
