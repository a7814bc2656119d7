import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import { parseNoteKey } from '@assay/core/log/note';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import { checkpointSigner, type Signer } from '../ledger/checkpoint-signer.ts';
import type { ClosingHeads } from '../ledger/closing-heads.ts';
import { TermSigner } from '../ledger/term-signer.ts';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import type { KeyOptions } from './keystore.ts';
import { keyFiles, lackingKey, openAny, readKeyFiles } from './report-keys.ts';
import { lackingClosingHead } from './settle-keys.ts';

/** The keys of a log's checkpoints, as entries and genesis have them. */
export interface CheckpointKeysOf {
  readonly sha256: Sha256;
  readonly origin: string;
  /** One or more. */
  readonly terms: readonly CheckpointTerm[];
  readonly closing: ClosingHeads;
}

/**
 * Opens the private half of a checkpoint key (hex) from whichever file of the folder holds it. Throws `key_missing`, and
 * what `openKey` throws.
 */
export async function openCheckpointKey(
  folder: DataFolder,
  key: string,
  options: KeyOptions,
): Promise<Signer> {
  const read = await readKeyFiles(folder);
  const opened = await openAny(folder, read.files, (found) => found === key, options);
  if (opened !== undefined) return opened;
  const expected = `the key ${key}, which the log has in force: bring its file`;
  throw lackingKey(folder, 'checkpoint key', expected, read);
}

/**
 * Why `checkpoint.json` does not open, which `fault` says: `key_missing` with the command that gives it its name where
 * another file of the folder has the key in force, or else `fault` itself.
 */
export async function unopenedCheckpoint(
  { sha256, terms }: Pick<CheckpointKeysOf, 'sha256' | 'terms'>,
  folder: DataFolder,
  fault: Fault,
): Promise<Fault> {
  if (!mayBeElsewhere(fault)) return fault;
  const now = terms.at(-1) as CheckpointTerm;
  const key = formatHex(parseNoteKey(sha256, now.vkey).publicKey);
  const [name] = [...(await keyFiles(folder))].find(([, found]) => found === key) ?? [];
  if (name === undefined) return fault;
  return new Fault('key_missing', 'checkpoint key', {
    at: keyPath(folder, 'checkpoint'),
    expected: `the key ${now.vkey}, which ${name} has: assay keys settle ${folder.root} finishes the change that was cut short`,
    found: fault.code === 'key_missing' ? 'none there' : 'a damaged file: move it away first',
    cause: fault,
  });
}

/** Whether an error in opening `checkpoint.json` leaves open that its key is in another file. */
export function mayBeElsewhere(error: unknown): error is Fault {
  return error instanceof Fault && (error.code === 'key_missing' || error.code === 'malformed');
}

/**
 * Signs heads as a node does, with `checkpoint.json` alone. Throws `key_missing` where that is not the key in force, or the
 * closing head of one before it is not kept, and what `openKey` throws.
 */
export async function nodeCheckpoints(
  of: CheckpointKeysOf,
  folder: DataFolder,
  own: Signer,
): Promise<TermSigner> {
  await requireClosingHeads(of);
  const key = checkpointSigner(of.sha256, of.origin, own);
  const now = of.terms.at(-1) as CheckpointTerm;
  if (key.vkey !== now.vkey) {
    throw new Fault('key_missing', 'checkpoint key', {
      at: keyPath(folder, 'checkpoint'),
      expected: `the key ${now.vkey}, which the log has in force (assay keys settle ${folder.root} finishes a change that was cut short, and assay keys show ${folder.root} says which file has it)`,
      found: key.vkey,
    });
  }
  return termSigner(of, [key]);
}

/**
 * Signs heads with every checkpoint key of the folder that opens, for a change of keys: one that was cut short needs the
 * files under the names that they had.
 */
export async function folderCheckpoints(
  of: CheckpointKeysOf,
  folder: DataFolder,
  options: KeyOptions,
): Promise<TermSigner> {
  const { sha256, origin } = of;
  const files = await keyFiles(folder);
  const keys = new Map<string, Signer>();
  let failed: unknown;
  for (const [name, key] of files) {
    if (!/^(?:next-|later-)?checkpoint/.test(name) || keys.has(key)) continue;
    try {
      const opened = await openAny(folder, files, (found) => found === key, options);
      if (opened !== undefined) keys.set(key, opened);
    } catch (error) {
      failed ??= error;
    }
  }
  const now = formatHex(parseNoteKey(sha256, (of.terms.at(-1) as CheckpointTerm).vkey).publicKey);
  // A file of another key may have another passphrase; why the one in force does not open is of interest.
  if (failed !== undefined && !keys.has(now) && [...files.values()].includes(now)) throw failed;
  return termSigner(
    of,
    [...keys.values()].map((key) => checkpointSigner(sha256, origin, key)),
  );
}

/** The stored terms; where the rows of a log are gone, the key that genesis names. */
export function termsOf(
  { checkpoint_vkey: vkey }: Pick<Genesis, 'checkpoint_vkey'>,
  stored: readonly CheckpointTerm[],
): readonly CheckpointTerm[] {
  if (stored.length > 0) return stored;
  return [
    { number: 0, vkey, seq: 0, cause: 'genesis', above: 0, last_size: null, promised_by: null },
  ];
}

/** Signs the heads of the terms with the keys at hand. */
export function termSigner(
  { sha256, origin, terms, closing }: CheckpointKeysOf,
  keys: ConstructorParameters<typeof TermSigner>[0]['keys'],
): TermSigner {
  const closingHead = (number: number): Promise<Uint8Array | undefined> => closing.read(number);
  return new TermSigner({ sha256, origin, terms, keys, closingHead });
}

/** Throws `key_missing` where the closing head of a key that has ended is not kept: whoever knows that key needs it. */
export async function requireClosingHeads({
  terms,
  closing,
}: Pick<CheckpointKeysOf, 'terms' | 'closing'>): Promise<void> {
  for (const { number, last_size: last } of terms) {
    if (last === null || (await closing.read(number)) !== undefined) continue;
    throw lackingClosingHead(closing.path(number), number);
  }
}
