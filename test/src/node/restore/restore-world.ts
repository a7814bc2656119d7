import { readFile } from 'node:fs/promises';
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
import { restore, type Restored, type RestoreParts } from '@assay/node/restore/restore';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import { verify } from '@assay/verifier/verify';
import { listen } from '../../cli/fixture/run.ts';

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
