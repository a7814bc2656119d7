import type { Sha256 } from '../hash.ts';
import type { KeyEntry } from '../kind/key.ts';
import type { WireObject } from '../wire.ts';
import { cosignerSets } from './cosigner-sets.ts';
import { keyHash, keyInForce, type KeyRow, KEYS_TABLE, keysOf, publisherKeys } from './keys.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

/** Every report key behind the first, by number. What may not follow changes nothing. */
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
    return [{ table: KEYS_TABLE, key, value: row as unknown as WireObject }];
  },
};

/** What a key entry lacks, and at which of its members. */
export interface UnfitKey {
  readonly at: keyof KeyEntry;
  readonly expected: string;
  readonly found: string;
}

/**
 * Why a key may not be recorded on top of these rows; undefined where it may. Whoever stole the key in force can
 * neither choose the next one, which was committed to with it, nor the recovery key, which no rotation touches. Of
 * the signatures nothing is looked at.
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
  const promised = now.recovery_key_sha256;
  const rotates = cause === 'rotation';
  const shown = recovery === null ? undefined : keyHash(sha256, recovery);
  const known = namedKeys(state);
  const named = new Set(known.map((each) => keyHash(sha256, each)));
  if (shown !== undefined) named.add(shown);
  const committed = keysOf(state).map((row) => row.recovery_key_sha256);
  const demands: readonly (readonly [boolean, keyof KeyEntry, string, string])[] = [
    [number === now.number + 1, 'number', `key ${now.number + 1}`, `key ${number}`],
    [replaces === now.key, 'replaces', now.key, replaces],
    [!rotates || hash === now.next_key_sha256, 'key', `the key of ${now.next_key_sha256}`, key],
    [rotates || shown === promised, 'recovery_key', `the key of ${promised}`, `${recovery}`],
    [
      rotates ? after === promised : !committed.includes(after) && !named.has(after),
      'next_recovery_key_sha256',
      rotates ? `${promised}, as before` : 'a key that was in no place before',
      after,
    ],
    [
      !named.has(hash) && !committed.includes(hash) && hash !== after,
      'key',
      'a key that was in no place before',
      key,
    ],
    [
      !named.has(next) && ![hash, after, ...committed].includes(next),
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

/** Keys that stand in the log with a place of their own: the publisher's, and those of all co-signers. */
function namedKeys(state: ViewState): readonly string[] {
  const cosigners = cosignerSets(state).flatMap((set) => set.cosigners.map(({ key }) => key));
  return [...publisherKeys(state), ...cosigners];
}
