import { messageOf } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseTickLeaves, type TickLeaf } from '@assay/core/terminal/tick/tick-leaf';

/** The bytes that a log keeps under a hash, which are not believed. */
export interface KeptBytes {
  readonly sha256: Sha256;
  readonly blob: (hash: HashHex) => Promise<Uint8Array | undefined>;
}

/** Takes note of what was expected and what was found. */
export type OnDiffers = (expected: string, found: string) => void;

/** The bytes with that hash; undefined, and told, where the log has none or others. */
export async function keptBytes(
  { sha256, blob }: KeptBytes,
  hash: HashHex,
  onDiffers: OnDiffers,
): Promise<Uint8Array | undefined> {
  const bytes = await blob(hash);
  const found = bytes === undefined ? 'nothing' : hashHex(contentHash(sha256, bytes));
  if (found === hash) return bytes;
  onDiffers(`the bytes of ${hash}`, found);
  return undefined;
}

/** The leaves of a tick; undefined, and told, where the bytes with that hash are not there or are none. */
export async function keptLeaves(
  kept: KeptBytes,
  hash: HashHex,
  onDiffers: OnDiffers,
): Promise<readonly TickLeaf[] | undefined> {
  const bytes = await keptBytes(kept, hash, onDiffers);
  if (bytes === undefined) return undefined;
  try {
    return parseTickLeaves(bytes);
  } catch (error) {
    onDiffers('tick leaves', messageOf(error));
    return undefined;
  }
}
