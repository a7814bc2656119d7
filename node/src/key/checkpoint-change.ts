import { formatHex } from '@assay/core/bytes/hex';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, messageOf } from '@assay/core/fault';
import { type HashHex, hashHex } from '@assay/core/hash/hash';
import {
  type CheckpointKeyEntry,
  checkpointKeyMessage,
  type CheckpointPromise,
  checkpointPromiseMessage,
} from '@assay/core/kind/checkpoint-key';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import { parseNoteKey } from '@assay/core/log/note';
import {
  type CheckpointKeyRow,
  MAX_CLOSING_LAG,
  newestCheckpointKey,
  promisedCheckpointKey,
} from '@assay/core/view/key/checkpoint-keys';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import { checkpointReader, checkpointSigner, type Signer } from '../ledger/checkpoint-signer.ts';
import { openCheckpointKey } from './checkpoint-files.ts';
import type { KeyChangeParts } from './key-change.ts';
import { bringKey, hashOf, makeOnce, openPromised, openRecovery, setAside } from './key-files.ts';
import { commitChange, settleKeys } from './settle-keys.ts';

export interface PromiseChoices {
  /** The file of the recovery key, if it is not in the folder. */
  readonly recovery?: string | undefined;
}

/**
 * Promises the first key that is to replace the checkpoint key, and makes it and the next recovery key. Each later key is
 * promised by the one before it. Throws `refused` where one is promised already, and what `rotateReportKey` throws.
 */
export async function promiseCheckpointKey(
  parts: KeyChangeParts,
  { recovery: path }: PromiseChoices,
): Promise<CheckpointPromise> {
  const { now, recoveryHash } = await settled(parts);
  const number = now.number + 1;
  const before = promisedCheckpointKey(parts.ledger.tip, number);
  if (before !== undefined) {
    throw new Fault('refused', 'checkpoint key', {
      expected: `no promise of key ${number} yet`,
      found: `one in entry ${before.seq}`,
    });
  }
  const recovery = await openRecovery(parts, path, recoveryHash);
  await setAside(parts, ['later-checkpoint', 'later-recovery']);
  const next = await makeOnce(parts, 'later-checkpoint.json');
  const laterRecovery = await makeOnce(parts, 'later-recovery.json');
  const said = {
    type: 'checkpoint-promise' as const,
    number,
    next_checkpoint_sha256: hashOf(parts, next),
    recovery_key: formatHex(recovery.publicKey),
    next_recovery_key_sha256: hashOf(parts, laterRecovery),
  };
  const message = checkpointPromiseMessage(parts.ledger.log as HashHex, said);
  const body: CheckpointPromise = { ...said, signature: formatHex(recovery.sign(message)) };
  await commitChange(parts, () => [{ kind: 'key/2', body }]);
  return body;
}

export interface RotationChoices {
  /** The file of the promised key, if it is not in the folder. */
  readonly next?: string | undefined;
}

/**
 * Replaces the checkpoint key with the promised key, and promises another, which is made. The head that the entry makes has
 * the lines of both keys, and is kept as the closing head of the old one. The ledger must be opened with the old key. Throws
 * `refused` where nothing is promised, and what `rotateReportKey` throws.
 */
export async function rotateCheckpointKey(
  parts: KeyChangeParts,
  { next }: RotationChoices,
): Promise<CheckpointKeyEntry> {
  const { now, promise, recoveryHash } = await settledPromise(parts);
  const old = await openCheckpointKey(parts.folder, now.key, parts);
  if (next !== undefined) await bringKey(parts, next, 'next-checkpoint', promise.hash);
  const own = await openPromised(parts, 'next-checkpoint', promise.hash);
  const body = await enact(parts, now, { old, own }, (common) => ({
    ...common,
    cause: 'rotation',
    recovery_key: null,
    next_recovery_key_sha256: recoveryHash,
  }));
  return body;
}

export interface CheckpointRecoveryChoices extends RotationChoices, PromiseChoices {
  /** Notes that may be the newest head that the old key signed. */
  readonly notes: readonly Uint8Array[];
  /** More of them, which the old key must have signed, and the files that they were read from. */
  readonly brought?: readonly { readonly at: string; readonly note: Uint8Array }[];
}

/**
 * Replaces a checkpoint key that was lost or stolen with the promised key, by the recovery key. It makes the key after it
 * and the next recovery key. The newest of the notes is kept as the closing head of the old key. Throws `refused` where no
 * note covers the promise, where the newest lies too far back, and for a brought one that the old key has not signed,
 * `ledger_differs` or `ledger_behind` for one of another history or behind this ledger, and what
 * `rotateCheckpointKey` throws.
 */
export async function recoverCheckpointKey(
  parts: KeyChangeParts,
  { next, recovery: path, notes, brought = [] }: CheckpointRecoveryChoices,
): Promise<CheckpointKeyEntry> {
  const { now, promise, recoveryHash } = await settledPromise(parts);
  for (const each of brought) requireOwn(parts, now, each);
  const closing = await closingHead(parts, now, promise.seq, [
    ...notes,
    ...brought.map(({ note }) => note),
  ]);
  const recovery = await openRecovery(parts, path, recoveryHash);
  if (next !== undefined) await bringKey(parts, next, 'next-checkpoint', promise.hash);
  const own = await openPromised(parts, 'next-checkpoint', promise.hash);
  await setAside(parts, ['later-recovery']);
  const laterRecovery = await makeOnce(parts, 'later-recovery.json');
  await parts.closing.prepare(now.number, closing);
  const body = await enact(parts, now, { own, recovery }, (common) => ({
    ...common,
    cause: 'recovery',
    recovery_key: formatHex(recovery.publicKey),
    next_recovery_key_sha256: hashOf(parts, laterRecovery),
  }));
  return body;
}

type Newest = Pick<CheckpointKeyRow, 'number' | 'key' | 'vkey'>;
type Unsigned = Omit<CheckpointKeyEntry, 'signatures'>;

/** The checkpoint key in force and the recovery key that is promised, with the folder in order. */
async function settled(
  parts: KeyChangeParts,
): Promise<{ readonly now: Newest; readonly recoveryHash: HashHex }> {
  await settleKeys(parts);
  const { tip } = parts.ledger;
  const now = newestCheckpointKey(tip, parts.sha256);
  const recoveryHash = recoveryInForce(tip);
  if (now === undefined || recoveryHash === undefined) throw new Fault('not_found', 'genesis');
  return { now, recoveryHash };
}

async function settledPromise(parts: KeyChangeParts): Promise<
  Awaited<ReturnType<typeof settled>> & {
    readonly promise: { readonly hash: HashHex; readonly seq: number };
  }
> {
  const found = await settled(parts);
  const number = found.now.number + 1;
  const promise = promisedCheckpointKey(parts.ledger.tip, number);
  if (promise !== undefined) return { ...found, promise };
  throw new Fault('refused', 'checkpoint key', {
    expected: `a promise of key ${number} in the log: assay keys promise-checkpoint makes the first`,
    found: 'none',
  });
}

/** Writes the entry, whose own number decides up to where the old key signs, and promises a key that is made here. */
async function enact(
  parts: KeyChangeParts,
  now: Newest,
  by: { readonly own: Signer; readonly old?: Signer; readonly recovery?: Signer },
  complete: (
    common: Omit<Unsigned, 'cause' | 'recovery_key' | 'next_recovery_key_sha256'>,
  ) => Unsigned,
): Promise<CheckpointKeyEntry> {
  const { ledger, checkpoints, sha256 } = parts;
  // Nobody but this process may know the key that is promised now.
  await setAside(parts, ['later-checkpoint']);
  const later = await makeOnce(parts, 'later-checkpoint.json');
  checkpoints.add(checkpointSigner(sha256, checkpoints.origin, by.own));
  let body: CheckpointKeyEntry | undefined;
  await commitChange(parts, ({ seq }) => {
    const said = complete({
      type: 'checkpoint-key',
      number: now.number + 1,
      replaces: now.key,
      key: formatHex(by.own.publicKey),
      last_size: by.old === undefined ? seq : seq + 1,
      next_checkpoint_sha256: hashOf(parts, later),
    });
    const message = checkpointKeyMessage(ledger.log as HashHex, said);
    const of = (signer: Signer | undefined): string | null =>
      signer === undefined ? null : formatHex(signer.sign(message));
    const signatures = {
      old: of(by.old),
      new: formatHex(by.own.sign(message)),
      recovery: of(by.recovery),
    };
    body = { ...said, signatures };
    return [{ kind: 'key/2', body }];
  });
  return body as CheckpointKeyEntry;
}

/** Throws `refused` for a note without a good line of the key. */
function requireOwn(
  { checkpoints, sha256 }: KeyChangeParts,
  { vkey }: Newest,
  { at, note }: { readonly at: string; readonly note: Uint8Array },
): void {
  try {
    checkpointReader(sha256, checkpoints.origin, parseNoteKey(sha256, vkey).publicKey).open(note);
  } catch (cause) {
    const expected = `a checkpoint that ${vkey} signed`;
    throw new Fault('refused', 'closing head', { at, expected, found: messageOf(cause), cause });
  }
}

/** The newest of the notes that the old key signed, which must cover the promise and be of this ledger. */
async function closingHead(
  { ledger, checkpoints, sha256 }: KeyChangeParts,
  now: Newest,
  promisedBy: number,
  notes: readonly Uint8Array[],
): Promise<Uint8Array> {
  const reader = checkpointReader(
    sha256,
    checkpoints.origin,
    parseNoteKey(sha256, now.vkey).publicKey,
  );
  let newest: { readonly note: Uint8Array; readonly head: Checkpoint } | undefined;
  const refused: string[] = [];
  for (const note of notes) {
    try {
      const head = reader.open(note);
      if (newest === undefined || head.size > newest.head.size) newest = { note, head };
    } catch (error) {
      refused.push(messageOf(error));
    }
  }
  if (newest === undefined || newest.head.size <= promisedBy) {
    const found =
      newest === undefined ? refused.join('; ') || 'none' : `one of ${newest.head.size}`;
    throw new Fault('refused', 'closing head', {
      expected: `a head of more than ${promisedBy} entries, which ${now.vkey} signed (--closing-head, from a mirror, a witness or an export)`,
      found,
    });
  }
  const { size, root } = newest.head;
  if (size > ledger.nextSeq) {
    throw new Fault('ledger_behind', 'ledger', {
      expected: `at least ${size} entries, as the closing head has them`,
      found: `${ledger.nextSeq}`,
    });
  }
  if (ledger.nextSeq - size > MAX_CLOSING_LAG) {
    throw new Fault('refused', 'closing head', {
      expected: `a head of at least ${ledger.nextSeq - MAX_CLOSING_LAG} entries, because readers go no further back (--closing-head, from a mirror, a witness or an export)`,
      found: `one of ${size}`,
    });
  }
  const own = await ledger.rootAt(size);
  if (equalBytes(own, root)) return newest.note;
  throw new Fault('ledger_differs', 'ledger', {
    at: `size ${size}`,
    expected: `root ${hashHex(root)}, as the closing head has it`,
    found: hashHex(own),
  });
}
