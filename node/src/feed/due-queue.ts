import type { HashHex } from '@assay/core/hash/hash';
import type { Ticker } from '@assay/core/rule/ticker';
import { type Due, dueBack, onchainRow } from '@assay/core/view/onchain';
import type { ViewState } from '@assay/core/view/view';

/** What belongs on chain and is not said to stand there: it follows from the log alone. */
export class DueQueue {
  /** Of each index its prints, in the log's order. */
  readonly #prints = new Map<Ticker, Due[]>();
  #closes: Due[] = [];
  /** Everything below was looked at. */
  #seen = 0;
  /** What will never be posted. */
  readonly #given = new Set<HashHex>();
  /** Of that, what somebody waits for: whole sentences. */
  readonly #lost = new Map<HashHex, string>();
  /** What the log says stands, and the chain lacks. */
  readonly #again = new Set<HashHex>();
  #broughtBack = false;
  /** The pages' periods: of each index every period with a print that belongs on chain. */
  readonly #periods = new Map<Ticker, Set<string>>();
  /** Reports that belong on chain, in the log's order: one of them may be dissented from at any time. */
  readonly #reports: Due[] = [];

  /** Takes up what the log has gained. */
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
      this.#reports.push(due);
      of(this.#periods, due.ticker, () => new Set<string>()).add(due.period);
      of(this.#prints, due.ticker, (): Due[] => []).push(due);
    }
    const waits = ({ digest }: Due): boolean =>
      (onchainRow(state, digest) === undefined || this.#again.has(digest)) &&
      !this.#given.has(digest);
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

  /** Leaves something for good: it does not wait any more. With `words`, a sentence, readers are told of it. */
  give({ digest }: Due, words?: string): void {
    this.#given.add(digest);
    if (words !== undefined) this.#lost.set(digest, words);
  }

  /** What is given up though somebody waits for it, in whole sentences. */
  get lost(): readonly string[] {
    return [...this.#lost.values()];
  }

  /** Has something wait again that the log says stands, and the chain lacks. */
  restore(due: Due): void {
    const { of: kind, ticker, digest } = due;
    if (this.#given.has(digest) || this.#again.has(digest)) return;
    this.#again.add(digest);
    const bySeq = (a: Due, b: Due): number => a.seq - b.seq;
    if (kind === 'close') this.#closes = [...this.#closes, due].sort(bySeq);
    else this.#prints.set(ticker, [...this.prints(ticker), due].sort(bySeq));
  }

  /** It stands on chain. */
  stands({ digest }: Due): void {
    if (this.#again.delete(digest)) this.#broughtBack = true;
  }

  /** Whether something that was lacking was brought since this was asked last. */
  takeBroughtBack(): boolean {
    const broughtBack = this.#broughtBack;
    this.#broughtBack = false;
    return broughtBack;
  }

  /** Periods with a print that belongs on chain, in the order of the log. */
  periods(ticker: Ticker): readonly string[] {
    return [...(this.#periods.get(ticker) ?? [])];
  }

  reports(): readonly Due[] {
    return this.#reports;
  }
}

function of<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
