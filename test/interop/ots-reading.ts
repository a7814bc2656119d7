import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import type { Attested } from '@assay/core/ots/evaluate';
import { evaluate } from '@assay/core/ots/evaluate';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatProof, parseProof, type Proof } from '@assay/core/ots/proof';
import { HASHES } from './ots-world.ts';

/** What a reader makes of a proof, in words that do not depend on who reads. */
export type Reading =
  | {
      readonly hash: string;
      readonly digest: string;
      /** Message, kind or tag, and height, URI or payload; sorted, none twice at one place. */
      readonly attested: readonly (readonly string[])[];
      /** The proof as the reference client would write it, hex. */
      readonly written: string;
    }
  | { readonly refused: string }
  | { readonly crashed: string };

/** Ours. A refusal says what was expected. */
export function readOurs(bytes: Uint8Array): Reading {
  try {
    const proof = parseProof(bytes);
    if (formatHex(formatProof(proof)) !== formatHex(bytes)) {
      return { crashed: 'it writes other bytes than it read' };
    }
    return readingOf(proof);
  } catch (error) {
    if (error instanceof Fault && error.code === 'bad_proof') {
      return { refused: error.expected ?? '' };
    }
    return { crashed: String(error) };
  }
}

export function readingOf({ hash, digest, timestamp }: Proof): Reading {
  const sorted = mergeTimestamps(timestamp, timestamp);
  return {
    hash,
    digest: formatHex(digest),
    attested: evaluate(sorted, digest, HASHES).map(words).sort(byText),
    written: formatHex(formatProof({ hash, digest, timestamp: sorted })),
  };
}

function words({ attestation, message }: Attested): readonly string[] {
  const of = formatHex(message);
  if (attestation.kind === 'pending') return [of, 'pending', attestation.uri];
  if (attestation.kind === 'unknown') return [of, attestation.tag, formatHex(attestation.payload)];
  return [of, attestation.kind, String(attestation.height)];
}

/** By parts, as Python sorts lists of texts. */
function byText(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((each, i) => each !== b[i]);
  if (at < 0) return 0;
  return (a[at] as string) < (b[at] as string) ? -1 : 1;
}
