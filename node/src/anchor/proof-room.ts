import { faultCode } from '@assay/core/fault';
import { MAX_ATTESTATIONS, MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import type { Operation } from '@assay/core/ots/operation';
import { formatProof } from '@assay/core/ots/proof';
import { attestationCount, type Timestamp } from '@assay/core/ots/timestamp';

const ZERO_16 = new Uint8Array(16);
const ZERO_32 = new Uint8Array(32);
const SHA256: Operation = { op: 'sha256' };

/**
 * Whether the `.ots` files of a batch over the entries `[from, to)`, with `tip` at the end of their paths, stay
 * within the limits of a proof and within what `assay ots verify` reads. It assumes that each entry is stamped.
 */
export function fitsProofs(tip: Timestamp, from: number, to: number): boolean {
  const levels = Math.ceil(Math.log2(to - from + 1));
  const path: Operation[] = [{ op: 'append', argument: ZERO_16 }, SHA256];
  for (let level = 0; level < levels; level += 1) {
    path.push({ op: 'append', argument: ZERO_32 }, SHA256);
  }
  const timestamp = path.reduceRight<Timestamp>(
    (next, operation) => ({ items: [{ operation, next }] }),
    tip,
  );
  try {
    if (attestationCount(tip) > MAX_ATTESTATIONS) return false;
    return formatProof({ hash: 'sha256', digest: ZERO_32, timestamp }).length <= MAX_PROOF_BYTES;
  } catch (error) {
    if (faultCode(error) === 'bad_proof') return false;
    throw error;
  }
}
