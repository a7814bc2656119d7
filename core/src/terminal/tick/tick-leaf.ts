import { Fault } from '../../fault.ts';
import { type Hash, leafHash, type Sha256, taggedBytes } from '../../hash/hash.ts';
import { rootOf } from '../../log/tree.ts';
import { ASSET_BYTES, symbolBytes } from './asset-symbol.ts';

/**
 * What a tick publishes about an asset. Its vendor values are behind the commitment.
 *
 *     0  14  "assay/tick/v1" 0x00
 *     14  16  asset, ASCII, padded with zeros
 *     30   8  ts i64 LE, unix seconds
 *     38   1  score, 0 to 100; 255 for none
 *     39   1  good, 0 or 1
 *     40  32  sha256(salt32 || vendor values)
 */
export interface TickLeaf {
  readonly symbol: string;
  /** Unix seconds. */
  readonly ts: number;
  readonly score: number | null;
  readonly good: boolean;
  readonly commitment: Uint8Array;
}

export const TICK_LEAF_BYTES = 72;
/** The score byte of a leaf without one. */
export const NO_SCORE = 255;
/** The most leaves of one tick. */
export const MAX_TICK_LEAVES = 10_000;

const TS = 14 + ASSET_BYTES;
const prefix = taggedBytes('assay/tick/v1');

/** Formats the blob of a tick: the bytes of its leaves one after the other, rising by asset. */
export function formatTickLeaves(leaves: readonly TickLeaf[]): Uint8Array {
  const blob = new Uint8Array(leaves.length * TICK_LEAF_BYTES);
  const view = new DataView(blob.buffer);
  let at = 0;
  for (const { symbol, ts, score, good, commitment } of leaves) {
    blob.set(prefix, at);
    blob.set(symbolBytes(symbol), at + 14);
    view.setBigInt64(at + TS, BigInt(ts), true);
    blob[at + 38] = score ?? NO_SCORE;
    blob[at + 39] = good ? 1 : 0;
    blob.set(commitment, at + 40);
    at += TICK_LEAF_BYTES;
  }
  return blob;
}

/**
 * Parses the leaves of a blob: one or more, of one time, each asset once and rising. A leaf with a score must
 * be good. Throws `malformed` for any other bytes.
 */
export function parseTickLeaves(blob: Uint8Array): readonly TickLeaf[] {
  const count = blob.length / TICK_LEAF_BYTES;
  if (!Number.isInteger(count) || count < 1 || count > MAX_TICK_LEAVES) {
    throw broken(`1 to ${MAX_TICK_LEAVES} leaves of ${TICK_LEAF_BYTES} bytes`, blob.length, '');
  }
  const view = new DataView(blob.buffer, blob.byteOffset, blob.length);
  const leaves: TickLeaf[] = [];
  for (let at = 0; at < blob.length; at += TICK_LEAF_BYTES) {
    const leaf = parseLeaf(
      blob.subarray(at, at + TICK_LEAF_BYTES),
      view.getBigInt64(at + TS, true),
      at,
    );
    const before = leaves.at(-1);
    if (before !== undefined && before.ts !== leaf.ts)
      throw broken('one time', leaf.ts, `byte ${at}`);
    if (before !== undefined && before.symbol >= leaf.symbol) {
      throw broken(`an asset after ${before.symbol}`, leaf.symbol, `byte ${at}`);
    }
    leaves.push(leaf);
  }
  return leaves;
}

/** The RFC 6962 root over a blob's leaves, each the leaf hash of its 72 bytes. */
export function tickRoot(sha256: Sha256, blob: Uint8Array): Hash {
  return rootOf(sha256, leafHashes(sha256, blob));
}

function* leafHashes(sha256: Sha256, blob: Uint8Array): Generator<Hash> {
  for (let at = 0; at < blob.length; at += TICK_LEAF_BYTES) {
    yield leafHash(sha256, blob.subarray(at, at + TICK_LEAF_BYTES));
  }
}

function parseLeaf(bytes: Uint8Array, time: bigint, at: number): TickLeaf {
  const place = `byte ${at}`;
  for (let i = 0; i < prefix.length; i += 1) {
    if (bytes[i] !== prefix[i]) throw broken('"assay/tick/v1" 0x00', bytes[i] as number, place);
  }
  let end = TS;
  while (end > 14 && bytes[end - 1] === 0) end -= 1;
  const symbol = String.fromCharCode(...bytes.subarray(14, end));
  if (!/^[A-Z0-9]{1,16}$/.test(symbol)) throw broken('a symbol', JSON.stringify(symbol), place);
  const ts = Number(time);
  if (!Number.isSafeInteger(ts) || ts < 0) throw broken('unix seconds', String(time), place);
  const [score, good] = [bytes[38] as number, bytes[39] as number];
  if (score > 100 && score !== NO_SCORE) throw broken('a score 0 to 100, or 255', score, place);
  if (good > 1) throw broken('good 0 or 1', good, place);
  if (good === 0 && score !== NO_SCORE) throw broken('no score where it is not good', score, place);
  return {
    symbol,
    ts,
    score: score === NO_SCORE ? null : score,
    good: good === 1,
    commitment: bytes.slice(40),
  };
}

function broken(expected: string, found: string | number, at: string): Fault {
  return new Fault('malformed', 'tick leaves', { expected, found: String(found), at });
}
