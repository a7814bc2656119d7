import type { HashHex, Sha256 } from '../hash/hash.ts';
import type { KeyEntry } from '../kind/key.ts';
import { wire } from '../wire/wire.ts';
import { newestSet, type SetRow, setsFrom } from './cosigner-sets.ts';
import { firstKeys, keyHash, keyInForce, type KeyRow, KEYS_TABLE, keysFrom } from './keys.ts';
import { seqKey } from './seq-key.ts';
import type { View, ViewState } from './view.ts';

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
  const promised = now.recovery_key_sha256;
  const rotates = cause === 'rotation';
  const shown = recovery === null ? undefined : keyHash(sha256, recovery);
  const places = placesOf(state, sha256);
  const isNamed = (each: HashHex): boolean => places.named.has(each) || each === shown;
  const { committed } = places;
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

/** The roles that the keys of a log have, by their hashes. */
interface Places {
  /** Keys with a role of their own: the publisher's, and those of all co-signers. */
  readonly named: Set<HashHex>;
  /** Of recovery keys that were promised. */
  readonly committed: Set<HashHex>;
  /** The newest rows that were included. */
  key: KeyRow | undefined;
  set: SetRow | undefined;
}

const gathered = new WeakMap<ViewState, Places>();

/**
 * What the rows name. Rows of keys and sets are only ever added, so it is extended by the rows since the last call, and
 * each key is hashed once. Where the newest row of that call no longer exists, it is made again from all rows.
 */
function placesOf(state: ViewState, sha256: Sha256): Places {
  const known = gathered.get(state);
  const places = known !== undefined && isStill(known, state) ? known : begun(state, sha256);
  for (const row of keysFrom(state, (places.key?.number ?? -1) + 1)) {
    places.named.add(keyHash(sha256, row.key));
    if (row.recovery_key !== null) places.named.add(keyHash(sha256, row.recovery_key));
    places.committed.add(row.recovery_key_sha256);
  }
  for (const { cosigners } of setsFrom(state, (places.set?.number ?? -1) + 1)) {
    for (const { key } of cosigners) places.named.add(keyHash(sha256, key));
  }
  places.key = keyInForce(state);
  places.set = newestSet(state);
  gathered.set(state, places);
  return places;
}

function begun(state: ViewState, sha256: Sha256): Places {
  const named = new Set(firstKeys(state).map((key) => keyHash(sha256, key)));
  return { named, committed: new Set(), key: undefined, set: undefined };
}

/** Whether the newest rows of `places` are rows of `state`. */
function isStill({ key, set }: Places, state: ViewState): boolean {
  const [keys, sets] = [keysFrom(state, key?.number ?? 0), setsFrom(state, set?.number ?? 0)];
  const isKey = key === undefined || [...keys].at(-1)?.key === key.key;
  return isKey && (set === undefined || [...sets].at(-1)?.hash === set.hash);
}
