import { formatBase58, parseBase58 } from '@assay/core/bytes/base58';
import { concatBytes } from '@assay/core/bytes/bytes';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseHex } from '@assay/core/bytes/hex';
import type { Genesis } from '@assay/core/kind/genesis';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Point } from '@noble/ed25519';

/** An address that only its program can sign for, and the bump byte that puts it off the curve. */
export interface ProgramAddress {
  /** Base58. */
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly bump: number;
}

const MARK = formatUtf8('ProgramDerivedAddress');

/**
 * The first of `sha256(seeds || bump || program || "ProgramDerivedAddress")`, with the bump counted down from 255, that
 * is not a point of the curve: Solana's `find_program_address`. `program` is 32 bytes.
 */
export function programAddress(
  sha256: Sha256,
  program: Uint8Array,
  seeds: readonly Uint8Array[],
): ProgramAddress {
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

/**
 * The addresses of the accounts of a log's program. `program` is base58. Throws `bad_length` or `malformed` where it is
 * no address.
 */
export class FeedAddresses {
  readonly #sha256: Sha256;
  readonly #program: Uint8Array;
  readonly #genesis: Uint8Array;
  readonly #known = new Map<string, ProgramAddress>();
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
    const padded = new Uint8Array(16);
    padded.set(formatUtf8(ticker));
    return this.#derive(ticker, 'series', this.#genesis, padded);
  }

  page(ticker: Ticker, index: number): ProgramAddress {
    const feed = this.feed(ticker).bytes;
    return this.#derive(`${ticker}/page/${index}`, 'page', feed, fourBytes(index));
  }

  /** `day` counts from 1970-01-01. */
  close(ticker: Ticker, day: number): ProgramAddress {
    const feed = this.feed(ticker).bytes;
    return this.#derive(`${ticker}/close/${day}`, 'close', feed, fourBytes(day));
  }

  #derive(name: string, tag: string, ...seeds: readonly Uint8Array[]): ProgramAddress {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const made = programAddress(this.#sha256, this.#program, [formatUtf8(tag), ...seeds]);
    this.#known.set(name, made);
    return made;
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

function fourBytes(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value >>> 0, true);
  return out;
}
