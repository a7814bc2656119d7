import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commitmentOf } from '@assay/core/hash/commitment';
import { Fault } from '@assay/core/fault';
import { type HashHex, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { formatHex, isHex, parseHex } from '@assay/core/bytes/hex';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';

/** What opens a commitment: the level that terms keep out of the log, and its salt. */
export interface Opening {
  readonly value: bigint;
  readonly salt: Uint8Array;
}

/**
 * The openings of withheld levels, by commitment. Only the publisher has them: nothing serves, logs or exports
 * them. The z of later periods is measured against them.
 */
export interface Openings {
  readonly get: (commitment: HashHex) => Opening | undefined;
  /** Resolves when it will be there after a crash, which is before an entry names the commitment. */
  readonly put: (commitment: HashHex, opening: Opening) => Promise<void>;
}

/** Openings that can be scrubbed. */
export interface StoredOpenings extends Openings {
  /** The commitments whose openings are known, rising. */
  readonly names: () => readonly HashHex[];
  /**
   * Checks the stored opening against its commitment, and writes it again if it is damaged or missing. Returns
   * the bytes that were read and whether it had to be written. Throws if that is impossible.
   */
  readonly mend: (commitment: HashHex) => Promise<{ bytes: number; isMended: boolean }>;
}

/** Openings in memory, for a log that ends with the process. */
export class MemoryOpenings implements StoredOpenings {
  readonly #openings = new Map<HashHex, Opening>();

  readonly get = (commitment: HashHex): Opening | undefined => this.#openings.get(commitment);

  readonly put = (commitment: HashHex, opening: Opening): Promise<void> => {
    this.#openings.set(commitment, opening);
    return Promise.resolve();
  };

  readonly names = (): readonly HashHex[] => [...this.#openings.keys()].sort();

  readonly mend = (): Promise<{ bytes: number; isMended: boolean }> =>
    Promise.resolve({ bytes: 0, isMended: false });
}

/**
 * One file for each opening, named `<commitment>`: 32 bytes of salt and then the value (i64, little endian), as
 * hex.
 */
export class FileOpenings implements StoredOpenings {
  readonly #folder: string;
  readonly #sha256: Sha256;
  readonly #sync: boolean;
  readonly #memory = new MemoryOpenings();

  private constructor(folder: string, sha256: Sha256, sync: boolean) {
    this.#folder = folder;
    this.#sha256 = sha256;
    this.#sync = sync;
  }

  /**
   * Reads them all. Without `sync`, on a development network, a power failure may lose openings that were
   * stored. Throws `ledger_corrupt` for a file that does not open its commitment.
   */
  static async open(
    folder: string,
    sha256: Sha256,
    { sync = true }: { readonly sync?: boolean } = {},
  ): Promise<FileOpenings> {
    await ensureFolder(folder, { mode: 0o700 });
    const openings = new FileOpenings(folder, sha256, sync);
    for (const name of await readdir(folder)) {
      if (!isHex(name, 32)) continue;
      const commitment = toHashHex(name);
      const opening = openingIn(sha256, commitment, await readFile(join(folder, name), 'utf8'));
      if (opening === undefined) {
        throw new Fault('ledger_corrupt', 'opening', {
          at: join(folder, name),
          expected: 'what opens it',
        });
      }
      await openings.#memory.put(commitment, opening);
    }
    return openings;
  }

  readonly get = (commitment: HashHex): Opening | undefined => this.#memory.get(commitment);

  readonly put = async (commitment: HashHex, opening: Opening): Promise<void> => {
    const bytes = new Uint8Array(40);
    bytes.set(opening.salt);
    new DataView(bytes.buffer).setBigInt64(32, opening.value, true);
    const text = new TextEncoder().encode(`${formatHex(bytes)}\n`);
    const options = { mode: 0o600, sync: this.#sync };
    await writeDurable(join(this.#folder, commitment), text, options);
    await this.#memory.put(commitment, opening);
  };

  readonly names = (): readonly HashHex[] => this.#memory.names();

  readonly mend = async (commitment: HashHex): Promise<{ bytes: number; isMended: boolean }> => {
    const path = join(this.#folder, commitment);
    // A file that cannot be read is written again: the opening in memory was checked against its commitment.
    const text = await readFile(path, 'utf8').catch(() => '');
    const bytes = text.length;
    if (openingIn(this.#sha256, commitment, text) !== undefined) return { bytes, isMended: false };
    const known = this.#memory.get(commitment);
    if (known === undefined) throw new TypeError('FileOpenings.mend: an opening that is not known');
    await this.put(commitment, known);
    return { bytes, isMended: true };
  };
}

/** Parses the text of a file; undefined if it does not open the commitment. */
export function openingIn(sha256: Sha256, commitment: HashHex, text: string): Opening | undefined {
  const digits = text.trim();
  if (!isHex(digits, 40)) return undefined;
  const bytes = parseHex(digits, 40);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const opening = { salt: bytes.slice(0, 32), value: view.getBigInt64(32, true) };
  const found = commitmentOf(sha256, opening.salt, opening.value);
  return found === commitment ? opening : undefined;
}
