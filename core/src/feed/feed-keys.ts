import type { HashHex, Sha256 } from '../hash/hash.ts';
import { keyHash, type ReportKey } from '../view/key/keys.ts';
import type { FeedAccount, FeedRotation } from './feed-account.ts';

/** The relation of a feed's keys to those of its log. */
export interface FeedKeys {
  /** Where they cannot be the log's keys. */
  readonly differences: readonly FeedKeyDifference[];
  /** A rotation to the key that the log's newest one committed to, and that no entry has introduced yet. */
  readonly unlogged: FeedRotation | undefined;
  /**
   * The number of the log's key that the feed has, or will have by a rotation; undefined for one that is not the log's.
   */
  readonly number: number | undefined;
}

export interface FeedKeyDifference {
  readonly field: 'publisher' | 'nextHash' | 'recoveryHash' | 'rotation';
  readonly expected: string;
  readonly found: string;
}

/**
 * Compares a feed's keys with those of its log, the first one first. A feed changes its key in steps of its own that
 * are a week apart. It may therefore have any report key of the log, commit to any later one, or wait for one. Of what
 * the log has not recorded, it may only have the step to the key that the log committed to.
 */
export function compareFeedKeys(
  feed: FeedAccount,
  keys: readonly ReportKey[],
  sha256: Sha256,
): FeedKeys {
  const differences: FeedKeyDifference[] = [];
  const { publisher, nextHash, recoveryHash, rotation } = feed;
  const place = keys.findIndex(({ key }) => key === publisher);
  /** The hashes to which the feed may commit with key i of the log. */
  const commitments = (i: number): readonly HashHex[] => [
    ...keys.slice(i, i + 1).map((row) => row.next_key_sha256),
    ...keys.slice(i + 1).map(({ key }) => keyHash(sha256, key)),
  ];
  if (place < 0) {
    const expected = keys.map(({ key }) => key).join(' or ');
    differences.push({ field: 'publisher', expected, found: publisher });
  } else if (!commitments(place).includes(nextHash)) {
    const expected = commitments(place).join(' or ');
    differences.push({ field: 'nextHash', expected, found: nextHash });
  }
  if (!keys.some((row) => row.recovery_key_sha256 === recoveryHash)) {
    const expected = keys.at(-1)?.recovery_key_sha256 ?? 'none';
    differences.push({ field: 'recoveryHash', expected, found: recoveryHash });
  }
  if (rotation === null) {
    const number = place < 0 ? undefined : place;
    return { differences, unlogged: undefined, number };
  }
  const { coming, afterHash } = rotation;
  const to = keys.findIndex(({ key }) => key === coming);
  const newest = keys[place];
  const isPromised =
    place === keys.length - 1 && newest?.next_key_sha256 === keyHash(sha256, coming);
  if (to < 0 && isPromised) return { differences, unlogged: rotation, number: place };
  if (to <= place || place < 0) {
    const expected = 'none that the log has';
    differences.push({ field: 'rotation', expected, found: `to ${coming}` });
    return { differences, unlogged: undefined, number: undefined };
  }
  if (!commitments(to).includes(afterHash)) {
    const expected = `a commitment to ${commitments(to).join(' or ')}`;
    differences.push({ field: 'rotation', expected, found: `to ${afterHash}` });
  }
  return { differences, unlogged: undefined, number: to };
}
