import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEntry } from '@assay/core/log/entry';
import { parseHex } from '@assay/core/bytes/hex';
import { Fault, faultCode } from '@assay/core/fault';
import { parseGenesis } from '@assay/core/kind/genesis';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { MAX_ENTRY_BYTES } from '@assay/core/limits';
import { formatTilePath, parseEntryBundle, TILE_WIDTH } from '@assay/core/log/tile';
import { keyPath } from '../platform/data-folder.ts';
import { ensureFolder, writeDurable } from '../platform/durable-file.ts';
import { openKey } from '../key/keystore.ts';
import { keyFiles } from '../key/report-keys.ts';
import {
  checkpointReader,
  checkpointSigner,
  type LocalCheckpointSigner,
} from '../ledger/checkpoint-signer.ts';
import { readBounded } from './bounded-file.ts';
import { isKeyPath, type PrivateFile } from './private-files.ts';
import { openSource, type Source } from './source.ts';
import { isFound, MAX_NOTE_BYTES, type Restoration } from './restoration.ts';

/** The log's checkpoint key, under the one origin for which a source shows a head that it signed. */
export async function openSigner(restoration: Restoration): Promise<LocalCheckpointSigner> {
  const { sha256, passphrase } = restoration.parts;
  await bringKeys(restoration);
  const signer = await openKey(keyPath(restoration.folder, 'checkpoint'), { passphrase });
  const origins = new Set<string>();
  for (const source of restoration.sources) {
    for (const { note } of source.heads) {
      const origin = originIn(note);
      if (origin === undefined) continue;
      try {
        checkpointSigner(sha256, origin, signer).open(note);
        origins.add(origin);
      } catch {
        // It is of another log or unknown, which is reported below, where the log is known.
      }
    }
    if (source.unsigned !== undefined && source.heads.length === 0) {
      const origin = await originOfEntries(source);
      if (origin !== undefined) origins.add(origin);
    }
  }
  const [origin, ...others] = origins;
  if (origin === undefined) {
    const elsewhere = await otherSigners(restoration);
    throw new Fault('not_found', 'restore', {
      expected: `a source with a head that the checkpoint key in the data folder signed${elsewhere}`,
      found: restoration.results
        .map(({ name, faults }) => `${name}: ${faults[0] ?? 'no head of it'}`)
        .join('; '),
    });
  }
  if (others.length > 0) {
    throw new Fault('refused', 'restore', {
      expected: 'sources of one log',
      found: `heads of ${[...origins].join(' and ')}, signed by the same key`,
    });
  }
  return checkpointSigner(sha256, origin, signer);
}

/** Which keys signed the heads of the sources, and which file of the folder has such a key; empty where there are none. */
async function otherSigners({ folder, parts, sources }: Restoration): Promise<string> {
  const files = await keyFiles(folder);
  const signers = new Set<string>();
  for (const { note } of sources.flatMap(({ heads }) => heads)) {
    const origin = originIn(note);
    if (origin === undefined) continue;
    for (const [name, key] of files) {
      try {
        const reader = checkpointReader(parts.sha256, origin, parseHex(key, 32));
        reader.open(note);
        signers.add(`keys/${name}`);
      } catch {
        // Of a key that this file does not have.
      }
    }
  }
  if (signers.size === 0) return '';
  return ` (the key that signed one of these is in ${[...signers].join(' and ')}: a source from before a change of the key wants it as checkpoint.json)`;
}

/** Copies key files that the data folder lacks from where the command says. */
async function bringKeys(restoration: Restoration): Promise<void> {
  const { keys, data, sha256 } = restoration.parts;
  if (keys === undefined) return;
  const files: PrivateFile[] = [];
  if (await isFound(join(keys, 'assay-backup.json'))) {
    const scratch = join(restoration.stage.root, 'sources');
    const backup = await openSource(keys, { sha256, scratch });
    files.push(...(await backup.privates()).filter(({ path }) => isKeyPath(path)));
  } else {
    for (const name of await readdir(keys)) {
      if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) continue;
      const bytes = await readBounded(join(keys, name), MAX_NOTE_BYTES);
      if (bytes !== undefined)
        files.push({ path: `keys/${name}`, read: () => Promise.resolve(bytes) });
    }
  }
  await ensureFolder(restoration.folder.keys, { mode: 0o700 });
  for (const { path, read } of files) {
    if (await isFound(join(data, path))) continue;
    await writeDurable(join(data, path), await read(), { mode: 0o600, exclusive: true });
  }
}

function originIn(note: Uint8Array): string | undefined {
  try {
    return parseCheckpoint(parseNote(note).text).origin;
  } catch {
    return undefined;
  }
}

/** The origin in entry 0 of a source, which is not signed. */
async function originOfEntries({ tile, unsigned }: Source): Promise<string | undefined> {
  const width = Math.min(TILE_WIDTH, unsigned?.size ?? 0);
  if (width === 0) return undefined;
  try {
    const path = formatTilePath({ level: 'entries', index: 0, width });
    const [first] = parseEntryBundle(await tile(path, width * (2 + MAX_ENTRY_BYTES)), width);
    return first === undefined ? undefined : parseGenesis(parseEntry(first).body, 'body').origin;
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}
