import { Fault } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, type Sha256 } from '@assay/core/hash/hash';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { MAX_PART_BYTES } from '@assay/core/log/pack';
import { TILE_WIDTH } from '@assay/core/log/tile';
import { PackedBlobs } from '@assay/verifier/reader/packed-blobs';
import type { MirrorReader } from './served-log.ts';

/**
 * Reads the bytes that entries of a log name from its packs (docs/spec/pack.md), while whoever follows it catches up: a
 * pack has the bytes of 256 entries. Where there are no full bundles left to go through, and where packs are of no use,
 * nothing is read and nothing is held.
 */
export class PackedBytes {
  readonly #reader: MirrorReader;
  readonly #sha256: Sha256;
  #packed: PackedBlobs | undefined;

  constructor(reader: MirrorReader, sha256: Sha256) {
    this.#reader = reader;
    this.#sha256 = sha256;
  }

  /**
   * The bytes that entry `seq` of a log of `size` entries names by their hash. They have it. Undefined where they are to be
   * asked for alone. Throws what the reader throws, and `unreachable` for a server that answers with an error.
   */
  async read(hash: HashHex, seq: number, size: number): Promise<Uint8Array | undefined> {
    const index = Math.floor(seq / TILE_WIDTH);
    if ((index + 1) * TILE_WIDTH > size) {
      this.#packed = undefined;
      return undefined;
    }
    this.#packed ??= new PackedBlobs({ get: (path) => this.#get(path), live: true });
    this.#packed.open(index, size);
    const bytes = await this.#packed.read(hash);
    if (bytes === undefined) return undefined;
    return hashHex(contentHash(this.#sha256, bytes)) === hash ? bytes : undefined;
  }

  async #get(path: string): Promise<{ status: number; body: Uint8Array; logSize: undefined }> {
    const most = path.startsWith('/pack/') ? MAX_PART_BYTES : MAX_PAGE_BYTES;
    const { status, body } = await this.#reader.get(path, most);
    if (status === 200 || status === 404) return { status, body, logSize: undefined };
    throw new Fault('unreachable', 'log server', { at: path, found: `status ${status}` });
  }
}
