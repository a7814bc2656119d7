import { Fault } from '@assay/core/fault';
import { type Attested, evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import { parseProof, type Proof } from '@assay/core/ots/proof';
import { nodeSha256 } from '@assay/node/node-sha256';
import { readPlainFile } from './plain-file.ts';

/** An `.ots` file that was read. */
export interface OtsFile {
  readonly bytes: number;
  readonly proof: Proof;
  /** In file order. */
  readonly attested: readonly Attested[];
}

/** Throws `not_found` where there is no such plain file, `too_large`, and `bad_proof` for another file. */
export async function readOts(path: string): Promise<OtsFile> {
  const bytes = await readPlainFile(path, MAX_PROOF_BYTES);
  if (bytes === undefined) throw new Fault('not_found', 'stamp', { at: path });
  const proof = parseProof(bytes);
  const attested = evaluate(proof.timestamp, proof.digest, otsHashes(nodeSha256));
  return { bytes: bytes.length, proof, attested };
}
