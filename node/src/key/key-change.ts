import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, faultCode } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type KeyEntry, keyMessage } from '@assay/core/kind/key';
import { unfitKey } from '@assay/core/view/key-changes';
import { keyHash, keyInForce, keysOf, type KeyRow } from '@assay/core/view/keys';
import { logRow } from '@assay/core/view/log';
import type { DataFolder } from '../platform/data-folder.ts';
import { errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';
import { createKey, openKey, readPublicKey } from './keystore.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { keyFiles, openAny, openReportKey } from './report-keys.ts';

/** A log whose node is stopped and whose report key is to change. */
export interface KeyChangeParts {
  readonly folder: DataFolder;
  readonly ledger: Ledger;
  readonly sha256: Sha256;
  readonly passphrase: string | undefined;
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
  const now = await settledKey(parts);
  if (next !== undefined) await bringNextKey(parts, next, now.next_key_sha256);
  const old = await openReportKey(parts.folder, now.key, parts);
  const own = await openPromised(parts, 'next-report', now.next_key_sha256);
  const later = await laterKey(parts);
  const said = {
    ...(await common(parts, now, own, later)),
    cause: 'rotation' as const,
    revoked,
    recovery_key: null,
    next_recovery_key_sha256: now.recovery_key_sha256,
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
  const now = await settledKey(parts);
  const recovery =
    path === undefined
      ? await openPromised(parts, 'recovery', now.recovery_key_sha256)
      : await openKey(path, parts);
  requirePromised(parts, 'recovery key', recovery, now.recovery_key_sha256);
  if (next !== undefined && !fresh) await bringNextKey(parts, next, now.next_key_sha256);
  await setAside(parts, { revoked, fresh });
  const own = fresh
    ? await makeOnce(parts, 'fresh-report.json')
    : await openPromised(parts, 'next-report', now.next_key_sha256);
  const later = await laterKey(parts);
  const laterRecovery = await makeOnce(parts, 'later-recovery.json');
  const said = {
    ...(await common(parts, now, own, later)),
    cause: 'recovery' as const,
    revoked,
    recovery_key: formatHex(recovery.publicKey),
    next_recovery_key_sha256: hashOf(parts, laterRecovery),
  };
  return enact(parts, said, { new: own, recovery });
}

/**
 * Moves away what an earlier step made that no entry names, because whoever has accessed the folder since may
 * know it. A key that was made for the chain to promise stays, unless the promised key goes too: feeds would
 * not follow another.
 */
async function setAside(
  { folder, ledger }: KeyChangeParts,
  { revoked, fresh }: Pick<RecoveryChoices, 'revoked' | 'fresh'>,
): Promise<void> {
  const hasFeeds = logRow(ledger.tip)?.chain != null;
  const isKnown = fresh || (revoked && !hasFeeds);
  const made = [...(isKnown ? ['later-report'] : []), 'fresh-report', 'later-recovery'];
  const files = await keyFiles(folder);
  for (const name of files.keys()) {
    if (!made.some((each) => name === `${each}.json` || name.startsWith(`${each}-`))) continue;
    await moveTo(folder.keys, name, `unused-${name.slice(0, -'.json'.length)}`);
  }
}

/** Returns the key in force, with its folder in order: what an earlier change left undone is done. */
async function settledKey(parts: KeyChangeParts): Promise<KeyRow> {
  if (parts.ledger.blocked !== undefined) throw parts.ledger.blocked;
  const now = keyInForce(parts.ledger.tip);
  if (now === undefined) throw new Fault('not_found', 'genesis');
  await settleKeyFiles(parts);
  return now;
}

type UnsignedKeyEntry = Omit<KeyEntry, 'signatures'>;

async function common(
  parts: KeyChangeParts,
  now: KeyRow,
  own: Signer,
  later: Signer,
): Promise<Pick<UnsignedKeyEntry, 'number' | 'replaces' | 'key' | 'next_key_sha256'>> {
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
  await ledger.write(({ views }) => {
    const unfit = unfitKey(views, body, sha256);
    if (unfit !== undefined) throw new Fault('refused', 'key', unfit);
    return [{ kind: 'key/1', body }];
  });
  await settleKeyFiles(parts);
  return body;
}

function hashOf({ sha256 }: KeyChangeParts, { publicKey }: Signer): HashHex {
  return keyHash(sha256, formatHex(publicKey));
}

function requirePromised(
  parts: KeyChangeParts,
  title: string,
  signer: Signer,
  promise: HashHex,
): void {
  const found = hashOf(parts, signer);
  if (found === promise) return;
  throw new Fault('refused', title, { expected: `the key of ${promise}`, found: `of ${found}` });
}

async function openPromised(
  parts: KeyChangeParts,
  name: 'next-report' | 'recovery',
  promise: HashHex,
): Promise<Signer> {
  const { folder, sha256 } = parts;
  const fits = (key: string): boolean => keyHash(sha256, key) === promise;
  const opened = await openAny(folder, await keyFiles(folder), fits, parts);
  if (opened !== undefined) return opened;
  throw new Fault('key_missing', `${name} key`, {
    at: folder.keys,
    expected: `the key of ${promise}: bring its file`,
  });
}

/** Where key files are, and what opens them. */
export type KeyPlace = Pick<KeyChangeParts, 'folder' | 'sha256' | 'passphrase'>;

/**
 * Copies the file of the promised key from elsewhere into the folder, once it has been opened. Throws `refused`
 * for another key, and what `openKey` throws; nothing is copied then.
 */
export async function bringNextKey(place: KeyPlace, path: string, promise: HashHex): Promise<void> {
  const { folder, sha256 } = place;
  const given = formatHex(await readPublicKey(path));
  if (keyHash(sha256, given) !== promise) {
    const expected = `the key of ${promise}`;
    throw new Fault('refused', 'key file', { at: path, expected, found: given });
  }
  const bytes = new Uint8Array(await readFile(path));
  await openKey(path, place);
  for (const [name, key] of await keyFiles(folder)) {
    if (key === given && equalBytes(bytes, await bytesOf(join(folder.keys, name)))) return;
  }
  for (const name of namesFor('next-report')) {
    try {
      await writeDurable(join(folder.keys, name), bytes, { mode: 0o600, exclusive: true });
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * The key after the next, which the next one is to promise. It is made once, and is the same until an entry
 * names it.
 */
export function laterKey(place: KeyPlace): Promise<Signer> {
  return makeOnce(place, 'later-report.json');
}

/** A key that the change needs: one that an earlier try made and no entry names, or a new one. */
async function makeOnce(parts: KeyPlace, name: string): Promise<Signer> {
  const path = join(parts.folder.keys, name);
  try {
    return await createKey(path, parts);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_empty') throw error;
    return openKey(path, parts);
  }
}

/**
 * Names the key files of a folder by what the log says of their keys: `report` is in force, `report-N` was key
 * N, `next-report` and `recovery` are promised, `next-report-N` was promised by key N but never used. It can be
 * interrupted and repeated, and loses no file.
 */
export async function settleKeyFiles({ folder, ledger, sha256 }: KeyChangeParts): Promise<void> {
  const rows = keysOf(ledger.tip);
  const now = rows.at(-1);
  const nameOf = (key: string): string | undefined => {
    const row = rows.find((each) => each.key === key);
    if (row !== undefined) return row === now ? 'report' : `report-${row.number}`;
    const shown = rows.find((each) => each.recovery_key === key);
    if (shown !== undefined) return `recovery-${shown.number}`;
    const hash = keyHash(sha256, key);
    if (hash === now?.next_key_sha256) return 'next-report';
    if (hash === now?.recovery_key_sha256) return 'recovery';
    const promise = rows.find((each) => each.next_key_sha256 === hash);
    return promise === undefined ? undefined : `next-report-${promise.number}`;
  };
  // A name is free once the file that had it has its own. There are at most three such steps.
  for (let round = 0; round < 4; round += 1) {
    for (const [name, key] of await keyFiles(folder)) {
      const to = nameOf(key);
      if (to === undefined || name === `${to}.json` || name.startsWith(`${to}-copy-`)) continue;
      await rename(folder.keys, name, to);
    }
  }
}

/** A name for a key's file, and alternatives in case files of that key with other bytes have it. */
function* namesFor(base: string): Generator<string> {
  yield `${base}.json`;
  for (let i = 1; ; i += 1) yield `${base}-copy-${i}.json`;
}

/** Renames without replacing another file. A file of another key has to be renamed first. */
async function rename(folder: string, from: string, base: string): Promise<void> {
  const source = join(folder, from);
  const usual = join(folder, `${base}.json`);
  try {
    const keys = await Promise.all([readPublicKey(source), readPublicKey(usual)]);
    if (formatHex(keys[0]) !== formatHex(keys[1])) return;
  } catch (error) {
    if (faultCode(error) !== 'key_missing') throw error;
  }
  await moveTo(folder, from, base);
}

/**
 * Gives a file the first of the names for `base` that is free or has the same bytes. Nothing else is deleted,
 * because one of two files of one key may open and the other may not.
 */
async function moveTo(folder: string, from: string, base: string): Promise<void> {
  const source = join(folder, from);
  for (const name of namesFor(base)) {
    const target = join(folder, name);
    try {
      await link(source, target);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      if (!equalBytes(await bytesOf(source), await bytesOf(target))) continue;
    }
    break;
  }
  await syncFolder(folder);
  await unlink(source);
  await syncFolder(folder);
}

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path));
}
