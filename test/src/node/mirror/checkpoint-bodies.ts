import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex, type HashHex } from '@assay/core/hash/hash';
import {
  type CheckpointKeyCause,
  type CheckpointKeyEntry,
  checkpointKeyMessage,
  type CheckpointPromise,
  checkpointPromiseMessage,
} from '@assay/core/kind/checkpoint-key';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { testSigner } from '../ledger/ledger-fixture.ts';

const hashOf = ({ publicKey }: Signer): HashHex => hashHex(contentHash(nodeSha256, publicKey));
const hexOf = ({ publicKey }: Signer): string => formatHex(publicKey);

/** Checkpoint key `number` of a log of the tests: that of its genesis, and those that follow. */
export function checkpointKey(number: number): Signer {
  return testSigner(number === 0 ? 2 : 100 + number);
}

/** Recovery key `number` of it: the one of genesis, then one for the promise and for each recovery. */
export function recoveryKey(number: number): Signer {
  return testSigner(number === 0 ? 4 : 150 + number);
}

/** The first promise of a checkpoint key. */
export function promiseBody(log: HashHex): CheckpointPromise {
  const body: Omit<CheckpointPromise, 'signature'> = {
    type: 'checkpoint-promise',
    number: 1,
    next_checkpoint_sha256: hashOf(checkpointKey(1)),
    recovery_key: hexOf(recoveryKey(0)),
    next_recovery_key_sha256: hashOf(recoveryKey(1)),
  };
  const signature = recoveryKey(0).sign(checkpointPromiseMessage(log, body));
  return { ...body, signature: formatHex(signature) };
}

/** The place of a checkpoint key entry: its key, and how many recovery keys were used before it. */
export interface KeyPlace {
  readonly log: HashHex;
  readonly seq: number;
  readonly number: number;
  readonly recoveries: number;
}

/** The entry that brings a checkpoint key, signed as it says unless `change` has other signatures. */
export function keyBody(
  { log, seq, number, recoveries }: KeyPlace,
  cause: CheckpointKeyCause,
  change: Partial<CheckpointKeyEntry> = {},
  next: Signer = checkpointKey(number),
): CheckpointKeyEntry {
  const recovers = cause === 'recovery';
  const [old, shown] = [checkpointKey(number - 1), recoveryKey(recoveries)];
  const { signatures: given, ...changed } = change;
  const body: Omit<CheckpointKeyEntry, 'signatures'> = {
    type: 'checkpoint-key',
    number,
    cause,
    replaces: hexOf(old),
    key: hexOf(next),
    last_size: recovers ? seq : seq + 1,
    next_checkpoint_sha256: hashOf(checkpointKey(number + 1)),
    recovery_key: recovers ? hexOf(shown) : null,
    next_recovery_key_sha256: hashOf(recoveryKey(recovers ? recoveries + 1 : recoveries)),
    ...changed,
  };
  const message = checkpointKeyMessage(log, body);
  const signatures = {
    old: recovers ? null : formatHex(old.sign(message)),
    new: formatHex(next.sign(message)),
    recovery: recovers ? formatHex(shown.sign(message)) : null,
  };
  return { ...body, signatures: given ?? signatures };
}
