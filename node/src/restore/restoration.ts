import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { FolderReader } from '@assay/verifier/reader/folder-reader';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import type { Clock } from '../platform/clock.ts';
import { type DataFolder, dataFolder } from '../platform/data-folder.ts';
import type { FetchNote, HeadWitness } from '../witness/client/mirror-heads.ts';
import { hasData } from '../data/open-data.ts';
import type { LeftGuard } from './left-guard.ts';
import { openLeft, openSource, type Source } from './source.ts';

/** What a restore is given, and what the operator consents to. */
export interface RestoreParts {
  /** The data folder that is to hold the log: empty, new, or what is left of it. */
  readonly data: string;
  /** Addresses and folders, in the order in which they were given. */
  readonly from: readonly string[];
  readonly mirrors: readonly string[];
  readonly witnesses: readonly HeadWitness[];
  readonly fetchNote: FetchNote;
  /** A folder of key files, or a backup that has them; undefined if they are in the data folder. */
  readonly keys: string | undefined;
  readonly passphrase: string | undefined;
  /** The leaf hash of entry 0; undefined if it was not given. */
  readonly logId: HashHex | undefined;
  /** How many entries the operator knows to have been acknowledged; undefined if that was not given. */
  readonly acknowledged: number | undefined;
  /**
   * Whether entries that were acknowledged and that nobody holds may be written off, with a note in the log.
   */
  readonly acceptLoss: boolean;
  /**
   * Whether the log may continue although one or all of the named places could not be asked for a newer head.
   */
  readonly unconfirmed: boolean;
  /** Whether the log is put into place although the verifier has findings in its entries. */
  readonly acceptFindings: boolean;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Runs the verifier over what was restored, before it is put into place. */
  readonly verify: (folder: FolderReader, vkey: string) => Promise<Verdict>;
  readonly progress?: (done: number, total: number, what: string) => void;
}

/** A source, and its result. */
export interface SourceResult {
  readonly name: string;
  readonly kind: Source['kind'] | null;
  /** The number of entries of the head that it shows; null if it shows none of the log. */
  readonly size: number | null;
  /** Entries that were taken from it. */
  readonly entries: number;
  /** How many files that nothing serves were taken from it. */
  readonly files: number;
  /** Those of them that configure the node, as paths in the data folder: nothing proves their contents. */
  readonly config: readonly string[];
  readonly faults: readonly string[];
}

/** No note, key file or opening is longer than this. */
export const MAX_NOTE_BYTES = 65_536;
/** How many faults of one source are listed. */
const MAX_FAULTS = 5;

/** A source while it is in use. */
export interface SourceState {
  source: Source | undefined;
  readonly name: string;
  size: number | null;
  entries: number;
  /** The number of entries of the head that shows it to be of this log; null if it shows none. */
  proven: number | null;
  files: number;
  readonly config: string[];
  readonly faults: string[];
  /** How many faults there were in addition to those that are listed. */
  unlisted: number;
}

/** Records what is wrong with a source, up to a limit, because it may be wrong for each of many blobs. */
export function noteFault(result: SourceState, words: string): void {
  if (result.faults.includes(words)) return;
  if (result.faults.length < MAX_FAULTS) result.faults.push(words);
  else result.unlisted += 1;
}

/** A restore under way: what it was given, where it works, and its sources. */
export interface Restoration {
  readonly parts: RestoreParts;
  /** The data folder, as it was found. */
  readonly folder: DataFolder;
  /** Where the log is assembled before anything in the data folder is replaced. */
  readonly stage: DataFolder;
  /** Those that could be opened. The caller closes them. */
  readonly sources: Source[];
  readonly results: SourceState[];
}

/**
 * What is left of the head guards of data folders. Where the folder that is restored has anything left, its own counts alone:
 * another one may be a copy of an earlier time. A guard is not signed, so that only those of folders count that were shown to
 * be of this log.
 */
export function leftGuards({ parts, results }: Restoration): readonly LeftGuard[] {
  const own = results.filter(({ name, source }) => name === parts.data && source !== undefined);
  const others = results.filter(({ proven }) => proven !== null);
  return (own.length === 0 ? others : own).flatMap(({ source }) => source?.guard ?? []);
}

/** Opens every source, and what is left in the data folder as the last of them. */
export async function openSources(restoration: Restoration): Promise<void> {
  const { data, from, sha256 } = restoration.parts;
  const scratch = join(restoration.stage.root, 'sources');
  await mkdir(scratch, { mode: 0o700 });
  // What is left in the folder itself is added below, whether or not it is named.
  for (const name of from.filter((each) => each !== data)) {
    const result = addSource(restoration, name);
    try {
      result.source = await openSource(name, { sha256, scratch });
      restoration.sources.push(result.source);
      noteGuard(result);
    } catch (error) {
      result.faults.push(messageOf(error));
    }
  }
  const hasLedger = await hasData(restoration.folder);
  const { head, guard } = restoration.folder;
  if (!hasLedger && !(await isFound(head)) && !(await isFound(guard))) return;
  const left = await openLeft(data, { sha256, scratch });
  const result = addSource(restoration, data);
  result.source = left;
  restoration.sources.push(left);
  noteGuard(result);
  if (left.fault !== undefined) result.faults.push(messageOf(left.fault));
}

/** Records that a head guard is gone, because the entries beside it may then not be all. */
function noteGuard(result: SourceState): void {
  const state = result.source?.guard?.state;
  if (state !== 'missing' && state !== 'damaged') return;
  noteFault(
    result,
    `the journal of its head guard is ${state}: whether more entries were acknowledged than it has is not known`,
  );
}

function addSource(restoration: Restoration, name: string): SourceState {
  const result: SourceState = {
    source: undefined,
    name,
    size: null,
    entries: 0,
    proven: null,
    files: 0,
    config: [],
    faults: [],
    unlisted: 0,
  };
  restoration.results.push(result);
  return result;
}

/** A restore of `parts` that works in the folder `stage`. */
export function beginRestoration(parts: RestoreParts, stage: string): Restoration {
  return {
    parts,
    folder: dataFolder(parts.data),
    stage: dataFolder(stage),
    sources: [],
    results: [],
  };
}

/** What the operator is shown about a source. */
export function resultOf({
  name,
  source,
  size,
  entries,
  files,
  config,
  faults,
  unlisted,
}: SourceState): SourceResult {
  return {
    name,
    kind: source?.kind ?? null,
    size,
    entries,
    files,
    config,
    faults: unlisted === 0 ? faults : [...faults, `and ${unlisted} more of the kind`],
  };
}

export async function isFound(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
