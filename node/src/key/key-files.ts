import { link, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import {
  checkpointKeysFrom,
  checkpointPromises,
  newestCheckpointKey,
  promisedCheckpointKey,
} from '@assay/core/view/key/checkpoint-keys';
import { firstCheckpointKey, keyHash, keysOf } from '@assay/core/view/key/keys';
import { recoveryInForce } from '@assay/core/view/key/recovery-key';
import type { ViewState } from '@assay/core/view/view';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { errorCode, syncFolder, writeDurable } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { createKey, openKey, readPublicKey } from './keystore.ts';
import { keyFiles, lackingKey, openAny, readKeyFiles } from './report-keys.ts';

/** Where key files are, and what opens them. */
export interface KeyPlace {
  readonly folder: DataFolder;
  readonly sha256: Sha256;
  readonly passphrase: string | undefined;
}

/** The name, without its ending, of a file of a key that is promised. */
export type PromisedName = 'next-report' | 'next-checkpoint' | 'recovery';

/**
 * Opens the key of a promise from whichever file of the folder holds it. Throws `key_missing`, and what the keystore
 * throws.
 */
export async function openPromised(
  place: KeyPlace,
  name: PromisedName,
  promise: HashHex,
): Promise<Signer> {
  const { folder, sha256 } = place;
  const fits = (key: string): boolean => keyHash(sha256, key) === promise;
  const read = await readKeyFiles(folder);
  const opened = await openAny(folder, read.files, fits, place);
  if (opened !== undefined) return opened;
  throw lackingKey(folder, `${name} key`, `the key of ${promise}: bring its file`, read);
}

/** The recovery key, from a file that is given or from the folder. Throws `refused` for another key. */
export async function openRecovery(
  place: KeyPlace,
  path: string | undefined,
  promise: HashHex,
): Promise<Signer> {
  if (path === undefined) return openPromised(place, 'recovery', promise);
  const opened = await openKey(path, place);
  const found = hashOf(place, opened);
  if (found === promise) return opened;
  const expected = `the key of ${promise}`;
  throw new Fault('refused', 'recovery key', { expected, found: `of ${found}` });
}

export function hashOf({ sha256 }: Pick<KeyPlace, 'sha256'>, { publicKey }: Signer): HashHex {
  return keyHash(sha256, formatHex(publicKey));
}

/**
 * Copies the file of a promised key from elsewhere into the folder, once it has been opened. Throws `refused`
 * for another key, and what `openKey` throws; nothing is copied then.
 */
export async function bringKey(
  place: KeyPlace,
  path: string,
  name: PromisedName,
  promise: HashHex,
): Promise<void> {
  const { folder, sha256 } = place;
  const given = formatHex(await readPublicKey(path));
  if (keyHash(sha256, given) !== promise) {
    const expected = `the key of ${promise}`;
    throw new Fault('refused', 'key file', { at: path, expected, found: given });
  }
  const bytes = new Uint8Array(await readFile(path));
  await openKey(path, place);
  for (const [known, key] of await keyFiles(folder)) {
    if (key === given && equalBytes(bytes, await bytesOf(join(folder.keys, known)))) return;
  }
  for (const free of namesFor(name)) {
    try {
      await writeDurable(join(folder.keys, free), bytes, { mode: 0o600, exclusive: true });
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

/** A key that a change needs: one that an earlier try made and no entry names, or a new one. */
export async function makeOnce(place: KeyPlace, name: string): Promise<Signer> {
  const path = join(place.folder.keys, name);
  try {
    return await createKey(path, place);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'not_empty') throw error;
  }
  try {
    return await openKey(path, place);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, at = path, expected = 'a key file', found } = error;
    const detail = { at, expected: `${expected}, or no file there: move it away`, cause: error };
    throw new Fault(code, 'key file', found === undefined ? detail : { ...detail, found });
  }
}

/**
 * Moves away what an earlier try made that no entry names, because whoever has accessed the folder since may know it, or
 * have put it there.
 */
export async function setAside({ folder }: KeyPlace, made: readonly string[]): Promise<void> {
  const { files, unread } = await readKeyFiles(folder);
  for (const name of [...files.keys(), ...unread.keys()]) {
    if (!made.some((each) => name === `${each}.json` || name.startsWith(`${each}-`))) continue;
    await moveTo(folder.keys, name, `unused-${name.slice(0, -'.json'.length)}`);
  }
}

/**
 * Names the key files of a folder by what the log says of their keys: `report` and `checkpoint` are in force, `report-N` and
 * `checkpoint-N` were key N, `next-report`, `next-checkpoint` and `recovery` are promised, `next-report-N` was promised by
 * key N but never used. It can be interrupted and repeated, and loses no file. Returns whether a file had the name that a
 * change of keys gives it until its entry is in the log.
 */
export async function nameKeyFiles(
  folder: DataFolder,
  state: ViewState,
  sha256: Sha256,
): Promise<boolean> {
  const nameOf = namer(state, sha256);
  let isFinished = false;
  // A name is free once the file that had it has its own. There are at most three such steps.
  for (let round = 0; round < 4; round += 1) {
    for (const [name, key] of await keyFiles(folder)) {
      const to = nameOf(key);
      if (to === undefined || name === `${to}.json` || name.startsWith(`${to}-copy-`)) continue;
      const isRenamed = await rename(folder.keys, name, to);
      isFinished ||= isRenamed && BEFORE_ENTRY.test(name);
    }
  }
  return isFinished;
}

/** Names of files whose keys an entry is to put in force, to promise or to replace. */
const BEFORE_ENTRY = /^(?:(?:next|later|fresh)-|(?:report|checkpoint)\.json$)/;

/** Gives the name of a key's file; undefined for a key that has no place in the log. */
function namer(state: ViewState, sha256: Sha256): (key: string) => string | undefined {
  const byKey = new Map<string, string>();
  const byHash = new Map<HashHex, string>();
  const reports = keysOf(state);
  const now = reports.at(-1);
  for (const row of reports) {
    byKey.set(row.key, row === now ? 'report' : `report-${row.number}`);
    if (row.recovery_key !== null) byKey.set(row.recovery_key, `recovery-${row.number}`);
    byHash.set(row.next_key_sha256, row === now ? 'next-report' : `next-report-${row.number}`);
  }
  const checkpoint = newestCheckpointKey(state, sha256);
  const first = firstCheckpointKey(state);
  if (first !== undefined) byKey.set(first, 'checkpoint-0');
  for (const { number, key, recovery_key: recovery } of checkpointKeysFrom(state, 1)) {
    byKey.set(key, `checkpoint-${number}`);
    if (recovery !== null) byKey.set(recovery, `recovery-checkpoint-${number}`);
  }
  for (const { number, recovery_key: recovery } of checkpointPromises(state)) {
    byKey.set(recovery, `recovery-promise-${number}`);
  }
  if (checkpoint !== undefined) {
    byKey.set(checkpoint.key, 'checkpoint');
    const promise = promisedCheckpointKey(state, checkpoint.number + 1);
    if (promise !== undefined) byHash.set(promise.hash, 'next-checkpoint');
  }
  const recovery = recoveryInForce(state);
  if (recovery !== undefined) byHash.set(recovery, 'recovery');
  return (key) => byKey.get(key) ?? byHash.get(keyHash(sha256, key));
}

/** A name for a key's file, and alternatives in case files of that key with other bytes have it. */
function* namesFor(base: string): Generator<string> {
  yield `${base}.json`;
  for (let i = 1; ; i += 1) yield `${base}-copy-${i}.json`;
}

/** Renames without replacing another file. A file of another key has to be renamed first, and one that cannot be read moved away: false then. */
async function rename(folder: string, from: string, base: string): Promise<boolean> {
  const source = join(folder, from);
  const usual = join(folder, `${base}.json`);
  try {
    const keys = await Promise.all([readPublicKey(source), readPublicKey(usual)]);
    if (formatHex(keys[0]) !== formatHex(keys[1])) return false;
  } catch (error) {
    const fault = storageFault(error, 'key file');
    if (!(fault instanceof Fault)) throw error;
    if (fault.code !== 'key_missing') return false;
  }
  await moveTo(folder, from, base);
  return true;
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
