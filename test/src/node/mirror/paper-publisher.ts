import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type Hash, hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import type { CheckpointKeyCause, CheckpointKeyEntry } from '@assay/core/kind/checkpoint-key';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import type { Genesis } from '@assay/core/kind/genesis';
import { bodyParser, type KnownBody } from '@assay/core/kind/kinds';
import { formatEntry, parseEntry } from '@assay/core/log/entry';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import {
  formatNote,
  formatNoteKey,
  type NoteKey,
  noteKeyId,
  parseNoteKey,
} from '@assay/core/log/note';
import { formatEntryBundle, formatHashTile, TILE_WIDTH } from '@assay/core/log/tile';
import { formatTime } from '@assay/core/time/time';
import type { WireObject } from '@assay/core/wire/wire';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import type { LogRecord } from '@assay/node/ledger/record';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { genesisBody, naiveLevels, naiveRoot, NOON, ORIGIN } from '../ledger/ledger-fixture.ts';
import { checkpointKey, keyBody, promiseBody } from './checkpoint-bodies.ts';
import { type Server, serverOf } from './mirror-fixture.ts';

/** The same as a key of notes. */
export function noteKeyOf(number: number): NoteKey {
  const { publicKey } = checkpointKey(number);
  return parseNoteKey(nodeSha256, formatNoteKey(nodeSha256, ORIGIN, publicKey));
}

interface Term {
  readonly above: number;
  readonly cause: CheckpointKeyCause;
}

/** A publisher that changes its checkpoint keys, or lies about them, without a ledger. */
export class PaperPublisher {
  readonly entries: Uint8Array[] = [];
  readonly closing = new Map<number, Uint8Array>();
  #leaves: Hash[] = [];
  /** The terms of its keys after the first. */
  #terms: Term[] = [];
  #recoveries = 0;

  constructor(genesis: Partial<Genesis> = {}) {
    this.add('genesis/1', genesisBody(genesis));
  }

  /** The rows of all its entries. */
  views(): MemoryViews {
    const views = new MemoryViews();
    for (const bytes of this.entries) {
      const { kind, body, seq, at } = parseEntry(bytes);
      const known = bodyParser(nodeSha256)(kind, body) as KnownBody;
      views.write(foldEntry({ ...known, seq, at, log: this.log }, views, nodeSha256));
    }
    return views;
  }

  /** The same log so far, which may go on otherwise. */
  copy(): PaperPublisher {
    const other = new PaperPublisher();
    other.entries.splice(0, 1, ...this.entries);
    other.#leaves = [...this.#leaves];
    other.#terms = [...this.#terms];
    other.#recoveries = this.#recoveries;
    for (const [number, note] of this.closing) other.closing.set(number, note);
    return other;
  }

  get size(): number {
    return this.entries.length;
  }

  get log(): HashHex {
    return hashHex(this.#leaves[0] as Hash);
  }

  add(kind: string, body: object): void {
    const last = this.#leaves.at(-1);
    const bytes = formatEntry({
      at: formatTime(NOON),
      body: body as WireObject,
      kind,
      prev: last === undefined ? ('00'.repeat(32) as HashHex) : hashHex(last),
      seq: this.size,
      v: 1,
    });
    this.entries.push(bytes);
    this.#leaves.push(leafHash(nodeSha256, bytes));
  }

  notes(count: number, text = 'note'): this {
    for (let i = 0; i < count; i += 1) this.add('note/1', { text: `${text} ${this.size}` });
    return this;
  }

  /** The first promise of a key. */
  promise(): this {
    this.add('key/2', promiseBody(this.log));
    this.#recoveries += 1;
    return this;
  }

  /** Brings the next key in a rotation. Its closing head is the handover head. */
  rotate(change: Partial<CheckpointKeyEntry> = {}, by: { readonly new?: Signer } = {}): this {
    this.#bring('rotation', change, by.new);
    this.closing.set(this.#terms.length - 1, this.head());
    return this;
  }

  /** The same in a recovery: the closing head is that of `closed` entries. */
  recover(closed = this.size, change: Partial<CheckpointKeyEntry> = {}): this {
    this.closing.set(this.#terms.length, this.head(closed));
    this.#bring('recovery', change);
    return this;
  }

  #bring(cause: CheckpointKeyCause, change: Partial<CheckpointKeyEntry>, by?: Signer): void {
    const number = this.#terms.length + 1;
    const at = { log: this.log, seq: this.size, number, recoveries: this.#recoveries };
    const body = keyBody(at, cause, change, by);
    if (cause === 'recovery') this.#recoveries += 1;
    this.#terms.push({ above: body.last_size, cause });
    this.add('key/2', body);
  }

  /** The signed head of its first entries, by the keys of that size unless others are named. */
  head(size: number = this.size, numbers: readonly number[] = this.#signers(size)): Uint8Array {
    const text = formatCheckpoint({
      origin: ORIGIN,
      size,
      root: naiveRoot(this.#leaves.slice(0, size)),
    });
    const signatures = numbers.map((number) => {
      const { publicKey, sign } = checkpointKey(number);
      const keyId = noteKeyId(nodeSha256, ORIGIN, 1, publicKey);
      return { name: ORIGIN, keyId, signature: sign(formatUtf8(text)) };
    });
    return formatNote({ text, signatures });
  }

  #signers(size: number): readonly number[] {
    const begins = (number: number): Term =>
      this.#terms[number - 1] ?? { above: 0, cause: 'recovery' };
    return Array.from({ length: this.#terms.length + 1 }, (_, i) => i).filter((number) => {
      const { above, cause } = begins(number);
      const last = this.#terms[number]?.above ?? Infinity;
      return (size > above || (size === above && cause === 'rotation')) && size <= last;
    });
  }

  /** What it shows of its first entries. */
  record(
    size: number = this.size,
    note: Uint8Array = this.head(size),
  ): Pick<LogRecord, 'published' | 'tile'> {
    const levels = naiveLevels(this.#leaves);
    return {
      published: { size, root: naiveRoot(this.#leaves.slice(0, size)), note },
      tile: ({ level, index, width }) => {
        const [from, to] = [index * TILE_WIDTH, index * TILE_WIDTH + width];
        return Promise.resolve(
          level === 'entries'
            ? formatEntryBundle(this.entries.slice(from, to))
            : formatHashTile(levels[level]?.slice(from, to) ?? []),
        );
      },
    };
  }

  /** Shows what it has now at a server. */
  show(server: Server, note?: Uint8Array): void {
    server.record = this.record(this.size, note);
    server.closing.clear();
    for (const [number, closing] of this.closing) server.closing.set(number, closing);
  }

  serve(): Server {
    const server = serverOf(this.record());
    this.show(server);
    return server;
  }
}
