import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { type NoteKey, parseNote } from '@assay/core/log/note';
import { isSignedBy } from '@assay/verifier/trust/signed-note';
import type { Environment } from '@assay/verifier/verdict/environment';
import { fileDigest } from '../reader/file-digest.ts';
import { readPlainFile } from '../reader/plain-file.ts';
import { MAX_RELEASE_BYTES, parseReleaseList } from './release-list.ts';

/** The signed note of a release, in the folder of its files. */
export const RELEASE_NOTE = 'release.txt';

/** What is wrong with a release. */
export interface ReleaseFinding {
  readonly code: 'bad_signature' | 'file_missing' | 'file_differs' | 'file_unlisted';
  readonly file: string;
  readonly expected: string;
  readonly found: string;
}

export interface ReleaseResult {
  readonly version: string;
  /** The commit that the list says the files were built from. */
  readonly commit: string;
  /** Files that match the list. */
  readonly files: readonly string[];
  readonly findings: readonly ReleaseFinding[];
}

/**
 * Compares the files of a folder with its signed list. The list is trusted only if `key` signed it; if not,
 * that is the only finding. Throws `not_found` without a list, and `bad_note` or `malformed` for one that
 * breaks its format.
 */
export async function checkRelease(
  folder: string,
  key: NoteKey,
  environment: Pick<Environment, 'verifySignature'>,
): Promise<ReleaseResult> {
  const path = join(folder, RELEASE_NOTE);
  const bytes = await readPlainFile(path, MAX_RELEASE_BYTES);
  if (bytes === undefined) {
    const expected = 'the signed list of a release, in the folder of its files';
    throw new Fault('not_found', 'release', { at: path, expected, found: 'none there' });
  }
  const note = parseNote(bytes);
  const { version, commit, files } = parseReleaseList(note.text);
  if (!(await isSignedBy(note, key, environment))) {
    const expected = `a signature of ${key.name}+${key.keyId}`;
    const found = note.signatures.map(({ name, keyId }) => `${name}+${keyId}`).join(', ');
    const finding = { code: 'bad_signature', file: RELEASE_NOTE, expected, found } as const;
    return { version, commit, files: [], findings: [finding] };
  }
  const good: string[] = [];
  const findings: ReleaseFinding[] = [];
  for (const { name, sha256 } of files) {
    const digest = await fileDigest(join(folder, name), 'sha256');
    const found = digest === undefined ? 'no file' : formatHex(digest);
    if (found === sha256) good.push(name);
    else {
      const code = digest === undefined ? 'file_missing' : 'file_differs';
      findings.push({ code, file: name, expected: sha256, found });
    }
  }
  const listed = new Set([RELEASE_NOTE, ...files.map(({ name }) => name)]);
  for (const name of (await readdir(folder)).sort()) {
    if (listed.has(name)) continue;
    const expected = 'a file that the list names';
    findings.push({ code: 'file_unlisted', file: name, expected, found: 'another' });
  }
  return { version, commit, files: good, findings };
}
