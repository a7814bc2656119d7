import { DAY_SECONDS } from '../time/time.ts';
import type { Rule } from './rule.ts';
import { releaseTime } from './release.ts';

/** The times that a rule sets for one period, in Unix seconds. */
export interface Clocks {
  /** The scheduled release. No read from before it counts, and nothing is published before it. */
  readonly release: number;
  /**
   * From this time on, a figure of the source is a revision and no longer the first print. Infinite while the number is
   * late and no quorum of co-signers has seen it published; until then nothing becomes final.
   */
  readonly frozen: number;
  /** The last second in which a read may still be a first print. */
  readonly firstPrint: number;
  /** From this time on, a number that has not come is void. */
  readonly deadline: number;
  /**
   * When a quorum of co-signers saw a late publication, from which the other clocks run; null where they run from the
   * release.
   */
  readonly seen: number | null;
}

type Timed = Pick<Rule, 'release' | 'period' | 'revision'>;

/** The times of `period`, a day number, by a rule's own calendar, for a number that is published in time. */
export function clocksOf({ release, period: kind, revision }: Timed, period: number): Clocks {
  return clocksFrom({ release, revision }, releaseTime(release, kind, period), null);
}

/** The times of a period whose late publication a quorum saw at `seen`, in Unix seconds. */
export function lateClocksOf(rule: Timed, period: number, seen: number): Clocks {
  const release = releaseTime(rule.release, rule.period, period);
  return { ...clocksFrom(rule, seen, seen), release };
}

function clocksFrom(
  { release, revision }: Pick<Timed, 'release' | 'revision'>,
  from: number,
  seen: number | null,
): Clocks {
  return {
    release: from,
    frozen: from + revision.freeze_after_s,
    firstPrint: from + Math.min(release.first_print_within_s, release.deadline_s - 1),
    deadline: from + release.deadline_s,
    seen,
  };
}

/** Seconds that co-signers' statements have to reach the log before a late period is void. */
const STATEMENT_S = DAY_SECONDS;

/**
 * Until when a late publication of a period may be seen, and from when the period is void without one, in Unix seconds.
 */
export interface LateBounds {
  /** The last second of a read that may show it. */
  readonly seenBy: number;
  readonly voidFrom: number;
}

/** The bounds of `period`, a day number; undefined under a rule by which a late number is void at the deadline. */
export function lateBounds(rule: Timed, period: number): LateBounds | undefined {
  const { late } = rule.release;
  if (late === undefined || late.kind === 'void') return undefined;
  const voidFrom = releaseTime(rule.release, rule.period, period) + late.within_s;
  return { seenBy: voidFrom - STATEMENT_S, voidFrom };
}
