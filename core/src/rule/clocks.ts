import type { Rule } from './rule.ts';
import { releaseTime } from './release.ts';

/** The moments that a rule sets for one period, unix seconds. */
export interface Clocks {
  /** The scheduled release: no read from before it counts, and nothing is said before it. */
  readonly release: number;
  /** From then on a figure of the source is a revision, and no longer the first print. */
  readonly frozen: number;
  /** The last second in which a read may still be a first print. */
  readonly firstPrint: number;
  /** From then on what has not come is void. */
  readonly deadline: number;
}

/** The moments of `period`, a day number, by a rule's own calendar. */
export function clocksOf(
  { release, period: kind, revision }: Pick<Rule, 'release' | 'period' | 'revision'>,
  period: number,
): Clocks {
  const from = releaseTime(release, kind, period);
  return {
    release: from,
    frozen: from + revision.freeze_after_s,
    firstPrint: from + Math.min(release.first_print_within_s, release.deadline_s - 1),
    deadline: from + release.deadline_s,
  };
}
