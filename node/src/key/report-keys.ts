import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, type FaultCode, faultCode } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import {
  CHECKPOINT_KEYS_TABLE,
  CHECKPOINT_PROMISES_TABLE,
  type CheckpointTerm,
  checkpointTerms,
} from '@assay/core/view/key/checkpoint-keys';
import { KEYS_TABLE, keysOf, type ReportKey } from '@assay/core/view/key/keys';
import { MemoryViews } from '@assay/core/view/state';
import type { ViewState } from '@assay/core/view/view';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { type KeyOptions, openKey, readPublicKey } from './keystore.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import { deriveRows } from '../ledger/derived/derived-rows.ts';
import { openRow } from '../ledger/store/sealed-row.ts';
import { storedSize } from '../ledger/start.ts';
import type { LedgerStore } from '../ledger/store/store.ts';

/** The report keys and checkpoint keys that a log has, the first ones first. */
export interface StoredKeys {
  readonly report: readonly ReportKey[];
  readonly checkpoint: readonly CheckpointTerm[];
}

/**
 * The keys of a log whose node is stopped. They are read from the entries if a row of them is damaged.
 */
export async function storedKeys(sha256: Sha256, store: LedgerStore): Promise<StoredKeys> {
  const views = new MemoryViews();
  try {
    for (const table of ['log', KEYS_TABLE, CHECKPOINT_KEYS_TABLE, CHECKPOINT_PROMISES_TABLE]) {
      for await (const row of store.views(table)) views.write([openRow(sha256, row)]);
    }
  } catch (error) {
    if (faultCode(error) !== 'ledger_corrupt') throw error;
    const { rows } = await deriveRows(sha256, store, await storedSize(sha256, store));
    try {
      return keysIn(rows.views);
    } finally {
      await rows.drop();
    }
  }
  return keysIn(views);
}

function keysIn(views: ViewState): StoredKeys {
  return { report: keysOf(views), checkpoint: checkpointTerms(views) };
}

/**
 * Files that may hold a report key, a checkpoint key or a recovery key of any time. A change of keys may have been
 * interrupted.
 */
const KEY_FILE =
  /^(?:(?:next-|later-|fresh-)?report|(?:next-|later-)?checkpoint|later-recovery|recovery(?:-promise|-checkpoint)?)(?:-[0-9]+)?(?:-copy-[0-9]+)?\.json$/;

/** Files whose report key the chain may want. */
const OTHER_REPORT = /^(?:next-)?report/;

/** Reasons why a file gives no key although another one may. */
const NOT_HERE: ReadonlySet<FaultCode | undefined> = new Set([
  'key_missing',
  'key_locked',
  'malformed',
]);

/** The key files in a folder, by file name. */
export interface ReadKeyFiles {
  /** Their public keys, in hex. */
  readonly files: ReadonlyMap<string, string>;
  /** Why a file gives no public key: what `readPublicKey` throws, and `storage_failed`. */
  readonly unread: ReadonlyMap<string, Fault>;
}

/** Reads the key files of a folder. One that cannot be read does not hide the others. */
export async function readKeyFiles({ keys }: DataFolder): Promise<ReadKeyFiles> {
  const files = new Map<string, string>();
  const unread = new Map<string, Fault>();
  for (const name of await namesIn(keys)) {
    if (!KEY_FILE.test(name)) continue;
    try {
      files.set(name, formatHex(await readPublicKey(join(keys, name))));
    } catch (error) {
      const fault = storageFault(error, 'key file');
      if (!(fault instanceof Fault)) throw error;
      unread.set(name, fault);
    }
  }
  return { files, unread };
}

/** The public keys of the key files that can be read, in hex, by file name. */
export async function keyFiles(folder: DataFolder): Promise<ReadonlyMap<string, string>> {
  return (await readKeyFiles(folder)).files;
}

/** No file of a folder that can be read has the key that is wanted, which `expected` describes. */
export function lackingKey(
  { keys }: DataFolder,
  title: string,
  expected: string,
  { files, unread }: ReadKeyFiles,
): Fault {
  const others = [...unread].map(
    ([name, { message }]) => `, and ${name}, which cannot be read (${message}): move it away`,
  );
  const found = `${files.size} others${others.join('')}`;
  return new Fault('key_missing', title, { at: keys, expected, found });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Opens the private half of a key (hex) from whichever file of the folder holds it. The entry in the log
 * decides which key is in force, and a crash may have come between it and the renaming of files. Throws
 * `key_missing`, and what `openKey` throws.
 */
export async function openReportKey(
  folder: DataFolder,
  key: string,
  options: KeyOptions,
): Promise<Signer> {
  const usual = await openUsual(folder, key, options);
  if (usual !== undefined) return usual;
  const read = await readKeyFiles(folder);
  const opened = await openAny(folder, read.files, (found) => found === key, options);
  if (opened !== undefined) return opened;
  throw lackingKey(folder, 'report key', `the key ${key}, which the log has in force`, read);
}

/**
 * Opens a key from any of its files, because one of them may be damaged or have another passphrase. Undefined
 * if no file is of such a key. Throws what the first one threw if none can be opened. `files` comes from
 * `keyFiles`.
 */
export async function openAny(
  folder: DataFolder,
  files: ReadonlyMap<string, string>,
  fits: (key: string) => boolean,
  options: KeyOptions,
): Promise<Signer | undefined> {
  let failed: Fault | undefined;
  for (const [name, key] of files) {
    if (!fits(key)) continue;
    try {
      return await openKey(join(folder.keys, name), options);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      failed ??= error;
    }
  }
  if (failed !== undefined) throw failed;
  return undefined;
}

async function openUsual(
  folder: DataFolder,
  key: string,
  options: KeyOptions,
): Promise<Signer | undefined> {
  const path = keyPath(folder, 'report');
  try {
    if (formatHex(await readPublicKey(path)) === key) return await openKey(path, options);
  } catch (error) {
    // Another file of the folder may have it, and open.
    if (!NOT_HERE.has(faultCode(error))) throw error;
  }
  return undefined;
}

/**
 * Report keys of other times that are in the folder and can be opened. The chain may still want one that the
 * log has replaced, or already one that the log will have next. Throws `key_exposed` for one that others may read.
 */
export async function openOtherKeys(
  folder: DataFolder,
  own: Signer,
  options: KeyOptions,
): Promise<readonly Signer[]> {
  const signers: Signer[] = [];
  const { files, unread } = await readKeyFiles(folder);
  for (const [name, fault] of unread) {
    if (OTHER_REPORT.test(name) && fault.code === 'key_exposed') throw fault;
  }
  for (const [name, key] of files) {
    if (!OTHER_REPORT.test(name) || key === formatHex(own.publicKey)) continue;
    try {
      signers.push(await openKey(join(folder.keys, name), options));
    } catch (error) {
      // A file with another passphrase is not needed here, and there may be a copy of a damaged one.
      if (!NOT_HERE.has(faultCode(error)) || faultCode(error) === 'key_missing') throw error;
    }
  }
  return signers;
}
