import { concatBytes } from '../bytes/bytes.ts';
import { parseHex } from '../bytes/hex.ts';
import { formatUtf8 } from '../bytes/utf8.ts';
import { Fault } from '../fault.ts';
import { contentHash, type HashHex, hashHex, type Sha256, toHashHex } from '../hash/hash.ts';
import { LAST_SECOND } from '../time/time.ts';
import { BEACON_KEY_BYTES } from './sizes.ts';
import {
  hashHex as hash,
  hex,
  integer,
  literal,
  object,
  type Parse,
  string,
} from '../wire/schema.ts';

/**
 * The one scheme that is read here: signatures in G1 over the round alone, public keys in G2, and hashing to the curve
 * as RFC 9380 has it.
 */
export const BEACON_SCHEME = 'bls-unchained-g1-rfc9380';

/** The most seconds between two rounds: a day. */
const MAX_PERIOD_SECONDS = 86_400;

/**
 * A drand chain: who signs, and when which round is signed. The members are those of drand's `/info`. Everything but
 * `scheme` is hashed in `hash`, so both have to be pinned.
 */
export interface BeaconChain {
  /** The chain hash, by which drand's relays name the chain. */
  readonly hash: HashHex;
  readonly scheme: typeof BEACON_SCHEME;
  /** The 96 bytes of the public key, hex. */
  readonly public_key: string;
  /** Seconds from one round to the next. */
  readonly period_s: number;
  /** The time of round 1, in unix seconds. */
  readonly genesis_time: number;
  /** The hash of the group that made the key. */
  readonly group_hash: HashHex;
  readonly beacon_id: string;
}

/** The chain of the League of Entropy that publishes a round every three seconds since August 2023. */
export const QUICKNET: BeaconChain = {
  hash: toHashHex('52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971'),
  scheme: BEACON_SCHEME,
  public_key:
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c' +
    '8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb' +
    '5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  period_s: 3,
  genesis_time: 1_692_803_367,
  group_hash: toHashHex('f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e'),
  beacon_id: 'quicknet',
};

/**
 * The chain hash as drand computes it (`Info.Hash` in drand's `common/chain`):
 * `sha256(period u32 BE || genesis_time i64 BE || public_key || group_hash || beacon_id)`. The id `default` is left out.
 */
export function chainHash(sha256: Sha256, chain: Omit<BeaconChain, 'hash' | 'scheme'>): HashHex {
  const times = new Uint8Array(12);
  const view = new DataView(times.buffer);
  view.setUint32(0, chain.period_s);
  view.setBigInt64(4, BigInt(chain.genesis_time));
  const id = chain.beacon_id === 'default' ? '' : chain.beacon_id;
  const [key, group] = [parseHex(chain.public_key), parseHex(chain.group_hash)];
  return hashHex(contentHash(sha256, concatBytes(times, key, group, formatUtf8(id))));
}

const parseMembers: Parse<BeaconChain> = object<BeaconChain>({
  hash,
  scheme: literal(BEACON_SCHEME),
  public_key: hex(BEACON_KEY_BYTES),
  period_s: integer(1, MAX_PERIOD_SECONDS),
  genesis_time: integer(0, LAST_SECOND),
  group_hash: hash,
  beacon_id: string(1, 64, /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/),
});

/**
 * Takes a chain whose `hash` is that of its other members, or throws `malformed`. Whether the public key is a point of
 * the curve is not decided here: no round of a chain with another key verifies, and nothing can be sealed to it.
 */
export function beaconChainParser(sha256: Sha256): Parse<BeaconChain> {
  return (value, at) => {
    const chain = parseMembers(value, at);
    const expected = chainHash(sha256, chain);
    if (chain.hash !== expected) {
      const place = at === '' ? 'hash' : `${at}.hash`;
      throw new Fault('malformed', 'chain hash', { at: place, expected, found: chain.hash });
    }
    return chain;
  };
}

/**
 * The first round that is published at or after a time in whole unix seconds; 1 for every time before the chain's
 * first round. Throws `out_of_range` for what is no time up to the year 9999, and if the round would be after it.
 */
export function roundAt(chain: BeaconChain, seconds: number): number {
  const { genesis_time, period_s } = chain;
  requireTime(seconds);
  const round = Math.max(1, Math.ceil((seconds - genesis_time) / period_s) + 1);
  roundTime(chain, round);
  return round;
}

/**
 * The time at which a round is published, in unix seconds. Throws `out_of_range` unless the round is a whole number from
 * 1 whose time is not after the year 9999.
 */
export function roundTime(chain: BeaconChain, round: number): number {
  if (!Number.isSafeInteger(round) || round < 1) {
    const expected = 'a whole number from 1';
    throw new Fault('out_of_range', 'round', { expected, found: String(round) });
  }
  return requireTime(chain.genesis_time + (round - 1) * chain.period_s);
}

function requireTime(seconds: number): number {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > LAST_SECOND) {
    const expected = `whole unix seconds from 0 to ${LAST_SECOND}`;
    throw new Fault('out_of_range', 'time', { expected, found: String(seconds) });
  }
  return seconds;
}
