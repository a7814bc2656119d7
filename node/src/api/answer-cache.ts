import type { Representation } from '../http/representation.ts';
import type { WholeReply } from '../http/request.ts';

/** A cached answer: one that a client may have already, or a problem. */
export type Ready = Representation | WholeReply;

interface Kept {
  readonly name: string;
  readonly version: string;
  /** The unix seconds from which on it is no longer valid. */
  readonly until: number;
  /** The answer, or the name that it is cached under. */
  readonly answer: Ready | string;
  readonly bytes: number;
  /** The answer that was asked for last before this one, and the one after it. */
  older: Kept | undefined;
  newer: Kept | undefined;
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
  /** The ends of the list of all of them, in the order in which they were asked for last. */
  #oldest: Kept | undefined;
  #newest: Kept | undefined;
  readonly #most: number;
  #bytes = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** The cached answer with a name, if it is of that version and valid at `now` (unix seconds). */
  get(name: string, version: string, now = 0): Ready | undefined {
    const kept = this.#kept.get(name);
    if (kept?.version !== version || now >= kept.until) return undefined;
    if (kept !== this.#newest) {
      this.#unlink(kept);
      this.#link(kept);
    }
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
    this.#keep(name, { version, until, answer }, bytes);
    return answer;
  }

  /** Stores that `name` is another spelling of `of`, under which an answer is cached. */
  keepSpelling(name: string, version: string, of: string): void {
    this.#keep(name, { version, until: Number.POSITIVE_INFINITY, answer: of }, of.length);
  }

  #keep(name: string, of: Pick<Kept, 'version' | 'until' | 'answer'>, size: number): void {
    const former = this.#kept.get(name);
    if (former !== undefined) this.#drop(former);
    const bytes = size + name.length + ENTRY_BYTES;
    const kept: Kept = { name, ...of, bytes, older: undefined, newer: undefined };
    this.#kept.set(name, kept);
    this.#link(kept);
    this.#bytes += bytes;
    while (this.#oldest !== undefined && this.#bytes > this.#most) this.#drop(this.#oldest);
  }

  #drop(kept: Kept): void {
    this.#bytes -= kept.bytes;
    this.#kept.delete(kept.name);
    this.#unlink(kept);
  }

  /** Makes it the newest. */
  #link(kept: Kept): void {
    kept.older = this.#newest;
    kept.newer = undefined;
    if (this.#newest === undefined) this.#oldest = kept;
    else this.#newest.newer = kept;
    this.#newest = kept;
  }

  #unlink({ older, newer }: Kept): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
