import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, messageOf } from '@assay/core/fault';
import { array, integer, object, type Parse, string } from '@assay/core/wire/schema';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { ensureFolder, errorCode, writeDurable } from '../platform/durable-file.ts';

/** A transaction that is out, or may be. */
export interface OutEntry {
  /** What it brings: `print/<report hash>`, `close/<content hash>`, `feed/<ticker>` and the like. */
  readonly of: string;
  /** Its signature, base58. */
  readonly transaction: string;
  /** After this block height it can no longer land. */
  readonly last_valid_block_height: number;
  /** Lamports of rent that it pays when it succeeds. */
  readonly rent: number;
}

/** What a UTC day has cost. */
export interface SpentDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  /** Lamports, fees and rent. */
  readonly lamports: number;
  /** Of them, what was for making feeds: that comes once. */
  readonly once: number;
}

/** Transactions that are out, and what the last days have cost. Whether a print stands is the log's to say. */
export interface Outgoing {
  readonly out: readonly OutEntry[];
  /** Oldest first. */
  readonly spent: readonly SpentDay[];
}

export const NOTHING_OUT: Outgoing = { out: [], spent: [] };

/** Keeps them over a restart, so that nothing is paid for twice. */
export interface OutgoingStore {
  /** Throws `malformed` where what is kept cannot be read. */
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

/** Beyond any number of transactions that can be out at once. */
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

  /** Without `sync`, on a development network, a power cut may take back what was kept last. */
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
