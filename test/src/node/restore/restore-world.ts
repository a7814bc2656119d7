import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Fault } from '@assay/core/fault';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { dataFolder } from '@assay/node/platform/data-folder';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { type OpenData, openData } from '@assay/node/data/open-data';
import { backUp, type BackedUp } from '@assay/node/restore/backup';
import { BACKUP_FILE, parseBackup } from '@assay/node/restore/backup-manifest';
import type { RestoreParts } from '@assay/node/restore/restoration';
import { restore, type Restored } from '@assay/node/restore/restore';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { listen } from '../../cli/fixture/run.ts';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { parseNoteEntry } from '@assay/core/kind/note';
import { ownData } from '../../cli/fixture/data-folder.ts';

/** After everything that the sample log says. */
const NOW = 1_900_000_000;

/** A data folder opened as a node opens it. */
export async function openNode(
  data: string,
): Promise<{ readonly ledger: Ledger; readonly data: OpenData }> {
  const opened = await openData(dataFolder(data), nodeSha256, { passphrase: undefined });
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: opened.store,
    guard: opened.guard,
    signed: opened.signed,
    signer: opened.checkpoints,
    now: () => NOW,
    askHeads: null,
  });
  return { ledger, data: opened };
}

/** Appends notes, a commit each; how many entries the log has then. */
export async function grow(data: string, ...texts: readonly string[]): Promise<number> {
  const { ledger } = await openNode(data);
  for (const text of texts) {
    await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
  }
  const size = ledger.nextSeq;
  await ledger.close();
  return size;
}

export function backupOf(data: string, output: string, withKeys = false): Promise<BackedUp> {
  return backUp({ data, output, withKeys, more: [], sha256: nodeSha256, now: () => NOW });
}

/** A restore whose verifier is the real one. */
export function restored(
  data: string,
  from: readonly string[],
  more: Partial<RestoreParts> = {},
): Promise<Restored> {
  return restore({
    data,
    from,
    mirrors: [],
    witnesses: [],
    fetchNote: fetchNoteOf,
    keys: undefined,
    passphrase: undefined,
    logId: undefined,
    acknowledged: undefined,
    acceptLoss: false,
    unconfirmed: false,
    acceptFindings: false,
    sha256: nodeSha256,
    now: () => NOW,
    verify: (folder, vkey) =>
      verify(
        { kind: 'folder', folder },
        { ...OPEN_POLICY, checkpoint_keys: [vkey] },
        { environment: { sha256: nodeSha256, verifySignature: nodeVerifySignatureAsync } },
      ),
    ...more,
  });
}

const fetchNoteOf = async (url: string): Promise<Uint8Array> => {
  const response = await fetch(url);
  if (response.status === 404) throw new Fault('not_found', 'checkpoint');
  return new Uint8Array(await response.arrayBuffer());
};

/** Changes what a server gives under a path; undefined for 404. */
export type Tamper = (path: string, bytes: Uint8Array | undefined) => Uint8Array | undefined;

/** Serves what a backup holds as the log's own server would. */
export async function serveBackup(
  t: TestContext,
  backup: string,
  tamper: Tamper = (_, bytes) => bytes,
): Promise<string> {
  const note = formatUtf8(parseBackup(await readFile(join(backup, BACKUP_FILE))).note);
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const read = path === '/checkpoint' ? Promise.resolve(note) : readFile(join(backup, path));
    void read
      .then(
        (bytes) => new Uint8Array(bytes),
        () => undefined,
      )
      .then((bytes) => {
        const given = tamper(path, bytes);
        response.statusCode = given === undefined ? 404 : 200;
        response.end(given);
      });
  });
  return listen(t, server);
}

/** The code of a fault that a promise rejects with, and its words. */
export async function faultOf(work: Promise<unknown>): Promise<readonly [string, string]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Fault) return [error.code, error.message];
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Entries of the log that `lostDisk` loses. */
export const SIZE = 277;

/** A data folder of 277 entries with a backup of it, and the machine that has lost all but its keys. */
export async function lostDisk(
  t: TestContext,
): Promise<{ readonly data: string; readonly copy: string; readonly folder: string }> {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await loseDisk(data);
  return { data, copy, folder };
}

/** An address at which nobody answers. */
export async function deadAddress(t: TestContext): Promise<string> {
  const server = createServer();
  const url = await listen(t, server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return url;
}

/** Leaves the keys alone. */
export async function loseDisk(data: string): Promise<void> {
  for (const name of await readdir(data)) {
    if (name !== 'keys') await rm(join(data, name), { recursive: true });
  }
}

/** What every file below a folder holds, by its path. */
export async function contents(root: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  const pairs = files.map(
    async (path) => [path, (await readFile(path)).toString('base64')] as const,
  );
  return new Map((await Promise.all(pairs)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export async function noteText(data: string, seq: number): Promise<string> {
  const { ledger } = await openNode(data);
  const bytes = (await ledger.entry(seq)) as Uint8Array;
  await ledger.close();
  const layout = scanEntry(bytes);
  return parseNoteEntry(entryBody(bytes, layout), 'body').text;
}
