import type { Sha256 } from '../../hash/hash.ts';
import { formatUtf8 } from '../../bytes/utf8.ts';
import { type BreadthName, type Bucket, EVENT_GROUPS } from '../../kind/event-group.ts';
import { divideRounded } from '../../number/scaled.ts';
import { runSteps, type Steps } from '../../steps.ts';
import { DAY_SECONDS } from '../../time/time.ts';
import type { AssetClass } from '../tick/asset-symbol.ts';
import type { StudyHorizon } from '../study/study-blob.ts';
import {
  type EdgeBound,
  type EdgePart,
  type ExcessAt,
  excessesOf,
  measurePart,
  type MeasuredPart,
  passes,
  signOf,
} from './edge-part.ts';
import { MIN_CLASSES } from './jackknife.ts';
import { EXIT_SECONDS } from './moment-sample.ts';
import {
  type BaseStatistics,
  baseStatistics,
  type MomentStatistics,
  momentStatistics,
} from './moment-statistics.ts';
import type { StudyMoment } from './study-moment.ts';
import { familyLevel, monthOf, monthStart } from './study-spending.ts';

/** Why a group has no rate, in the order in which the reasons are listed. */
export const EDGE_REASONS = [
  'few_weeks',
  'few_assets',
  'family',
  'two_against',
  'not_chosen',
  'later',
  'other_assets',
] as const;
export type EdgeReason = (typeof EDGE_REASONS)[number];

type ByHorizon<T> = { readonly [H in StudyHorizon]: T };

/** What became of the moments of a group, and whether that can be told from chance. */
export interface EdgeGroup {
  readonly bucket: Bucket;
  readonly breadth: BreadthName;
  /** Distinct UTC dates of openings. */
  readonly n_dates: number;
  /** The largest share of moments on one date, in hundredths of a percent. */
  readonly top_date_share: number;
  readonly horizons: ByHorizon<MomentStatistics>;
  readonly ordinary: ByHorizon<BaseStatistics>;
  readonly whole: EdgePart;
  /** The whole with two more moments, which went against it by the largest excess of the study. */
  readonly two_against: EdgePart;
  /** The moments of half of the assets, in the earlier stretch of time. */
  readonly chosen: EdgePart;
  /** The moments in the later stretch of time. */
  readonly later: EdgePart;
  /** Those of them that are of the other half of the assets. */
  readonly other_assets: EdgePart;
  /** Why no rate is given; empty if the group holds. */
  readonly withheld: readonly EdgeReason[];
}

/** What follows from the moments of a study. */
export interface EdgeGroups {
  /** Where the later stretch begins, in unix seconds; null without moments. */
  readonly later_from: number | null;
  /** Every group of the class, in order. */
  readonly groups: readonly EdgeGroup[];
}

/** How long after it was entered a moment's 7 days may end. */
const WINDOW_SECONDS: number = 7 * DAY_SECONDS + EXIT_SECONDS;

/** The weeks of two moments that are not there. Neither is next to the other, or to that of a moment. */
const NO_WEEKS = [-4, -2];

/** What all groups of a study share. */
interface Division {
  readonly number: number;
  readonly laterFrom: number;
  readonly isChosen: (moment: StudyMoment) => boolean;
  /** The largest magnitude of an excess of any moment. */
  readonly largest: { readonly [B in EdgeBound]: number };
}

/** The groups of the study with this number. `moments` are in the order of their openings. */
export function edgeGroups(
  sha256: Sha256,
  of: AssetClass,
  number: number,
  moments: readonly StudyMoment[],
): EdgeGroups {
  return runSteps(edgeGroupSteps(sha256, of, number, moments));
}

/** The same in steps, one for each group. */
export function* edgeGroupSteps(
  sha256: Sha256,
  of: AssetClass,
  number: number,
  moments: readonly StudyMoment[],
): Steps<EdgeGroups> {
  const laterFrom = laterStretch(moments);
  const halves = new Map<string, boolean>();
  for (const { symbol } of moments) {
    if (!halves.has(symbol)) halves.set(symbol, isChosenHalf(sha256, of, symbol));
  }
  const division = {
    number,
    laterFrom: laterFrom ?? 0,
    isChosen: ({ symbol }: StudyMoment): boolean => halves.get(symbol) === true,
    largest: largestOf(excessesOf(moments)),
  };
  const groups: EdgeGroup[] = [];
  for (const { bucket, breadth } of EVENT_GROUPS) {
    yield;
    const own = moments.filter((each) => each.bucket === bucket && each.breadth === breadth);
    groups.push({ bucket, breadth, ...measureGroup(own, division) });
  }
  return { later_from: laterFrom, groups };
}

/** Whether an asset is of the half in which groups are chosen. */
export function isChosenHalf(sha256: Sha256, of: AssetClass, symbol: string): boolean {
  const [first = 0] = sha256(formatUtf8(`assay-study/2:${of}:${symbol}`));
  return first % 2 === 0;
}

/** The first second of the month in which the later half of the months of `moments` begins. */
function laterStretch(moments: readonly StudyMoment[]): number | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { entered_at } of moments) {
    first = Math.min(first, entered_at);
    last = Math.max(last, entered_at);
  }
  if (moments.length === 0) return null;
  const months = monthOf(last) - monthOf(first) + 1;
  return monthStart(monthOf(first) + Math.floor(months / 2));
}

function largestOf(excesses: readonly ExcessAt[]): Division['largest'] {
  const largest = (bound: EdgeBound): number =>
    excesses.reduce((most, { [bound]: value }) => Math.max(most, Math.abs(value)), 0);
  return { low: largest('low'), high: largest('high') };
}

function measureGroup(
  moments: readonly StudyMoment[],
  { number, laterFrom, isChosen, largest }: Division,
): Omit<EdgeGroup, 'bucket' | 'breadth'> {
  const part = (isOf: (moment: StudyMoment) => boolean): MeasuredPart =>
    measurePart(excessesOf(moments.filter(isOf)));
  const isEarlier = ({ entered_at }: StudyMoment): boolean =>
    entered_at + WINDOW_SECONDS <= laterFrom;
  const isLater = ({ entered_at }: StudyMoment): boolean => entered_at >= laterFrom;
  const whole = part(() => true);
  const sign = signOf(whole.exact.low);
  const parts = {
    whole,
    two_against: measurePart(withTwoAgainst(excessesOf(moments), sign, largest)),
    chosen: part((each) => isChosen(each) && isEarlier(each)),
    later: part(isLater),
    other_assets: part((each) => !isChosen(each) && isLater(each)),
  };
  return {
    ...datesOf(moments),
    horizons: byHorizon((horizon) => momentStatistics(moments, horizon)),
    ordinary: byHorizon((horizon) => baseStatistics(moments, horizon)),
    whole: whole.part,
    two_against: parts.two_against.part,
    chosen: parts.chosen.part,
    later: parts.later.part,
    other_assets: parts.other_assets.part,
    withheld: reasonsOf(parts, sign, number),
  };
}

/** The excesses with two more, each of its own week and asset, on the side that `sign` is not. */
function withTwoAgainst(
  excesses: readonly ExcessAt[],
  sign: number,
  { low, high }: Division['largest'],
): readonly ExcessAt[] {
  if (excesses.length === 0) return excesses;
  const side = sign > 0 ? -1 : 1;
  const against = NO_WEEKS.map((week) => ({
    week,
    asset: `${week}`,
    low: side * low,
    high: side * high,
  }));
  return [...excesses, ...against];
}

function reasonsOf(
  parts: Readonly<
    Record<'whole' | 'two_against' | 'chosen' | 'later' | 'other_assets', MeasuredPart>
  >,
  sign: number,
  number: number,
): readonly EdgeReason[] {
  const { whole, two_against, chosen, later, other_assets } = parts;
  const family = familyLevel(number);
  const failed: readonly (readonly [boolean, EdgeReason])[] = [
    [whole.part.n_weeks < MIN_CLASSES, 'few_weeks'],
    [whole.part.n_assets < MIN_CLASSES, 'few_assets'],
    [!passes(whole, family, sign), 'family'],
    [!passes(two_against, 'part', sign), 'two_against'],
    [!passes(chosen, 'part', sign), 'not_chosen'],
    [!passes(later, 'part', sign), 'later'],
    [!passes(other_assets, 'part', sign), 'other_assets'],
  ];
  return failed.flatMap(([fails, reason]) => (fails ? [reason] : []));
}

function datesOf(moments: readonly StudyMoment[]): Pick<EdgeGroup, 'n_dates' | 'top_date_share'> {
  const dates = new Map<number, number>();
  for (const { opened_at } of moments) {
    const date = Math.floor(opened_at / DAY_SECONDS);
    dates.set(date, (dates.get(date) ?? 0) + 1);
  }
  const top = Math.max(0, ...dates.values());
  const share = moments.length === 0 ? 0 : divideRounded(10_000 * top, moments.length);
  return { n_dates: dates.size, top_date_share: share };
}

function byHorizon<T>(make: (horizon: StudyHorizon) => T): ByHorizon<T> {
  return { '1d': make('1d'), '7d': make('7d'), '30d': make('30d') };
}
