import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { FrozenStudy } from '../answer/base-rate-group.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { newestStudy } from '@assay/core/view/studies';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { readNamedBlob } from '../../blob/named-blob.ts';

/** The newest frozen study of each class, read once. No base rate is answered from a study of version 1. */
export class StudyReader {
  readonly #record: LogRecord;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #sha256: Sha256;
  readonly #read = new Map<AssetClass, { readonly hash: HashHex; readonly blob: EdgeStudy }>();

  constructor(record: LogRecord, blobs: Pick<BlobStore, 'read'>, sha256: Sha256) {
    this.#record = record;
    this.#blobs = blobs;
    this.#sha256 = sha256;
  }

  /**
   * The newest study of a class; undefined if the log has none or the newest is of version 1, `unreadable` if the
   * blob that it names is missing. Throws `malformed` for a blob that is no study.
   */
  async newest(of: AssetClass): Promise<FrozenStudy | 'unreadable' | undefined> {
    const row = newestStudy(this.#record.shown, of);
    if (row?.version !== 2) return undefined;
    const known = this.#read.get(of);
    if (known?.hash === row.blob) return { row, blob: known.blob };
    const bytes = await readNamedBlob(this.#blobs, this.#sha256, row.blob);
    if (bytes === undefined) return 'unreadable';
    const blob = parseEdgeStudy(bytes);
    this.#read.set(of, { hash: row.blob, blob });
    return { row, blob };
  }
}
