import { concatBytes } from '../bytes/bytes.ts';
import { contentHash, type Hash, type Sha256, taggedBytes } from '../hash/hash.ts';
import { formatUtf8 } from '../bytes/utf8.ts';

/**
 * What a stored view row is compared with when it is read, 32 bytes. It binds the value to its table and key.
 *
 *     sha256("assay/row/v1" 0x00 || table 0x00 || key 0x00 || value)
 *
 * Neither table nor key contains a 0x00. `value` is the canonical JSON of the row.
 */
export function rowDigest(sha256: Sha256, table: string, key: string, value: Uint8Array): Hash {
  return contentHash(
    sha256,
    concatBytes(taggedBytes('assay/row/v1', formatUtf8(`${table}\0${key}\0`)), value),
  );
}
