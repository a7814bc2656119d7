import type { HashHex, Sha256 } from '../../hash/hash.ts';
import type { KeyEntry } from '../../kind/key.ts';
import { wire } from '../../wire/wire.ts';
import { keyPlaces } from './key-places.ts';
import { keyHash, keyInForce, type KeyRow, KEYS_TABLE } from './keys.ts';
import { recoveryInForce } from './recovery-key.ts';
import { seqKey } from '../seq-key.ts';
import type { View, ViewState } from '../view.ts';

/** Every report key after the first, by number. A key that may not follow changes nothing. */
export const keyChangesView: View = {
  name: 'keys',
  apply(entry, state, sha256) {
    if (entry.kind !== 'key/1') return [];
    const { body, seq } = entry;
    if (unfitKey(state, body, sha256) !== undefined) return [];
    const row: KeyRow = {
      number: body.number,
      key: body.key,
      cause: body.cause,
      seq,
      revokes: body.revoked,
      next_key_sha256: body.next_key_sha256,
      recovery_key_sha256: body.next_recovery_key_sha256,
      recovery_key: body.recovery_key,
    };
    const key = seqKey(body.number);
    return [{ table: KEYS_TABLE, key, value: wire(row) }];
  },
};

/** What is wrong with a key entry, and in which of its members. */
export interface UnfitKey {
  readonly at: keyof KeyEntry;
  readonly expected: string;
  readonly found: string;
}

/**
 * Why a key may not be recorded on top of these rows; undefined if it may. Whoever stole the key in force can
 * choose neither the next one, which was committed to with it, nor the recovery key, which no rotation touches.
 * Signatures are not checked here.
 */
export function unfitKey(state: ViewState, entry: KeyEntry, sha256: Sha256): UnfitKey | undefined {
  const now = keyInForce(state);
  if (now === undefined) return { at: 'number', expected: 'a genesis before it', found: 'none' };
  const { number, cause, replaces, key, recovery_key: recovery } = entry;
  const [hash, next, after] = [
    keyHash(sha256, key),
    entry.next_key_sha256,
    entry.next_recovery_key_sha256,
  ];
  const promised = recoveryInForce(state) as HashHex;
  const rotates = cause === 'rotation';
  const shown = recovery === null ? undefined : keyHash(sha256, recovery);
  const places = keyPlaces(state, sha256);
  const { committed } = places;
  const isNamed = (each: HashHex): boolean =>
    places.named.has(each) || places.promised.has(each) || each === shown;
  const demands: readonly (readonly [boolean, keyof KeyEntry, string, string])[] = [
    [number === now.number + 1, 'number', `key ${now.number + 1}`, `key ${number}`],
    [replaces === now.key, 'replaces', now.key, replaces],
    [!rotates || hash === now.next_key_sha256, 'key', `the key of ${now.next_key_sha256}`, key],
    [rotates || shown === promised, 'recovery_key', `the key of ${promised}`, `${recovery}`],
    [
      rotates ? after === promised : !committed.has(after) && !isNamed(after),
      'next_recovery_key_sha256',
      rotates ? `${promised}, as before` : 'a key that was in no place before',
      after,
    ],
    [
      !isNamed(hash) && !committed.has(hash) && hash !== after,
      'key',
      'a key that was in no place before',
      key,
    ],
    [
      !isNamed(next) && !committed.has(next) && next !== hash && next !== after,
      'next_key_sha256',
      'a key that was in no place before',
      next,
    ],
  ];
  const unmet = demands.find(([holds]) => !holds);
  if (unmet === undefined) return undefined;
  const [, at, expected, found] = unmet;
  return { at, expected, found };
}
