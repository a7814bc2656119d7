import type { HashHex, Sha256 } from '../../hash/hash.ts';
import { proofFile, treeMaker } from '../../proof/proof-file.ts';
import type { CloseFile } from '../../report/close.ts';
import { closesOf, newestClose } from '../../view/closes.ts';
import { stampedBatch } from '../../view/stamps.ts';
import type { ViewState } from '../../view/view.ts';
import { answerTo, foldedPaths } from '../answer.ts';
import { exportFile } from './export-file.ts';
import { proofUrl } from '../proof.ts';
import { provenDigests } from '../proven-digests.ts';

/** What is in a file that a static copy of a log has for an answer of the API. */
export type ExportedType =
  | 'application/json'
  | 'text/csv'
  | 'application/problem+json'
  | 'application/vnd.opentimestamps.ots';

/** A file of a static copy that answers what the API does. */
export interface ExportedFile {
  /** Its name, without a slash at its front. */
  readonly name: string;
  readonly contentType: ExportedType;
  readonly body: Uint8Array;
}

/**
 * The files of all answers that follow from the log alone, those about the newest `reports` periods of each index
 * included. Whoever writes a static copy of a log writes these.
 */
export function* exportedAnswers(
  state: ViewState,
  sha256: Sha256,
  reports: number,
): Generator<ExportedFile> {
  for (const path of foldedPaths(state, sha256, reports)) {
    const answer = answerTo(state, sha256, path);
    if (answer === undefined) continue;
    const { status, contentType, body } = answer;
    yield { name: exportFile(path, status), contentType, body };
  }
}

/** The `.ots` file of a digest, which ends with a timestamp that is kept as a blob. */
export interface ExportedProof {
  readonly name: string;
  /** The hash of the timestamp. */
  readonly tip: HashHex;
  /** The file, with the bytes of that timestamp; undefined while no batch holds the digest. */
  readonly body: (tip: Uint8Array) => Uint8Array | undefined;
}

/** The `.ots` files of the digests that `provenDigests` lists. */
export function* exportedProofs(
  state: ViewState,
  sha256: Sha256,
  reports: number,
): Generator<ExportedProof> {
  const treeOf = treeMaker(state, sha256);
  let last: { readonly batch: number; readonly tree: ReturnType<typeof treeOf> } | undefined;
  for (const digest of provenDigests(state, sha256, reports)) {
    const anchor = stampedBatch(state, digest)?.anchor;
    if (anchor === undefined) continue;
    yield {
      name: exportFile(proofUrl(digest), 200),
      tip: anchor.proof,
      body: (tip) =>
        proofFile(
          state,
          (each) => {
            if (last?.batch !== each.batch) last = { batch: each.batch, tree: treeOf(each) };
            return last.tree;
          },
          digest,
          tip,
        ),
    };
  }
}

/** Where a static copy has the settlement files that a Close names. */
export function settlementName(path: string): string {
  return `settlement/${path}`;
}

/** The settlement files of the newest Close, which a static copy has. */
export function exportedSettlements(state: ViewState): readonly CloseFile[] {
  const day = newestClose(state);
  const newest = day === undefined ? undefined : closesOf(state, day).at(-1);
  return newest?.content.files ?? [];
}
