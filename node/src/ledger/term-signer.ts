import { Fault } from '@assay/core/fault';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { Hash, Sha256 } from '@assay/core/hash/hash';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { formatNote, type Note, parseNote, parseNoteKey } from '@assay/core/log/note';
import { type CheckpointTerm, signingTerms, termOf } from '@assay/core/view/key/checkpoint-keys';
import { checkpointReader, type CheckpointSigner, type ProvePrefix } from './checkpoint-signer.ts';

/** What to do about a key that is not at hand. */
function remedyOf(lacking: CheckpointTerm | undefined): string {
  return lacking?.last_size === null
    ? 'bring its file; assay keys recover-checkpoint replaces a key that is lost'
    : 'assay keys settle finishes a change that was cut short';
}

/** Signs heads with one key. Its notes have one line. */
export type KeySigner = Pick<CheckpointSigner, 'vkey' | 'sign' | 'remembers'>;

export interface TermSignerParts {
  readonly sha256: Sha256;
  readonly origin: string;
  /** The log's checkpoint keys and their sizes: one or more. */
  readonly terms: readonly CheckpointTerm[];
  /** The keys that are at hand. */
  readonly keys: readonly KeySigner[];
  /** The closing head of a key that ended, as far as it is kept. */
  readonly closingHead: (number: number) => Promise<Uint8Array | undefined>;
}

/**
 * Signs each head with the key in force for its size, and at the end of a term that a rotation ended with both. A note is
 * this log's if it has a good line of the key in force for its size.
 */
export class TermSigner implements CheckpointSigner {
  readonly origin: string;
  readonly #parts: TermSignerParts;
  readonly #keys: Map<string, KeySigner>;
  #terms: readonly CheckpointTerm[];

  constructor(parts: TermSignerParts) {
    this.#parts = parts;
    this.origin = parts.origin;
    this.#keys = new Map(parts.keys.map((key) => [key.vkey, key]));
    this.#terms = parts.terms;
  }

  /** The verifier key of the newest term. */
  get vkey(): string {
    return (this.#terms.at(-1) as CheckpointTerm).vkey;
  }

  /** Whether the key of the newest term is where what it signed is remembered. */
  get remembers(): boolean {
    return this.#keys.get(this.vkey)?.remembers === true;
  }

  readonly follow = (terms: readonly CheckpointTerm[]): void => {
    this.#terms = terms;
  };

  /** Takes another key to sign with. */
  add(key: KeySigner): void {
    this.#keys.set(key.vkey, key);
  }

  readonly open = (note: Uint8Array): Checkpoint => {
    const { size } = parseCheckpoint(parseNote(note).text);
    const term = termOf(this.#terms, size);
    // A log has an empty head before the first of its keys has a term.
    return this.#reader((term ?? this.#terms[0])?.vkey ?? this.vkey).open(note);
  };

  readonly sign = async (size: number, root: Hash, prove: ProvePrefix): Promise<Uint8Array> => {
    const terms = signingTerms(this.#terms, size);
    const lacking = terms.find(({ vkey }) => !this.#keys.has(vkey));
    if (lacking !== undefined || terms.length === 0) {
      const kept = await this.#kept(terms, root);
      if (kept !== undefined) return kept;
      throw new Fault('key_missing', 'checkpoint key', {
        expected: `the key ${lacking?.vkey ?? 'of a term'}, which signs heads of ${size} entries (${remedyOf(lacking)})`,
        found: [...this.#keys.keys()].join(', '),
      });
    }
    const notes: Uint8Array[] = [];
    for (const { vkey } of terms) {
      notes.push(await (this.#keys.get(vkey) as KeySigner).sign(size, root, prove));
    }
    const [own, ...others] = notes.map((note) => parseNote(note)) as [Note, ...Note[]];
    if (others.length === 0) return notes[0] as Uint8Array;
    const signatures = [own, ...others].flatMap((each) => each.signatures);
    return formatNote({ text: own.text, signatures });
  };

  /** The handover head that was kept: the key before the newest is not needed to sign it again. */
  async #kept(terms: readonly CheckpointTerm[], root: Hash): Promise<Uint8Array | undefined> {
    const [ended] = terms;
    if (ended === undefined || ended.last_size === null) return undefined;
    const note = await this.#parts.closingHead(ended.number);
    if (note === undefined) return undefined;
    for (const { vkey } of terms) {
      const head = this.#reader(vkey).open(note);
      if (head.size !== ended.last_size || !equalBytes(head.root, root)) return undefined;
    }
    return note;
  }

  #reader(vkey: string): ReturnType<typeof checkpointReader> {
    const { sha256, origin } = this.#parts;
    return checkpointReader(sha256, origin, parseNoteKey(sha256, vkey).publicKey);
  }
}
