import { Fault, messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import type { ClosedAnswers } from '@assay/core/kind/answers';
import { answerLeaf, batchRoot } from '@assay/core/referee/answer-leaf';
import { formatAnswerOpenings } from '@assay/core/referee/answer-openings';
import { parseTime } from '@assay/core/time/time';
import {
  answersRoot,
  type QuestionProgress,
  questionProgress,
  questionRow,
  unclosedQuestions,
} from '@assay/core/view/referee';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Clock } from '../platform/clock.ts';
import type { AnswerIntake } from './answer-intake.ts';

export interface AnswerClosingParts {
  readonly ledger: Pick<Ledger, 'blocked' | 'tip' | 'write'>;
  readonly blobs: Pick<BlobStore, 'put'>;
  readonly intake: Pick<
    AnswerIntake,
    'idle' | 'openings' | 'forgetCallers' | 'forget' | 'sweep' | 'close'
  >;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Milliseconds between two polls for questions whose time is over. */
  readonly everyMs: number;
  readonly onClosed: (question: string, count: number) => void;
  readonly onFailed: (question: string | null, reason: string) => void;
}

/** Opens the answers of each question when the time for them is over, and forgets who gave them. */
export class AnswerClosing implements Service {
  readonly #parts: AnswerClosingParts;
  /** Why questions could not be closed. */
  readonly #failed = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: AnswerClosingParts) {
    this.#parts = parts;
  }

  start(): void {
    const again = (): void => {
      if (this.#stopped) return;
      this.#timer = setTimeout(() => void this.closeDue().finally(again), this.#parts.everyMs);
      this.#timer.unref();
    };
    void this.#swept().finally(again);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#parts.intake.close();
  }

  concerns(): readonly Concern[] {
    return [...this.#failed].map(([question, reason]) => ({
      level: 'degraded',
      reason: `the answers to question ${question} cannot be opened: ${reason}`,
    }));
  }

  /** Closes every question whose time is over. Never throws: what fails is tried again at the next call. */
  closeDue(): Promise<void> {
    this.#running ??= this.#closeDue().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #swept(): Promise<void> {
    try {
      await this.#parts.intake.sweep();
    } catch (error) {
      this.#parts.onFailed(null, messageOf(error));
    }
    await this.closeDue();
  }

  async #closeDue(): Promise<void> {
    try {
      await this.#closeEach();
    } catch (error) {
      // The tip cannot be read while a database that failed is opened again (ADR 69).
      this.#parts.onFailed(null, messageOf(error));
    }
  }

  async #closeEach(): Promise<void> {
    const { ledger, intake, now, onFailed } = this.#parts;
    for (const question of unclosedQuestions(ledger.tip)) {
      const closesAt = questionRow(ledger.tip, question)?.body.closes_at;
      if (closesAt === undefined || now() < parseTime(closesAt)) continue;
      try {
        // Whatever becomes of the answers, nobody is told apart any more.
        await intake.idle();
        await intake.forgetCallers(question);
        if (ledger.blocked !== undefined) continue;
        await this.#close(question);
        this.#failed.delete(question);
      } catch (error) {
        const reason = messageOf(error);
        if (this.#failed.get(question) !== reason) onFailed(question, reason);
        this.#failed.set(question, reason);
      }
    }
  }

  async #close(question: string): Promise<void> {
    const { ledger, intake, onClosed } = this.#parts;
    const progress = questionProgress(ledger.tip, question) as QuestionProgress;
    const body = await this.#opened(question, progress);
    const written = await ledger.write(({ views, at }) => {
      const now = questionProgress(views, question);
      const closesAt = questionRow(views, question)?.body.closes_at;
      const isDue = closesAt !== undefined && at >= closesAt && now?.closed === null;
      return isDue && now.count === body.count ? [{ kind: 'answers/1', body }] : [];
    });
    if (written.length === 0) return;
    await intake.forget(question);
    onClosed(question, body.count);
  }

  /** The entry that opens every leaf of a question, with its blob stored. Throws where one cannot be opened. */
  async #opened(question: string, progress: QuestionProgress): Promise<ClosedAnswers> {
    const { intake, blobs, sha256 } = this.#parts;
    const { count } = progress;
    const root = answersRoot(sha256, progress);
    const closed = { type: 'closed', question, count, root } as const;
    if (count === 0) return { ...closed, yes: 0, no: 0, openings: null };
    const answers = await intake.openings(question, count);
    const leaves = answers.map((each, i) => answerLeaf(sha256, question, i, each));
    const own = batchRoot(sha256, leaves);
    if (own !== root) {
      const expected = `openings of root ${root}`;
      throw new Fault('ledger_differs', 'answers', { expected, found: own });
    }
    const yes = answers.filter(({ answer }) => answer === 'yes').length;
    const bytes = formatAnswerOpenings(question, answers);
    const openings: HashHex = hashHex(contentHash(sha256, bytes));
    await blobs.put(bytes);
    return { ...closed, yes, no: count - yes, openings };
  }
}
