import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import { type Attested, evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseProof } from '@assay/core/ots/proof';
import type { Answer, Stamp } from './answer.ts';

/**
 * What an `.ots` file says about a file. It is never `ok`: that a block has the Merkle root to which a stamp leads, only
 * the headers of Bitcoin show, and a page has none. Throws `bad_proof` for what is no stamp.
 */
export function checkStamp(bytes: Uint8Array, file: Uint8Array | null): Answer {
  const hashes = otsHashes(nobleSha256);
  const proof = parseProof(bytes);
  const attested = evaluate(proof.timestamp, proof.digest, hashes);
  const digest = file === null ? null : hashes[proof.hash](file);
  const isOther = digest !== null && !equalBytes(digest, proof.digest);
  const stamp = {
    hash: proof.hash,
    stamped: formatHex(proof.digest),
    found: digest === null ? null : formatHex(digest),
    blocks: blocksOf(attested),
    calendars: [
      ...new Set(
        attested.flatMap(({ attestation }) =>
          attestation.kind === 'pending' ? [attestation.uri] : [],
        ),
      ),
    ],
  };
  const code = isOther
    ? 'stamp_of_another_file'
    : stamp.blocks.length > 0
      ? 'headers_needed'
      : 'stamp_pending';
  return { ok: false, code, why: '', verdict: null, stamp, head: null };
}

/** The blocks that attestations name. Several calendars often use the same one. */
function blocksOf(attested: readonly Attested[]): Stamp['blocks'] {
  const blocks = attested.flatMap(({ attestation, message }) => {
    if (attestation.kind !== 'bitcoin') return [];
    const merkleRoot = message.length === 32 ? formatHex(message.toReversed()) : null;
    return [{ height: attestation.height, merkleRoot }];
  });
  return [...new Map(blocks.map((each) => [`${each.height} ${each.merkleRoot}`, each])).values()];
}
