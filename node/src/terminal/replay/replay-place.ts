import { mkdir, readdir } from 'node:fs/promises';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { Genesis } from '@assay/core/kind/genesis';
import { REPLAY_ORIGIN } from '@assay/core/network';
import { type DataFolder, KEY_NAMES, keyPath } from '../../platform/data-folder.ts';
import { PackedBlobStore } from '../../blob/packed-blob-store.ts';
import { genesisOf } from '../../data/genesis.ts';
import { NO_POLICIES } from '../../data/init.ts';
import { createKey, openKey, signerOf } from '../../key/keystore.ts';
import { type LocalCheckpointSigner, checkpointSigner } from '../../ledger/checkpoint-signer.ts';
import { openGuard } from '../../ledger/guard/open-guard.ts';
import { openLevelStore } from '../../ledger/store/level-store.ts';
import { storageFault } from '../../platform/storage-fault.ts';
import { type ReplayPurpose, replaySeed } from './replay-keys.ts';
import type { ReplayPlace } from './write-replay.ts';

/** The signer of the heads of a replay. */
export function replaySigner(sha256: Sha256): LocalCheckpointSigner {
  return checkpointSigner(sha256, REPLAY_ORIGIN, signerOf(replaySeed(sha256, 'checkpoint')));
}

/** Entry 0 of every replay. */
export function replayGenesis(sha256: Sha256): Genesis {
  const signer = (purpose: ReplayPurpose): ReturnType<typeof signerOf> =>
    signerOf(replaySeed(sha256, purpose));
  const keys = {
    report: signer('report'),
    nextReport: signer('next-report'),
    recovery: signer('recovery'),
  };
  return genesisOf(sha256, keys, {
    origin: REPLAY_ORIGIN,
    checkpointVkey: replaySigner(sha256).vkey,
    chain: null,
    program: null,
    policies: NO_POLICIES,
  });
}

/**
 * Opens the data folder of a replay, or creates it. The keys are files as in any log, so that a node can serve
 * it. Nothing is synced: a power failure may lose the last writes, and if a start then refuses the folder, it
 * has to be removed and the replay made again. Throws `not_empty` for a folder with anything else in it, and
 * what the ledger's parts throw.
 */
export async function openReplayPlace(folder: DataFolder, sha256: Sha256): Promise<ReplayPlace> {
  try {
    await requireReplay(folder);
    await openKeys(folder, sha256);
    const sync = { sync: false };
    const store = await openLevelStore(folder.ledger, sync);
    try {
      return {
        store,
        ...(await openGuard(folder, sync)),
        blobs: await PackedBlobStore.open(folder.blobs, sync),
        signer: replaySigner(sha256),
      };
    } catch (error) {
      await store.close();
      throw error;
    }
  } catch (error) {
    throw storageFault(error, 'data folder');
  }
}

/** Requires a folder that is new, or into which only keys were put. */
async function requireReplay(folder: DataFolder): Promise<void> {
  await mkdir(folder.root, { recursive: true, mode: 0o700 });
  const found = await readdir(folder.root);
  if (found.length === 0 || found.includes('keys')) return;
  throw notReplay(folder, found.slice(0, 5).join(', '));
}

/** Creates the keys that are missing, because an earlier replay may have ended between two. */
async function openKeys(folder: DataFolder, sha256: Sha256): Promise<void> {
  for (const name of KEY_NAMES) {
    const path = keyPath(folder, name);
    try {
      await createKey(path, { seed: replaySeed(sha256, name) });
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'not_empty')) throw error;
      const { publicKey } = await openKey(path);
      if (equalBytes(publicKey, signerOf(replaySeed(sha256, name)).publicKey)) continue;
      throw notReplay(folder, 'the keys of another log');
    }
  }
}

function notReplay(folder: DataFolder, found: string): Fault {
  const expected = 'an empty folder, or the data of a replay';
  return new Fault('not_empty', 'data folder', { at: folder.root, expected, found });
}
