import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { FrozenStudy } from '../answer/base-rate.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { parseStudyBlob, type StudyBlob } from '@assay/core/terminal/study/study-blob';
import { newestStudy } from '@assay/core/view/studies';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { LogRecord } from '../../ledger/record.ts';
import { readNamedBlob } from '../../blob/named-blob.ts';

/** The newest frozen study of each class, if it is of version 1, read once. */
export class StudyReader {
  readonly #record: LogRecord;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #sha256: Sha256;
  readonly #read = new Map<AssetClass, { readonly hash: HashHex; readonly blob: StudyBlob }>();

  constructor(record: LogRecord, blobs: Pick<BlobStore, 'read'>, sha256: Sha256) {
    this.#record = record;
    this.#blobs = blobs;
    this.#sha256 = sha256;
  }

  /**
   * The newest study of a class; undefined if the log has none or one of another version, `unreadable` if the
   * blob that it names is missing. Throws `malformed` for a blob that is no study.
   */
  async newest(of: AssetClass): Promise<FrozenStudy | 'unreadable' | undefined> {
    const row = newestStudy(this.#record.shown, of);
    if (row?.version !== 1) return undefined;
    const known = this.#read.get(of);
    if (known?.hash === row.blob) return { row, blob: known.blob };
    const bytes = await readNamedBlob(this.#blobs, this.#sha256, row.blob);
    if (bytes === undefined) return 'unreadable';
    const blob = parseStudyBlob(bytes);
    this.#read.set(of, { hash: row.blob, blob });
    return { row, blob };
  }
}
