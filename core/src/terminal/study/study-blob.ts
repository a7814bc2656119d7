import type { HashHex } from '../../hash/hash.ts';
import {
  array,
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
import { P_DRAWS } from './bootstrap.ts';
import {
  BREADTHS,
  BUCKETS,
  type BreadthName,
  type Bucket,
  EVENT_GROUPS,
  type EventGroup,
} from '../../kind/event-group.ts';
import type { ReturnStatistics } from './return-statistics.ts';

/** The horizons by the names that base rates use. */
export const STUDY_HORIZONS = ['1d', '7d', '30d'] as const;
export type StudyHorizon = (typeof STUDY_HORIZONS)[number];

/** Why a group has no rate, in the order in which the reasons are listed. */
export const WITHHELD_REASONS = [
  'few_events',
  'few_dates',
  'one_date',
  'no_ordinary',
  'halves_differ',
  'interval',
  'false_discovery',
] as const;
export type WithheldReason = (typeof WITHHELD_REASONS)[number];

export type HorizonStatistics = { readonly [H in StudyHorizon]: ReturnStatistics };

/** Statistics of the moments that were not near an event. */
export interface Ordinary {
  readonly horizons: HorizonStatistics;
  /** Excess returns after 7 days, in basis points: their number, and their sum as a decimal. */
  readonly excess_7d: { readonly n: number; readonly sum: string };
}

/** Statistics of a group's events. */
export interface StudyGroup {
  readonly bucket: Bucket;
  readonly breadth: BreadthName;
  /**
   * The number of events, the number of UTC dates on which they opened, and the largest share of them on one
   * date in hundredths of a percent.
   */
  readonly n: number;
  readonly n_dates: number;
  readonly top_date_share: number;
  readonly horizons: HorizonStatistics;
  /** The mean excess return after 7 days minus the ordinary one, in tenths of a percentage point. */
  readonly edge_7d: number | null;
  /** The 95 % bootstrap interval of the edge, over dates. */
  readonly edge_7d_ci: readonly [number, number] | null;
  /**
   * The numerator of p, over 2,001: twice the draws on the rarer side of no edge, and twice the data
   * themselves, which count on both sides.
   */
  readonly p_draws: number | null;
  /** Why no rate is given; empty if the group has one. */
  readonly withheld: readonly WithheldReason[];
}

/** A frozen study: the blob of a `study/1` entry. */
export interface StudyBlob {
  readonly type: 'assay-study/1';
  readonly class: AssetClass;
  /** The hash of the score rule of its events. */
  readonly rule: HashHex;
  /** The entries of the log that it is made from: `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  /** The SHA-256 of the data that the groups depend on, which is the seed of every draw. */
  readonly data: HashHex;
  /** The assets with an event in it, ascending. */
  readonly symbols: readonly string[];
  readonly ordinary: Ordinary;
  /** Every group of the class, in order. */
  readonly groups: readonly StudyGroup[];
}

const MAX = Number.MAX_SAFE_INTEGER;
const seq = integer(0, MAX);
const bp = integer(-MAX, MAX);
const share = integer(0, 10_000);

const statistics = object<ReturnStatistics>({
  n: seq,
  up_share: nullable(share),
  median_ret: nullable(bp),
  median_excess: nullable(bp),
});

const horizons = object<HorizonStatistics>({
  '1d': statistics,
  '7d': statistics,
  '30d': statistics,
});

const interval: Parse<readonly [number, number]> = (value, at) => {
  const [low = 0, high = 0] = array(bp, 2, 2)(value, at);
  if (low > high) throw malformed(at, 'ends that rise', value);
  return [low, high];
};

const group = object<StudyGroup>({
  bucket: oneOf(BUCKETS),
  breadth: oneOf(BREADTHS),
  n: seq,
  n_dates: seq,
  top_date_share: share,
  horizons,
  edge_7d: nullable(bp),
  edge_7d_ci: nullable(interval),
  p_draws: nullable(integer(2, P_DRAWS)),
  withheld: array(oneOf(WITHHELD_REASONS), 0, WITHHELD_REASONS.length),
});

const parseShape: Parse<StudyBlob> = object<StudyBlob>({
  type: literal('assay-study/1'),
  class: oneOf(ASSET_CLASSES),
  rule: hashHex,
  from: seq,
  to: seq,
  data: hashHex,
  symbols: array(parseSymbol, 0, 100_000),
  ordinary: object<Ordinary>({
    horizons,
    excess_7d: object<Ordinary['excess_7d']>({
      n: seq,
      sum: string(1, 40, /^(0|-?[1-9][0-9]*)$/),
    }),
  }),
  groups: array(group, EVENT_GROUPS.length, EVENT_GROUPS.length),
});

/**
 * Parses a study's blob. Throws `malformed` unless it has every group once and in order, and an edge unless it
 * is listed as missing. Also throws the errors of `work`.
 */
export function parseStudyBlob(bytes: Uint8Array, work: WorkBudget = NO_LIMIT): StudyBlob {
  const study = parseShape(parseWire(bytes, work), 'study');
  for (const [i, each] of study.groups.entries()) {
    const { bucket, breadth } = EVENT_GROUPS[i] as EventGroup;
    const at = `study.groups[${i}]`;
    const value = wire(each);
    if (each.bucket !== bucket || each.breadth !== breadth) {
      throw malformed(at, `${bucket}, ${breadth}`, value);
    }
    const found = [each.edge_7d, each.edge_7d_ci, each.p_draws].filter((part) => part !== null);
    if (found.length !== 3 && (found.length !== 0 || each.withheld.length === 0)) {
      throw malformed(at, 'an edge with its interval and p', value);
    }
  }
  return study;
}

/** The canonical bytes of a study, whose SHA-256 its entry names. */
export function formatStudyBlob(study: StudyBlob): Uint8Array {
  return formatWire(study);
}
