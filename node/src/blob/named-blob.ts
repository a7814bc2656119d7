import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import type { BlobStore } from './blob-store.ts';

/** The bytes of a blob that a record names; undefined if they are missing or differ. */
export async function readNamedBlob(
  blobs: Pick<BlobStore, 'read'>,
  sha256: Sha256,
  hash: HashHex,
): Promise<Uint8Array | undefined> {
  const found = await blobs.read(hash);
  if (found === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of found.chunks()) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  return hashHex(contentHash(sha256, bytes)) === hash ? bytes : undefined;
}
