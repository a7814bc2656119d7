import type { Genesis } from '@assay/core/kind/genesis';
import { DAY_SECONDS, formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import type { Findings } from '../verdict/finding.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** Seconds by which a publisher's clock may be ahead of the verifier's, as far as Bitcoin's miners may be. */
const MAX_AHEAD_S = 7200;

/** Holds the times of entries against the verifier's own clock; `now` in unix seconds, undefined without one. */
export class ClockCheck {
  readonly #now: number | undefined;
  readonly #most: string;
  /** The first entry that lies ahead: those after it do too. */
  #ahead: { readonly seq: number; readonly at: TimeText } | undefined;

  constructor(now: number | undefined) {
    this.#now = now;
    this.#most = now === undefined ? '' : formatTime(now + MAX_AHEAD_S);
  }

  /** Takes an entry's time, in the order of the log; runs for every entry. */
  note(at: TimeText, seq: number): void {
    if (this.#now === undefined || at <= this.#most || this.#ahead !== undefined) return;
    this.#ahead = { seq, at };
  }

  /** Says what was found. A development log runs on simulated clocks: it may be at any time. */
  finish(network: Genesis['network'], findings: Findings, notChecked: NotCheckedList): void {
    if (network === 'development') {
      notChecked.add(
        'times',
        'that the times of entries are not ahead',
        'a development log may run on a simulated clock',
      );
    } else if (this.#now === undefined) {
      notChecked.add('times', 'that the times of entries are not ahead', 'no clock was given');
    } else if (this.#ahead !== undefined) {
      const { seq, at } = this.#ahead;
      findings.add('time_ahead', `entry ${seq}`, `${this.#most} at most, by this clock`, at);
    }
  }
}

/** Seconds after which a log's newest entry is named as old: a publisher that runs makes an index entry each day. */
const OLD_S = 2 * DAY_SECONDS;

/** What a log is held to in time. */
export interface HeldLog {
  /** What its newest entry says of its time; empty where it has none. */
  readonly at: TimeText | '';
  readonly network: Genesis['network'] | undefined;
  /** A folder or an export, which is as old as it is. */
  readonly isCopy: boolean;
  /** The verifier's clock, unix seconds; undefined without one. */
  readonly now: number | undefined;
}

/**
 * Until when a log has to have what is due, unix seconds. A live production log is held to the verifier's clock, give or take the two hours by
 * which clocks may differ, so that one which has stopped is late. A copy is held to its own newest entry, and so is a development
 * log, whose clock may be simulated.
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
  );
}
