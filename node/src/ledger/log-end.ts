import { Fault } from '@assay/core/fault';
import { formatEntry } from '@assay/core/log/entry';
import {
  type Hash,
  hashHex,
  type HashHex,
  leafHash,
  type Sha256,
  ZERO_HASH_HEX,
} from '@assay/core/hash/hash';
import { bodyParser, type Kind, type KnownBody } from '@assay/core/kind/kinds';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { foldEntry } from '@assay/core/view/fold';
import type { FoldedEntry, ViewState, ViewWrite } from '@assay/core/view/view';
import { type WireValue, wire } from '@assay/core/wire/wire';
import { requireSoundCheckpointKey } from './sound-checkpoint-key.ts';
import { requireSoundKey } from './sound-key.ts';
import { type CommittedRows, LayeredViews } from './store/layered-views.ts';
import type { EntryRow } from './store/store.ts';

/** The content of a future entry. The ledger decides its place. */
export interface EntryDraft {
  readonly kind: Kind;
  readonly body: KnownBody['body'];
}

/** The end of the log, as the drafts of one write find it. Nothing else is written while they are made. */
export interface LogTip {
  /** The entries before this write, which is also the `seq` of its first one. */
  readonly seq: number;
  /** The leaf hash of the entry before this write; zeros before genesis. */
  readonly prev: HashHex;
  /** The time of all entries of this write. */
  readonly at: TimeText;
  /** Rows of everything before the next draft. */
  readonly views: ViewState;
}

/** A committed entry: durable, and under a head that the guard holds. */
export interface Receipt {
  readonly seq: number;
  readonly leaf: HashHex;
}

/** An entry on its way to the store. */
export interface Made extends EntryRow {
  readonly leaf: Hash;
  readonly receipt: Receipt;
  readonly isKey: boolean;
  /** The rows that it changes. */
  readonly writes: readonly ViewWrite[];
  /** The values that those rows had before it. */
  readonly before: readonly (WireValue | undefined)[];
}

/** The end of a log, which its next entry continues. */
export interface End {
  /** Entries before it. */
  readonly size: number;
  /** Leaf hash of the newest entry; zeros before genesis. */
  readonly prev: HashHex;
  /** The time of the newest entry. */
  readonly at: TimeText;
  /** Leaf hash of entry 0; undefined before genesis. */
  readonly log: HashHex | undefined;
}

/**
 * The end of a log with everything that waits to be committed. Drafts become entries here: each is parsed,
 * formatted, hashed and folded once.
 */
export class LogEnd {
  readonly #sha256: Sha256;
  readonly #now: () => number;
  readonly #parseBody: ReturnType<typeof bodyParser>;
  /** The rows with everything that waits, from which the next draft is made. */
  readonly views: LayeredViews;
  /** Whether drafts are being made from the tip. */
  #isMaking = false;
  #nextSeq: number;
  #prev: HashHex;
  #lastAt: TimeText;
  #log: HashHex | undefined;

  /** `now` gives unix seconds. `rows` are those of everything that is committed. */
  constructor(
    sha256: Sha256,
    now: () => number,
    rows: CommittedRows,
    { size, prev, at, log }: End,
  ) {
    this.#sha256 = sha256;
    this.#now = now;
    this.#parseBody = bodyParser(sha256);
    this.views = new LayeredViews(rows);
    this.#nextSeq = size;
    this.#prev = prev;
    this.#lastAt = at;
    this.#log = log;
  }

  /** Entries committed or waiting: the `seq` of the next one. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** The time that an entry would have if it were written now. */
  get nextAt(): TimeText {
    const now = formatTime(this.#now());
    return now > this.#lastAt ? now : this.#lastAt;
  }

  /** Leaf hash of entry 0; undefined before genesis. */
  get log(): HashHex | undefined {
    return this.#log;
  }

  /** What a write would find now. */
  get tip(): LogTip {
    return { seq: this.#nextSeq, prev: this.#prev, at: this.nextAt, views: this.views };
  }

  /** Continues from another end. `views` stays the same object, so whoever holds it has the current rows. */
  takeUp(rows: CommittedRows, { size, prev, at, log }: End): void {
    this.views.rebase(rows);
    this.#nextSeq = size;
    this.#prev = prev;
    this.#lastAt = at;
    this.#log = log;
  }

  /**
   * Turns drafts into entries and folds each into the tip immediately. If one is bad, none leaves a trace. `tip` is
   * what the drafts were prepared for, where nothing was written since; the entries then have its time.
   */
  make(
    draft: (tip: LogTip) => Iterable<EntryDraft>,
    refused: () => Fault | undefined,
    tip: LogTip = this.tip,
  ): readonly Made[] {
    if (this.#isMaking) throw new TypeError('Ledger.write: a write within a write');
    if (tip.seq !== this.#nextSeq || tip.prev !== this.#prev) {
      // The ledger has compared its stores again since.
      throw new Fault('wrong_head', 'ledger', { expected: tip.prev, found: this.#prev });
    }
    const [log, { seq, prev, at }] = [this.#log, tip];
    const made: Made[] = [];
    this.#isMaking = true;
    try {
      for (const each of draft(tip)) {
        const reason = made.length === 0 ? refused() : undefined;
        if (reason !== undefined) throw reason;
        made.push(this.#fold(each, at, made));
      }
    } catch (error) {
      for (const { writes, before } of made.reverse()) this.views.takeBack(writes, before);
      [this.#nextSeq, this.#prev, this.#log] = [seq, prev, log];
      throw error;
    } finally {
      this.#isMaking = false;
    }
    if (made.length > 0) this.#lastAt = at;
    return made;
  }

  /** The entry from a draft after those that were `made` in the same write. */
  #fold({ kind, body }: EntryDraft, at: TimeText, made: readonly Made[]): Made {
    const sha256 = this.#sha256;
    const seq = this.#nextSeq;
    const known = this.#parseBody(kind, wire(body));
    if (known === undefined || (kind === 'genesis/1') !== (seq === 0)) {
      throw new Fault('malformed', 'entry', {
        at: `seq ${seq}`,
        expected: seq === 0 ? 'genesis/1 as the first entry' : 'a known kind other than genesis',
        found: kind,
      });
    }
    const isKey = known.kind === 'key/1' || known.kind === 'key/2';
    if (isKey) this.#requireKey(known);
    // A key is checked before it comes into force, and a head may end with it, so nothing is written together with it.
    if (made.length > 0 && (isKey || made[0]?.isKey === true)) {
      const [expected, found] = ['a key by itself', 'another entry in the same write'];
      throw new Fault('refused', 'key', { at: `entry ${seq}`, expected, found });
    }
    const prev = this.#prev;
    const bytes = formatEntry({ v: 1, seq, prev, at, kind, body: wire(body) });
    const leaf = leafHash(sha256, bytes);
    const receipt = { seq, leaf: hashHex(leaf) };
    const log = this.#log ?? receipt.leaf;
    // `known` is not spread, because the kinds have many shapes and a copy costs as much as its hash.
    const entry = { kind: known.kind, body: known.body, seq, at, log } as FoldedEntry;
    const writes = foldEntry(entry, this.views, sha256);
    const before = writes.map(({ table, key }) => this.views.get(table, key));
    this.views.write(writes);
    this.#nextSeq = seq + 1;
    this.#prev = receipt.leaf;
    this.#log = log;
    return { seq, bytes, leaf, receipt, isKey, writes, before };
  }

  /** Throws `refused` unless a key may come into force, or be promised, here. */
  #requireKey(known: Extract<KnownBody, { kind: 'key/1' | 'key/2' }>): void {
    const position = { log: this.#log ?? ZERO_HASH_HEX, seq: this.#nextSeq };
    if (known.kind === 'key/1') {
      requireSoundKey('refused', known.body, position, this.views, this.#sha256);
    } else {
      requireSoundCheckpointKey('refused', known.body, position, this.views, this.#sha256);
    }
  }
}
