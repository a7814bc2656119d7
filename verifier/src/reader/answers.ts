import type { HashHex } from '@assay/core/hash/hash';
import { type Answer, type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';

/**
 * How many answers are kept. Neighbouring entries of a log rest on the same snapshots, and those of every index lie
 * between them.
 */
const MAX_ANSWERS = 64;
/** Periods in all kept series, beyond which the oldest answers are dropped. A period takes about 100 bytes. */
const MAX_PERIODS = 400_000;

/** The bytes behind a snapshot's hash. */
export interface SnapshotBytes {
  readonly hash: HashHex;
  readonly pages: readonly PageBytes[];
  readonly text: Uint8Array | null;
}

interface Kept {
  readonly rule: Rule;
  readonly answer: Answer;
}

/**
 * What snapshots read as under their rules, each parsed once. The bytes behind a hash never change, and a rule is the
 * same where it is the same object. Its memory is bounded.
 */
export class Answers {
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #periods = 0;
  readonly #work: WorkBudget;

  constructor(work: WorkBudget = NO_LIMIT) {
    this.#work = work;
  }

  /**
   * What `readAnswer` returns, charged to the work budget of this reader. `pages` and `text` must be those that `hash`
   * stands for.
   */
  read(
    rule: Rule,
    provider: Provider,
    { hash, pages, text }: SnapshotBytes,
    period: number,
  ): Answer {
    const key = `${hash} ${provider.id} ${period}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#drop(key, kept.answer);
    const answer =
      kept?.rule === rule
        ? kept.answer
        : readAnswer(rule, provider, pages, period, text, this.#work);
    this.#kept.set(key, { rule, answer });
    this.#periods += answer.series?.size ?? 0;
    for (const [oldest, { answer: old }] of this.#kept) {
      if (this.#kept.size <= MAX_ANSWERS && this.#periods <= MAX_PERIODS) break;
      this.#drop(oldest, old);
    }
    return answer;
  }

  #drop(key: string, { series }: Answer): void {
    this.#kept.delete(key);
    this.#periods -= series?.size ?? 0;
  }
}
