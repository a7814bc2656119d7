import type { Genesis } from '@assay/core/kind/genesis';
import { DAY_SECONDS, formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import type { Findings } from '../verdict/finding.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** Seconds by which a publisher's clock may be ahead of the verifier's: as many as Bitcoin allows its miners. */
const MAX_AHEAD_S = 7200;

/** Compares the times of entries with the verifier's own clock. `now` is in Unix seconds, undefined without a clock. */
export class ClockCheck {
  readonly #now: number | undefined;
  readonly #most: string;
  /** The first entry that lies ahead; those after it lie ahead too. */
  #ahead: { readonly seq: number; readonly at: TimeText } | undefined;

  constructor(now: number | undefined) {
    this.#now = now;
    this.#most = now === undefined ? '' : formatTime(now + MAX_AHEAD_S);
  }

  /** Records an entry's time, in the order of the log. It runs for every entry. */
  note(at: TimeText, seq: number): void {
    if (this.#now === undefined || at <= this.#most || this.#ahead !== undefined) return;
    this.#ahead = { seq, at };
  }

  /** Whether a clock like this one finds nothing ahead among entries up to the time `at`; empty for none. */
  holds(at: TimeText | ''): boolean {
    return this.#now === undefined || at <= this.#most;
  }

  /** Reports the result. A development log runs on simulated clocks, which may be at any time. */
  finish(network: Genesis['network'], findings: Findings, notChecked: NotCheckedList): void {
    if (network === 'development') {
      notChecked.add(
        'times',
        'that the times of entries are not ahead',
        'a development log may run on a simulated clock',
        'none',
      );
    } else if (this.#now === undefined) {
      notChecked.add(
        'times',
        'that the times of entries are not ahead',
        'no clock was given',
        'clock',
      );
    } else if (this.#ahead !== undefined) {
      const { seq, at } = this.#ahead;
      findings.add('time_ahead', `entry ${seq}`, `${this.#most} at most, by this clock`, at);
    }
  }
}

/** Seconds after which a log's newest entry is named as old. A running publisher makes an index entry each day. */
const OLD_S = 2 * DAY_SECONDS;

/** What decides up to when a log must be complete. */
export interface HeldLog {
  /** The time that its newest entry claims; empty where it has none. */
  readonly at: TimeText | '';
  readonly network: Genesis['network'] | undefined;
  /** Whether it is a folder or an export, which does not grow. */
  readonly isCopy: boolean;
  /** The verifier's clock, in Unix seconds; undefined without one. */
  readonly now: number | undefined;
}

/**
 * The time up to which a log must have what is due, in Unix seconds. A live production log is compared with the
 * verifier's clock, less the two hours by which clocks may differ, so that a log which has stopped is late. A copy is
 * compared with its own newest entry, and so is a development log, whose clock may be simulated.
 */
export function heldUntil({ at, network, isCopy, now }: HeldLog): number {
  const own = at === '' ? 0 : parseTime(at);
  if (network !== 'production' || isCopy || now === undefined) return own;
  return Math.max(own, now - MAX_AHEAD_S);
}

/** Names how old the newest entry of a production log is, and counts its days for the first line. */
export function nameAge(
  { at, network, now }: Omit<HeldLog, 'isCopy'>,
  notChecked: NotCheckedList,
): void {
  if (network !== 'production' || at === '' || now === undefined) return;
  const age = now - parseTime(at);
  if (age <= OLD_S) return;
  notChecked.count('stale_days', Math.floor(age / DAY_SECONDS));
  notChecked.add(
    'completeness',
    `what has come since ${at}, the time of the newest entry`,
    'the log ends there: a newer head, if there is one, was not shown',
    'newer_log',
  );
}
