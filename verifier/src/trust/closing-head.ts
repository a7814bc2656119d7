import { equalBytes } from '@assay/core/bytes/bytes';
import { type Hash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { type CheckpointTerm, signingTerms } from '@assay/core/view/key/checkpoint-keys';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { OPEN_POLICY } from '../verdict/policy.ts';
import { NotCheckedList } from '../verdict/verdict.ts';
import { checkSignatures, type HeadKeys, lineOf, openCheckpoint } from './checkpoint-check.ts';

/** The closing head of a checkpoint key, as it was found. */
export interface ClosingHead {
  /** The signed note. */
  readonly note: Uint8Array;
  /** The root that the log has at the size of the note; undefined where it is not known. */
  readonly root: Hash | undefined;
}

/** The closing head of the checkpoint key of a number; undefined where there is none. Throws what its source throws. */
export type ReadClosingHead = (number: number) => Promise<Uint8Array | undefined>;

/** The path of the closing head of a checkpoint key at a server, and in an export below its folder. */
export function closingHeadPath(number: number): string {
  return `/closing-head/${number}`;
}

/** The checkpoint keys of a log, each parsed once, whatever number of its heads is checked. */
export class LogKeys {
  readonly #terms: readonly CheckpointTerm[];
  readonly #keys: readonly NoteKey[];
  readonly #all: ReadonlyMap<string, NoteKey>;

  constructor(terms: readonly CheckpointTerm[], sha256: Sha256) {
    this.#terms = terms;
    this.#keys = terms.map(({ vkey }) => parseNoteKey(sha256, vkey));
    this.#all = new Map(this.#keys.map((key) => [lineOf(key), key]));
  }

  /** The keys by what each has to do with a head of `size`. */
  of(size: number): HeadKeys {
    const first = this.#firstAt(size);
    let end = first;
    while ((this.#terms[end]?.above ?? size + 1) <= size) end += 1;
    const near = this.#terms.slice(first, end);
    const signers = signingTerms(near, size).map(
      (term) => this.#keys[first + near.indexOf(term)] as NoteKey,
    );
    return { signers, all: this.#all };
  }

  /** The place of the first term that has not ended before `size`. They end in their order. */
  #firstAt(size: number): number {
    let low = 0;
    let high = this.#terms.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#terms[middle]?.last_size ?? null;
      if (last !== null && last < size) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Checks the closing head of the key of `term`, which `next` replaced: it is of the log's history, of a size that key
 * signs and that covers the promise of the next key, and has a good line of each key that signs heads of its size. Of
 * a rotation that is the handover head.
 */
export async function checkClosingHead(
  { note, root }: ClosingHead,
  term: CheckpointTerm,
  next: CheckpointTerm,
  keys: LogKeys,
  environment: Environment,
  findings: Findings,
): Promise<void> {
  const place = `closing head ${term.number}`;
  const open = openCheckpoint(note, findings, place);
  if (open === undefined) return;
  const { size, root: signed } = open.checkpoint;
  const last = next.above;
  const promised = next.promised_by ?? 0;
  // A key that a rotation brought has signed the handover head too.
  const own = term.cause === 'rotation' ? term.above : term.above + 1;
  const least = next.cause === 'rotation' ? last : Math.max(promised + 1, own);
  if (size < least || size > last) {
    const range = least === last ? `${last}` : `${least} to ${last}`;
    const why = `the promise is entry ${promised}, and key ${next.number} signs what is larger than ${last}`;
    findings.add('closing_head_differs', place, `a head of ${range} entries: ${why}`, `${size}`);
    return;
  }
  if (root === undefined || !equalBytes(root, signed)) {
    const expected = root === undefined ? 'a head near the change' : hashHex(root);
    findings.add('closing_head_differs', `${place}, root`, expected, hashHex(signed));
  }
  const unnamed = new NotCheckedList();
  await checkSignatures(open, keys.of(size), OPEN_POLICY, environment, findings, unnamed, place);
}
