import { contentHash, type HashHex, hashHex, type Sha256 } from './hash.ts';
import { requireLength } from '../bytes/bytes.ts';

/** Bytes of a commitment's salt: with fewer a small number could be found by trying. */
export const SALT_BYTES = 32;

/**
 * What a report states instead of a level that terms withhold: `sha256(salt32 || value i64 LE)`. Whoever is
 * given the salt and the value can check them against it; nobody else learns anything.
 */
export function commitmentOf(sha256: Sha256, salt: Uint8Array, value: bigint): HashHex {
  requireLength(salt, SALT_BYTES, 'salt');
  const preimage = new Uint8Array(SALT_BYTES + 8);
  preimage.set(salt);
  new DataView(preimage.buffer).setBigInt64(SALT_BYTES, value, true);
  return hashHex(contentHash(sha256, preimage));
}
