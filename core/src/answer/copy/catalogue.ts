import { formatUtf8, parseUtf8 } from '../../bytes/utf8.ts';
import { Fault } from '../../fault.ts';
import { type HashHex, toHashHex } from '../../hash/hash.ts';

/**
 * The answers that a growing copy of a log has for one size, as text:
 *
 *     assay-answers/1
 *     size 1234
 *     reports 10
 *     <sha256 of a listing>  <folder>
 *     ...
 *
 * and for each folder a listing of its files:
 *
 *     assay-answers-folder/1
 *     <sha256 of a file>  <name in the folder>
 *     ...
 *
 * Names ascend. The folder of files at the top is called `.`. All of these objects, and the files, lie under names that
 * never mean anything else, so that a reader of an older checkpoint finds the answers of that checkpoint while those of
 * the next one are being written.
 */
export interface Catalogue {
  /** The size of the log that all its answers are for. */
  readonly size: number;
  /** The reports of so many of the newest periods of each index are in it. */
  readonly reports: number;
  /** The hashes of the listings, by folder. */
  readonly folders: ReadonlyMap<string, HashHex>;
}

/** The hashes of the files in a folder, by name. */
export type Listing = ReadonlyMap<string, HashHex>;

const FOLDER = /^(?:\.|\.?[A-Za-z0-9-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9-][A-Za-z0-9._-]*)*)$/;
const NAME = /^[A-Za-z0-9-][A-Za-z0-9._-]*$/;
const LISTING_HEAD = 'assay-answers-folder/1\n';
const TITLE = 'catalogue of answers';

/** Where the catalogue for a size is. */
export function cataloguePath(size: number): string {
  return `answers/at/${size}`;
}

/** Where a listing with this hash is. */
export function listingPath(hash: HashHex): string {
  return `answers/folder/${hash}`;
}

/** Where a file with this hash is. */
export function answerPath(hash: HashHex): string {
  return `answers/file/${hash}`;
}

/** The folder of a file of a static copy, and its name there. */
export function placeOf(file: string): { readonly folder: string; readonly name: string } {
  const at = file.lastIndexOf('/');
  if (at < 0) return { folder: '.', name: file };
  return { folder: file.slice(0, at), name: file.slice(at + 1) };
}

export function formatCatalogue({ size, reports, folders }: Catalogue): Uint8Array {
  return formatUtf8(`assay-answers/1\nsize ${size}\nreports ${reports}\n${rowsText(folders)}`);
}

/** Throws `malformed` for anything that `formatCatalogue` does not write. */
export function parseCatalogue(bytes: Uint8Array): Catalogue {
  const text = parseUtf8(bytes);
  const [head = '', size = '', reports = ''] =
    /^assay-answers\/1\nsize (0|[1-9][0-9]{0,14})\nreports ([1-9][0-9]{0,5})\n/.exec(text) ?? [];
  if (head === '') throw malformed('a head with a size and a number of reports');
  return {
    size: Number(size),
    reports: Number(reports),
    folders: rowsOf(text.slice(head.length), FOLDER),
  };
}

export function formatListing(files: Listing): Uint8Array {
  return formatUtf8(`${LISTING_HEAD}${rowsText(files)}`);
}

/** Throws `malformed` for anything that `formatListing` does not write. */
export function parseListing(bytes: Uint8Array): Listing {
  const text = parseUtf8(bytes);
  if (!text.startsWith(LISTING_HEAD)) throw malformed('a head of a folder');
  return rowsOf(text.slice(LISTING_HEAD.length), NAME);
}

function rowsText(rows: ReadonlyMap<string, HashHex>): string {
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, hash]) => `${hash}  ${name}\n`)
    .join('');
}

function rowsOf(text: string, names: RegExp): ReadonlyMap<string, HashHex> {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw malformed('a line end after the last name');
  const rows = new Map<string, HashHex>();
  let last = '';
  for (const line of lines) {
    const [, hash = '', name = ''] = /^([0-9a-f]{64}) {2}(.+)$/.exec(line) ?? [];
    if (!names.test(name)) throw malformed('lines of a hash and a name');
    if (rows.size > 0 && name <= last) throw malformed('names that ascend');
    rows.set(name, toHashHex(hash));
    last = name;
  }
  return rows;
}

function malformed(expected: string): Fault {
  return new Fault('malformed', TITLE, { expected });
}
