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

/** What an event machine knows between two ticks. */
export interface KeptMachine {
  /** By which ticks are judged. */
  rule: EventRule;
  open: OpenEvent | undefined;
  /** The count of the last opening; undefined before the first. */
  openedIndex: number | undefined;
  armed: boolean;
  /** The number of scored ticks in a row below `close`, including the last one. */
  below: number;
  /** The count of the last good tick. */
  lastGood: number;
}

/**
 * Opens and closes the events of one asset, of which at most one is open (docs/spec/event.md). It is armed at
 * the start. After an opening it is armed again when `rearm` ticks have passed and `consecutive` scored ticks
 * in a row were below `close`.
 */
export class EventMachine {
  #state: KeptMachine;

  constructor(rule: EventRule) {
    this.#state = {
      rule,
      open: undefined,
      openedIndex: undefined,
      armed: true,
      below: 0,
      lastGood: 0,
    };
  }

  /** What a machine needs to go on in the place of this one. It changes with the next tick. */
  get kept(): KeptMachine {
    return this.#state;
  }

  /** Goes on as the machine that was kept. Call it before the first tick. */
  resume(kept: KeptMachine): void {
    this.#state = kept;
  }

  /** Ticks from now on are judged by this rule. Earlier results stay as they are. */
  under(rule: EventRule): void {
    this.#state.rule = rule;
  }

  /** Whether an event is open. */
  get isOpen(): boolean {
    return this.#state.open !== undefined;
  }

  /**
   * Takes the tick at `ts`, whose count in the grid is `index`; `good` is false if its leaf is absent. It is
   * called once for each tick of the class, in rising order. A tick that is not good may be left out while
   * nothing is open. A tick that closes an event opens none.
   */
  step(index: number, ts: number, score: number | null, good: boolean): MachineStep | undefined {
    const state = this.#state;
    const { close, consecutive, rearm } = state.rule;
    const scored = good ? score : null;
    if (scored !== null) {
      if (state.open === undefined && state.openedIndex !== undefined && !state.armed) {
        state.armed = state.below >= consecutive && index - state.openedIndex >= rearm;
      }
      state.below = scored < close ? state.below + 1 : 0;
    }
    const silence = index - state.lastGood;
    if (good) state.lastGood = index;
    if (state.open !== undefined) return this.#hold(state.open, index, ts, scored, silence);
    if (!state.armed || scored === null || scored < state.rule.open) return undefined;
    state.open = { at: ts, peak: scored };
    state.openedIndex = index;
    state.armed = false;
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
    this.#state.open = undefined;
    return { kind: 'close', at: ts, openedAt: open.at, reason, peak: open.peak };
  }

  #reason(index: number, scored: number | null, silence: number): CloseReason | undefined {
    const { rule, below, openedIndex } = this.#state;
    const { consecutive, max, silent } = rule;
    if (scored !== null && below >= consecutive) return 'below';
    if (index - (openedIndex as number) >= max) return 'age';
    if (silence >= silent) return 'silent';
    return undefined;
  }
}
