import type { CloseReason } from '../../kind/event-close.ts';
import type { EventRule } from '../rule/score-rule.ts';

/** What a tick did to an asset's event. Times are unix seconds. */
export type MachineStep =
  | { readonly kind: 'open'; readonly at: number; readonly score: number }
  | {
      readonly kind: 'close';
      readonly at: number;
      readonly openedAt: number;
      readonly reason: CloseReason;
      readonly peak: number;
    };

interface OpenEvent {
  readonly at: number;
  peak: number;
}

/**
 * Opens and closes the events of one asset (docs/spec/event.md): at most one is open. It is armed when it is made, and
 * again `rearm` ticks after an opening, once `consecutive` scored ticks in a row were below `close`.
 */
export class EventMachine {
  #rule: EventRule;
  #open: OpenEvent | undefined;
  /** Index of the last opening; undefined before the first. */
  #openedIndex: number | undefined;
  #armed = true;
  /** Scored ticks in a row below `close`, the last one included. */
  #below = 0;
  /** Index of the last good tick. */
  #lastGood = 0;

  constructor(rule: EventRule) {
    this.#rule = rule;
  }

  /** Ticks from now on are judged by this; what was before them stays as it was judged. */
  under(rule: EventRule): void {
    this.#rule = rule;
  }

  /** Whether an event is open. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /**
   * The tick at `ts`, which the grid counts as `index`; `good` is false where its leaf is absent. Called once for each
   * tick of the class, rising; one that is not good may be left out while nothing is open. A tick that closes an event
   * opens none.
   */
  step(index: number, ts: number, score: number | null, good: boolean): MachineStep | undefined {
    const { close, consecutive, rearm } = this.#rule;
    const scored = good ? score : null;
    if (scored !== null) {
      if (this.#open === undefined && this.#openedIndex !== undefined && !this.#armed) {
        this.#armed = this.#below >= consecutive && index - this.#openedIndex >= rearm;
      }
      this.#below = scored < close ? this.#below + 1 : 0;
    }
    const silence = index - this.#lastGood;
    if (good) this.#lastGood = index;
    if (this.#open !== undefined) return this.#hold(this.#open, index, ts, scored, silence);
    if (!this.#armed || scored === null || scored < this.#rule.open) return undefined;
    this.#open = { at: ts, peak: scored };
    this.#openedIndex = index;
    this.#armed = false;
    return { kind: 'open', at: ts, score: scored };
  }

  #hold(
    open: OpenEvent,
    index: number,
    ts: number,
    scored: number | null,
    silence: number,
  ): MachineStep | undefined {
    if (scored !== null && scored > open.peak) open.peak = scored;
    const reason = this.#reason(index, scored, silence);
    if (reason === undefined) return undefined;
    this.#open = undefined;
    return { kind: 'close', at: ts, openedAt: open.at, reason, peak: open.peak };
  }

  #reason(index: number, scored: number | null, silence: number): CloseReason | undefined {
    const { consecutive, max, silent } = this.#rule;
    if (scored !== null && this.#below >= consecutive) return 'below';
    if (index - (this.#openedIndex as number) >= max) return 'age';
    if (silence >= silent) return 'silent';
    return undefined;
  }
}
