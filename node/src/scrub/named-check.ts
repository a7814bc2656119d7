import { parseEntry } from '@assay/core/log/entry';
import { faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { bodyParser } from '@assay/core/kind/kinds';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Openings } from '../data/openings.ts';
import { blobsOf, commitmentIn, pagesOf } from '../blob/named-blobs.ts';
import type { DamageLog } from './damage-log.ts';

export interface NamedCheckParts {
  readonly blobs: Pick<BlobStore, 'has' | 'get'>;
  readonly openings: Pick<Openings, 'get'>;
  readonly sha256: Sha256;
  readonly damage: DamageLog;
}

/**
 * Checks for each entry whether the blobs that it names are there, with the pages that their manifests name,
 * and the opening of its withheld level. Their bytes are checked against their hashes elsewhere.
 */
export function namedCheck(parts: NamedCheckParts): (entry: Uint8Array) => Promise<void> {
  const { blobs, openings, sha256, damage } = parts;
  const parseBody = bodyParser(sha256);
  const isThere = async (hash: HashHex): Promise<boolean> => {
    const found = await blobs.has(hash);
    if (found) damage.present('blob', hash);
    else damage.note('blob', hash, 'missing');
    return found;
  };
  return async (entry) => {
    const { kind, body } = parseEntry(entry);
    const known = parseBody(kind, body);
    if (known === undefined) return;
    for (const { hash, role } of blobsOf(known)) {
      if (!(await isThere(hash)) || role !== 'manifest') continue;
      for (const page of pagesOf(await manifest(blobs, hash))) await isThere(page.hash);
    }
    const commitment = commitmentIn(known);
    if (commitment === undefined) return;
    if (openings.get(commitment) === undefined) damage.note('opening', commitment, 'missing');
    else damage.present('opening', commitment);
  };
}

/** The bytes of a manifest; undefined if they are damaged, which the stage of blobs finds. */
async function manifest(blobs: Pick<BlobStore, 'get'>, hash: HashHex): Promise<Uint8Array> {
  try {
    return (await blobs.get(hash)) ?? new Uint8Array();
  } catch (error) {
    if (faultCode(error) === 'blob_differs') return new Uint8Array();
    throw error;
  }
}
