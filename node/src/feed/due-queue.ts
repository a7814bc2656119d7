import type { HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { type Due, dueBack, onchainRow } from '@assay/core/view/onchain';
import type { ViewState } from '@assay/core/view/view';

/** How many of the newest prints are looked at each time for dissents. */
const NEWEST = 256;
/** How many of the older ones, in turn. */
const OLDER = 64;

/** What belongs on chain and is not recorded as being there. It follows from the log alone. */
export class DueQueue {
  /** The prints of each index, in the log's order. */
  readonly #prints = new Map<Ticker, Due[]>();
  #closes: Due[] = [];
  /** All entries below this one have been taken. */
  #seen = 0;
  /** What will never be posted. */
  readonly #given = new Set<HashHex>();
  /** Of those, what somebody waits for, in whole sentences. */
  readonly #lost = new Map<HashHex, string>();
  /** What the log says is on chain, but the chain lacks. */
  readonly #again = new Set<HashHex>();
  #broughtBack = false;
  /** For each index, every period with a print that belongs on chain. */
  readonly #periods = new Map<Ticker, Set<string>>();
  /** Indexes of which the log records a print as on chain. */
  readonly #recorded = new Set<Ticker>();
  /** The older prints are looked at from the one before this entry on; undefined at the begin of a round. */
  #turn: number | undefined;

  /** Takes what is new in the log. */
  update(state: ViewState): void {
    const fresh: Due[] = [];
    for (const due of dueBack(state)) {
      if (due.seq < this.#seen) break;
      fresh.push(due);
    }
    for (const due of fresh.reverse()) {
      this.#seen = due.seq + 1;
      if (due.of === 'close') {
        this.#closes.push(due);
        continue;
      }
      of(this.#periods, due.ticker, () => new Set<string>()).add(due.period);
      of(this.#prints, due.ticker, (): Due[] => []).push(due);
    }
    const waits = ({ of: kind, ticker, digest }: Due): boolean => {
      const isRecorded = onchainRow(state, digest) !== undefined;
      if (isRecorded && kind === 'print') this.#recorded.add(ticker);
      return (!isRecorded || this.#again.has(digest)) && !this.#given.has(digest);
    };
    for (const [ticker, all] of this.#prints) this.#prints.set(ticker, all.filter(waits));
    this.#closes = this.#closes.filter(waits);
  }

  prints(ticker: Ticker): readonly Due[] {
    return this.#prints.get(ticker) ?? [];
  }

  closes(): readonly Due[] {
    return this.#closes;
  }

  /** Everything that waits. */
  *all(): Generator<Due> {
    for (const each of this.#prints.values()) yield* each;
    yield* this.#closes;
  }

  /**
   * Gives something up permanently, so that it no longer waits. With `words`, a sentence, readers are informed.
   */
  give({ digest }: Due, words?: string): void {
    this.#given.add(digest);
    if (words !== undefined) this.#lost.set(digest, words);
  }

  /** What was given up although somebody waits for it, in whole sentences. */
  get lost(): readonly string[] {
    return [...this.#lost.values()];
  }

  /** Puts back something that the log says is on chain, but the chain lacks. */
  restore(due: Due): void {
    const { of: kind, ticker, digest } = due;
    if (this.#given.has(digest) || this.#again.has(digest)) return;
    this.#again.add(digest);
    const bySeq = (a: Due, b: Due): number => a.seq - b.seq;
    if (kind === 'close') this.#closes = [...this.#closes, due].sort(bySeq);
    else this.#prints.set(ticker, [...this.prints(ticker), due].sort(bySeq));
  }

  /** Records that it is on chain. */
  stands({ digest }: Due): void {
    if (this.#again.delete(digest)) this.#broughtBack = true;
  }

  /** Whether something that was missing has been posted again since the last call. */
  takeBroughtBack(): boolean {
    const broughtBack = this.#broughtBack;
    this.#broughtBack = false;
    return broughtBack;
  }

  /** The periods with a print that belongs on chain, in the order of the log. */
  periods(ticker: Ticker): readonly string[] {
    return [...(this.#periods.get(ticker) ?? [])];
  }

  /** Whether the log records any print of an index as on chain. */
  isRecorded(ticker: Ticker): boolean {
    return this.#recorded.has(ticker);
  }

  /**
   * Prints that belong on chain, in the log's order. A co-signer may dissent from any of them at any time: each call
   * has the newest ones, and in turn some of all that are older, so that none costs more because the log is longer.
   */
  takeTurn(state: ViewState): readonly Due[] {
    const newest = taken(dueBack(state), NEWEST);
    const end = newest.at(-1)?.seq;
    if (end === undefined) return [];
    const older = taken(dueBack(state, Math.min(this.#turn ?? end, end)), OLDER);
    this.#turn = older.length < OLDER ? undefined : older.at(-1)?.seq;
    return [...newest, ...older].filter(({ of: kind }) => kind === 'print').reverse();
  }
}

function taken(dues: Iterable<Due>, most: number): readonly Due[] {
  const some: Due[] = [];
  for (const due of dues) {
    some.push(due);
    if (some.length === most) break;
  }
  return some;
}

function of<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
