import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash/hash.ts';
import { array, hex, integer, malformed, object, type Parse, string } from '../wire/schema.ts';
import { formatWire } from '../wire/wire.ts';

/** Who recounts an index's numbers, with a key each. */
export interface Cosigner {
  /** The operator's name, for people. */
  readonly name: string;
  /** Ed25519 public key, hex. */
  readonly key: string;
}

/** The co-signers of a log from some time on, and how many of them must sign a settlement. */
export interface CosignerSet {
  /** 0 for the first of the log. */
  readonly number: number;
  /** m of n, with 2m > n, so that no two quorums are disjoint; at most MAX_THRESHOLD. */
  readonly threshold: number;
  /** Ascending by key, each key and each name once. */
  readonly cosigners: readonly Cosigner[];
}

/** As many as an account of a feed has room for. */
export const MAX_COSIGNERS = 8;

/** As many co-signers' signatures as fit in a transaction of 1232 bytes that also opens a page and sets a fee. */
export const MAX_THRESHOLD = 5;

/** Seconds between the entry of a later set and the time from which it is in force, as on chain. */
export const SET_DELAY_S = 604_800;

const parseShape: Parse<CosignerSet> = object<CosignerSet>({
  number: integer(0, 65_535),
  threshold: integer(1, MAX_THRESHOLD),
  cosigners: array(
    object<Cosigner>({ name: string(1, 64, /^[A-Za-z0-9][A-Za-z0-9 ._-]*$/), key: hex(32) }),
    1,
    MAX_COSIGNERS,
  ),
});

/** A set, or `malformed`: more than half must sign, in one transaction, and nobody occurs twice. */
export const parseCosignerSet: Parse<CosignerSet> = (value, at) => {
  const set = parseShape(value, at);
  const { threshold, cosigners } = set;
  const n = cosigners.length;
  if (threshold > n || 2 * threshold <= n) {
    throw malformed(`${at}.threshold`, `more than half of ${n}, and no more than ${n}`, threshold);
  }
  for (const [i, { key }] of cosigners.entries()) {
    const before = cosigners[i - 1]?.key;
    if (before !== undefined && before >= key) {
      throw malformed(`${at}.cosigners[${i}].key`, `after ${before}`, key);
    }
  }
  if (new Set(cosigners.map(({ name }) => name)).size !== n) {
    throw malformed(`${at}.cosigners`, 'each name once', n);
  }
  return set;
};

/** `sha256(canonical set)`, which a report names. */
export function setHash(sha256: Sha256, set: CosignerSet): HashHex {
  return toHex(contentHash(sha256, formatWire(set)));
}
