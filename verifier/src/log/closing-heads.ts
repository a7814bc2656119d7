import { faultCode } from '@assay/core/fault';
import type { Hash } from '@assay/core/hash/hash';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { MAX_NOTE_BYTES, parseNote } from '@assay/core/log/note';
import { MAX_CLOSING_LAG } from '@assay/core/view/key/checkpoint-keys';
import type { ClosingHead, ReadClosingHead } from '../trust/closing-head.ts';

/** What `ClosingHeads` remembers. */
export interface KeptClosingHeads {
  readonly found: ReadonlyMap<number, ClosingHead>;
  /** The keys that ended and had none. */
  readonly absent: ReadonlySet<number>;
  readonly waiting: { readonly number: number; readonly size: number } | undefined;
}

/** The closing heads of a log that is walked, each with the root that the entries make at its size. */
export class ClosingHeads {
  readonly #read: ReadClosingHead;
  readonly #found = new Map<number, ClosingHead>();
  readonly #absent = new Set<number>();
  /** A head that covers the entry that is being walked. */
  #waiting: KeptClosingHeads['waiting'];

  constructor(read: ReadClosingHead = () => Promise.resolve(undefined)) {
    this.#read = read;
  }

  get kept(): KeptClosingHeads {
    return { found: this.#found, absent: this.#absent, waiting: this.#waiting };
  }

  /** Goes on as the one that was kept. */
  resume({ found, absent, waiting }: KeptClosingHeads): void {
    for (const [number, head] of found) this.#found.set(number, head);
    for (const number of absent) this.#absent.add(number);
    this.#waiting = waiting;
  }

  get found(): ReadonlyMap<number, ClosingHead> {
    return this.#found;
  }

  /**
   * Reads the closing head of the key that entry `seq` replaces, before that entry is appended. `rootAt` gives the root
   * of the entries before it at a size; undefined for one that lies too far back or ahead.
   */
  async take(
    number: number,
    seq: number,
    rootAt: (size: number) => Hash | undefined,
  ): Promise<void> {
    const note = await this.#read(number);
    // None is longer, and what is not read is not kept.
    if (note === undefined || note.length > MAX_NOTE_BYTES) {
      this.#absent.add(number);
      return;
    }
    const size = sizeIn(note);
    const isNear = size !== undefined && seq - size <= MAX_CLOSING_LAG;
    this.#found.set(number, { note, root: isNear ? rootAt(size) : undefined });
    if (size === seq + 1) this.#waiting = { number, size };
  }

  /** Has the root of the entries so far taken where a head waits for it. */
  appended(size: number, root: () => Hash): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    const head = this.#found.get(waiting.number);
    if (head === undefined || waiting.size !== size) return;
    this.#found.set(waiting.number, { ...head, root: root() });
  }
}

/** The size in a note; undefined where it is no checkpoint, which is reported elsewhere. */
function sizeIn(note: Uint8Array): number | undefined {
  try {
    return parseCheckpoint(parseNote(note).text).size;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
