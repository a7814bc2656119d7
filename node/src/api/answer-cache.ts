import type { Representation } from '../http/representation.ts';
import type { WholeReply } from '../http/request.ts';

/** A cached answer: one that a client may have already, or a problem. */
export type Ready = Representation | WholeReply;

interface Kept {
  readonly version: string;
  /** The unix seconds from which on it is no longer valid. */
  readonly until: number;
  readonly answer: Ready;
  readonly bytes: number;
}

/** The bytes of an entry in addition to its body and its name: its headers and its place. */
const ENTRY_BYTES = 1024;

/**
 * Answers that are served again and again, by name. Each is valid for a version of what it was made from, and
 * until a time. If they would take more than `most` bytes, the oldest are removed.
 */
export class AnswerCache {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The cached answer with a name, if it is of that version and valid at `now` (unix seconds). */
  get(name: string, version: string, now = 0): Ready | undefined {
    const kept = this.#kept.get(name);
    return kept?.version === version && now < kept.until ? kept.answer : undefined;
  }

  /** Stores an answer under a name, in place of another version of it. */
  keep<Answer extends Ready>(
    name: string,
    version: string,
    answer: Answer,
    until: number = Number.POSITIVE_INFINITY,
  ): Answer {
    this.#drop(name);
    const bytes = answer.body.length + name.length + ENTRY_BYTES;
    this.#kept.set(name, { version, until, answer, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#drop(oldest);
    }
    return answer;
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}
