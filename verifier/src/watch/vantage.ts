import type { HashHex } from '@assay/core/hash/hash';
import type { LogReader } from '../reader/log-reader.ts';

/** A head that an address has not shown yet, and since when, in Unix seconds. */
export interface Owed {
  readonly size: number;
  readonly since: number;
}

/** What an earlier watch saw at an address and accepted. */
export interface KeptAddress {
  readonly origin: string;
  readonly log_id: HashHex;
  /** The size of the largest head. */
  readonly size: number;
  /** A larger head of the log that other addresses had shown and this one had not. */
  readonly behind: Owed | null;
}

/** One address, and what it has shown. */
export class Vantage {
  readonly url: string;
  readonly reader: LogReader;
  /** Nobody named it: it is where a co-signer would keep a copy. */
  readonly guessed: boolean;
  /** The log at this address, once a head of it has been accepted. */
  log: Pick<KeptAddress, 'origin' | 'log_id'> | undefined;
  largest: number;
  /** It has shown another history, and nothing more is accepted from it. */
  forked = false;
  #behind: Owed | undefined;

  constructor(url: string, reader: LogReader, guessed: boolean, kept: KeptAddress | undefined) {
    this.url = url;
    this.reader = reader;
    this.guessed = guessed;
    this.log = kept;
    this.largest = kept?.size ?? 0;
    this.#behind = kept?.behind ?? undefined;
  }

  get behind(): Owed | null {
    return this.#behind ?? null;
  }

  /**
   * Compares an accepted head with the largest that any address shows. The address is behind by the first larger head
   * that was seen, so that one that always follows shortly after the others is not behind.
   */
  measure(size: number, largest: number, now: number): void {
    if (this.#behind !== undefined && size >= this.#behind.size) this.#behind = undefined;
    if (size < largest) this.#behind ??= { size: largest, since: now };
  }
}
