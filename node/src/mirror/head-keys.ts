import type { Sha256 } from '@assay/core/hash/hash';
import { formatNoteKey, type NoteKey, parseNoteKey } from '@assay/core/log/note';
import {
  type CheckpointTerm,
  checkpointTerms,
  signingTerms,
} from '@assay/core/view/key/checkpoint-keys';
import type { ViewState } from '@assay/core/view/view';

/** The checkpoint keys of a log that somebody follows: the one that he was given, and those that the log's entries lead to. */
export class HeadKeys {
  readonly #sha256: Sha256;
  readonly #given: NoteKey;
  readonly #rows: () => ViewState;
  #learned: CheckpointTerm | undefined;

  /** `rows` gives those of the entries that are believed; `learned` is a key whose entry is not among these yet. */
  constructor(
    sha256: Sha256,
    given: NoteKey,
    rows: () => ViewState,
    learned: CheckpointTerm | undefined,
  ) {
    this.#sha256 = sha256;
    this.#given = given;
    this.#rows = rows;
    this.#learned = learned;
  }

  /** Believes a key from here on, before its entry is among the rows. */
  learn(term: CheckpointTerm): void {
    this.#learned = term;
  }

  /**
   * The terms of the keys, the first one first; none while the entries do not name the key that was given, because
   * nothing is known of its place then.
   */
  get terms(): readonly CheckpointTerm[] {
    const { name, publicKey } = this.#given;
    const vkey = formatNoteKey(this.#sha256, name, publicKey);
    const terms = checkpointTerms(this.#rows());
    if (!terms.some((each) => each.vkey === vkey)) return [];
    const learned = this.#learned;
    const last = terms.at(-1);
    if (learned === undefined || last === undefined || last.number >= learned.number) return terms;
    return [...terms.slice(0, -1), { ...last, last_size: learned.above }, learned];
  }

  /** The keys of which a head of `size` has a line. It has to have one of the first. */
  of(size: number): readonly [NoteKey, ...NoteKey[]] {
    const [own, ...others] = this.among(this.terms, size);
    return own === undefined ? [this.#given] : [own, ...others];
  }

  /**
   * The keys by one of which a head of `size` was accepted that is stored. Another key may have been given since, to which
   * the entries that are stored do not lead yet.
   */
  stored(size: number): readonly NoteKey[] {
    const learned = this.#learned === undefined ? [] : [this.#learned];
    const terms = [...checkpointTerms(this.#rows()), ...learned];
    return [...this.of(size), ...terms.map(({ vkey }) => parseNoteKey(this.#sha256, vkey))];
  }

  /** The same by other terms; none where no term is of that size. */
  among(terms: readonly CheckpointTerm[], size: number): readonly NoteKey[] {
    return signingTerms(terms, Math.max(size, 1)).map(({ vkey }) =>
      parseNoteKey(this.#sha256, vkey),
    );
  }
}
