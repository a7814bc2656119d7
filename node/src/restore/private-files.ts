import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HashHex } from '@assay/core/hash/hash';
import { errorCode } from '../platform/durable-file.ts';

/** A file that nothing serves, by its path in the data folder. */
export interface PrivateFile {
  readonly path: string;
  /** Throws where it cannot be read, or is not what was kept. */
  readonly read: () => Promise<Uint8Array>;
}

/** Bytes of the largest such file: the openings of one day's ticks. */
export const MAX_PRIVATE_BYTES = 1_073_741_824;

/**
 * What a data folder holds that neither follows from the log nor is served by its bytes: the openings of withheld
 * levels and of ticks, the transactions that are out with the chain, what the last check of the venues left, the
 * settlement files, and the config beside them. The head guard and the note that readers were shown are not among
 * them, for an old copy of one has forgotten what was signed since; nor is the open batch of stamps, whose records go
 * with the next one.
 */
const FOLDERS = ['openings', 'tick-openings', 'chain', 'mirror'] as const;
const FILES = ['venues.json', 'assay.json'] as const;
const KEYS = 'keys';

/** What nothing keeps: files that were being written. */
const UNFINISHED = /(?:^|\/)\./;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/**
 * What a node writes beside them, and no backup has: an old copy of some of it has forgotten what was signed since, and
 * the rest would be believed without a proof. Compared in small letters, for some file systems know no others.
 */
const OWN =
  /^(?:head|shown|blobs|stamps|evidence|scrub\.json|succession\.json|ledger(?:\.[^/]*)?|set-aside-[^/]*)(?:\/|$)/;

/** Whether a backup may have a file under this path: nothing else is taken from one, whatever its manifest names. */
export function mayBeBackedUp(path: string): boolean {
  return NAME.test(path) && !OWN.test(path.toLowerCase());
}

/** Whether a path is that of the config, or of a file that it names: nothing that the log says proves these. */
export function isConfigPath(path: string): boolean {
  const [first = ''] = path.split('/');
  return ![...FOLDERS, KEYS, 'venues.json'].includes(first);
}

/** The paths of those that a data folder has, ascending; with `more` beside them, which lie in it too. */
export async function privatePaths(
  root: string,
  { withKeys, more = [] }: { readonly withKeys: boolean; readonly more?: readonly string[] },
): Promise<readonly string[]> {
  const paths = new Set<string>();
  for (const folder of withKeys ? [...FOLDERS, KEYS] : FOLDERS) {
    for (const path of await filesBelow(root, folder)) paths.add(path);
  }
  const here = new Set(await filesIn(root));
  for (const name of FILES) if (here.has(name)) paths.add(name);
  for (const path of more) paths.add(path);
  return [...paths].filter((path) => mayBeBackedUp(path) && !UNFINISHED.test(path)).toSorted();
}

/** Whether a path is one of a key file. */
export function isKeyPath(path: string): boolean {
  return path.startsWith(`${KEYS}/`);
}

/** The commitment that a file opens; undefined for any other. */
export function openingOf(path: string): HashHex | undefined {
  const found = /^openings\/([0-9a-f]{64})$/.exec(path)?.[1];
  return found as HashHex | undefined;
}

async function filesBelow(root: string, folder: string): Promise<readonly string[]> {
  try {
    const found = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    return found
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(root.length + 1));
  } catch (error) {
    if (isNone(error)) return [];
    throw error;
  }
}

async function filesIn(root: string): Promise<readonly string[]> {
  try {
    const found = await readdir(root, { withFileTypes: true });
    return found.filter((each) => each.isFile()).map(({ name }) => name);
  } catch (error) {
    if (isNone(error)) return [];
    throw error;
  }
}

function isNone(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
