import type { HashHex, Sha256 } from '../../hash/hash.ts';
import type {
  CheckpointKeyBody,
  CheckpointKeyEntry,
  CheckpointPromise,
} from '../../kind/checkpoint-key.ts';
import { wire } from '../../wire/wire.ts';
import {
  CHECKPOINT_KEYS_TABLE,
  CHECKPOINT_PROMISES_TABLE,
  type CheckpointKeyRow,
  type CheckpointPromiseRow,
  checkpointVkey,
  newestCheckpointKey,
  promisedCheckpointKey,
} from './checkpoint-keys.ts';
import { keyPlaces } from './key-places.ts';
import { keyHash, keyInForce } from './keys.ts';
import { recoveryInForce } from './recovery-key.ts';
import { seqKey } from '../seq-key.ts';
import type { View, ViewState } from '../view.ts';

/** Every checkpoint key after the first, and every promise. What may not follow changes nothing. */
export const checkpointKeyChangesView: View = {
  name: 'checkpoint-keys',
  apply(entry, state, sha256) {
    if (entry.kind !== 'key/2') return [];
    const { body, seq } = entry;
    if (unfitCheckpointKey(state, body, seq, sha256) !== undefined) return [];
    const key = seqKey(body.number);
    const { number, next_checkpoint_sha256, recovery_key } = body;
    const recovery_key_sha256 = body.next_recovery_key_sha256;
    if (body.type === 'checkpoint-promise') {
      const row: CheckpointPromiseRow = {
        number,
        next_checkpoint_sha256,
        seq,
        recovery_key: body.recovery_key,
        recovery_key_sha256,
      };
      return [{ table: CHECKPOINT_PROMISES_TABLE, key, value: wire(row) }];
    }
    const vkey = checkpointVkey(state, body.key, sha256);
    if (vkey === undefined) return [];
    const row: CheckpointKeyRow = {
      number,
      key: body.key,
      vkey,
      cause: body.cause,
      seq,
      last_size: body.last_size,
      next_checkpoint_sha256,
      recovery_key,
      recovery_key_sha256,
    };
    return [{ table: CHECKPOINT_KEYS_TABLE, key, value: wire(row) }];
  },
};

/** What is wrong with a `key/2` entry, and in which of its members. */
export interface UnfitCheckpointKey {
  readonly at: keyof CheckpointKeyEntry | keyof CheckpointPromise;
  readonly expected: string;
  readonly found: string;
}

type Demand = readonly [boolean, UnfitCheckpointKey['at'], string, string];

const NEW_PLACE = 'a key that was in no place before';

/**
 * Why a `key/2` of entry `seq` may not be recorded on top of these rows; undefined if it may. Whoever stole the key in
 * force can choose neither the next one, which was promised before, nor make the first promise, which the recovery key
 * signs. Signatures are not checked here.
 */
export function unfitCheckpointKey(
  state: ViewState,
  body: CheckpointKeyBody,
  seq: number,
  sha256: Sha256,
): UnfitCheckpointKey | undefined {
  const now = newestCheckpointKey(state, sha256);
  const recovery = recoveryInForce(state);
  if (now === undefined || recovery === undefined) {
    return { at: 'number', expected: 'a genesis with a checkpoint key before it', found: 'none' };
  }
  const next = now.number + 1;
  if (body.number !== next) {
    return { at: 'number', expected: `key ${next}`, found: `key ${body.number}` };
  }
  const before: KeysBefore = { state, sha256, now, recovery };
  const demands =
    body.type === 'checkpoint-promise'
      ? promiseDemands(before, body)
      : keyDemands(before, body, seq);
  for (const [holds, at, expected, found] of demands) {
    if (!holds) return { at, expected, found };
  }
  return undefined;
}

/** The rows before an entry, and the keys in force there. */
interface KeysBefore {
  readonly state: ViewState;
  readonly sha256: Sha256;
  readonly now: NonNullable<ReturnType<typeof newestCheckpointKey>>;
  /** The commitment to the recovery key. */
  readonly recovery: HashHex;
}

function* promiseDemands(
  { state, sha256, recovery }: KeysBefore,
  body: CheckpointPromise,
): Generator<Demand> {
  const { number, next_checkpoint_sha256: next, next_recovery_key_sha256: after } = body;
  const shown = keyHash(sha256, body.recovery_key);
  const taken = takenPlaces(state, [shown], sha256);
  const before = promisedCheckpointKey(state, number);
  yield [
    before === undefined,
    'number',
    'a key that is not promised yet',
    `key ${number}, which entry ${before?.seq} promises`,
  ];
  yield [shown === recovery, 'recovery_key', `the key of ${recovery}`, body.recovery_key];
  yield [!taken(after), 'next_recovery_key_sha256', NEW_PLACE, after];
  yield [!taken(next) && next !== after, 'next_checkpoint_sha256', NEW_PLACE, next];
}

function* keyDemands(
  { state, sha256, now, recovery }: KeysBefore,
  body: CheckpointKeyEntry,
  seq: number,
): Generator<Demand> {
  const { number, cause, replaces, key, last_size: last, next_checkpoint_sha256: next } = body;
  const after = body.next_recovery_key_sha256;
  const rotates = cause === 'rotation';
  const hash = keyHash(sha256, key);
  const shown = body.recovery_key === null ? undefined : keyHash(sha256, body.recovery_key);
  const promised = promisedCheckpointKey(state, number);
  const taken = takenPlaces(state, shown === undefined ? [] : [shown], sha256);
  const { named, committed } = keyPlaces(state, sha256);
  yield [replaces === now.key, 'replaces', now.key, replaces];
  yield [
    hash === promised?.hash,
    'key',
    promised === undefined ? 'none before a promise' : `the key of ${promised.hash}`,
    key,
  ];
  const due = rotates ? seq + 1 : seq;
  yield [last === due, 'last_size', `${due}`, `${last}`];
  yield [
    rotates || shown === recovery,
    'recovery_key',
    `the key of ${recovery}`,
    `${body.recovery_key}`,
  ];
  yield [
    rotates ? after === recovery : !taken(after),
    'next_recovery_key_sha256',
    rotates ? `${recovery}, as before` : NEW_PLACE,
    after,
  ];
  // It is promised, and must have become nothing else since.
  yield [!named.has(hash) && !committed.has(hash) && hash !== shown, 'key', NEW_PLACE, key];
  yield [!taken(next) && next !== after, 'next_checkpoint_sha256', NEW_PLACE, next];
}

/** Whether a hash is of a key that has a place in the log, or that this entry shows. */
function takenPlaces(
  state: ViewState,
  shown: readonly HashHex[],
  sha256: Sha256,
): (hash: HashHex) => boolean {
  const { named, committed, promised } = keyPlaces(state, sha256);
  const report = keyInForce(state)?.next_key_sha256;
  return (hash) =>
    named.has(hash) ||
    committed.has(hash) ||
    promised.has(hash) ||
    hash === report ||
    shown.includes(hash);
}
