import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { formatNoteKey, type NoteKey } from '@assay/core/log/note';
import type { NoteSlot } from '../ledger/guard/note-slot.ts';
import type { ClosingPlace } from './closing-place.ts';
import { HeadKeys } from './head-keys.ts';
import { type MirroredNote, openMirrored, openSigned, saidCheckpoint } from './mirrored-note.ts';
import type { MirrorStore } from './mirror-store.ts';

export interface MirrorHeadsOptions {
  readonly sha256: Sha256;
  /** A checkpoint key of the log, whose name is the log's origin. */
  readonly key: NoteKey;
  /** The memory of the newest head that was accepted. */
  readonly accepted: NoteSlot;
  /** Where the closing heads of the keys that ended are kept. */
  readonly closing: ClosingPlace;
  /** The witnesses whose lines are stored before any others. */
  readonly listed: readonly NoteKey[];
}

/** The heads of a log that is copied: who signs one of a size, the newest that was accepted, and the closing heads. */
export class MirrorHeads {
  readonly #options: MirrorHeadsOptions;
  readonly #local: MirrorStore;
  readonly keys: HeadKeys;
  #seen: MirroredNote | undefined;

  constructor(options: MirrorHeadsOptions, local: MirrorStore) {
    this.#options = options;
    this.#local = local;
    this.keys = new HeadKeys(options.sha256, options.key, () => local.tip, local.learned);
  }

  /**
   * Takes the newer of what the memory has and of what is stored. Throws `guard_conflict` if what was accepted is older
   * than the entries that are stored, and `bad_note` for a head that no key of the log has signed.
   */
  async open(): Promise<void> {
    const { accepted } = this.#options;
    const { size } = this.#local;
    const note = await accepted.read();
    const seen = note === undefined ? undefined : this.openStored(note, []);
    const held = this.held([]);
    const newest = (seen?.checkpoint.size ?? 0) >= (held?.checkpoint.size ?? 0) ? seen : held;
    if (newest === undefined || newest.checkpoint.size < size) {
      if (size === 0) return;
      throw new Fault('guard_conflict', 'accepted head', {
        expected: `a head of at least ${size} entries, which are stored`,
        found: newest === undefined ? 'none' : `${newest.checkpoint.size}`,
      });
    }
    if (newest !== seen) await accepted.swap(note, newest.bytes);
    this.#seen = newest;
  }

  /** The witnesses whose lines are stored before any others. */
  get listed(): readonly NoteKey[] {
    return this.#options.listed;
  }

  /** The newest head that was accepted. */
  get seen(): MirroredNote | undefined {
    return this.#seen;
  }

  /** Accepts a head. It is durable when this resolves, as far as the memory is. */
  async accept(head: MirroredNote): Promise<void> {
    const { bytes } = head;
    if (this.#seen !== undefined && equalBytes(this.#seen.bytes, bytes)) return;
    await this.#options.accepted.swap(this.#seen?.bytes, bytes);
    this.#seen = head;
  }

  /** The newest head whose entries are all here, as it is stored. */
  held(listed: readonly NoteKey[] = this.#options.listed): MirroredNote | undefined {
    const { held } = this.#local;
    return held === undefined ? undefined : this.openStored(held, listed);
  }

  /** The closing head of a checkpoint key that ended; undefined for any other, and while it is not here. */
  async closingHead(number: number): Promise<Uint8Array | undefined> {
    const hasEnded = this.keys.terms.some(
      (each) => each.number === number && each.last_size !== null,
    );
    return hasEnded ? this.#options.closing.read(number) : undefined;
  }

  /** The closing heads that are kept of the keys that have signed a head. */
  async closingOf({ keys }: MirroredNote): Promise<readonly MirroredNote[]> {
    const found: MirroredNote[] = [];
    for (const key of keys) {
      const vkey = this.vkeyOf(key);
      const number = this.keys.terms.find((each) => each.vkey === vkey)?.number;
      const note = number === undefined ? undefined : await this.closingHead(number);
      if (note !== undefined) found.push(this.openStored(note));
    }
    return found;
  }

  /** The root at a size whose entries are all here and under the accepted head. */
  async ownRoot({ size }: Pick<Checkpoint, 'size'>): Promise<Hash | undefined> {
    const seen = this.#seen?.checkpoint;
    if (seen !== undefined && size === seen.size) return seen.root;
    return size > 0 && size <= this.#local.size ? this.#local.rootAt(size) : undefined;
  }

  /** Opens a head by the keys that sign one of its size. Throws as `openMirrored` does. */
  openGiven(given: Uint8Array): MirroredNote {
    return this.openBy(this.keys.of(saidCheckpoint(given).size), given);
  }

  /** Opens a head by these keys, of which it has to have a line of the first. Throws as `openMirrored` does. */
  openBy([key, ...also]: readonly [NoteKey, ...NoteKey[]], given: Uint8Array): MirroredNote {
    return openMirrored(key, given, this.#options.listed, also);
  }

  /** Opens a head that was accepted. Throws `bad_note`. */
  openStored(note: Uint8Array, listed: readonly NoteKey[] = this.#options.listed): MirroredNote {
    const { size } = saidCheckpoint(note);
    const also = this.keys.of(size);
    for (const key of this.keys.stored(size)) {
      const others = also.filter(({ keyId }) => keyId !== key.keyId);
      const head = openSigned(key, note, listed, others);
      if (head !== undefined) return head;
    }
    throw this.unsigned(size);
  }

  /** Opens a head by the keys that sign one of its size; undefined for one without a line. Throws for what is no head. */
  signed(given: Uint8Array): MirroredNote | undefined {
    const [key, ...also] = this.keys.of(saidCheckpoint(given).size);
    return openSigned(key, given, this.#options.listed, also);
  }

  /** The fault of a head of `size` which the key that has to sign it has not signed. */
  unsigned(size: number): Fault {
    const { name, keyId } = this.keys.of(size)[0];
    const expected = `a good signature of ${name}+${keyId}`;
    return new Fault('bad_note', 'checkpoint of another', { at: `size ${size}`, expected });
  }

  vkeyOf({ name, publicKey }: NoteKey): string {
    return formatNoteKey(this.#options.sha256, name, publicKey);
  }
}
