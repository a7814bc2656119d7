import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { RELEASE_NOTE } from '@assay/cli/release/release-check';
import { formatReleaseList } from '@assay/cli/release/release-list';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toHashHex } from '@assay/core/hash/hash';
import { formatNote, formatNoteKey, NOTE_ED25519, noteKeyId } from '@assay/core/log/note';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { billOfMaterials } from './bill.ts';
import { bundlePages, compile, extract, headOf, linkModules } from './commit.ts';
import { pack, PUBLISHED, SHARED, versionOf } from './pack.ts';
import { ReleaseError } from './release-error.ts';

/** The name in the key of whoever signs a release. */
const SIGNER = 'assay.release';

/** What the two builds of a release are given that must not matter: the umask, and how deep their folder lies. */
const BUILDS = [
  { umask: 0o022, place: 'a' },
  { umask: 0o077, place: 'another/place' },
] as const;

export interface Release {
  readonly version: string;
  readonly commit: string;
  /** Files beside the list. */
  readonly files: number;
  /** The signer's verifier key, for `assay release check`. */
  readonly vkey: string;
}

/**
 * Throws `uncommitted` where the working tree of the repository `root` is not what its commit has, and `not_empty` where `into` has
 * something in it. Returns the commit.
 */
export async function requireReady(root: string, into: string): Promise<string> {
  if (existsSync(into) && (await readdir(into)).length > 0) {
    throw new ReleaseError('not_empty', `${into} has something in it`);
  }
  return headOf(root);
}

/**
 * Builds and packs the commit that is checked out in the repository `root` twice, in two folders and from nothing but its files,
 * compares the bytes, and writes the tarballs into the folder `into` with a bill of materials and the signed list. Throws a
 * `ReleaseError` and leaves `into` as it was where one of that fails.
 */
export async function makeRelease(root: string, into: string, signer: Signer): Promise<Release> {
  const commit = await requireReady(root, into);
  const scratch = await mkdtemp(join(tmpdir(), 'assay-release-'));
  try {
    const packed = [];
    for (const { umask, place } of BUILDS) {
      packed.push(await packCommit(root, commit, join(scratch, place), umask));
    }
    const [first = [], again = []] = packed;
    for (const [i, path] of first.entries()) {
      if ((await readFile(path)).equals(await readFile(again[i] as string))) continue;
      throw new ReleaseError('build_differs', `${basename(path)} has other bytes the second time`);
    }
    const version = await versionOf('core', join(scratch, BUILDS[0].place, 'source'));
    const bill = await billOfMaterials(first, version);
    await mkdir(into, { recursive: true });
    for (const path of first) await copyFile(path, join(into, basename(path)));
    await writeFile(join(into, `assay-${version}.cdx.json`), bill);
    const files = await writeList(into, version, commit, signer);
    return { version, commit, files, vkey: formatNoteKey(nodeSha256, SIGNER, signer.publicKey) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The tarballs of a commit, from its files in the folder `place` and under a umask. */
async function packCommit(
  root: string,
  commit: string,
  place: string,
  umask: number,
): Promise<readonly string[]> {
  const before = process.umask(umask);
  try {
    const source = join(place, 'source');
    await extract(root, commit, source, [...SHARED, ...PUBLISHED]);
    await linkModules(source, PUBLISHED);
    await compile(source, ['-b', ...PUBLISHED, 'node/browser']);
    await bundlePages(source);
    const tarballs = join(place, 'tarballs');
    await mkdir(tarballs);
    return await pack(tarballs, PUBLISHED, source);
  } finally {
    process.umask(before);
  }
}

/** Writes the signed list of the files in `into`, and returns how many there are. */
async function writeList(
  into: string,
  version: string,
  commit: string,
  signer: Signer,
): Promise<number> {
  const files = [];
  for (const name of (await readdir(into)).sort()) {
    const bytes = await readFile(join(into, name));
    const sha256 = toHashHex(createHash('sha256').update(bytes).digest('hex'));
    files.push({ name, sha256 });
  }
  const text = formatReleaseList({ version, commit, files });
  const signature = signer.sign(formatUtf8(text));
  const keyId = noteKeyId(nodeSha256, SIGNER, NOTE_ED25519, signer.publicKey);
  const note = formatNote({ text, signatures: [{ name: SIGNER, keyId, signature }] });
  await writeFile(join(into, RELEASE_NOTE), note);
  return files.length;
}
