import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HashHex } from '@assay/core/hash/hash';
import { errorCode } from '../platform/durable-file.ts';

/** A file that nothing serves, by its path in the data folder. */
export interface PrivateFile {
  readonly path: string;
  /** Throws if it cannot be read, or is not what was stored. */
  readonly read: () => Promise<Uint8Array>;
}

/** The most bytes of such a file: the openings of one day's ticks. */
export const MAX_PRIVATE_BYTES = 1_073_741_824;

/**
 * The files of a data folder that neither follow from the log nor are served by their bytes: the openings of
 * withheld levels, of ticks and of answers, the names of handles, what opens the forecasts of rounds that are not frozen, the
 * witnessed checkpoints of those that are, the transactions that were sent to the chain, the result of the last check of
 * the venues, the settlement files, and the configuration next to them. The head guard and the note that
 * readers were shown are not among them, because an old copy of one has forgotten what was signed since; nor is
 * the open batch of stamps, whose records go into the next one.
 */
const FOLDERS = [
  'openings',
  'tick-openings',
  'answers',
  'handles',
  'forecasts',
  'freezes',
  'chain',
  'mirror',
] as const;
const FILES = ['venues.json', 'assay.json'] as const;
const KEYS = 'keys';

/** Files that were being written, which nothing stores. */
const UNFINISHED = /(?:^|\/)\./;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/**
 * What a node writes in addition, and no backup has: an old copy of some of it has forgotten what was signed
 * since, the callers of a question are destroyed after its close, a deleted subscription must not come back, and the rest would be trusted without a proof. The comparison is in lower case, because some file
 * systems do not distinguish cases.
 */
const OWN =
  /^(?:guard(?:\.moved)?|head|shown|blobs|callers|payments|webhooks|stamps|evidence|scrub\.json|succession\.json|ledger(?:\.[^/]*)?|set-aside-[^/]*|accepted|writer|promotion-[^/]*)(?:\/|$)/;

/**
 * Whether a backup may have a file with this path. Nothing else is taken from one, whatever its manifest names.
 */
export function mayBeBackedUp(path: string): boolean {
  return NAME.test(path) && !OWN.test(path.toLowerCase());
}

/** Whether a path is that of the configuration, or of a file that it names: nothing in the log proves these. */
export function isConfigPath(path: string): boolean {
  const [first = ''] = path.split('/');
  return ![...FOLDERS, KEYS, 'venues.json'].includes(first);
}

/** The paths of those in a data folder, ascending, with `more`, which are in it too. */
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
