import { readdir } from 'node:fs/promises';
import { formatHex } from '@assay/core/bytes/hex';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { SubmissionReceipt } from '@assay/core/intake/submission-receipt';
import { MAX_TAKEN_LEAVES } from '@assay/core/kind/answers';
import type { KnownBody } from '@assay/core/kind/kinds';
import { type Answer, answerLeaf, type AnswerOpening } from '@assay/core/referee/answer-leaf';
import { MAX_ANSWERS } from '@assay/core/referee/answer-openings';
import { formatTime, parseTime } from '@assay/core/time/time';
import { questionProgress, questionRow } from '@assay/core/view/referee';
import type { Clock } from '../platform/clock.ts';
import { errorCode } from '../platform/durable-file.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { submissionReceipt } from '../intake/submission-receipts.ts';
import type { Caller } from './caller-key.ts';
import {
  type AnswerFolders,
  type PlacedAnswer,
  QuestionFiles,
  readOpenings,
  removeCallers,
  removeQuestionFiles,
} from './question-files.ts';

export interface AnswerIntakeParts {
  readonly ledger: Pick<Ledger, 'blocked' | 'log' | 'nextSeq' | 'published' | 'tip' | 'write'>;
  readonly folders: AnswerFolders;
  readonly signer: ReportSigner;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly random: (size: number) => Uint8Array;
  /** False on a development network: a power failure may lose the newest answers. */
  readonly sync?: boolean;
}

/** Somebody's answer to a question. */
export interface Submission extends Caller {
  readonly question: string;
  readonly answer: Answer;
  /** 32 bytes that the client chose, hex. */
  readonly nonce: string;
}

/** A receipt, with what the client needs to make its leaf. */
export interface AnswerReceipt {
  readonly receipt: SubmissionReceipt;
  readonly salt: string;
}

/** What became of an answer. */
export type Submitted =
  | ({ readonly kind: 'recorded' } & AnswerReceipt)
  /** The caller has answered before. The receipt is given again to whoever knows the nonce. */
  | { readonly kind: 'already_answered'; readonly again: AnswerReceipt | undefined }
  | { readonly kind: 'not_found' | 'closed' | 'address_cap' | 'full' | 'halted' };

/** The most answers to one question from one address. */
export const ANSWERS_PER_ADDRESS = 3;

/** The most answers that are written at once. */
const MAX_GROUP = 4096;

interface Waiting {
  readonly submission: Submission;
  readonly files: QuestionFiles;
  readonly caller: string;
  readonly address: string;
  readonly resolve: (submitted: Submitted) => void;
}

/** A question of a group: its answers, and where the log has them. */
interface Group {
  readonly question: string;
  readonly first: number;
  readonly waiting: readonly Waiting[];
  readonly placed: readonly PlacedAnswer[];
  readonly leaves: readonly HashHex[];
  /** The place of its first entry among those that are written; undefined where the question has closed. */
  entry: number | undefined;
}

/** What is under way for a question, by keyed hashes. */
interface UnderWay {
  readonly callers: Map<string, Promise<Submitted>>;
  readonly addresses: Map<string, number>;
}

/**
 * Takes answers to questions. Those that come together are stored and synced together, then written as leaves in one commit,
 * and only then do their receipts go out.
 */
export class AnswerIntake {
  readonly #parts: AnswerIntakeParts;
  readonly #files = new Map<string, Promise<QuestionFiles>>();
  readonly #underWay = new Map<string, UnderWay>();
  /** Where entries have the leaves that were written since the start: by question, the first ordinal and the entry. */
  readonly #seqs = new Map<string, { readonly first: number; readonly seq: number }[]>();
  #queue: Waiting[] = [];
  #draining: Promise<void> | undefined;

  constructor(parts: AnswerIntakeParts) {
    this.#parts = parts;
  }

  /** Takes an answer. Throws nothing that the answer causes, and what the files throw. */
  async submit(submission: Submission): Promise<Submitted> {
    const { question, nonce } = submission;
    for (;;) {
      const { ledger } = this.#parts;
      if (ledger.published === undefined || ledger.log === undefined) return { kind: 'halted' };
      const row = questionRow(ledger.tip, question);
      if (row === undefined) return { kind: 'not_found' };
      if (!this.#isOpen(question)) return { kind: 'closed' };
      if (ledger.blocked !== undefined) return { kind: 'halted' };
      const files = await this.#filesOf(question);
      if (!this.#isOpen(question)) return { kind: 'closed' };
      const { caller, address } = files.hashesOf(submission);
      const ordinal = files.ordinalOf(caller);
      if (ordinal !== undefined) {
        const isSame = files.openingAt(ordinal).nonce === nonce;
        const again = isSame ? await this.#receipt(files, question, ordinal) : undefined;
        return { kind: 'already_answered', again };
      }
      const under = this.#underWayOf(question);
      const same = under.callers.get(caller);
      if (same !== undefined) {
        // Whoever asks twice at once is answered by what becomes of the first.
        const { kind } = await same;
        if (kind !== 'recorded' && kind !== 'already_answered') return { kind };
        continue;
      }
      const mine = files.countOf(address) + (under.addresses.get(address) ?? 0);
      if (mine >= ANSWERS_PER_ADDRESS) return { kind: 'address_cap' };
      const count = questionProgress(ledger.tip, question)?.count ?? 0;
      if (count + under.callers.size >= MAX_ANSWERS) return { kind: 'full' };
      const submitted = new Promise<Submitted>((resolve) => {
        this.#queue.push({ submission, files, caller, address, resolve });
      });
      under.callers.set(caller, submitted);
      under.addresses.set(address, (under.addresses.get(address) ?? 0) + 1);
      this.#draining ??= this.#drain().finally(() => {
        this.#draining = undefined;
      });
      return submitted;
    }
  }

  /** Resolves when no answer is on its way to the log. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  /** The openings of the first `count` leaves of a question, by ordinal. Throws `not_found` where one is missing. */
  openings(question: string, count: number): Promise<readonly AnswerOpening[]> {
    return readOpenings(this.#parts.folders, question, count);
  }

  /** Destroys the key of a question with its callers. What opens its answers stays. */
  async forgetCallers(question: string): Promise<void> {
    await this.#drop(question);
    await removeCallers(this.#parts.folders, question);
  }

  /** Forgets a question that has closed: the key, the callers, and what is opened in the log from now on. */
  async forget(question: string): Promise<void> {
    await this.#drop(question);
    this.#seqs.delete(question);
    await removeQuestionFiles(this.#parts.folders, question);
  }

  /** Removes what an earlier run has left of questions that are closed, or that the log does not have. */
  async sweep(): Promise<void> {
    const { callers, openings } = this.#parts.folders;
    const names = new Set([...(await namesIn(callers)), ...(await namesIn(openings))]);
    for (const name of names) {
      const progress = questionProgress(this.#parts.ledger.tip, name);
      if (progress === undefined || progress.closed !== null) await this.forget(name);
    }
  }

  /** Waits for what is under way, and closes the files. */
  async close(): Promise<void> {
    await this.idle();
    for (const question of this.#files.keys()) await this.#drop(question);
  }

  /** Whether a question takes answers now. */
  #isOpen(question: string): boolean {
    const { ledger, now } = this.#parts;
    const closesAt = questionRow(ledger.tip, question)?.body.closes_at;
    if (closesAt === undefined || now() >= parseTime(closesAt)) return false;
    return questionProgress(ledger.tip, question)?.closed === null;
  }

  #filesOf(question: string): Promise<QuestionFiles> {
    const known = this.#files.get(question);
    if (known !== undefined) return known;
    const { folders, ledger, sync = true, random } = this.#parts;
    const count = questionProgress(ledger.tip, question)?.count ?? 0;
    const opening = QuestionFiles.open(folders, question, count, { sync, random });
    this.#files.set(question, opening);
    opening.catch(() => this.#files.delete(question));
    return opening;
  }

  async #drop(question: string): Promise<void> {
    const files = this.#files.get(question);
    this.#files.delete(question);
    await files?.then(
      (each) => each.close(),
      () => undefined,
    );
  }

  #underWayOf(question: string): UnderWay {
    const known = this.#underWay.get(question) ?? { callers: new Map(), addresses: new Map() };
    this.#underWay.set(question, known);
    return known;
  }

  async #drain(): Promise<void> {
    // Requests of the same moment are already there when this goes on.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const waiting = this.#queue.splice(0, MAX_GROUP);
      const groups = this.#grouped(waiting);
      let results: ReadonlyMap<Waiting, Submitted>;
      try {
        results = await this.#write(groups);
      } catch {
        // What the log has of them is known when it can be written again: their files are read again then.
        for (const { question } of groups) await this.#drop(question).catch(() => undefined);
        results = new Map();
      }
      for (const each of waiting) {
        this.#settle(each);
        each.resolve(results.get(each) ?? { kind: 'halted' });
      }
    }
  }

  #settle({ submission: { question }, caller, address }: Waiting): void {
    const under = this.#underWayOf(question);
    under.callers.delete(caller);
    const left = (under.addresses.get(address) ?? 1) - 1;
    if (left === 0) under.addresses.delete(address);
    else under.addresses.set(address, left);
    if (under.callers.size === 0) this.#underWay.delete(question);
  }

  #grouped(waiting: readonly Waiting[]): readonly Group[] {
    const { ledger, sha256, random } = this.#parts;
    const byQuestion = new Map<string, Waiting[]>();
    for (const each of waiting) {
      const { question } = each.submission;
      const own = byQuestion.get(question);
      if (own === undefined) byQuestion.set(question, [each]);
      else own.push(each);
    }
    return [...byQuestion].map(([question, own]) => {
      const first = questionProgress(ledger.tip, question)?.count ?? 0;
      const placed = own.map(({ submission: { nonce, answer }, caller, address }, i) => {
        const salt = formatHex(random(32));
        return { ordinal: first + i, caller, address, nonce, salt, answer };
      });
      const leaves = placed.map((each) => answerLeaf(sha256, question, each.ordinal, each));
      return { question, first, waiting: own, placed, leaves, entry: undefined };
    });
  }

  /** Stores and writes groups. Those whose question has closed meanwhile are left out. */
  async #write(groups: readonly Group[]): Promise<ReadonlyMap<Waiting, Submitted>> {
    const { ledger } = this.#parts;
    await Promise.all(
      groups.map(({ waiting: [one], placed }) => (one as Waiting).files.store(placed)),
    );
    const receipts = await ledger.write(({ views, at }) => {
      const drafts: KnownBody[] = [];
      for (const group of groups) {
        const { question, first, leaves } = group;
        const progress = questionProgress(views, question);
        const closesAt = questionRow(views, question)?.body.closes_at ?? formatTime(0);
        if (progress?.closed !== null || progress.count !== first || at >= closesAt) continue;
        group.entry = drafts.length;
        for (let i = 0; i < leaves.length; i += MAX_TAKEN_LEAVES) {
          const some = leaves.slice(i, i + MAX_TAKEN_LEAVES);
          const body = { type: 'taken', question, first: first + i, leaves: some } as const;
          drafts.push({ kind: 'answers/1', body });
        }
      }
      return drafts;
    });
    const results = new Map<Waiting, Submitted>();
    for (const { question, first, waiting, placed, entry } of groups) {
      const { files } = waiting[0] as Waiting;
      if (entry !== undefined) {
        files.accept(placed);
        this.#noteSeqs(question, first, placed.length, receipts.slice(entry));
      }
    }
    // The log has them now, whatever becomes of their receipts.
    for (const { question, first, waiting, entry } of groups) {
      const { files } = waiting[0] as Waiting;
      for (const [i, each] of waiting.entries()) {
        if (entry === undefined) results.set(each, { kind: 'closed' });
        else {
          const receipt = await this.#receipt(files, question, first + i);
          results.set(each, { kind: 'recorded', ...receipt });
        }
      }
    }
    return results;
  }

  #noteSeqs(
    question: string,
    first: number,
    count: number,
    receipts: readonly { readonly seq: number }[],
  ): void {
    const known = this.#seqs.get(question) ?? [];
    for (let i = 0; i * MAX_TAKEN_LEAVES < count; i += 1) {
      const { seq } = receipts[i] as { readonly seq: number };
      known.push({ first: first + i * MAX_TAKEN_LEAVES, seq });
    }
    this.#seqs.set(question, known);
  }

  async #receipt(files: QuestionFiles, question: string, ordinal: number): Promise<AnswerReceipt> {
    const { ledger, sha256, signer } = this.#parts;
    const opening = files.openingAt(ordinal);
    const leaf = answerLeaf(sha256, question, ordinal, opening);
    const { nonce, salt } = opening;
    // Of a leaf from before the start it is known that it is in the log now.
    const entry = this.#seqs.get(question)?.findLast(({ first }) => first <= ordinal);
    const seq = entry?.seq ?? ledger.nextSeq - 1;
    const place = { log: ledger.log as HashHex, subject: question, ordinal, leaf, nonce, seq };
    return { receipt: await submissionReceipt(sha256, signer, ledger, place), salt };
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
