import type { AnchorTree } from '@assay/core/proof/anchor-tree';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { proofUrl } from '@assay/core/answer/proof';
import { proofFile, treeMaker } from '@assay/core/proof/proof-file';
import { stampedBatch } from '@assay/core/view/stamps';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Representation } from '../http/representation.ts';
import { problem } from '../http/problem.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';
import type { LogRecord } from '../ledger/record.ts';
import { readNamedBlob } from '../blob/named-blob.ts';
import type { AnswerCache, Ready } from './answer-cache.ts';
import { OTS_TYPE } from './operation/proof-operations.ts';
import { fileShown, type Publication } from './publication.ts';

/** How many batches have their tree cached, and how many their timestamp. */
const MAX_TREES = 16;
const MAX_TIPS = 256;

/** Why a digest has no file: no batch holds it, or the timestamp of its batch cannot be read. */
export type NoFile = 'unstamped' | 'unreadable';

/** The `.ots` files of the published record, each from its batch's tree and timestamp. */
export class ProofFiles {
  readonly #record: LogRecord;
  readonly #blobs: Pick<BlobStore, 'read'>;
  readonly #sha256: Sha256;
  /** By tip: what leads to it never changes. */
  readonly #trees = new Map<HashHex, AnchorTree>();
  readonly #tips = new Map<HashHex, Uint8Array>();
  readonly #cache: AnswerCache;

  constructor(
    record: LogRecord,
    blobs: Pick<BlobStore, 'read'>,
    sha256: Sha256,
    cache: AnswerCache,
  ) {
    this.#record = record;
    this.#blobs = blobs;
    this.#sha256 = sha256;
    this.#cache = cache;
  }

  /** The file of a digest, as the published record has it when this resolves. */
  async fileOf(digest: HashHex): Promise<Ready | NoFile> {
    for (;;) {
      const proof = stampedBatch(this.#record.shown, digest)?.anchor.proof;
      if (proof === undefined) return 'unstamped';
      const ready = this.#cache.get(proofUrl(digest), proof);
      if (ready !== undefined) return ready;
      const tip = this.#tips.get(proof) ?? (await readNamedBlob(this.#blobs, this.#sha256, proof));
      // More may have become known about the batch while its timestamp was read.
      if (stampedBatch(this.#record.shown, digest)?.anchor.proof !== proof) continue;
      if (tip === undefined) return 'unreadable';
      keep(this.#tips, MAX_TIPS, proof, tip);
      return this.#made(digest, proof, tip) ?? 'unstamped';
    }
  }

  #made(digest: HashHex, proof: HashHex, tip: Uint8Array): Representation | undefined {
    const { shown } = this.#record;
    const make = treeMaker(shown, this.#sha256);
    const body = proofFile(
      shown,
      (anchor) => {
        const tree = this.#trees.get(anchor.tip) ?? make(anchor);
        keep(this.#trees, MAX_TREES, anchor.tip, tree);
        return tree;
      },
      digest,
      tip,
    );
    if (body === undefined) return undefined;
    const name = `assay-${digest.slice(0, 16)}.ots`;
    return this.#cache.keep(proofUrl(digest), proof, fileShown(OTS_TYPE, body, name));
  }
}

/** The file of a digest, or a problem if it cannot be read; `unstamped` is the answer if there is none. */
export async function proofFileReply(
  request: ApiRequest,
  { publication, files }: { readonly publication: Publication; readonly files: ProofFiles },
  digest: HashHex,
  unstamped: () => ApiReply,
): Promise<ApiReply> {
  const file = await files.fileOf(digest);
  if (file === 'unstamped') return unstamped();
  if (file !== 'unreadable') return publication.reply(request, file);
  return problem(request, 'halted', {
    detail: 'The timestamp of the batch that holds it cannot be read now.',
  });
}

/** Puts `value` last, and removes the first, which was not requested for the longest time. */
function keep<K, V>(map: Map<K, V>, most: number, key: K, value: V): void {
  map.delete(key);
  const [first] = map.keys();
  if (map.size >= most && first !== undefined) map.delete(first);
  map.set(key, value);
}
