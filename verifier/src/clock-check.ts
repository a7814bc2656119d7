import type { Genesis } from '@assay/core/kind/genesis';
import { formatTime, type TimeText } from '@assay/core/time';
import type { Findings } from './finding.ts';
import type { NotCheckedList } from './verdict.ts';

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
