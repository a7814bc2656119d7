import { formatHex, parseHex } from '../bytes/hex.ts';
import { type Hash, type HashHex, toHashHex } from '../hash/hash.ts';

const LANES = 8;
const LANE_BYTES = 4;
const LANE_VALUES = 2 ** 32;

/** How many view rows there are, and the sum of their digests. */
export interface RowsSum {
  readonly rows: number;
  /** 256-bit integer, little endian. */
  readonly rows_root: HashHex;
}

/**
 * The root over all view rows of a database: the sum modulo 2^256 of their digests, read as little-endian integers (the
 * AdHash of Bellare and Micciancio, "A New Paradigm for Collision-Free Hashing", 1997). It costs one addition for each
 * row that changes, in any order, and the sum of no rows is 0.
 *
 * It detects accidents: a row that changed, is missing, occurs twice, or is an older one. It is no commitment against
 * somebody who chooses the rows, because whoever can write to the database can also write the sum.
 */
export class RowsRoot {
  readonly #lanes: Uint32Array;
  #rows: number;

  constructor({ rows, rows_root: root }: RowsSum = { rows: 0, rows_root: NO_ROWS }) {
    this.#lanes = lanesOf(parseHex(root, LANES * LANE_BYTES));
    this.#rows = rows;
  }

  /** Adds a new row by its `rowDigest`. */
  add(digest: Hash): void {
    let carry = 0;
    for (const [i, lane] of lanesOf(digest).entries()) {
      const sum = (this.#lanes[i] as number) + lane + carry;
      carry = sum >= LANE_VALUES ? 1 : 0;
      this.#lanes[i] = sum;
    }
    this.#rows += 1;
  }

  /** Removes a row that is replaced, by the digest with which it was added. */
  remove(digest: Hash): void {
    let borrow = 0;
    for (const [i, lane] of lanesOf(digest).entries()) {
      const difference = (this.#lanes[i] as number) - lane - borrow;
      borrow = difference < 0 ? 1 : 0;
      this.#lanes[i] = difference;
    }
    this.#rows -= 1;
  }

  sum(): RowsSum {
    const bytes = new Uint8Array(LANES * LANE_BYTES);
    const view = new DataView(bytes.buffer);
    for (const [i, lane] of this.#lanes.entries()) view.setUint32(i * LANE_BYTES, lane, true);
    return { rows: this.#rows, rows_root: toHashHex(formatHex(bytes)) };
  }
}

const NO_ROWS: HashHex = toHashHex('0'.repeat(64));

/** Whether two sums are of the same rows. */
export function isSameSum(a: RowsSum, b: RowsSum): boolean {
  return a.rows === b.rows && a.rows_root === b.rows_root;
}

function lanesOf(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, LANES * LANE_BYTES);
  return Uint32Array.from({ length: LANES }, (_, i) => view.getUint32(i * LANE_BYTES, true));
}
