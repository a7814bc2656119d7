import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Rule } from '@assay/core/rule/rule';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import type { VerifySignatureAsync } from '@assay/verifier/ed25519/profile';
import type { ReadResult, ReadTask } from '@assay/verifier/task/read-task';
import {
  isPackable,
  packSignatures,
  type SignatureTask,
} from '@assay/verifier/task/signature-task';
import type { Environment } from '@assay/verifier/verdict/environment';

/** What a thread is asked to do. A rule is sent with the first job that needs it. */
export type Job =
  | {
      readonly kind: 'read';
      readonly id: number;
      readonly task: Omit<ReadTask, 'rule'>;
      readonly rule: number;
      readonly sentRule: Rule | undefined;
    }
  | { readonly kind: 'signatures'; readonly id: number; readonly packed: Uint8Array };

/** What a thread answers, one for each job. */
export type Done = { readonly id: number } & (
  | { readonly result: ReadResult }
  | { readonly good: Uint8Array }
  | { readonly error: string }
);

/** The most threads beside the one that walks. With more, that one is what the others wait for. */
const MAX_THREADS = 6;
/** Requests that are answered without threads: starting one costs as much as a few hundred signatures. */
const BEFORE_THREADS = 128;
/** Signatures that a thread gets at once, and jobs. */
const SIGNATURE_BATCH = 32;
const JOB_BATCH = 8;
/** The least bytes of a read for a thread: to send fewer takes the walk as long as to read them. */
const MIN_READ_BYTES = 4096;
/** Reads that may be under way in one thread. */
const MAX_READS = 64;
/** The megabytes of a thread's JavaScript heap. A read holds one page of at most 1 MB, parsed. */
const HEAP_MB = 512;

/** What decides when work goes to threads, and to how many. */
export interface VerifyThreadsOptions {
  /** Threads beside the one that walks: as many as there are other cores where absent. */
  readonly threads?: number;
  /** Requests that are answered without threads. */
  readonly before?: number;
  /** The least bytes of a read that a thread is asked to do. */
  readonly leastBytes?: number;
  /** The program of a thread. */
  readonly worker?: URL;
}

interface Waiting {
  readonly done: (answer: Done) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Threads for the work of a verification that depends on nothing but its input: signatures, and reads of rules. They are
 * started when there is enough of it. What is asked of them rejects when one of them dies, so that the verification ends
 * as not completed. `close` ends them.
 */
export class VerifyThreads {
  readonly #most: number;
  readonly #before: number;
  readonly #worker: URL;
  readonly #leastBytes: number;
  #threads: readonly Thread[] = [];
  #asked = 0;
  #signatures: (SignatureTask & { settle: (good: boolean) => void; fail: (e: Error) => void })[] =
    [];
  #isFlushing = false;
  #isClosed = false;

  constructor({
    threads = Math.min(availableParallelism() - 1, MAX_THREADS),
    before = BEFORE_THREADS,
    leastBytes = MIN_READ_BYTES,
    worker = new URL('./verify-worker.js', import.meta.url),
  }: VerifyThreadsOptions = {}) {
    this.#most = threads;
    this.#before = before;
    this.#leastBytes = leastBytes;
    this.#worker = worker;
  }

  /** What a verification gets of them. */
  get tools(): Pick<Environment, 'verifySignature'> & Required<Pick<Environment, 'readElsewhere'>> {
    return { verifySignature: this.#verifySignature, readElsewhere: this.#readElsewhere };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const signatures = this.#signatures;
    this.#signatures = [];
    for (const { fail } of signatures)
      fail(new Error('the threads of the verification were closed'));
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  readonly #verifySignature: VerifySignatureAsync = (key, message, signature) => {
    const task = { key, message, signature };
    if (!this.#isWorth() || !isPackable(task)) {
      return nodeVerifySignatureAsync(key, message, signature);
    }
    return new Promise((settle, fail) => {
      // The caller may reuse its bytes.
      const own = {
        key: new Uint8Array(key),
        message: new Uint8Array(message),
        signature: new Uint8Array(signature),
      };
      this.#signatures.push({ ...own, settle, fail });
      if (this.#signatures.length >= SIGNATURE_BATCH) this.#sendSignatures();
      else this.#flushLater();
    });
  };

  readonly #readElsewhere = (task: ReadTask): Promise<ReadResult> | undefined => {
    if (task.bytes.length < this.#leastBytes || !this.#isWorth()) return undefined;
    const thread = this.#idlest();
    if (thread.reads >= MAX_READS) return undefined;
    const answer = thread.read(task);
    this.#flushLater();
    return answer;
  };

  /** Whether there is so much to do that threads are worth their start. */
  #isWorth(): boolean {
    this.#asked += 1;
    if (this.#most < 1 || this.#isClosed || this.#asked <= this.#before) return false;
    if (this.#threads.length === 0) {
      this.#threads = Array.from({ length: this.#most }, () => new Thread(this.#worker));
    }
    return true;
  }

  #idlest(): Thread {
    return this.#threads.reduce((best, each) => (each.load < best.load ? each : best));
  }

  #sendSignatures(): void {
    const batch = this.#signatures;
    this.#signatures = [];
    if (batch.length === 0) return;
    this.#idlest().signatures(
      packSignatures(batch),
      (good) => {
        for (const [i, { settle }] of batch.entries()) settle(good[i] === 1);
      },
      (error) => {
        for (const { fail } of batch) fail(error);
      },
    );
  }

  /** Sends what has come together when the walk has nothing else to do. */
  #flushLater(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => {
      this.#isFlushing = false;
      this.#sendSignatures();
      for (const thread of this.#threads) thread.send();
    });
  }
}

/** One thread, and what is under way in it. */
class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #rules = new Map<Rule, number>();
  #jobs: Job[] = [];
  #transfer: ArrayBuffer[] = [];
  #next = 0;
  #error: Error | undefined;
  #isClosing = false;
  /** Signatures and reads that are under way, as a measure of how long an answer takes. */
  load = 0;
  reads = 0;

  constructor(worker: URL) {
    this.#worker = new Worker(worker, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      env: {},
    });
    // The process need not wait for a thread that has nothing to do.
    this.#worker.unref();
    this.#worker.on('message', (answers: readonly Done[]) => this.#take(answers));
    this.#worker.on('error', (error: Error) => this.#die(error));
    this.#worker.on('messageerror', (error: Error) => this.#die(error));
    this.#worker.on('exit', (code) => {
      this.#die(new Error(`a thread of the verification ended with ${code}`));
    });
  }

  read({ rule, ...task }: ReadTask): Promise<ReadResult> {
    this.load += 1;
    this.reads += 1;
    return new Promise<ReadResult>((resolve, fail) => {
      const known = this.#rules.get(rule);
      const number = known ?? this.#rules.size;
      this.#rules.set(rule, number);
      const id = this.#wait({
        done: (answer) => {
          this.load -= 1;
          this.reads -= 1;
          if ('result' in answer) resolve(answer.result);
          else fail(new Error('error' in answer ? answer.error : 'another answer than asked for'));
        },
        fail,
      });
      const sentRule = known === undefined ? rule : undefined;
      this.#add({ kind: 'read', id, task, rule: number, sentRule }, task.bytes);
    });
  }

  signatures(
    packed: Uint8Array,
    settle: (good: Uint8Array) => void,
    fail: (error: Error) => void,
  ): void {
    this.load += SIGNATURE_BATCH;
    const id = this.#wait({
      done: (answer) => {
        this.load -= SIGNATURE_BATCH;
        if ('good' in answer) settle(answer.good);
        else fail(new Error('error' in answer ? answer.error : 'another answer than asked for'));
      },
      fail,
    });
    this.#add({ kind: 'signatures', id, packed }, packed);
    this.send();
  }

  send(): void {
    if (this.#jobs.length === 0 || this.#error !== undefined) return;
    const jobs = this.#jobs;
    const transfer = this.#transfer;
    this.#jobs = [];
    this.#transfer = [];
    this.#worker.ref();
    this.#worker.postMessage(jobs, transfer);
  }

  /** Ends the thread. The process waits for its end, whatever answers still arrive. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#worker.terminate();
  }

  #wait(waiting: Waiting): number {
    const id = this.#next;
    this.#next += 1;
    this.#waiting.set(id, waiting);
    // Nothing is sent to a thread that is dead, so nobody would answer.
    if (this.#error !== undefined) this.#die(this.#error);
    return id;
  }

  #add(job: Job, bytes: Uint8Array): void {
    this.#jobs.push(job);
    this.#transfer.push(bytes.buffer as ArrayBuffer);
    if (this.#jobs.length >= JOB_BATCH) this.send();
  }

  #take(answers: readonly Done[]): void {
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      waiting?.done(answer);
    }
    if (this.#waiting.size === 0 && !this.#isClosing) this.#worker.unref();
  }

  #die(error: Error): void {
    this.#error ??= error;
    for (const { fail } of this.#waiting.values()) fail(this.#error);
    this.#waiting.clear();
  }
}
