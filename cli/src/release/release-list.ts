import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';

/** One file of a release. */
export interface ReleaseFile {
  readonly name: string;
  readonly sha256: HashHex;
}

/** What a release consists of. */
export interface ReleaseList {
  /** Three numbers, as semantic versioning has them. */
  readonly version: string;
  /** The commit of Assay's repository that the files were built from: the 40 hex digits that git names it by. */
  readonly commit: string;
  /** Sorted by name in the order of code units, each name once. */
  readonly files: readonly ReleaseFile[];
}

const FIRST = /^assay release ([0-9]+\.[0-9]+\.[0-9]+)$/;
const SECOND = /^commit ([0-9a-f]{40})$/;
const LINE = /^([0-9a-f]{64}) {2}([a-z0-9][a-z0-9._-]{0,99})$/;

/** The most files that a list names. */
const MAX_FILES = 100;

/**
 * The text of a release's signed note: the version on the first line, the commit on the second, and then a line for each file as
 * `sha256sum` writes it.
 *
 *     assay release 0.2.0
 *     commit <40 hex digits>
 *     <64 hex digits>  assay-verifier-0.2.0.tgz
 */
export function formatReleaseList({ version, commit, files }: ReleaseList): string {
  const lines = files.map(({ name, sha256 }) => `${sha256}  ${name}`);
  return [`assay release ${version}`, `commit ${commit}`, ...lines, ''].join('\n');
}

/** Throws `malformed` for any text that `formatReleaseList` does not write. */
export function parseReleaseList(text: string): ReleaseList {
  const [first = '', second = '', ...lines] = text.split('\n');
  const version = FIRST.exec(first)?.[1];
  if (version === undefined) throw malformed('line 1', 'assay release X.Y.Z', first);
  const commit = SECOND.exec(second)?.[1];
  if (commit === undefined) throw malformed('line 2', 'commit and 40 hex digits', second);
  if (lines.pop() !== '') throw malformed('the last line', 'a line end', 'none');
  if (lines.length > MAX_FILES) throw malformed('files', `at most ${MAX_FILES}`, `${lines.length}`);
  const files = lines.map((line, i) => {
    const [, sha256, name] = LINE.exec(line) ?? [];
    if (name === undefined) throw malformed(`line ${i + 3}`, 'a sha256, two spaces, a name', line);
    return { name, sha256: sha256 as HashHex };
  });
  for (const [i, { name }] of files.entries()) {
    const before = files[i - 1]?.name;
    if (before === undefined || before < name) continue;
    throw malformed(`line ${i + 3}`, `a name after ${before}`, name);
  }
  return { version, commit, files };
}

/** The most bytes of a note with the largest list, including signature lines. */
export const MAX_RELEASE_BYTES = 65_536;

function malformed(at: string, expected: string, found: string): Fault {
  return new Fault('malformed', 'release list', { at, expected, found: found.slice(0, 100) });
}
