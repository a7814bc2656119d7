import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { array, integer, object, type Parse, string } from '@assay/core/wire/schema';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';

/** A transaction that was sent, or may have been. */
export interface OutEntry {
  /** What it posts: `print/<report hash>`, `close/<content hash>`, `feed/<ticker>` and so on. */
  readonly of: string;
  /** Its signature, base58. */
  readonly transaction: string;
  /** The block height after which it can no longer land. */
  readonly last_valid_block_height: number;
  /** The lamports of rent that it pays if it succeeds. */
  readonly rent: number;
}

/** The costs of a UTC day. */
export interface SpentDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Lamports, fees and rent. */
  readonly lamports: number;
  /** The part of them that was for creating feeds, which happens once. */
  readonly once: number;
}

/**
 * Transactions that are out, and the costs of the last days. Whether a print is on chain is recorded in the
 * log.
 */
export interface Outgoing {
  readonly out: readonly OutEntry[];
  /** Oldest first. */
  readonly spent: readonly SpentDay[];
}

export const NOTHING_OUT: Outgoing = { out: [], spent: [] };

/** Stores them across restarts, so that nothing is paid for twice. */
export interface OutgoingStore {
  /** Throws `malformed` if what is stored cannot be read. */
  readonly get: () => Promise<Outgoing>;
  /** Durable when it resolves. */
  readonly set: (outgoing: Outgoing) => Promise<void>;
}

export class MemoryOutgoing implements OutgoingStore {
  #kept: Outgoing = NOTHING_OUT;

  readonly get = (): Promise<Outgoing> => Promise.resolve(this.#kept);

  readonly set = (outgoing: Outgoing): Promise<void> => {
    this.#kept = outgoing;
    return Promise.resolve();
  };
}

const count: Parse<number> = integer(0, Number.MAX_SAFE_INTEGER);

/** More than any number of transactions that can be out at once. */
const MAX_OUT = 4096;
const MAX_DAYS = 16;

export const parseOutgoing: Parse<Outgoing> = object<Outgoing>({
  out: array(
    object<OutEntry>({
      of: string(1, 128, /^[a-z]+\/[A-Za-z0-9/]+$/),
      transaction: string(64, 88, /^[1-9A-HJ-NP-Za-km-z]+$/),
      last_valid_block_height: count,
      rent: count,
    }),
    0,
    MAX_OUT,
  ),
  spent: array(object<SpentDay>({ day: count, lamports: count, once: count }), 0, MAX_DAYS),
});

/** One file, canonical JSON. */
export class FileOutgoing implements OutgoingStore {
  readonly #path: string;
  readonly #sync: boolean;
  #folder: Promise<void> | undefined;

  /** Without `sync`, on a development network, a power failure may lose the last change. */
  constructor(path: string, { sync = true }: { readonly sync?: boolean } = {}) {
    this.#path = path;
    this.#sync = sync;
  }

  readonly get = async (): Promise<Outgoing> => {
    let bytes: Uint8Array;
    try {
      bytes = await readFile(this.#path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return NOTHING_OUT;
      throw error;
    }
    try {
      return parseOutgoing(parseWire(bytes), 'outgoing');
    } catch (cause) {
      throw new Fault('malformed', 'outgoing.json', { found: messageOf(cause), cause });
    }
  };

  readonly set = async (outgoing: Outgoing): Promise<void> => {
    this.#folder ??= ensureFolder(dirname(this.#path), { mode: 0o700 });
    await this.#folder;
    const bytes = formatWire(outgoing);
    await writeDurable(this.#path, bytes, { mode: 0o600, sync: this.#sync });
  };
}
