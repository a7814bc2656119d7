import { faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { FrozenStudy } from '../answer/base-rate-group.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { type EdgeStudy, parseEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { newestStudy } from '@assay/core/view/studies';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { readNamedBlob } from '../../blob/named-blob.ts';
import { storageFault } from '../../platform/storage-fault.ts';

/** What a blob was read as; `unreadable` if it is no study. */
type Read = EdgeStudy | 'unreadable';

/** The newest frozen study of each class, read once. No base rate is answered from a study of version 1. */
export class StudyReader {
  readonly #record: LogRecord;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #sha256: Sha256;
  readonly #read = new Map<AssetClass, { readonly hash: HashHex; readonly blob: Read }>();

  constructor(record: LogRecord, blobs: Pick<BlobStore, 'read'>, sha256: Sha256) {
    this.#record = record;
    this.#blobs = blobs;
    this.#sha256 = sha256;
  }

  /**
   * The newest study of a class; undefined if the log has none or the newest is of version 1, `unreadable` if the
   * blob that it names is missing, is no study or cannot be read.
   */
  async newest(of: AssetClass): Promise<FrozenStudy | 'unreadable' | undefined> {
    const row = newestStudy(this.#record.shown, of);
    if (row?.version !== 2) return undefined;
    let known = this.#read.get(of);
    if (known?.hash !== row.blob) {
      const bytes = await this.#bytesOf(row.blob);
      if (bytes === undefined) return 'unreadable';
      known = { hash: row.blob, blob: studyIn(bytes) };
      this.#read.set(of, known);
    }
    const { blob } = known;
    return blob === 'unreadable' ? blob : { row, blob };
  }

  /** Undefined where the bytes are missing, are others, or the disk does not give them. */
  async #bytesOf(hash: HashHex): Promise<Uint8Array | undefined> {
    try {
      return await readNamedBlob(this.#blobs, this.#sha256, hash);
    } catch (error) {
      if (faultCode(storageFault(error, 'study')) === undefined) throw error;
      return undefined;
    }
  }
}

function studyIn(bytes: Uint8Array): Read {
  try {
    return parseEdgeStudy(bytes);
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return 'unreadable';
  }
}
