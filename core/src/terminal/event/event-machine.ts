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
 * Opens and closes the events of one asset, of which at most one is open (docs/spec/event.md). It is armed at
 * the start. After an opening it is armed again when `rearm` ticks have passed and `consecutive` scored ticks
 * in a row were below `close`.
 */
export class EventMachine {
  #rule: EventRule;
  #open: OpenEvent | undefined;
  /** The count of the last opening; undefined before the first. */
  #openedIndex: number | undefined;
  #armed = true;
  /** The number of scored ticks in a row below `close`, including the last one. */
  #below = 0;
  /** The count of the last good tick. */
  #lastGood = 0;

  constructor(rule: EventRule) {
    this.#rule = rule;
  }

  /** Ticks from now on are judged by this rule. Earlier results stay as they are. */
  under(rule: EventRule): void {
    this.#rule = rule;
  }

  /** Whether an event is open. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /**
   * Takes the tick at `ts`, whose count in the grid is `index`; `good` is false if its leaf is absent. It is
   * called once for each tick of the class, in rising order. A tick that is not good may be left out while
   * nothing is open. A tick that closes an event opens none.
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
