import { type Hash, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { type Checkpoint, parseCheckpoint } from '@assay/core/log/checkpoint';
import { type Entry, parseEntry } from '@assay/core/log/entry';
import { type Note, parseNote } from '@assay/core/log/note';
import { formatTilePath, parseEntryBundle, type Tile, TILE_WIDTH } from '@assay/core/log/tile';
import { formatTlogProof } from '@assay/core/log/tlog-proof';
import { inclusionProof } from '@assay/verifier/reader/tile-proofs';
import { bodyOf, type PageRequest } from './page.ts';

/** An entry as it is served. */
export interface ServedEntry {
  readonly entry: Entry;
  readonly bytes: Uint8Array;
  readonly leaf: Hash;
}

/**
 * The log as anybody can read it: its checkpoint, and its entries out of the bundles that are served. A page that shows
 * it shows what a stranger would get, and nothing beyond.
 */
export class PublishedLog {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
  readonly #noteBytes: Uint8Array;
  readonly #ask: PageRequest['bytes'];
  readonly #sha256: Sha256;
  readonly #bundles = new Map<number, Promise<readonly Uint8Array[]>>();

  private constructor(noteBytes: Uint8Array, ask: PageRequest['bytes'], sha256: Sha256) {
    this.#noteBytes = noteBytes;
    this.note = parseNote(noteBytes);
    this.checkpoint = parseCheckpoint(this.note.text);
    this.#ask = ask;
    this.#sha256 = sha256;
  }

  /** Throws PageFailure where no log is served. */
  static async open({ bytes }: Pick<PageRequest, 'bytes'>, sha256: Sha256): Promise<PublishedLog> {
    return new PublishedLog(bodyOf(await bytes('/checkpoint')), bytes, sha256);
  }

  get size(): number {
    return this.checkpoint.size;
  }

  /** The entries from `from` on, up to but without `to`. Throws PageFailure where they cannot be read. */
  async entries(from: number, to: number): Promise<readonly ServedEntry[]> {
    const served: ServedEntry[] = [];
    for (let seq = Math.max(from, 0); seq < Math.min(to, this.size); seq += 1) {
      const bundle = await this.#bundle(Math.floor(seq / TILE_WIDTH));
      const bytes = bundle[seq % TILE_WIDTH];
      if (bytes === undefined) break;
      served.push({ entry: parseEntry(bytes), bytes, leaf: leafHash(this.#sha256, bytes) });
    }
    return served;
  }

  async entry(seq: number): Promise<ServedEntry | undefined> {
    const [served] = await this.entries(seq, seq + 1);
    return served;
  }

  /**
   * The number of the first entry whose time is `time` or later, `size` where there is none. The times of a log never
   * decrease.
   */
  async firstAt(time: string): Promise<number> {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const served = await this.entry(middle);
      if (served !== undefined && served.entry.at < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The proof that an entry is in the tree of the checkpoint (C2SP tlog-proof). */
  async proof(seq: number): Promise<string> {
    const read = (tile: Tile): Promise<Uint8Array> => this.#tile(tile);
    const hashes = await inclusionProof(read, this.#sha256, seq, this.size);
    return formatTlogProof({ index: seq, hashes, checkpoint: this.#noteBytes });
  }

  #bundle(index: number): Promise<readonly Uint8Array[]> {
    const known = this.#bundles.get(index);
    if (known !== undefined) return known;
    const width = Math.min(TILE_WIDTH, this.size - index * TILE_WIDTH);
    const read = this.#tile({ level: 'entries', index, width }).then((bytes) =>
      parseEntryBundle(bytes, width),
    );
    this.#bundles.set(index, read);
    return read;
  }

  async #tile(tile: Tile): Promise<Uint8Array> {
    return bodyOf(await this.#ask(`/${formatTilePath(tile)}`));
  }
}
