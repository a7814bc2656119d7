import type { HashHex, Sha256 } from '../../hash/hash.ts';
import {
  checkpointKeysFrom,
  type CheckpointKeyRow,
  type CheckpointPromiseRow,
  newestPromise,
} from './checkpoint-keys.ts';
import { newestSet, type SetRow, setsFrom } from '../cosigner-sets.ts';
import { firstCheckpointKey, keyHash, keyInForce, type KeyRow, keysFrom } from './keys.ts';
import type { ViewState } from '../view.ts';

/** The roles that the keys of a log have, by their hashes. */
export interface KeyPlaces {
  /** Keys with a role of their own: the publisher's, and those of all co-signers. */
  readonly named: ReadonlySet<HashHex>;
  /** Of recovery keys that were promised. */
  readonly committed: ReadonlySet<HashHex>;
  /** Of checkpoint keys that were promised, those that have come included. */
  readonly promised: ReadonlySet<HashHex>;
}

interface Gathered {
  readonly named: Set<HashHex>;
  readonly committed: Set<HashHex>;
  readonly promised: Set<HashHex>;
  /** The newest rows that were included. */
  key: KeyRow | undefined;
  set: SetRow | undefined;
  checkpoint: CheckpointKeyRow | undefined;
  promise: CheckpointPromiseRow | undefined;
}

const gathered = new WeakMap<ViewState, Gathered>();

/**
 * What the rows name. Rows of keys and sets are only ever added, so it is extended by the rows since the last call, and
 * each key is hashed once. Where the newest row of that call no longer exists, it is made again from all rows.
 */
export function keyPlaces(state: ViewState, sha256: Sha256): KeyPlaces {
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
  const checkpoints = [...checkpointKeysFrom(state, (places.checkpoint?.number ?? 0) + 1)];
  for (const row of checkpoints) {
    places.named.add(keyHash(sha256, row.key));
    if (row.recovery_key !== null) places.named.add(keyHash(sha256, row.recovery_key));
    places.committed.add(row.recovery_key_sha256);
    places.promised.add(row.next_checkpoint_sha256);
  }
  // There is one promise of this sort at most between two calls, because the next needs a key between them.
  const promise = newestPromise(state);
  if (promise !== undefined && promise.number !== places.promise?.number) {
    places.named.add(keyHash(sha256, promise.recovery_key));
    places.committed.add(promise.recovery_key_sha256);
    places.promised.add(promise.next_checkpoint_sha256);
  }
  places.key = keyInForce(state);
  places.set = newestSet(state);
  places.checkpoint = checkpoints[0] ?? places.checkpoint;
  places.promise = promise;
  gathered.set(state, places);
  return places;
}

function begun(state: ViewState, sha256: Sha256): Gathered {
  const first = firstCheckpointKey(state);
  return {
    named: new Set(first === undefined ? [] : [keyHash(sha256, first)]),
    committed: new Set(),
    promised: new Set(),
    key: undefined,
    set: undefined,
    checkpoint: undefined,
    promise: undefined,
  };
}

/** Whether the newest rows of `places` are rows of `state`. */
function isStill({ key, set, checkpoint, promise }: Gathered, state: ViewState): boolean {
  const isKey = key === undefined || [...keysFrom(state, key.number)].at(-1)?.key === key.key;
  const isSet = set === undefined || [...setsFrom(state, set.number)].at(-1)?.hash === set.hash;
  const isCheckpoint =
    checkpoint === undefined ||
    [...checkpointKeysFrom(state, checkpoint.number)].at(-1)?.key === checkpoint.key;
  const isPromise = promise === undefined || newestPromise(state)?.seq === promise.seq;
  return isKey && isSet && isCheckpoint && isPromise;
}
