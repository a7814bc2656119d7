import { overduePeriods, releasedPeriods } from '@assay/core/round/overdue';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { formatTime } from '@assay/core/time/time';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** A publisher's log that was reached and followed to its current head. */
export interface FollowedPublisher {
  readonly state: ViewState;
  /** Its name in findings: its origin. */
  readonly name: string;
  /** Time of its newest entry, unix seconds. */
  readonly newest: number;
}

export interface SilenceTerms {
  /** Unix seconds, by the clock of the watch, because a log that has stopped shows no time. */
  readonly now: number;
  /** Seconds after a release in which a log may have no new entry. */
  readonly graceS: number;
}

/** Seconds that a settled report may take from the rule's deadline until readers have it. */
export const DEADLINE_GRACE_S = 3600;
/** How many periods of an index are checked, counted back. */
const LOOK_BACK = 32;
/** How many periods a finding lists. */
const MAX_SHOWN = 5;

/**
 * What a publisher has left out: periods past their rule's deadline with neither a final nor a void, and a log without
 * a new entry since before a release. Pure. Call it only for a log that could be reached.
 */
export function publisherSilence(
  { state, name, newest }: FollowedPublisher,
  { now, graceS }: SilenceTerms,
): readonly WatchFinding[] {
  const findings: WatchFinding[] = [];
  let missed: number | undefined;
  for (const ticker of tickers(state)) {
    for (const { rule } of releasedPeriods(state, ticker, now - graceS, LOOK_BACK)) {
      const { release } = rule;
      if (release > newest) missed = Math.min(missed ?? release, release);
    }
    const late = overduePeriods(state, ticker, now - DEADLINE_GRACE_S, LOOK_BACK);
    if (late.length === 0) continue;
    const dates = late.map(({ period }) => period).toSorted();
    const more = dates.length > MAX_SHOWN ? ` and ${dates.length - MAX_SHOWN} more` : '';
    const found = `neither of ${dates.slice(0, MAX_SHOWN).join(', ')}${more}`;
    const expected = "a final or a void by the rule's deadline";
    findings.push(watchFinding('publisher_silent', `${name}, ${ticker}`, expected, found));
  }
  if (missed === undefined) return findings;
  const expected = `an entry since the release of ${formatTime(missed)}`;
  const found = `none since ${formatTime(newest)}`;
  return [...findings, watchFinding('publisher_silent', name, expected, found)];
}
