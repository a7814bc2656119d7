import type { Checkpoint } from '../log/checkpoint.ts';
import { equalBytes } from '../bytes/bytes.ts';
import type { Hash, Sha256 } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import { prefixRoots } from '../log/prefix-proof.ts';
import { parsePrint, PRINT_BYTES } from '../report/print.ts';
import type { Statement } from '../report/statement.ts';
import { printPlace } from '../view/statements.ts';

/**
 * Whether no log can have both checkpoints: one origin and one size with two roots, or a larger tree whose
 * first leaves differ from what was signed for them. `first` must not be the larger. `prefix` is a proof of
 * `prefixRanges`; null if the sizes are equal. Returns false if nothing is proven, whether or not the trees
 * agree. Throws `bad_proof` for a proof of another length.
 */
export function checkpointsContradict(
  sha256: Sha256,
  first: Checkpoint,
  second: Checkpoint,
  prefix: readonly Hash[] | null,
): boolean {
  if (first.origin !== second.origin || first.size > second.size || first.size === 0) return false;
  if (first.size === second.size) return prefix === null && !equalBytes(first.root, second.root);
  if (prefix === null) return false;
  const roots = prefixRoots(sha256, first.size, second.size, prefix);
  // With a collision-free hash function a root has only one tree, so the beginning of the tree is known.
  return equalBytes(roots.new, second.root) && !equalBytes(roots.old, first.root);
}

/**
 * Whether nobody may sign both print messages (128 bytes each): they differ, and belong in one place of a series. A
 * final and a void of a period share one place. Throws `bad_length` or `malformed`.
 */
export function printsContradict(a: Uint8Array, b: Uint8Array): boolean {
  return !equalBytes(a, b) && printPlace(parsePrint(a)) === printPlace(parsePrint(b));
}

/**
 * Whether no co-signer may make both statements: agreement and dissent on one report, or agreement to two prints for
 * one place. An abstention excludes nothing.
 */
export function statementsContradict(a: Statement, b: Statement): boolean {
  if (a.cosigner !== b.cosigner || a.log !== b.log) return false;
  const verdicts = [a.verdict, b.verdict];
  if (a.report === b.report && verdicts.includes('agree') && verdicts.includes('dissent'))
    return true;
  const agreed = a.verdict === 'agree' && b.verdict === 'agree';
  return agreed && printsContradict(parseHex(a.print, PRINT_BYTES), parseHex(b.print, PRINT_BYTES));
}
