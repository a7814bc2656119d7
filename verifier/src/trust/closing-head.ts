import { equalBytes } from '@assay/core/bytes/bytes';
import { type Hash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { type NoteKey, parseNoteKey } from '@assay/core/log/note';
import { type CheckpointTerm, signingTerms } from '@assay/core/view/checkpoint-keys';
import type { Environment } from '../verdict/environment.ts';
import type { Findings } from '../verdict/finding.ts';
import { OPEN_POLICY } from '../verdict/policy.ts';
import { NotCheckedList } from '../verdict/verdict.ts';
import { checkSignatures, type HeadKeys, openCheckpoint } from './checkpoint-check.ts';

/** The closing head of a checkpoint key, as it was found. */
export interface ClosingHead {
  /** The signed note. */
  readonly note: Uint8Array;
  /** The root that the log has at the size of the note; undefined where it is not known. */
  readonly root: Hash | undefined;
}

/** The path of the closing head of a checkpoint key at a server, and in an export below its folder. */
export function closingHeadPath(number: number): string {
  return `/closing-head/${number}`;
}

/** The keys of a log by what each has to do with a head of `size`. */
export function headKeys(terms: readonly CheckpointTerm[], size: number, sha256: Sha256): HeadKeys {
  const signing = signingTerms(terms, size);
  const keyOf = ({ vkey }: CheckpointTerm): NoteKey => parseNoteKey(sha256, vkey);
  return {
    signers: signing.map(keyOf),
    others: terms.filter((each) => !signing.includes(each)).map(keyOf),
  };
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
  terms: readonly CheckpointTerm[],
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
  const keys = headKeys(terms, size, environment.sha256);
  const unnamed = new NotCheckedList();
  await checkSignatures(open, keys, OPEN_POLICY, environment, findings, unnamed, place);
}
