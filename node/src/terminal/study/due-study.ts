import { firstStudyMonth, monthOf } from '@assay/core/terminal/edge/study-spending';
import { studyVersion } from '@assay/core/terminal/rule/score-rule';
import { STUDY_AFTER_S } from '@assay/core/terminal/study/study-maker';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { scoreRules } from '@assay/core/view/score-rules';
import { firstTick, type TickRow, ticksBack } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';

/** The study that a class has in a month. */
export interface DueStudy {
  /** How many entries it is made from: those before the month's first tick. */
  readonly to: number;
  readonly version: 1 | 2;
  /** The time of that tick, in unix seconds. */
  readonly monthFrom: number;
}

type Timed = readonly [ts: TimeText, row: TickRow];

/**
 * The study of a class in `month` (`YYYY-MM`), the newest with a tick. Its version is that of the rule of the
 * newest tick before the month. Undefined if the class is too young for one.
 */
export function dueStudy(views: ViewState, of: AssetClass, month: string): DueStudy | undefined {
  let first: Timed | undefined;
  let before: Timed | undefined;
  for (const tick of ticksBack(views, of)) {
    if (tick[0].slice(0, 7) !== month) {
      before = tick;
      break;
    }
    first = tick;
  }
  if (first === undefined || before === undefined) return undefined;
  const [monthFrom, to] = [parseTime(first[0]), first[1].seq];
  const since = secondSince(views, of);
  const version = before[1].seq > since ? 2 : 1;
  const isOld = version === 1 ? isOldForFirst : isOldForSecond;
  return isOld(views, of, monthFrom, since) ? { to, version, monthFrom } : undefined;
}

/** The entry after which ticks name a rule of studies of version 2. */
function secondSince(views: ViewState, of: AssetClass): number {
  const second = scoreRules(views, of).find(({ rule }) => studyVersion(rule) === 2);
  return second?.seq ?? Number.POSITIVE_INFINITY;
}

function isOldForFirst(views: ViewState, of: AssetClass, monthFrom: number): boolean {
  const begun = firstTick(views, of);
  return begun !== undefined && monthFrom >= parseTime(begun) + STUDY_AFTER_S;
}

function isOldForSecond(
  views: ViewState,
  of: AssetClass,
  monthFrom: number,
  since: number,
): boolean {
  let begun = Number.POSITIVE_INFINITY;
  for (const [ts, { seq }] of ticksBack(views, of)) {
    if (seq < since) break;
    begun = parseTime(ts);
  }
  return monthOf(monthFrom) >= firstStudyMonth(begun);
}
