import { randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { foldName, keyHandle, secretHandle } from '@assay/core/arena/forecast/handle';
import { formatHex, isHex, parseHex } from '@assay/core/bytes/hex';
import { Fault, faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { TimeText } from '@assay/core/time/time';
import { hex, nullable, object, type Parse, string, time } from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import { PrivateLog } from '../intake/private-log.ts';
import { Semaphore } from '../platform/semaphore.ts';

/** The bytes of a handle's secret. */
export const SECRET_BYTES = 32;

/** The file in the folder of handles. */
export const HANDLES_FILE = 'handles.jsonl';

/** What the node knows of a handle besides the log, which has its id alone. */
export interface StoredHandle {
  /** The handle's id, hex. */
  readonly handle: string;
  /** The name as it was given first. */
  readonly name: string;
  /** The 32 bytes that the id was made with, hex; null for a handle with a key. */
  readonly salt: string | null;
  /** The Ed25519 key that the handle brought, hex; null for a handle with a secret. */
  readonly key: string | null;
  /** SHA-256 of the secret, hex; null for a handle with a key. */
  readonly secret_sha256: string | null;
  readonly created: TimeText;
}

const parseShape: Parse<StoredHandle> = object<StoredHandle>({
  handle: hex(16),
  name: string(1, 64),
  salt: nullable(hex(32)),
  key: nullable(hex(32)),
  secret_sha256: nullable(hex(32)),
  created: time,
});

export interface HandleStoreOptions {
  readonly sha256: Sha256;
  /** False on a development network: a power failure may lose the newest handles. */
  readonly sync?: boolean;
}

/**
 * The names of handles, by which people know them: nothing in the log leads from an id to a name. A name can be forgotten.
 * Names are compared in their folded form, and of two rows with one name the later counts.
 */
export class HandleStore {
  readonly #semaphore = new Semaphore(1);
  readonly #log: PrivateLog;
  readonly #byName = new Map<string, StoredHandle>();
  readonly #byId = new Map<string, StoredHandle>();

  private constructor(log: PrivateLog) {
    this.#log = log;
  }

  /** Opens the store in a folder. Throws `ledger_corrupt` for a row whose id is not that of its name and its salt or key. */
  static async open(folder: string, options: HandleStoreOptions): Promise<HandleStore> {
    const path = join(folder, HANDLES_FILE);
    const { log, values } = await PrivateLog.open(path, options);
    const store = new HandleStore(log);
    try {
      for (const [i, value] of values.entries()) {
        store.#take(rowOf(options.sha256, value, `${path}: line ${i + 1}`));
      }
    } catch (error) {
      await log.close();
      throw error;
    }
    return store;
  }

  /** The handle with a name, in any spelling that folds to it. */
  named(name: string): StoredHandle | undefined {
    return this.#byName.get(foldName(name));
  }

  /** The handle with this id; undefined where its name was forgotten or never known. */
  get(handle: string): StoredHandle | undefined {
    return this.#byId.get(handle);
  }

  /** Resolves when the handles will be there after a crash, which is before anybody is given a receipt for them. */
  add(rows: readonly StoredHandle[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    return this.#semaphore.run(async () => {
      await this.#log.append(rows);
      for (const row of rows) this.#take(row);
    });
  }

  /**
   * Forgets a handle's name, with its salt and its secret; returns whether it was known. What the log has of the handle stays,
   * under its id alone. Back-ups that were made before still have the name.
   */
  forget(handle: string): Promise<boolean> {
    return this.#semaphore.run(async () => {
      const row = this.#byId.get(handle);
      if (row === undefined) return false;
      await this.#log.replace([...this.#byName.values()].filter((each) => each !== row));
      this.#byId.delete(handle);
      if (this.#byName.get(foldName(row.name)) === row) this.#byName.delete(foldName(row.name));
      return true;
    });
  }

  close(): Promise<void> {
    return this.#semaphore.run(() => this.#log.close());
  }

  #take(row: StoredHandle): void {
    const folded = foldName(row.name);
    const before = this.#byName.get(folded);
    if (before !== undefined) this.#byId.delete(before.handle);
    this.#byName.set(folded, row);
    this.#byId.set(row.handle, row);
  }
}

/** A new handle with a secret, which is given to its owner once and of which only the hash is stored. */
export function secretRow(
  sha256: Sha256,
  name: string,
  { salt, secret }: { readonly salt: Uint8Array; readonly secret: Uint8Array },
  created: TimeText,
): StoredHandle {
  const handle = secretHandle(sha256, salt, foldName(name));
  const hash = formatHex(sha256(secret));
  return { handle, name, salt: formatHex(salt), key: null, secret_sha256: hash, created };
}

/** A new handle with a key. */
export function keyRow(
  sha256: Sha256,
  name: string,
  key: Uint8Array,
  created: TimeText,
): StoredHandle {
  const handle = keyHandle(sha256, key);
  return { handle, name, salt: null, key: formatHex(key), secret_sha256: null, created };
}

/** Whether a secret in hex is that of a handle. The hashes are compared in constant time. */
export function isSecretOf(sha256: Sha256, row: StoredHandle, secret: string): boolean {
  if (row.secret_sha256 === null || !isHex(secret, SECRET_BYTES)) return false;
  return timingSafeEqual(sha256(parseHex(secret)), parseHex(row.secret_sha256));
}

export function newSecret(): Uint8Array {
  return new Uint8Array(randomBytes(SECRET_BYTES));
}

function rowOf(sha256: Sha256, value: unknown, at: string): StoredHandle {
  let row: StoredHandle | undefined;
  try {
    row = parseShape(value as WireValue, 'handle');
    if (isWhole(sha256, row)) return row;
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
  }
  throw new Fault('ledger_corrupt', 'handles', { at, expected: 'a handle and what its id is of' });
}

function isWhole(
  sha256: Sha256,
  { handle, name, salt, key, secret_sha256 }: StoredHandle,
): boolean {
  const folded = foldName(name);
  if ((salt === null) === (key === null) || (salt === null) !== (secret_sha256 === null)) {
    return false;
  }
  if (key !== null) return keyHandle(sha256, parseHex(key)) === handle;
  return salt !== null && secretHandle(sha256, parseHex(salt), folded) === handle;
}
