import { MAX_FUTURE_BLOCK_SECONDS } from '@assay/core/bitcoin/header';
import { Fault } from '@assay/core/fault';
import { DAY_SECONDS } from '@assay/core/time/time';
import type { Concern } from './concern.ts';
import type { Clock } from '../platform/clock.ts';

/** How many seconds the newest block may be behind a clock. No gap between two blocks is that long. */
const MAX_AHEAD_S = DAY_SECONDS;
/** By how many seconds a clock may be set after a comparison before it is compared again. */
const MAX_STEP_S = 300;

export interface ClockCheckParts {
  /** The clock whose time is written, in unix seconds. */
  readonly now: Clock;
  /** The system's clock, which may have been set back since. */
  readonly system: Clock;
  /** Seconds of a clock without steps. */
  readonly elapsed: Clock;
  /**
   * The time of the newest Bitcoin block that the sources agree on, in unix seconds; undefined while there is
   * none.
   */
  readonly newestBlock: () => number | undefined;
}

/**
 * Compares a clock with Bitcoin's newest block. What a wrong clock dates cannot be undone, because no later
 * entry may have an earlier time. A clock that once agreed is trusted until it is set, so that sources which do
 * not advance cannot prevent writing. A clock that cannot be compared is trusted too.
 */
export class ClockCheck {
  readonly #parts: ClockCheckParts;
  /** By how much the clock was ahead of `elapsed` when it last agreed. */
  #agreed: number | undefined;

  constructor(parts: ClockCheckParts) {
    this.#parts = parts;
  }

  /** Why the clock must not date anything (`bad_clock`); undefined if it may. */
  get doubt(): Fault | undefined {
    const aheadS = this.#offS;
    if (aheadS === undefined) return undefined;
    return new Fault('bad_clock', 'clock', {
      expected: 'within a day of the newest Bitcoin block',
      found: aheadS > 0 ? `${aheadS} seconds ahead of it` : `${-aheadS} seconds behind it`,
    });
  }

  /** The same for readers. The text changes at most once a day. */
  concerns(): readonly Concern[] {
    const aheadS = this.#offS;
    if (aheadS === undefined) return [];
    const { now, system } = this.#parts;
    const off = `${spanOf(Math.abs(aheadS))} ${aheadS > 0 ? 'ahead of' : 'behind'}`;
    const back = now() - system() > MAX_STEP_S;
    const reason = back
      ? `The clock was ${off} the newest Bitcoin block; it has been set back, which counts after a restart.`
      : `The clock is ${off} the newest Bitcoin block: one of the two is wrong, and nothing is signed until they agree.`;
    return [{ level: 'degraded', reason }];
  }

  /** How many seconds the clock is ahead of the newest block if that is too many; otherwise undefined. */
  get #offS(): number | undefined {
    const { now, elapsed, newestBlock } = this.#parts;
    const time = now();
    const offset = time - elapsed();
    const block = newestBlock();
    const aheadS = block === undefined ? undefined : time - block;
    if (aheadS !== undefined && aheadS <= MAX_AHEAD_S && aheadS >= -MAX_FUTURE_BLOCK_SECONDS) {
      this.#agreed = offset;
      return undefined;
    }
    if (this.#agreed !== undefined && Math.abs(offset - this.#agreed) <= MAX_STEP_S) {
      return undefined;
    }
    return aheadS;
  }
}

function spanOf(seconds: number): string {
  const days = Math.floor(seconds / DAY_SECONDS);
  if (days > 0) return days === 1 ? 'a day' : `${days} days`;
  const hours = Math.floor(seconds / 3600);
  return `${hours} hours`;
}
