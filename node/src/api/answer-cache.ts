import type { Representation } from '../http/representation.ts';
import type { WholeReply } from '../http/request.ts';

/** A cached answer: one that a client may have already, or a problem. */
export type Ready = Representation | WholeReply;

interface Kept {
  readonly version: string;
  /** The unix seconds from which on it is no longer valid. */
  readonly until: number;
  /** The answer, or the name that it is cached under. */
  readonly answer: Ready | string;
  readonly bytes: number;
}

/** What an answer takes together with its codings, which are made later: each is about a quarter of it at most. */
const CODED_SHARE = 1.5;

function isCoded(answer: Ready): boolean {
  return 'codings' in answer && answer.codings !== undefined;
}

/** The bytes of an entry in addition to its body and its name: its headers and its place. */
const ENTRY_BYTES = 1024;

/**
 * Answers that are served again and again, by name. Each is valid for a version of what it was made from, and
 * until a time. If they would take more than `most` bytes, those that nobody asked for longest are removed.
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
    if (kept?.version !== version || now >= kept.until) return undefined;
    // The map is in the order in which they were asked for last.
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    return typeof kept.answer === 'string' ? this.get(kept.answer, version, now) : kept.answer;
  }

  /** Stores an answer under a name, in place of another version of it. */
  keep<Answer extends Ready>(
    name: string,
    version: string,
    answer: Answer,
    until: number = Number.POSITIVE_INFINITY,
  ): Answer {
    const bytes = answer.body.length * (isCoded(answer) ? CODED_SHARE : 1);
    this.#keep(name, { version, until, answer, bytes });
    return answer;
  }

  /** Stores that `name` is another spelling of `of`, under which an answer is cached. */
  keepSpelling(name: string, version: string, of: string): void {
    this.#keep(name, { version, until: Number.POSITIVE_INFINITY, answer: of, bytes: of.length });
  }

  #keep(name: string, kept: Kept): void {
    this.#drop(name);
    const bytes = kept.bytes + name.length + ENTRY_BYTES;
    this.#kept.set(name, { ...kept, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes ?? 0;
    this.#kept.delete(name);
  }
}
