import { Fault } from '@assay/core/fault';
import { type Attested, evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { MAX_ATTESTATIONS, MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import { formatProof, parseProof, type Proof } from '@assay/core/ots/proof';
import { attestationCount } from '@assay/core/ots/timestamp';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readPlainFile } from '../reader/plain-file.ts';

/** An `.ots` file that was read. */
export interface OtsFile {
  readonly bytes: Uint8Array;
  readonly proof: Proof;
  /** In file order. */
  readonly attested: readonly Attested[];
}

/**
 * Throws `not_found` if there is no such plain file, `too_large` also for more than `MAX_ATTESTATIONS`, and
 * `bad_proof` for another file.
 */
export async function readOts(path: string): Promise<OtsFile> {
  const bytes = await readPlainFile(path, MAX_PROOF_BYTES);
  if (bytes === undefined) {
    const expected = 'an .ots file, as assay stamp writes it';
    throw new Fault('not_found', 'stamp', { at: path, expected, found: 'none there' });
  }
  const proof = parseProof(bytes);
  requireFew(proof, path);
  const attested = evaluate(proof.timestamp, proof.digest, otsHashes(nodeSha256));
  return { bytes, proof, attested };
}

/** The bytes of a proof that `readOts` accepts. Throws `bad_proof` at a limit, and `too_large`. */
export function formatOts(proof: Proof): Uint8Array {
  requireFew(proof);
  return formatProof(proof);
}

/** No stamp has that many, and each costs a line, a request and its message in hex. */
function requireFew({ timestamp }: Proof, at?: string): void {
  const found = attestationCount(timestamp);
  if (found <= MAX_ATTESTATIONS) return;
  throw new Fault('too_large', 'stamp', {
    ...(at === undefined ? {} : { at }),
    expected: `at most ${MAX_ATTESTATIONS} attestations`,
    found: `${found}`,
  });
}
