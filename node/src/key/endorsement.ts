import { formatHex } from '@assay/core/bytes/hex';
import type { HashHex } from '@assay/core/hash/hash';
import { canonicalize } from '@assay/core/wire/canonical';

/** The key of a machine tier, and the name under which others find it. */
export interface EndorsedKey {
  /** The id of the log whose report key vouches for it. */
  readonly log: HashHex;
  /** A DID with a fragment, such as `did:web:assay.example#x402`. */
  readonly kid: string;
  /** The public key of the tier, hex. */
  readonly publicKey: string;
}

/** The type of an endorsement, which no other thing that a report key signs begins with: it is a JWS. */
const ENDORSEMENT = 'assay-payment-key/1';

/**
 * What a report key signs to vouch for the key of a machine tier: the protected header and the payload of a compact
 * JWS (RFC 7515), whose `kid` is the report key in hex as `/.well-known/assay-signer.json` has it.
 */
export function endorsementText(
  reportKey: Uint8Array,
  { log, kid, publicKey }: EndorsedKey,
): string {
  const head = text64(JSON.stringify({ alg: 'EdDSA', kid: formatHex(reportKey) }));
  const payload = { type: ENDORSEMENT, log_id: log, kid, public_key: publicKey };
  return `${head}.${text64(canonicalize(payload))}`;
}

function text64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
