// `npm run release -- --key FILE [--into FOLDER] [--new-key]`: packs every published package twice, compares the bytes, and writes
// them into a folder with a bill of materials and a signed list that `assay release check` compares them with. The key file is one of
// Assay's (docs/keys.md); its passphrase is in ASSAY_PASSPHRASE. With --new-key the file is made where it is not there yet.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { RELEASE_NOTE } from '@assay/cli/release/release-check';
import { formatReleaseList } from '@assay/cli/release/release-list';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { toHashHex } from '@assay/core/hash/hash';
import { formatNote, formatNoteKey, NOTE_ED25519, noteKeyId } from '@assay/core/log/note';
import { createKey, openKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { pack } from './pack.ts';

const run = promisify(execFile);

/** The name in the key of whoever signs a release. */
const SIGNER = 'assay.release';

/** A bill of materials that follows from the lock file alone: without the moment and the number of its making. */
async function billOfMaterials(): Promise<string> {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev'];
  const { stdout } = await run('npm', args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  const bill = JSON.parse(stdout) as Record<string, unknown> & {
    metadata: Record<string, unknown> & { component: Record<string, unknown> };
  };
  delete bill['serialNumber'];
  delete bill.metadata['timestamp'];
  bill.metadata.component['name'] = 'assay';
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

async function versionOf(): Promise<string> {
  const text = await readFile(join(ROOT, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

const { values } = parseArgs({
  options: { key: { type: 'string' }, into: { type: 'string' }, 'new-key': { type: 'boolean' } },
});
if (values.key === undefined) {
  console.error('usage: npm run release -- --key FILE [--into FOLDER] [--new-key]');
  process.exit(2);
}
const version = await versionOf();
const into = resolve(values.into ?? join('.assay', `assay-${version}`));
if (existsSync(into) && (await readdir(into)).length > 0) {
  console.error(`release: ${into} is not empty`);
  process.exit(1);
}
const passphrase = process.env['ASSAY_PASSPHRASE'];
const isNew = values['new-key'] === true && !existsSync(values.key);
const signer = await (isNew ? createKey : openKey)(resolve(values.key), { passphrase });

await mkdir(into, { recursive: true });
const again = await mkdtemp(join(tmpdir(), 'assay-again-'));
try {
  const first = await pack(into);
  for (const [i, path] of (await pack(again)).entries()) {
    const [a, b] = await Promise.all([readFile(first[i] as string), readFile(path)]);
    if (!a.equals(b)) throw new Error(`${path} has other bytes when it is packed again`);
  }
} finally {
  await rm(again, { recursive: true, force: true });
}
await writeFile(join(into, `assay-${version}.cdx.json`), await billOfMaterials());
const files = [];
for (const name of (await readdir(into)).sort()) {
  const digest = createHash('sha256')
    .update(await readFile(join(into, name)))
    .digest('hex');
  files.push({ name, sha256: toHashHex(digest) });
}
const text = formatReleaseList({ version, files });
const signature = signer.sign(formatUtf8(text));
const keyId = noteKeyId(nodeSha256, SIGNER, NOTE_ED25519, signer.publicKey);
const note = formatNote({ text, signatures: [{ name: SIGNER, keyId, signature }] });
await writeFile(join(into, RELEASE_NOTE), note);
console.log(`${files.length} files in ${into}, each packed twice to the same bytes`);
console.log(
  `assay release check ${into} --key '${formatNoteKey(nodeSha256, SIGNER, signer.publicKey)}'`,
);
