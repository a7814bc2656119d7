import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { roundSubject } from '@assay/core/arena/forecast/round-id';
import { formatHex, isHex, parseHex } from '@assay/core/bytes/hex';
import { Fault, faultCode } from '@assay/core/fault';
import { type HashHex } from '@assay/core/hash/hash';
import { hashHex, hex, i64, nullable, object, type Parse } from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import { PrivateLog, type PrivateLogOptions } from '../intake/private-log.ts';
import { ensureFolder, errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';

/** What opens a forecast that is not sealed. */
export interface PlainOpening {
  /** 32 bytes, hex. */
  readonly salt: string;
  /** A scaled integer as text. */
  readonly value: string;
}

/** The request that a forecast came with, where it had an Idempotency-Key. */
export interface KnownRequest {
  /** A hash of the round, the name and the Idempotency-Key, hex. */
  readonly id: string;
  /** SHA-256 of what was asked, hex. */
  readonly body: string;
  /** A secret that was issued with it, hex, hidden by a pad that needs the request; null where there was none. */
  readonly hidden: string | null;
}

/** What the node keeps of one forecast until no request about its round is repeated any more. */
export interface ForecastPrivate {
  /** The commitment, or the SHA-256 of the sealed bytes. */
  readonly of: HashHex;
  /** The handle's id, hex. */
  readonly handle: string;
  readonly opening: PlainOpening | null;
  readonly request: KnownRequest | null;
}

const parseRow: Parse<ForecastPrivate> = object<ForecastPrivate>({
  of: hashHex,
  handle: hex(16),
  opening: nullable(object<PlainOpening>({ salt: hex(32), value: i64 })),
  request: nullable(
    object<KnownRequest>({ id: hex(32), body: hex(32), hidden: nullable(hex(32)) }),
  ),
});

/** The private rows of one round, and the file that holds them. */
interface RoundRows {
  readonly log: PrivateLog;
  readonly rows: ForecastPrivate[];
}

/**
 * What opens the forecasts that are not sealed, and which requests were answered: one file a round, for its owner alone. Once
 * the round is frozen its openings are public, and the file goes when no request is repeated any more.
 */
export class ForecastRows {
  readonly #folder: string;
  readonly #options: PrivateLogOptions;
  readonly #rounds = new Map<string, Promise<RoundRows>>();

  constructor(folder: string, options: PrivateLogOptions = {}) {
    this.#folder = folder;
    this.#options = options;
  }

  /** The rows of a round, oldest first. Throws `ledger_corrupt`. */
  async of(round: string): Promise<readonly ForecastPrivate[]> {
    return (await this.#open(round)).rows;
  }

  /** Resolves when the rows will be there after a crash, which is before an entry names them. */
  async add(round: string, rows: readonly ForecastPrivate[]): Promise<void> {
    if (rows.length === 0) return;
    const opened = await this.#open(round);
    await opened.log.append(rows);
    opened.rows.push(...rows);
  }

  /**
   * 32 bytes with which what is stored of requests is keyed. They are made once, and their name keeps them out of back-ups:
   * after a restore no request is known any more.
   */
  async requestKey(): Promise<Uint8Array> {
    const path = join(this.#folder, '.request-key');
    const found = await readFile(path, 'latin1').catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found !== undefined && isHex(found, 32)) return parseHex(found);
    const key = new Uint8Array(randomBytes(32));
    await ensureFolder(this.#folder, { mode: 0o700 });
    const { sync = true } = this.#options;
    await writeDurable(path, Buffer.from(formatHex(key)), { mode: 0o600, sync });
    return key;
  }

  /** The ids of the rounds that have a file. */
  async rounds(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => roundSubject(name) !== undefined);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Removes the file of a round. */
  async drop(round: string): Promise<void> {
    const opened = this.#rounds.get(round);
    this.#rounds.delete(round);
    await (await opened)?.log.close();
    try {
      await rm(join(this.#folder, round));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      throw error;
    }
    if (this.#options.sync !== false) await syncFolder(this.#folder);
  }

  async close(): Promise<void> {
    for (const opened of this.#rounds.values()) await (await opened).log.close();
    this.#rounds.clear();
  }

  #open(round: string): Promise<RoundRows> {
    let opened = this.#rounds.get(round);
    if (opened === undefined) {
      opened = this.#read(round);
      this.#rounds.set(round, opened);
      // Whoever waits gets the error, and the next one tries again.
      void opened.catch(() => this.#rounds.delete(round));
    }
    return opened;
  }

  async #read(round: string): Promise<RoundRows> {
    if (roundSubject(round) === undefined) throw new TypeError(`not a round: ${round}`);
    const path = join(this.#folder, round);
    const { log, values } = await PrivateLog.open(path, this.#options);
    return { log, rows: values.map((value, i) => rowOf(value, `${path}: line ${i + 1}`)) };
  }
}

function rowOf(value: unknown, at: string): ForecastPrivate {
  try {
    return parseRow(value as WireValue, 'row');
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    throw new Fault('ledger_corrupt', 'forecasts', { at, expected: 'a private row of a forecast' });
  }
}
