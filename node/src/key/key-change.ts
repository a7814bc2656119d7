import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { unfitKey } from '@assay/core/view/key/key-changes';
import { keyInForce, type KeyRow } from '@assay/core/view/key/keys';
import { logRow } from '@assay/core/view/log';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { ClosingHeads } from '../ledger/closing-heads.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TermSigner } from '../ledger/term-signer.ts';
import {
  bringKey,
  hashOf,
  type KeyPlace,
  makeOnce,
  openPromised,
  openRecovery,
  setAside,
} from './key-files.ts';
import { openReportKey } from './report-keys.ts';
import { commitChange, settleKeys } from './settle-keys.ts';

/** A log whose node is stopped and of which a key is to change. */
export interface KeyChangeParts extends KeyPlace {
  readonly ledger: Ledger;
  /** Signs the heads of the ledger. */
  readonly checkpoints: TermSigner;
  readonly closing: ClosingHeads;
}

export interface KeyChangeChoices {
  /** Whether the key in force is in somebody else's hands. */
  readonly revoked: boolean;
  /** The file of the key that was promised as the next, if it is not in the folder. */
  readonly next?: string | undefined;
}

/**
 * Replaces the report key with the promised key, and promises another, which is made. The entry decides: files
 * are made before it and renamed after it, so that a folder can be used wherever that was interrupted. Throws
 * `key_missing`, `refused` for a key that is not the promised one, and what the keystore and the ledger throw.
 */
export async function rotateReportKey(
  parts: KeyChangeParts,
  { revoked, next }: KeyChangeChoices,
): Promise<KeyEntry> {
  const { now, recoveryHash } = await settledKey(parts);
  if (next !== undefined) await bringKey(parts, next, 'next-report', now.next_key_sha256);
  const old = await openReportKey(parts.folder, now.key, parts);
  const own = await openPromised(parts, 'next-report', now.next_key_sha256);
  const later = await laterKey(parts);
  const said = {
    ...common(parts, now, own, later),
    cause: 'rotation' as const,
    revoked,
    recovery_key: null,
    next_recovery_key_sha256: recoveryHash,
  };
  return enact(parts, said, { old, new: own });
}

export interface RecoveryChoices extends KeyChangeChoices {
  /** The file of the recovery key, if it is not in the folder. */
  readonly recovery?: string | undefined;
  /** Whether a new key is made instead of the promised one, because that is lost or stolen too. */
  readonly fresh: boolean;
}

/**
 * Replaces a report key that was lost or stolen, with the recovery key. Makes the key after it and the next
 * recovery key. Throws what `rotateReportKey` throws.
 */
export async function recoverReportKey(
  parts: KeyChangeParts,
  { revoked, next, recovery: path, fresh }: RecoveryChoices,
): Promise<KeyEntry> {
  const { now, recoveryHash } = await settledKey(parts);
  const recovery = await openRecovery(parts, path, recoveryHash);
  if (next !== undefined && !fresh) await bringKey(parts, next, 'next-report', now.next_key_sha256);
  // A key that was made for the chain to promise stays, unless the promised key goes too: feeds would not follow another.
  const hasFeeds = logRow(parts.ledger.tip)?.chain != null;
  const isKnown = fresh || (revoked && !hasFeeds);
  const made = ['fresh-report', 'later-recovery'];
  await setAside(parts, isKnown ? ['later-report', ...made] : made);
  const own = fresh
    ? await makeOnce(parts, 'fresh-report.json')
    : await openPromised(parts, 'next-report', now.next_key_sha256);
  const later = await laterKey(parts);
  const laterRecovery = await makeOnce(parts, 'later-recovery.json');
  const said = {
    ...common(parts, now, own, later),
    cause: 'recovery' as const,
    revoked,
    recovery_key: formatHex(recovery.publicKey),
    next_recovery_key_sha256: hashOf(parts, laterRecovery),
  };
  return enact(parts, said, { new: own, recovery });
}

/** Returns the key in force, with its folder in order: what an earlier change left undone is done. */
async function settledKey(
  parts: KeyChangeParts,
): Promise<{ readonly now: KeyRow; readonly recoveryHash: HashHex }> {
  await settleKeys(parts);
  const { tip } = parts.ledger;
  const [now, recoveryHash] = [keyInForce(tip), recoveryInForce(tip)];
  if (now === undefined || recoveryHash === undefined) throw new Fault('not_found', 'genesis');
  return { now, recoveryHash };
}

type UnsignedKeyEntry = Omit<KeyEntry, 'signatures'>;

function common(
  parts: KeyChangeParts,
  now: KeyRow,
  own: Signer,
  later: Signer,
): Pick<UnsignedKeyEntry, 'number' | 'replaces' | 'key' | 'next_key_sha256'> {
  return {
    number: now.number + 1,
    replaces: now.key,
    key: formatHex(own.publicKey),
    next_key_sha256: hashOf(parts, later),
  };
}

async function enact(
  parts: KeyChangeParts,
  said: UnsignedKeyEntry,
  by: { readonly old?: Signer; readonly new: Signer; readonly recovery?: Signer },
): Promise<KeyEntry> {
  const { ledger, sha256 } = parts;
  const message = keyMessage(ledger.log as HashHex, said);
  const of = (signer: Signer | undefined): string | null =>
    signer === undefined ? null : formatHex(signer.sign(message));
  const body: KeyEntry = {
    ...said,
    signatures: {
      old: of(by.old),
      new: formatHex(by.new.sign(message)),
      recovery: of(by.recovery),
    },
  };
  await commitChange(parts, ({ views }) => {
    const unfit = unfitKey(views, body, sha256);
    if (unfit !== undefined) throw new Fault('refused', 'key', unfit);
    return [{ kind: 'key/1', body }];
  });
  return body;
}

/**
 * The key after the next, which the next one is to promise. It is made once, and is the same until an entry
 * names it.
 */
export function laterKey(place: KeyPlace): Promise<Signer> {
  return makeOnce(place, 'later-report.json');
}
