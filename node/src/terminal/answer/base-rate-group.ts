import { hundredths } from '@assay/core/answer/terminal/terminal-event';
import type { EventGroup } from '@assay/core/kind/event-group';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { EdgeGroup, EdgeReason } from '@assay/core/terminal/edge/edge-groups';
import type { BaseStatistics, MomentStatistics } from '@assay/core/terminal/edge/moment-statistics';
import { errorOneIn, type ErrorOneIn, familyLevel } from '@assay/core/terminal/edge/study-spending';
import type { StudyHorizon } from '@assay/core/terminal/study/study-blob';
import type { StudyRow } from '@assay/core/view/studies';
import { reasonText } from './base-rate-text.ts';
import { type EdgeNumbers, edgeNumbers } from './edge-numbers.ts';

/** What became of openings after a horizon. Shares are fractions of 1, returns are in percent. */
export interface RateStatistics {
  readonly n: number;
  /** Those of them whose asset has no price any more. */
  readonly gone: number;
  readonly up_share: number | null;
  readonly median_ret_pct: number | null;
  /** Of the return less that of the quiet assets on the same days. */
  readonly mean_excess_pct: number | null;
  readonly quarter_excess_pct: number | null;
  readonly median_excess_pct: number | null;
  readonly three_quarter_excess_pct: number | null;
}

/** What the quiet assets of the same days returned meanwhile. */
export type OrdinaryStatistics = Pick<RateStatistics, 'up_share' | 'median_ret_pct'>;

type ByHorizon<T> = { readonly [H in StudyHorizon]: T };

/** The parts of a group's openings that are judged by themselves. */
export const RATE_PARTS = ['two_against', 'chosen', 'later', 'other_assets'] as const;
export type RatePart = (typeof RATE_PARTS)[number];

/** A group of a study in the units of the answers. The edge is that of all its openings. */
export interface GroupPayload extends EventGroup, EdgeNumbers {
  /** The mean edge where every asset without a price was paid its last one. */
  readonly edge_7d_pts: number | null;
  readonly n_dates: number;
  readonly top_date_share: number;
  readonly horizons: ByHorizon<RateStatistics>;
  readonly ordinary: ByHorizon<OrdinaryStatistics>;
  readonly parts: { readonly [P in RatePart]: EdgeNumbers };
}

/** A group with the reasons for which no rate of it is given; none where it holds. */
export interface JudgedGroup extends GroupPayload {
  readonly withheld: readonly WithheldPayload[];
}

export interface WithheldPayload {
  readonly reason: EdgeReason;
  readonly detail: string;
}

/** Where a study is: its entry, its blob, the entries that it rests on, and what error it may spend. */
export interface StudySource {
  readonly seq: number;
  readonly blob: string;
  readonly rule: string;
  readonly from: number;
  readonly to: number;
  readonly number: number;
  readonly error_one_in: ErrorOneIn;
}

/** A study with the entry that names it. */
export interface FrozenStudy {
  readonly row: Pick<StudyRow, 'seq' | 'blob' | 'rule' | 'from' | 'to'>;
  readonly blob: EdgeStudy;
}

export function sourceOf({ row, blob: { number } }: FrozenStudy): StudySource {
  const { seq, blob, rule, from, to } = row;
  return { seq, blob, rule, from, to, number, error_one_in: errorOneIn(number) };
}

/** The group of a study that is like this one. */
export function groupIn(study: EdgeStudy, like: EventGroup): EdgeGroup | undefined {
  return study.groups.find(
    ({ bucket, breadth }) => bucket === like.bucket && breadth === like.breadth,
  );
}

export function judgedGroup(study: EdgeStudy, group: EdgeGroup): JudgedGroup {
  const withheld = group.withheld.map((reason) => ({
    reason,
    detail: reasonText(reason, group, study.number),
  }));
  return { ...groupPayload(study, group), withheld };
}

export function groupPayload({ number }: EdgeStudy, group: EdgeGroup): GroupPayload {
  return {
    bucket: group.bucket,
    breadth: group.breadth,
    edge_7d_pts: hundredths(group.horizons['7d'].mean_excess),
    ...edgeNumbers(group.whole, familyLevel(number)),
    n_dates: group.n_dates,
    top_date_share: group.top_date_share / 10_000,
    horizons: byHorizon((horizon) => statistics(group.horizons[horizon])),
    ordinary: byHorizon((horizon) => ordinaryStatistics(group.ordinary[horizon])),
    parts: {
      two_against: edgeNumbers(group.two_against, 'part'),
      chosen: edgeNumbers(group.chosen, 'part'),
      later: edgeNumbers(group.later, 'part'),
      other_assets: edgeNumbers(group.other_assets, 'part'),
    },
  };
}

function statistics(of: MomentStatistics): RateStatistics {
  return {
    n: of.n,
    gone: of.gone,
    ...ordinaryStatistics(of),
    mean_excess_pct: hundredths(of.mean_excess),
    quarter_excess_pct: hundredths(of.quarter_excess),
    median_excess_pct: hundredths(of.median_excess),
    three_quarter_excess_pct: hundredths(of.three_quarter_excess),
  };
}

function ordinaryStatistics({ up_share, median_ret }: BaseStatistics): OrdinaryStatistics {
  return {
    up_share: up_share === null ? null : up_share / 10_000,
    median_ret_pct: hundredths(median_ret),
  };
}

function byHorizon<T>(make: (horizon: StudyHorizon) => T): ByHorizon<T> {
  return { '1d': make('1d'), '7d': make('7d'), '30d': make('30d') };
}
