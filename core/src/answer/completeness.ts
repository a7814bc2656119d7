import type { HashHex, Sha256 } from '../hash/hash.ts';
import { IndexFold, rulesTree } from '../view/completeness-fold.ts';
import { type IndexProof, proveIndex } from '../completeness/proof.ts';
import type { SortedTree } from '../completeness/sorted-tree.ts';
import type { DateText } from '../time/time.ts';
import { indexOfDay, type IndexRow, newestIndex, printLeafAt } from '../view/completeness.ts';
import { stampRow } from '../view/stamps.ts';
import type { ViewState } from '../view/view.ts';

/** Where index entries are served: the newest, `?day=` for another, and `/<report hash>` for what it has of a period. */
export const INDEX_PATH = '/index';

/** Digits of a print's leaf that name its period, and those that name its period and its series. */
const DAY_DIGITS = 8;
const PERIOD_DIGITS = 72;

/** What the newest index entry has of a report's period, and of the versions of its rule. */
export interface IndexProofPayload extends IndexRow {
  readonly report: HashHex;
  readonly proof: IndexProof;
  readonly versions: IndexProof;
}

/** The index entry of a day, or the newest. */
export function indexPayload(state: ViewState, day?: DateText): IndexRow | undefined {
  return day === undefined ? newestIndex(state) : indexOfDay(state, day);
}

/**
 * Every print of a report's period in the newest index entry, and every version of its rule there; undefined where that
 * entry does not cover the report. `printsOf` returns the tree of the prints in an index entry, which is made again
 * where it is absent.
 */
export function indexProofPayload(
  state: ViewState,
  sha256: Sha256,
  report: HashHex,
  printsOf: (row: IndexRow) => SortedTree = (row) => printsAt(state, sha256, row),
): IndexProofPayload | undefined {
  const row = newestIndex(state);
  const stamp = stampRow(state, report);
  if (row === undefined || stamp?.of !== 'report' || stamp.seq >= row.size) return undefined;
  const leaf = printLeafAt(state, stamp.seq);
  if (leaf === undefined) return undefined;
  return {
    ...row,
    report,
    proof: proveIndex(printsOf(row), leaf.slice(0, PERIOD_DIGITS)),
    versions: proveIndex(rulesTree(state, sha256, row.size), leaf.slice(DAY_DIGITS, PERIOD_DIGITS)),
  };
}

function printsAt(state: ViewState, sha256: Sha256, { size }: IndexRow): SortedTree {
  const fold = new IndexFold(sha256);
  fold.at(state, size);
  return fold.prints;
}
