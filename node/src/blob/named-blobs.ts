import { faultCode } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { KnownBody } from '@assay/core/kind/kinds';
import { keptBlobs, parseSnapshot } from '@assay/core/read/snapshot';

/** The role of a blob for the entry that names it. */
export type BlobRole = 'manifest' | 'page' | 'ticks' | 'study' | 'proof' | 'headers' | 'openings';

export interface NamedBlob {
  readonly hash: HashHex;
  readonly role: BlobRole;
}

/** The blobs that an entry's body names. For those that their manifests name in turn, see `pagesOf`. */
export function blobsOf(known: KnownBody): readonly NamedBlob[] {
  switch (known.kind) {
    case 'report/1':
      return known.body.report.reads.flatMap(({ snapshot }) =>
        snapshot === null ? [] : [{ hash: snapshot, role: 'manifest' as const }],
      );
    case 'revision/1':
      return [{ hash: known.body.snapshot, role: 'manifest' }];
    case 'tick/1':
      return [{ hash: known.body.blob, role: 'ticks' }];
    case 'study/1':
    case 'study/2':
      return [{ hash: known.body.blob, role: 'study' }];
    case 'answers/1':
      return known.body.type === 'closed' ? openingsOf(known.body.openings) : [];
    case 'freeze/1':
      return openingsOf(known.body.openings);
    case 'anchor/1':
      return [
        { hash: known.body.proof, role: 'proof' },
        ...known.body.bitcoin.map(({ following }) => ({
          hash: following,
          role: 'headers' as const,
        })),
      ];
    default:
      return [];
  }
}

/** What opens the answers to a question, or the forecasts of a round. */
function openingsOf(hash: HashHex | null): readonly NamedBlob[] {
  return hash === null ? [] : [{ hash, role: 'openings' }];
}

/** The pages and texts that a manifest's bytes name and the log stores; none for bytes that are no manifest. */
export function pagesOf(manifest: Uint8Array): readonly NamedBlob[] {
  try {
    return keptBlobs(parseSnapshot(manifest)).map((hash) => ({ hash, role: 'page' as const }));
  } catch (error) {
    // They have the hash that an entry names. Anything else that is wrong with them is for the verifier to
    // report.
    if (faultCode(error) === undefined) throw error;
    return [];
  }
}

/** The commitment of a withheld level whose opening the publisher stores; undefined for any other entry. */
export function commitmentIn(known: KnownBody): HashHex | undefined {
  return known.kind === 'report/1' ? (known.body.report.commitment ?? undefined) : undefined;
}
