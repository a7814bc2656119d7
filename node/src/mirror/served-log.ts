import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { formatTilePath, type Tile } from '@assay/core/log/tile';
import { closingHeadPath } from '@assay/verifier/trust/closing-head';
import { HeadTiles } from './head-tiles.ts';

/** Where a log is read from. Its answers are not trusted. */
export interface MirrorReader {
  /**
   * The answer for a path that begins with a slash. Every answer is limited: throws `too_large` over
   * `maxBytes`, `timeout`, and `unreachable` if there is none.
   */
  readonly get: (
    path: string,
    maxBytes: number,
    signal?: AbortSignal,
  ) => Promise<{ readonly status: number; readonly body: Uint8Array }>;
}

const MAX_NOTE_BYTES = 65_536;

/** What a server has of a log, by name. Every method throws what the reader throws, and `unreachable` for an error. */
export class ServedLog {
  readonly #reader: MirrorReader;
  readonly #sha256: Sha256;

  constructor(reader: MirrorReader, sha256: Sha256) {
    this.#reader = reader;
    this.#sha256 = sha256;
  }

  /** The newest head, as a signed note. */
  checkpoint(signal?: AbortSignal): Promise<Uint8Array> {
    return this.get('/checkpoint', MAX_NOTE_BYTES, signal);
  }

  /** The closing head of a checkpoint key; undefined if it has none. */
  async closingHead(number: number, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const path = closingHeadPath(number);
    const { status, body } = await this.#reader.get(path, MAX_NOTE_BYTES, signal);
    if (status === 404) return undefined;
    if (status !== 200) {
      throw new Fault('unreachable', 'log server', { at: path, found: `status ${status}` });
    }
    return body;
  }

  /** The bytes of tiles, as they are served. */
  tileReader(signal?: AbortSignal): (tile: Tile, maxBytes: number) => Promise<Uint8Array> {
    return (tile, maxBytes) => this.get(`/${formatTilePath(tile)}`, maxBytes, signal);
  }

  /** The checked tiles of a head. Throws as `HeadTiles.open` does, too. */
  tilesOf(checkpoint: Checkpoint, signal?: AbortSignal): Promise<HeadTiles> {
    const read = this.tileReader(signal);
    return HeadTiles.open(this.#sha256, (tile) => read(tile, tile.width * 32), checkpoint);
  }

  /** The body at a path. Throws `blob_missing` for a blob that the server does not have, too. */
  async get(path: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
    const { status, body } = await this.#reader.get(path, maxBytes, signal);
    if (status === 200) return body;
    const found = `status ${status}`;
    const missing = status === 404 && path.startsWith('/blob/');
    throw new Fault(missing ? 'blob_missing' : 'unreachable', 'log server', { at: path, found });
  }
}
