import { formatHex } from '@assay/core/bytes/hex';
import { parseUtf8 } from '@assay/core/bytes/utf8';
import { hashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { type Subject, subjectOf } from '@assay/core/message/subject';
import type { Ledger } from '../ledger/ledger.ts';

/** An entry as a stream has it. */
export interface EntryFrame {
  readonly seq: number;
  /** `<seq>-<first 16 hex digits of the leaf hash>`. */
  readonly id: string;
  readonly kind: string;
  readonly subject: Subject;
  /** The event in the form of Server-Sent Events (WHATWG HTML, 9.2). */
  readonly text: string;
}

/** The digits of a leaf hash that an id has: 64 bits, so that no two histories share one by chance. */
const ID_DIGITS = 16;
/** The newest frames, which most readers wait for. */
const MOST_KEPT = 1024;

export function eventId(seq: number, leafHex: string): string {
  return `${seq}-${leafHex.slice(0, ID_DIGITS)}`;
}

/** The seq and the digits in an id; undefined for what is none. */
export function parseEventId(
  text: string,
): { readonly seq: number; readonly digits: string } | undefined {
  const found = /^(0|[1-9]\d{0,15})-([0-9a-f]{16})$/.exec(text);
  if (found === null) return undefined;
  const seq = Number(found[1]);
  return Number.isSafeInteger(seq) ? { seq, digits: found[2] as string } : undefined;
}

type ReadLedger = Pick<Ledger, 'published' | 'shown' | 'entries' | 'entry'>;

/** The published entries of a log as frames. What is at the head is formatted once for all readers. */
export class EntryFrames {
  readonly #ledger: ReadLedger;
  readonly #sha256: Sha256;
  readonly #parse: ReturnType<typeof bodyParser>;
  readonly #kept = new Map<number, EntryFrame>();

  constructor(ledger: ReadLedger, sha256: Sha256) {
    this.#ledger = ledger;
    this.#sha256 = sha256;
    this.#parse = bodyParser(sha256);
  }

  /** The entries that are published. */
  get size(): number {
    return this.#ledger.published?.size ?? 0;
  }

  /** The id of an entry of this log; undefined for one that is not published. */
  async idOf(seq: number): Promise<string | undefined> {
    const kept = this.#kept.get(seq);
    if (kept !== undefined) return kept.id;
    const bytes = await this.#ledger.entry(seq);
    return bytes && eventId(seq, formatHex(leafHash(this.#sha256, bytes)));
  }

  /** The frames from `start` to before `end`, in pieces, as far as they are published. */
  async *read(start: number, end: number): AsyncGenerator<EntryFrame> {
    const last = Math.min(end, this.size);
    let seq = start;
    for (; seq < last; seq += 1) {
      const kept = this.#kept.get(seq);
      if (kept === undefined) break;
      yield kept;
    }
    if (seq >= last) return;
    for await (const bytes of this.#ledger.entries(seq, last)) {
      const frame = this.#frameOf(bytes);
      if (frame.seq >= this.size - MOST_KEPT) this.#keep(frame);
      yield frame;
    }
  }

  #frameOf(bytes: Uint8Array): EntryFrame {
    const { kind, seq, at, ...layout } = scanEntry(bytes);
    const body = this.#parse(kind, entryBody(bytes, { kind, seq, at, ...layout }));
    const nothing = { ticker: null, symbol: null };
    const subject =
      body === undefined ? nothing : subjectOf(body, this.#ledger.shown, this.#sha256);
    const leaf = hashHex(leafHash(this.#sha256, bytes));
    const id = eventId(seq, leaf);
    // The entry is text in text, so that its bytes can be hashed as they are.
    const data = { seq, leaf_hash: leaf, kind, at, ...subject, entry: parseUtf8(bytes) };
    const text = `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
    return { seq, id, kind, subject, text };
  }

  #keep(frame: EntryFrame): void {
    if (this.#kept.size >= MOST_KEPT) {
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    }
    this.#kept.set(frame.seq, frame);
  }
}
