import type { HashHex } from '@assay/core/hash/hash';
import type { LogReader } from '../reader/log-reader.ts';

/** A head that an address owes, and since when, unix seconds. */
export interface Owed {
  readonly size: number;
  readonly since: number;
}

/** What an earlier watch saw at an address and accepted. */
export interface KeptAddress {
  readonly origin: string;
  readonly log_id: HashHex;
  /** Of the largest head. */
  readonly size: number;
  /** A larger head of the log that others had shown and this address had not. */
  readonly behind: Owed | null;
}

/** One address, and what it has shown. */
export class Vantage {
  readonly url: string;
  readonly reader: LogReader;
  /** Nobody named it: a copy that a co-signer keeps, where it does. */
  readonly guessed: boolean;
  /** The log that it is an address of, once a head there has been accepted. */
  log: Pick<KeptAddress, 'origin' | 'log_id'> | undefined;
  largest: number;
  /** It has shown another history: nothing more of it is taken. */
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
   * Holds an accepted head against the largest that any address shows. What is owed is the first larger head
   * that was seen: an address that comes after the others all the time is no laggard.
   */
  measure(size: number, largest: number, now: number): void {
    if (this.#behind !== undefined && size >= this.#behind.size) this.#behind = undefined;
    if (size < largest) this.#behind ??= { size: largest, since: now };
  }
}
