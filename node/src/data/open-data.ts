import { stat } from 'node:fs/promises';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { parseHex } from '@assay/core/bytes/hex';
import { hashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import { type Genesis, parseGenesis, type Policies } from '@assay/core/kind/genesis';
import { parseNoteKey } from '@assay/core/log/note';
import type { CheckpointTerm } from '@assay/core/view/key/checkpoint-keys';
import type { Network } from '@assay/core/network';
import type { BlobStore } from '../blob/blob-store.ts';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { openKey } from '../key/keystore.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { CheckpointSigner, Signer } from '../ledger/checkpoint-signer.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import type { LastSigned } from '../ledger/guard/last-signed.ts';
import { openGuard, type OpenGuard } from '../ledger/guard/open-guard.ts';
import { storedSize } from '../ledger/start.ts';
import type { HeadGuard } from '../ledger/guard/head-guard.ts';
import type { LedgerOptions } from '../ledger/ledger-options.ts';
import type { PostgresGuardConfig } from '../postgres/guard-config.ts';
import { openDatabaseGuard } from '../postgres/open-database-guard.ts';
import type { PostgresGuard } from '../postgres/postgres-guard.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { FileOpenings, type StoredOpenings } from './openings.ts';
import {
  type CheckpointKeysOf,
  mayBeElsewhere,
  nodeCheckpoints,
  requireClosingHeads,
  termSigner,
  termsOf,
  unopenedCheckpoint,
} from '../key/checkpoint-files.ts';
import { openOtherKeys, openReportKey, storedKeys } from '../key/report-keys.ts';
import {
  remoteCheckpointSigner,
  remoteReportSigner,
  requireSignerOf,
  signerKeys,
} from '../signer/remote-signers.ts';
import { SignerClient } from '../signer/signer-client.ts';
import { storageFault } from '../platform/storage-fault.ts';

/** A head guard that was opened, and what comes with one in a database. */
export type OpenedGuard = OpenGuard & Pick<OpenData, 'writer' | 'followers'>;

/** A node's data, opened for writing. The database is locked until the store is closed. */
export interface OpenData {
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  /** The note that the log signed last. It is closed with the guard. */
  readonly signed: LastSigned;
  /** In whose name the guard's epoch is taken, where the guard is in a database. */
  readonly writer?: string;
  /** Who follows the log, where the guard is in a database. */
  readonly followers?: Pick<PostgresGuard, 'followers' | 'concerns'>;
  readonly blobs: BlobStore;
  readonly openings: StoredOpenings;
  readonly checkpoints: CheckpointSigner;
  /** The closing heads of the checkpoint keys that ended. */
  readonly closing: ClosingHeads;
  /** The report key that the log has in force. */
  readonly report: ReportSigner;
  /** Report keys of other times. A feed on chain may want another one than the log. */
  readonly otherKeys: () => Promise<readonly ReportSigner[]>;
  readonly network: Network;
  /** What the log's first entry promises about co-signers and witnesses. */
  readonly policies: Policies;
  /** The CAIP-2 id of the chain that holds the feeds; null if there is none. */
  readonly chain: string | null;
}

/** What a ledger is opened with. */
export function ledgerParts({
  store,
  guard,
  signed,
  checkpoints,
  closing,
  writer,
}: OpenData): Pick<LedgerOptions, 'store' | 'guard' | 'signed' | 'signer' | 'closing' | 'writer'> {
  const name = writer === undefined ? {} : { writer };
  return { store, guard, signed, signer: checkpoints, closing, ...name };
}

export interface OpenOptions {
  readonly passphrase: string | undefined;
  /** The socket of the process that has the report key and the checkpoint key. Without it they are in the folder. */
  readonly signer?: string | undefined;
  /** Milliseconds after which that process is away. The default is that of `SignerClient`. */
  readonly patienceMs?: number;
  /** False on a development network, on which nobody settles: a power failure may undo the last writes. */
  readonly sync?: boolean;
  /**
   * Folders on other disks, with which the log is read if its own disk cannot be written. Without them it does
   * not open then.
   */
  readonly scratch?: readonly string[];
  /** The database that has the head guard. Without it, the guard lies in the data folder. */
  readonly database?: {
    readonly config: PostgresGuardConfig;
    readonly environment: Readonly<Record<string, string | undefined>>;
  };
}

/**
 * Whether a folder holds the data of a node or of a recounter. Throws `storage_failed` if that cannot be
 * determined.
 */
export async function hasData(folder: Pick<DataFolder, 'ledger'>): Promise<boolean> {
  try {
    return (await stat(folder.ledger)).isDirectory();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw storageFault(error, 'data folder');
  }
}

/**
 * Opens the data of a log that has its first entry. Throws `not_found` if there is none, `refused` if another
 * process holds it, `storage_failed` if the disk fails, and what the keystore throws.
 */
export async function openData(
  folder: DataFolder,
  sha256: Sha256,
  options: OpenOptions,
): Promise<OpenData> {
  try {
    return await open(folder, sha256, options);
  } catch (error) {
    throw storageFault(error, 'data folder');
  }
}

async function open(
  folder: DataFolder,
  sha256: Sha256,
  { passphrase, signer, patienceMs, sync = true, scratch = [], database }: OpenOptions,
): Promise<OpenData> {
  if (!(await hasData(folder))) {
    throw new Fault('not_found', 'data folder', {
      at: folder.root,
      expected: 'the data of a node: assay init makes it',
    });
  }
  // Before the database, so that a key that does not open leaves it alone.
  const inFolder = signer === undefined ? await openCheckpoint(folder, passphrase) : undefined;
  const store = await openLevelStore(folder.ledger, { sync, scratch, keepsKeys: true });
  let opened: OpenedGuard | undefined;
  try {
    const genesis = await readGenesis(store);
    const { report, checkpoint } = await storedKeys(sha256, store);
    const inForce = report.at(-1)?.key ?? genesis.report_key;
    const closing = new ClosingHeads(folder.root);
    const terms = termsOf(genesis, checkpoint);
    const of = { sha256, origin: genesis.origin, terms, closing };
    if (inFolder instanceof Fault) throw await unopenedCheckpoint(of, folder, inFolder);
    const signers =
      inFolder === undefined
        ? await remoteSigners(of, clientOf(signer as string, patienceMs), { store, inForce })
        : await localSigners(of, folder, inFolder, { inForce, passphrase });
    opened =
      database === undefined
        ? await openGuard(folder, { sync })
        : await databaseGuard(folder, database, genesis.origin, await storedSize(sha256, store));
    return {
      store,
      ...opened,
      closing,
      blobs: await PackedBlobStore.open(folder.blobs, { sync }),
      openings: await FileOpenings.open(folder.openings, sha256, { sync }),
      ...signers,
      network: genesis.network,
      policies: genesis.policies,
      chain: genesis.chain,
    };
  } catch (error) {
    await opened?.guard.close();
    await store.close();
    throw error;
  }
}

/** The key of `checkpoint.json`, or why it does not open where the log has to say whether another file has the key. */
async function openCheckpoint(
  folder: DataFolder,
  passphrase: string | undefined,
): Promise<Signer | Fault> {
  try {
    return await openKey(keyPath(folder, 'checkpoint'), { passphrase });
  } catch (error) {
    if (mayBeElsewhere(error)) return error;
    throw error;
  }
}

type Signers = Pick<OpenData, 'checkpoints' | 'report' | 'otherKeys'>;

/** The keys in the folder. */
async function localSigners(
  of: CheckpointKeysOf,
  folder: DataFolder,
  checkpoint: Signer,
  { inForce, passphrase }: { readonly inForce: string; readonly passphrase: string | undefined },
): Promise<Signers> {
  const report = await openReportKey(folder, inForce, { passphrase });
  return {
    checkpoints: await nodeCheckpoints(of, folder, checkpoint),
    report,
    otherKeys: () => openOtherKeys(folder, report, { passphrase }),
  };
}

function clientOf(socket: string, patienceMs: number | undefined): SignerClient {
  return new SignerClient({ socket, ...(patienceMs === undefined ? {} : { patienceMs }) });
}

/** The keys of a process of their own, which has to be this log's. Throws `signer_away` or `refused`. */
async function remoteSigners(
  of: CheckpointKeysOf,
  client: SignerClient,
  { store, inForce }: { readonly store: LedgerStore; readonly inForce: string },
): Promise<Signers> {
  const { sha256, origin, terms } = of;
  await requireClosingHeads(of);
  const { publicKey } = parseNoteKey(sha256, (terms.at(-1) as CheckpointTerm).vkey);
  const first = (await store.entry(0)) as Uint8Array;
  const log = hashHex(leafHash(sha256, first));
  const keys = await signerKeys(client);
  requireSignerOf(keys, { log, origin, checkpoint: publicKey, report: inForce });
  const others = keys.report_keys.filter((key) => key !== inForce);
  return {
    checkpoints: termSigner(of, [remoteCheckpointSigner(sha256, client, origin, publicKey)]),
    report: remoteReportSigner(client, parseHex(inForce, 32)),
    otherKeys: () =>
      Promise.resolve(others.map((key) => remoteReportSigner(client, parseHex(key, 32)))),
  };
}

/** Opens the guard of a folder in a database. */
export async function databaseGuard(
  folder: DataFolder,
  { config, environment }: NonNullable<OpenOptions['database']>,
  origin: string,
  size: number,
): Promise<OpenedGuard> {
  const opened = await openDatabaseGuard(folder, config, environment, { origin, size });
  const { guard, signed, writer } = opened;
  const { look, peek, take, move, settled, reopen } = guard;
  const close = async (): Promise<void> => {
    await signed.close();
    await guard.close();
  };
  const closing = { look, peek, take, move, settled, reopen, close };
  return { guard: closing, signed, writer, followers: guard };
}

async function readGenesis(store: LedgerStore): Promise<Genesis> {
  const bytes = await store.entry(0);
  if (bytes === undefined) {
    throw new Fault('not_found', 'ledger', { expected: 'entry 0, which assay init writes' });
  }
  return parseGenesis(parseEntry(bytes).body, 'body');
}
