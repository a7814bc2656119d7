import { hashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { type Message, messagesOf } from '@assay/core/message/message';
import { logRow } from '@assay/core/view/log';
import type { Ledger } from '../ledger/ledger.ts';
import { type Cursor, type Filter, isWanted } from './subscription.ts';

/** The most entries that one search reads before others get their turn. */
const SLICE = 256;
/** The messages of the newest entries that were read, which most receivers ask for at the same time. */
const MOST_KEPT = 4096;
/** The entries that are read beyond the first one with a message. A receiver that is far behind asks for one message at a time. */
const READ_AHEAD = 16;

/** What was found from a cursor on: the next message, or how far there is none. */
export type Found =
  | { readonly message: Message; readonly cursor: Cursor }
  | { readonly message?: never; readonly cursor: Cursor };

/** The messages of a log in the order of their cursors, of what is published and has its witnesses. */
export class MessageReader {
  readonly #ledger: Pick<Ledger, 'published' | 'shown' | 'entries'>;
  readonly #sha256: Sha256;
  readonly #parse: ReturnType<typeof bodyParser>;
  readonly #kept = new Map<number, readonly Message[]>();

  constructor(ledger: Pick<Ledger, 'published' | 'shown' | 'entries'>, sha256: Sha256) {
    this.#ledger = ledger;
    this.#sha256 = sha256;
    this.#parse = bodyParser(sha256);
  }

  /** The entries that are published. */
  get size(): number {
    return this.#ledger.published?.size ?? 0;
  }

  /** The first message at `cursor` or later that a filter lets through, or how far was searched. At most 256 entries are read. */
  async next(cursor: Cursor, filter: Filter): Promise<Found> {
    const end = Math.min(this.size, cursor.seq + SLICE);
    let { ordinal } = cursor;
    for (let seq = cursor.seq; seq < end; seq += 1) {
      const messages = this.#kept.get(seq) ?? (await this.#read(seq, end));
      const message = messages.find((each) => each.ordinal >= ordinal && isWanted(filter, each));
      if (message !== undefined) return { message, cursor: { seq, ordinal: message.ordinal } };
      ordinal = 0;
    }
    return { cursor: { seq: Math.max(cursor.seq, end), ordinal } };
  }

  /** Reads the entries from `seq` on, which are likely to be asked for next, and returns the messages of the first. */
  async #read(seq: number, end: number): Promise<readonly Message[]> {
    const state = this.#ledger.shown;
    const origin = logRow(state)?.origin;
    if (origin === undefined) return [];
    const log = { origin, state, sha256: this.#sha256 };
    let first: readonly Message[] | undefined;
    let stop = end;
    for await (const bytes of this.#ledger.entries(seq, end)) {
      const layout = scanEntry(bytes);
      const known = this.#parse(layout.kind, entryBody(bytes, layout));
      const leaf = hashHex(leafHash(this.#sha256, bytes));
      const messages =
        known === undefined
          ? []
          : messagesOf({ ...known, seq: layout.seq, at: layout.at, leaf }, log);
      first ??= messages;
      this.#keep(layout.seq, messages);
      if (messages.length > 0) stop = Math.min(stop, layout.seq + READ_AHEAD);
      if (layout.seq >= stop) break;
    }
    return first ?? [];
  }

  #keep(seq: number, messages: readonly Message[]): void {
    if (this.#kept.size >= MOST_KEPT) {
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    }
    this.#kept.set(seq, messages);
  }
}
