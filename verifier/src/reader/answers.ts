import type { HashHex } from '@assay/core/hash/hash';
import { type Answer, type PageBytes, readAnswer } from '@assay/core/read/reading';
import type { Provider, Rule } from '@assay/core/rule/rule';
import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';
import { answerOfResult, type ReadResult, readTask } from '../task/read-task.ts';
import type { Environment } from '../verdict/environment.ts';

/**
 * How many answers are kept. Neighbouring entries of a log rest on the same snapshots, and those of every index lie
 * between them.
 */
const MAX_ANSWERS = 64;
/** Periods in all kept series, beyond which the oldest answers are dropped. A period takes about 100 bytes. */
const MAX_PERIODS = 400_000;

/** Reads that other threads may do or have done before they are asked for. */
const MAX_READS_AHEAD = 64;
/** Bytes of a read that is done on another thread, which gets a copy. A longer one is done when its turn comes. */
const MAX_SENT_BYTES = 1_048_576;

/** A read on another thread. */
interface Ahead {
  readonly rule: Rule;
  readonly result: Promise<ReadResult>;
}

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
  /** Reads that other threads do, until they are asked for. */
  readonly #ahead = new Map<string, Ahead>();
  #periods = 0;
  readonly #work: WorkBudget;
  readonly #elsewhere: Environment['readElsewhere'];

  constructor(work: WorkBudget = NO_LIMIT, elsewhere?: Environment['readElsewhere']) {
    this.#work = work;
    this.#elsewhere = elsewhere;
  }

  /**
   * Begins a read on another thread, where there is one. Its steps are charged when it is asked for, as if it were done
   * then. One that is never asked for keeps its place, so that a log can make a verifier do at most `MAX_READS_AHEAD`
   * reads for nothing, whatever it announces.
   */
  prefetch(
    rule: Rule,
    provider: Provider,
    { hash, pages, text }: SnapshotBytes,
    period: number,
  ): void {
    if (this.#elsewhere === undefined || this.#ahead.size >= MAX_READS_AHEAD) return;
    const key = keyOf(hash, provider, period);
    if (this.#kept.has(key) || this.#ahead.has(key)) return;
    const length = pages.reduce((sum, { bytes }) => sum + bytes.length, text?.length ?? 0);
    if (length > MAX_SENT_BYTES) return;
    const task = readTask(rule, provider, pages, text, period, this.#work.left);
    const result = this.#elsewhere(task);
    if (result === undefined) return;
    // Whoever asks for it gets the error.
    result.catch(() => undefined);
    this.#ahead.set(key, { rule, result });
  }

  /**
   * What `readAnswer` returns, charged to the work budget of this reader. `pages` and `text` must be those that `hash`
   * stands for. Rejects where a thread that did the read has died.
   */
  async read(
    rule: Rule,
    provider: Provider,
    { hash, pages, text }: SnapshotBytes,
    period: number,
  ): Promise<Answer> {
    const key = keyOf(hash, provider, period);
    const ahead = this.#ahead.get(key);
    this.#ahead.delete(key);
    let made: Answer | undefined;
    if (ahead?.rule === rule) {
      const result = await ahead.result;
      this.#work.charge(result.spent);
      made = answerOfResult(result);
    }
    const kept = this.#kept.get(key);
    if (kept !== undefined) this.#drop(key, kept.answer);
    const answer =
      kept?.rule === rule
        ? kept.answer
        : (made ?? readAnswer(rule, provider, pages, period, text, this.#work));
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

function keyOf(hash: HashHex, provider: Provider, period: number): string {
  return `${hash} ${provider.id} ${period}`;
}
