import { formatBase58, parseBase58 } from '../bytes/base58.ts';
import { concatBytes } from '../bytes/bytes.ts';
import type { Sha256 } from '../hash/hash.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import type { Genesis } from '../kind/genesis.ts';
import type { Ticker } from '../rule/ticker.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { Point } from '@noble/ed25519';

/** An address that only its program can sign for, and the bump byte that puts it off the curve. */
export interface ProgramAddress {
  /** Base58. */
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly bump: number;
}

const MARK = formatUtf8('ProgramDerivedAddress');

/** Addresses that were derived, by program and seeds: an address follows from them for good. */
const known = new Map<string, ProgramAddress>();
/** More than this are not kept: about 20 MB. */
const MOST_KNOWN = 65_536;

/**
 * The first of `sha256(seeds || bump || program || "ProgramDerivedAddress")`, with the bump counted down from 255, that
 * is not a point of the curve: Solana's `find_program_address`. `program` is 32 bytes.
 */
export function programAddress(
  sha256: Sha256,
  program: Uint8Array,
  seeds: readonly Uint8Array[],
): ProgramAddress {
  const name = [program, ...seeds].map(formatHex).join('/');
  const found = known.get(name) ?? derive(sha256, program, seeds);
  if (known.size === MOST_KNOWN) known.clear();
  known.set(name, found);
  return found;
}

function derive(sha256: Sha256, program: Uint8Array, seeds: readonly Uint8Array[]): ProgramAddress {
  for (let bump = 255; bump >= 0; bump -= 1) {
    const bytes = sha256(concatBytes(...seeds, Uint8Array.of(bump), program, MARK));
    if (!isOnCurve(bytes)) return { address: formatBase58(bytes), bytes, bump };
  }
  throw new TypeError('programAddress: no bump');
}

/** As the chain decompresses points: any y, and zero with either sign. */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(new Uint8Array(bytes), true);
    return true;
  } catch {
    return false;
  }
}

/** The address of a feed's account, for the publisher's first report key (32 bytes) and a ticker. */
export function feedAccount(
  sha256: Sha256,
  program: Uint8Array,
  genesis: Uint8Array,
  ticker: Ticker,
): ProgramAddress {
  return programAddress(sha256, program, [formatUtf8('series'), genesis, tickerBytes(ticker)]);
}

/** The address of one page of the feed at the address `feed` (32 bytes). */
export function pageAccount(
  sha256: Sha256,
  program: Uint8Array,
  feed: Uint8Array,
  index: number,
): ProgramAddress {
  return programAddress(sha256, program, [formatUtf8('page'), feed, u32Bytes(index)]);
}

/** The address of the account with a feed's Closes of one day, which counts from 1970-01-01. */
export function closeAccount(
  sha256: Sha256,
  program: Uint8Array,
  feed: Uint8Array,
  day: number,
): ProgramAddress {
  return programAddress(sha256, program, [formatUtf8('close'), feed, u32Bytes(day)]);
}

/** A ticker, padded with zeros to 16 bytes. */
export function tickerBytes(ticker: Ticker): Uint8Array {
  const out = new Uint8Array(16);
  out.set(formatUtf8(ticker));
  return out;
}

/**
 * The addresses of the accounts of a log's program. `program` is base58. Throws `bad_length` or `malformed` where it is
 * no address.
 */
export class FeedAddresses {
  readonly #sha256: Sha256;
  readonly #program: Uint8Array;
  readonly #genesis: Uint8Array;
  /** Base58. */
  readonly program: string;
  /** Hex. */
  readonly genesis: string;

  /** `genesis` is the first report key, in hex. */
  constructor(sha256: Sha256, program: string, genesis: string) {
    this.#sha256 = sha256;
    this.program = program;
    this.genesis = genesis;
    this.#program = parseBase58(program, 32);
    this.#genesis = parseHex(genesis, 32);
  }

  feed(ticker: Ticker): ProgramAddress {
    return feedAccount(this.#sha256, this.#program, this.#genesis, ticker);
  }

  page(ticker: Ticker, index: number): ProgramAddress {
    return pageAccount(this.#sha256, this.#program, this.feed(ticker).bytes, index);
  }

  /** `day` counts from 1970-01-01. */
  close(ticker: Ticker, day: number): ProgramAddress {
    return closeAccount(this.#sha256, this.#program, this.feed(ticker).bytes, day);
  }
}

/** The addresses for a log; undefined where its first entry names no chain, or names a program that is no address. */
export function feedAddresses(
  sha256: Sha256,
  { chain, program, report_key: genesis }: Pick<Genesis, 'chain' | 'program' | 'report_key'>,
): FeedAddresses | undefined {
  if (chain === null || program === null) return undefined;
  try {
    return new FeedAddresses(sha256, program, genesis);
  } catch {
    return undefined;
  }
}

function u32Bytes(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value >>> 0, true);
  return out;
}
