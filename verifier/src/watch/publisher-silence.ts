import { overduePeriods, releasedPeriods } from '@assay/core/round/overdue';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { formatTime } from '@assay/core/time/time';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** A publisher's log that was reached and followed to what it shows now. */
export interface FollowedPublisher {
  readonly state: ViewState;
  /** What it is called in findings: its origin. */
  readonly name: string;
  /** Time of its newest entry, unix seconds. */
  readonly newest: number;
}

export interface SilenceTerms {
  /** Unix seconds, by the clock of whoever looks: a log that has stopped says no time. */
  readonly now: number;
  /** Seconds after a release in which a log may stand still. */
  readonly graceS: number;
}

/** Seconds that a settled report may take from the rule's deadline to the readers. */
export const DEADLINE_GRACE_S = 3600;
/** How many periods of an index are looked back at. */
const LOOK_BACK = 32;
/** Periods that a finding lists. */
const MAX_SHOWN = 5;

/**
 * What a publisher owes and does not say: periods past their rule's deadline with neither a final nor a void, and a log that
 * has stood still since before a release. Pure: to be asked only of a log that could be reached.
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
