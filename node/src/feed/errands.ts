import { ask, wholeOf } from '@assay/chain/client/ask';
import type { Done } from '@assay/chain/client/bring';
import type { SendOptions } from '@assay/chain/client/sender';
import { Fault } from '@assay/core/fault';
import type { ErrandKind, FeedEvents, FeedParts } from './feed-parts.ts';
import { isItemFault, isUnseen } from './item-fault.ts';
import type { Outbox } from './outbox.ts';

/** Refusals that pass when the chain's clock advances or something else is posted first. */
const PATIENCE: ReadonlySet<string> = new Set([
  'rule_waits',
  'set_waits',
  'bad_time',
  'day_not_over',
  'no_final',
]);

/** The seconds between two tries of what the chain refused: 30, 60, and so on. */
const FIRST_PAUSE_S = 30;
const LONGEST_PAUSE_S = 3600;

/** Base fee of a signature, those that the precompile checks included, and units that a price is paid for. */
const SIGNATURE_LAMPORTS = 5000n;
const UNITS = 100_000n;

interface Pause {
  readonly tries: number;
  readonly until: number;
}

export interface Errand {
  readonly of: string;
  readonly kind: ErrandKind;
  /** Its name in messages. */
  readonly what: string;
  /** Of a new account; 0n for none. */
  readonly rent: bigint;
  /** Signatures that the precompile checks. */
  readonly proofs: number;
}

/** What errands are sent with. */
export interface ErrandParts {
  readonly outbox: Outbox;
  readonly signal: AbortSignal;
  /** Asks whether the RPC is of the log's chain now. */
  readonly isHome: () => Promise<boolean>;
  /** Called when something was refused: what is known of the chain may not be so any more. */
  readonly onRefused: () => void;
}

/**
 * Sends transactions one after the other, within the number of one poll and the lamports of one day. What was refused waits, longer
 * each time, and the reason is reported.
 */
export class Errands {
  readonly #parts: FeedParts;
  readonly #events: FeedEvents;
  readonly #outbox: Outbox;
  readonly #signal: AbortSignal;
  readonly #isHome: () => Promise<boolean>;
  readonly #onRefused: () => void;
  readonly #rents = new Map<number, bigint>();
  readonly #pauses = new Map<string, Pause>();
  /** What the chain has in the place of something, or why the chain refuses it. */
  readonly #refusals = new Map<string, string>();
  /** What is wrong with something before anything is sent for it: with its account, or with itself. */
  readonly #obstacles = new Map<string, string>();
  #left = 0;
  #capped = false;
  #kind: ErrandKind = 'print';

  constructor(
    parts: FeedParts,
    events: FeedEvents,
    { outbox, signal, isHome, onRefused }: ErrandParts,
  ) {
    this.#parts = parts;
    this.#events = events;
    this.#outbox = outbox;
    this.#signal = signal;
    this.#isHome = isHome;
    this.#onRefused = onRefused;
  }

  /** Begins a poll: as many transactions may be sent as one may send. */
  begin(): void {
    this.#left = this.#parts.limits.mostPerPoll;
    this.#capped = false;
  }

  /** Sends nothing more in this poll. */
  end(): void {
    this.#left = 0;
  }

  /** Whether this poll may send something. */
  get isOpen(): boolean {
    return this.#left > 0;
  }

  /** Whether the day's lamports are spent and something is waiting for more. */
  get capped(): boolean {
    return this.#capped;
  }

  /** What is being sent now. */
  get kind(): ErrandKind {
    return this.#kind;
  }

  /** What the chain refused, in whole sentences. */
  get refusals(): readonly string[] {
    return [...this.#refusals.values(), ...this.#obstacles.values()];
  }

  /** Whether something waits because it was refused. */
  get isPaused(): boolean {
    const now = this.#parts.elapsed();
    return [...this.#pauses.values()].some(({ until }) => until > now);
  }

  /** Tries again, at the next poll, what was refused. */
  resume(): void {
    this.#pauses.clear();
  }

  /** Reports why the chain does not take something. */
  refuse(of: string, words: string): void {
    this.#refusals.set(of, words);
  }

  /** Reports it no longer. */
  forgive(of: string): void {
    this.#refusals.delete(of);
  }

  /** A problem with one thing affects only what belongs to it, and is reported. */
  async guarded(of: string, what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#obstacles.delete(of);
    } catch (error) {
      if (!isItemFault(error)) throw error;
      const words = `Assay cannot bring ${what} to the chain: ${error.message}.`;
      if (this.#obstacles.get(of) !== words) {
        this.#events.onError(`${what} cannot be brought`, error.message);
      }
      this.#obstacles.set(of, words);
    }
  }

  /**
   * Sends something, unless it waits for a day's lamports, for an earlier transaction of its own, or after a
   * refusal. Undefined if it was not posted. Throws faults of the RPC, and `refused` if something else excludes
   * it permanently.
   */
  async send<T extends Done>(
    errand: Errand,
    work: (options: SendOptions) => Promise<T>,
  ): Promise<T | undefined> {
    const { of, kind, what, rent } = errand;
    const { elapsed } = this.#parts;
    if (this.#outbox.isOpen(of) || (this.#pauses.get(of)?.until ?? 0) > elapsed()) return undefined;
    if (this.#left <= 0 || !this.#affords(errand)) return undefined;
    if (!(await this.#isHome())) {
      this.#left = 0;
      return undefined;
    }
    this.#kind = kind;
    try {
      const done = await work({
        signal: this.#signal,
        onOut: (out) => {
          this.#left -= 1;
          return this.#outbox.put({
            of,
            transaction: out.signature,
            last_valid_block_height: Number(out.lastValidBlockHeight),
            rent: Number(rent),
          });
        },
      });
      this.#pauses.delete(of);
      this.#refusals.delete(of);
      if (done.kind === 'sent') {
        const { transaction, slot } = done.sent;
        this.#outbox.land(of, { transaction, slot });
        if (rent > 0n) {
          this.#outbox.spend(rent, kind === 'feed');
          this.#events.onSpent(kind, 'rent', rent);
        }
      }
      return done;
    } catch (error) {
      if (!isItemFault(error)) throw error;
      if (error instanceof Fault && error.code === 'refused') {
        const isBarred = ['overtaken', 'settled', 'differs'].includes(error.at ?? '');
        if (isBarred && (kind === 'print' || kind === 'cosign')) throw error;
      }
      this.#refused(of, what, error);
      return undefined;
    }
  }

  #refused(of: string, what: string, error: Error): void {
    const { elapsed } = this.#parts;
    const tries = (this.#pauses.get(of)?.tries ?? 0) + 1;
    const pause = Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (tries - 1));
    this.#pauses.set(of, { tries, until: elapsed() + pause });
    // The feed may have changed: a set or a rule may have taken effect.
    this.#onRefused();
    const isRefusal = error instanceof Fault && error.code === 'refused';
    const at = (isRefusal ? error.at : undefined) ?? 'refused';
    if (PATIENCE.has(at) || isUnseen(error)) return;
    const words = isRefusal
      ? `The chain does not take ${what}: ${at}.`
      : `Assay cannot bring ${what} to the chain: ${error.message}.`;
    this.#refusals.set(of, words);
    this.#events.onError(`${what} is refused`, error.message);
  }

  #affords({ rent, proofs }: Errand): boolean {
    const { dailyLamports, sender } = this.#parts.limits;
    const fee = SIGNATURE_LAMPORTS * BigInt(1 + proofs) + (sender.cap * UNITS) / 1_000_000n;
    if (this.#outbox.spentToday() + rent + fee <= dailyLamports) return true;
    this.#capped = true;
    return false;
  }

  async rentOf(bytes: number): Promise<bigint> {
    const known = this.#rents.get(bytes);
    if (known !== undefined) return known;
    const rent = await ask(
      'getMinimumBalanceForRentExemption',
      this.#parts.rpc.getMinimumBalanceForRentExemption(BigInt(bytes)),
      this.#signal,
      wholeOf,
    );
    this.#rents.set(bytes, rent);
    return rent;
  }
}
