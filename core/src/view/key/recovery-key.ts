import type { HashHex } from '../../hash/hash.ts';
import { checkpointKeysFrom, newestPromise } from './checkpoint-keys.ts';
import { keyInForce } from './keys.ts';
import type { ViewState } from '../view.ts';

/**
 * The commitment to the recovery key that is in force: the one that the newest entry names which could change it. A
 * `key/1` is such an entry, and so is a `key/2` of either type. Undefined before genesis.
 */
export function recoveryInForce(state: ViewState): HashHex | undefined {
  const key = keyInForce(state);
  if (key === undefined) return undefined;
  const promise = newestPromise(state);
  const [checkpoint] = checkpointKeysFrom(state, 1);
  const later = [promise, checkpoint].filter((row) => row !== undefined);
  return later.reduce<RecoveryRow>((last, row) => (row.seq > last.seq ? row : last), key)
    .recovery_key_sha256;
}

/** A row of an entry that names the recovery key from there on. */
interface RecoveryRow {
  readonly seq: number;
  readonly recovery_key_sha256: HashHex;
}
