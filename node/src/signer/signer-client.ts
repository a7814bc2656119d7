import { createConnection, type Socket } from 'node:net';
import { Fault, messageOf } from '@assay/core/fault';
import { formatFrame, FrameReader } from './signer-frame.ts';
import {
  faultOf,
  formatQuestion,
  parseAnswer,
  type SignerAnswer,
  type SignerQuestion,
} from './signer-message.ts';

export interface SignerClientOptions {
  /** The path of the signer's socket. */
  readonly socket: string;
  /** Milliseconds after which a question that has no answer fails. The default is `PATIENCE_MS`. */
  readonly patienceMs?: number;
}

/** Milliseconds in which a signer may restart without anybody noticing. */
const PATIENCE_MS = 10_000;
/** Milliseconds between two tries to connect. */
const AGAIN_MS = 100;

interface Waiting {
  readonly question: SignerQuestion;
  readonly resolve: (answer: SignerAnswer) => void;
  readonly reject: (error: Fault) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A node's connection to its signer. It connects when something is asked, and again after the connection was lost: a
 * question that has no answer yet is asked again, because a signer that has signed something signs the same again.
 */
export class SignerClient {
  readonly #socketPath: string;
  readonly #patienceMs: number;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #socket: Socket | undefined;
  #again: NodeJS.Timeout | undefined;
  /** Why the newest try to connect failed. */
  #failure = 'nothing listens there';
  /** Since when questions have no answer, in milliseconds since 1970; undefined while they have. */
  #awaySince: number | undefined;
  #closed = false;

  constructor({ socket, patienceMs = PATIENCE_MS }: SignerClientOptions) {
    this.#socketPath = socket;
    this.#patienceMs = patienceMs;
  }

  /** Whether the newest question that has ended had no answer. */
  get isAway(): boolean {
    return this.#awaySince !== undefined;
  }

  /**
   * The answer to a question. Throws `signer_away` if there is none in time, the fault with which the signer refuses,
   * and `malformed` or `unsupported` for an answer that is none.
   */
  async ask<G extends Exclude<SignerAnswer['give'], 'fault'>>(
    give: G,
    question: SignerQuestion,
  ): Promise<Extract<SignerAnswer, { readonly give: G }>> {
    if (this.#closed) throw this.#away('it is closed');
    const answer = await new Promise<SignerAnswer>((resolve, reject) => {
      const id = this.#nextId;
      this.#nextId += 1;
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        this.#awaySince ??= Date.now();
        reject(this.#away(this.#failure));
      }, this.#patienceMs);
      this.#waiting.set(id, { question, resolve, reject, timer });
      if (this.#socket === undefined) this.#connect();
      else if (!this.#socket.connecting) this.#send(this.#socket, id, question);
    });
    this.#awaySince = undefined;
    if (answer.give === 'fault') throw faultOf(answer);
    if (answer.give === give) return answer as Extract<SignerAnswer, { readonly give: G }>;
    throw new Fault('malformed', 'signer message', {
      at: 'give',
      expected: give,
      found: answer.give,
    });
  }

  /** Ends the connection. What waits fails. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#again);
    this.#socket?.destroy();
    this.#failAll(this.#away('it is closed'));
  }

  #away(found: string): Fault {
    const expected = 'an answer of the process that holds the keys: start assay signer';
    return new Fault('signer_away', 'signer', { at: this.#socketPath, expected, found });
  }

  #connect(): void {
    if (this.#socket !== undefined || this.#closed) return;
    const socket = createConnection({ path: this.#socketPath });
    // A connection does not keep the process running.
    socket.unref();
    this.#socket = socket;
    const reader = new FrameReader();
    socket.on('connect', () => {
      for (const [id, { question }] of this.#waiting) this.#send(socket, id, question);
    });
    socket.on('data', (bytes: Buffer) => {
      try {
        for (const each of reader.push(bytes)) this.#take(each);
      } catch (error) {
        // Another version, or another program: asking again would give the same.
        this.#failAll(error instanceof Fault ? error : this.#away(messageOf(error)));
        socket.destroy();
      }
    });
    socket.on('error', (error) => {
      this.#failure = messageOf(error);
    });
    socket.once('close', () => {
      this.#socket = undefined;
      if (this.#waiting.size === 0 || this.#closed) return;
      this.#again = setTimeout(() => this.#connect(), AGAIN_MS);
    });
  }

  #send(socket: Socket, id: number, question: SignerQuestion): void {
    try {
      socket.write(formatFrame(formatQuestion(id, question)));
    } catch (error) {
      // It cannot be written as a message, and is no fault of the signer.
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      clearTimeout(waiting?.timer);
      waiting?.reject(error as Fault);
    }
  }

  #take(bytes: Uint8Array): void {
    const { id, body } = parseAnswer(bytes);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    waiting.resolve(body);
  }

  #failAll(fault: Fault): void {
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(fault);
    }
    this.#waiting.clear();
  }
}
