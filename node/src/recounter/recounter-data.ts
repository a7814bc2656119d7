import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { contentHash, type HashHex, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { parseGenesis, type Policies } from '@assay/core/kind/genesis';
import { formatStatement, statementHash } from '@assay/core/report/statement';
import { statements } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../platform/clock.ts';
import { ensureFolder, errorCode } from '../platform/durable-file.ts';
import { FileBlobStore } from '../blob/file-blob-store.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { appendGenesis } from '../data/genesis.ts';
import { createKey, openKey } from '../key/keystore.ts';
import {
  type CheckpointSigner,
  checkpointSigner,
  type Signer,
} from '../ledger/checkpoint-signer.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import type { ClosingPlace } from '../mirror/closing-place.ts';
import { FileNoteSlot } from '../ledger/guard/file-note-slot.ts';
import type { LastSigned } from '../ledger/guard/last-signed.ts';
import type { NoteSlot } from '../ledger/guard/note-slot.ts';
import { openGuard } from '../ledger/guard/open-guard.ts';
import type { HeadGuard } from '../ledger/guard/head-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import { FileSignedPrints, type SignedPrints } from '../cosign/signed-prints.ts';
import { storageFault } from '../platform/storage-fault.ts';
import { FileWitnessMemory } from '../witness/server/file-witness-memory.ts';
import type { WitnessMemory } from '../witness/server/witness-memory.ts';
import { readAcknowledged } from './acknowledged.ts';
import { diskUse, type DiskUse } from './disk-use.ts';
import { FindingStore } from './finding-store.ts';
import { FileReadStore, type ReadStore } from './read-store.ts';
import { Receipts } from './poll/receipts.ts';
import {
  RECOUNTER_KEYS,
  type RecounterFolder,
  recounterFolder,
  type RecounterKey,
  recounterKeyPath,
} from './recounter-folder.ts';
import { fillFolder } from '../data/new-folder.ts';

/** A log that is stored as a copy: its entries, and its newest checkpoint that was accepted. */
export interface CopyData {
  readonly store: LedgerStore;
  readonly accepted: NoteSlot;
  readonly closing: ClosingPlace;
}

/** A recounter's data, opened. Its databases are locked until it is closed. */
export interface RecounterData {
  /** Its own log. */
  readonly store: LedgerStore;
  readonly guard: HeadGuard;
  /** The note that its own log signed last. It is closed with the guard. */
  readonly signed: LastSigned;
  readonly checkpoints: CheckpointSigner;
  /** What its own log promises. */
  readonly policies: Policies;
  /** Signs statements and prints. */
  readonly statement: Signer;
  /** Signs cosignatures of checkpoints, with the memory of what it has cosigned. */
  readonly witness: Signer;
  readonly cosigned: WitnessMemory;
  readonly memory: SignedPrints;
  readonly reads: ReadStore;
  /** Bytes that it read itself. */
  readonly blobs: BlobStore;
  /** Bytes that the publisher stores. */
  readonly kept: BlobStore;
  readonly mirror: CopyData;
  /** The copy of another recounter's log, by its address. */
  readonly peer: (url: string) => Promise<CopyData>;
  readonly findings: FindingStore;
  /** Reports on which a person knows of a statement that the memory lacks. */
  readonly acknowledged: ReadonlySet<HashHex>;
  readonly receipts: Receipts;
  /** Evidence files. */
  readonly evidence: BlobStore;
  /** Measures every file. */
  readonly disk: () => Promise<DiskUse>;
  readonly close: () => Promise<void>;
}

export interface RecounterChoices {
  /** The host and path that name its own log permanently. A development log begins with `development/`. */
  readonly origin: string;
  readonly passphrase: string | undefined;
  readonly policies: Policies;
}

/** What a new recounter gives to others. */
export interface RecounterInitialised {
  readonly log: HashHex;
  /** The key of its statements and prints, in hex, for the publisher's set of co-signers. */
  readonly key: string;
  readonly checkpointVkey: string;
}

/**
 * Memories of what was signed. They exist, empty, from the beginning, so that one that was lost, or left out of
 * a restore, is not mistaken for one that has nothing to remember.
 */
const MEMORIES = ['memory', 'witness'] as const;

function placeOf(
  folder: RecounterFolder,
  part: (typeof MEMORIES)[number] | 'keys' | 'head' | 'guard' | 'ledger',
): string {
  return part === 'memory' ? dirname(folder.memory) : folder[part];
}

async function requireMemories(folder: RecounterFolder): Promise<void> {
  for (const part of MEMORIES) {
    const at = placeOf(folder, part);
    if (await isFolder(at)) continue;
    throw new Fault('not_found', 'what was signed', {
      at,
      expected: 'the memory that is there from the beginning',
      found: 'nothing: what was signed before is not known, so nothing may be signed',
    });
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Makes a recounter's data in an empty folder: five keys, and a log of its own with entry 0. Throws `not_empty`
 * for a folder with anything in it. An interruption leaves no partial data.
 */
export function initRecounter(
  root: string,
  sha256: Sha256,
  now: Clock,
  choices: RecounterChoices,
): Promise<RecounterInitialised> {
  const folder = recounterFolder(root);
  return fillFolder(
    root,
    (staged) => make(recounterFolder(staged), sha256, now, choices),
    async (staged) => {
      const made = recounterFolder(staged);
      // The database last: if it exists, everything does.
      for (const part of [...MEMORIES, 'keys', 'head', 'guard', 'ledger'] as const) {
        await rename(placeOf(made, part), placeOf(folder, part));
      }
    },
  );
}

async function make(
  folder: RecounterFolder,
  sha256: Sha256,
  now: Clock,
  { origin, passphrase, policies }: RecounterChoices,
): Promise<RecounterInitialised> {
  await mkdir(folder.root, { mode: 0o700 });
  for (const part of MEMORIES) await mkdir(placeOf(folder, part), { mode: 0o700 });
  const keys = new Map<RecounterKey, Signer>();
  for (const name of RECOUNTER_KEYS) {
    keys.set(name, await createKey(recounterKeyPath(folder, name), { passphrase }));
  }
  const key = (name: RecounterKey): Signer => keys.get(name) as Signer;
  const signer = checkpointSigner(sha256, origin, key('checkpoint'));
  const ledger = await Ledger.open({
    sha256,
    store: await openLevelStore(folder.ledger),
    ...(await openGuard(folder)),
    signer,
    now,
    askHeads: null,
  });
  try {
    const log = await appendGenesis(
      ledger,
      sha256,
      { report: key('statement'), nextReport: key('next'), recovery: key('recovery') },
      { origin, checkpointVkey: signer.vkey, chain: null, program: null, policies },
    );
    const publicKey = Buffer.from(key('statement').publicKey).toString('hex');
    return { log, key: publicKey, checkpointVkey: signer.vkey };
  } finally {
    await ledger.close();
  }
}

export interface OpenRecounterOptions {
  readonly passphrase: string | undefined;
  /** False on a development network, where a power failure may undo the last writes. */
  readonly sync?: boolean;
}

/**
 * Opens the data that `initRecounter` made. Throws `refused` if another process holds it, `storage_failed`,
 * `ledger_corrupt`, and what the keystore throws.
 */
export async function openRecounter(
  root: string,
  sha256: Sha256,
  options: OpenRecounterOptions,
): Promise<RecounterData> {
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const each of opened.splice(0).reverse()) await each();
  };
  try {
    return await open(recounterFolder(root), sha256, options, opened, close);
  } catch (error) {
    await close();
    throw storageFault(error, 'data folder');
  }
}

async function open(
  folder: RecounterFolder,
  sha256: Sha256,
  { passphrase, sync = true }: OpenRecounterOptions,
  opened: (() => Promise<void>)[],
  close: () => Promise<void>,
): Promise<RecounterData> {
  const copy = async (log: string, head: string): Promise<CopyData> => {
    await ensureFolder(dirname(log), { mode: 0o700 });
    const store = await openLevelStore(log, { sync });
    opened.push(() => store.close());
    const accepted = await FileNoteSlot.open(head, { sync });
    opened.push(() => accepted.close());
    return { store, accepted, closing: new ClosingHeads(dirname(log)) };
  };
  const key = (name: RecounterKey): Promise<Signer> =>
    openKey(recounterKeyPath(folder, name), { passphrase });
  const [statement, checkpoint, witness] = [
    await key('statement'),
    await key('checkpoint'),
    await key('witness'),
  ];
  const store = await openLevelStore(folder.ledger, { sync });
  opened.push(() => store.close());
  const first = await store.entry(0);
  if (first === undefined) {
    throw new Fault('not_found', 'ledger', { expected: 'entry 0, which the beginning writes' });
  }
  const { origin, policies } = parseGenesis(parseEntry(first).body, 'body');
  await requireMemories(folder);
  const { guard, signed } = await openGuard(folder, { sync });
  opened.push(() => guard.close());
  const memory = await FileSignedPrints.open(folder.memory, { sync });
  opened.push(() => memory.close());
  const peers = new Map<string, Promise<CopyData>>();
  return {
    store,
    guard,
    signed,
    checkpoints: checkpointSigner(sha256, origin, checkpoint),
    policies,
    statement,
    witness,
    cosigned: await FileWitnessMemory.open(folder.witness, folder.cosigned, { sync }),
    memory,
    reads: await FileReadStore.open(folder.reads, { sync }),
    blobs: await PackedBlobStore.open(folder.blobs, { sync }),
    kept: await PackedBlobStore.open(folder.kept, { sync }),
    mirror: await copy(folder.mirror, folder.accepted),
    peer(url) {
      const place = join(
        folder.peers,
        hashHex(contentHash(sha256, new TextEncoder().encode(url))).slice(0, 16),
      );
      const known = peers.get(url) ?? copy(join(place, 'log'), join(place, 'head'));
      peers.set(url, known);
      return known;
    },
    findings: await FindingStore.open(folder.findings, { sync }),
    acknowledged: await readAcknowledged(folder.acknowledged),
    receipts: await Receipts.open(folder.receipts, { sync }),
    evidence: await FileBlobStore.open(folder.evidence, { sync }),
    disk: () => diskUse(folder),
    close,
  };
}

/**
 * Throws unless every statement in its own log is in its memory: `ledger_behind` if one is missing there,
 * `ledger_differs` if it is another. Otherwise nobody knows what else was signed, and nothing may be signed.
 */
export async function requireRemembered(
  sha256: Sha256,
  own: ViewState,
  memory: Pick<SignedPrints, 'said'>,
): Promise<void> {
  for (const { statement, seq, hash } of statements(own)) {
    const said = await memory.said(statement.report);
    if (said !== undefined && equalBytes(formatStatement(said), formatStatement(statement))) {
      continue;
    }
    throw new Fault(
      said === undefined ? 'ledger_behind' : 'ledger_differs',
      'what a co-signer signed',
      {
        at: `entry ${seq} of its own log`,
        expected: `its memory to hold the statement ${hash}`,
        found: said === undefined ? 'nothing of that report' : statementHash(sha256, said),
      },
    );
  }
}
