import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import type { Clock } from '../platform/clock.ts';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import { openKey } from '../key/keystore.ts';
import { checkpointSigner } from '../ledger/checkpoint-signer.ts';
import { openGuard, type OpenGuard } from '../ledger/guard/open-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { fetchNote, mirrorHeads } from '../witness/client/mirror-heads.ts';
import { hasData } from './open-data.ts';

export interface RestOptions {
  readonly passphrase: string | undefined;
  /** Places that serve a copy of the log, whose heads are compared. If it is empty, nobody is asked. */
  readonly mirrors: readonly string[];
}

/**
 * Opens the ledger of a data folder that no node is running on, without its report key, which may be lost.
 * Throws what `openData` throws.
 */
export async function openRest(
  folder: DataFolder,
  sha256: Sha256,
  now: Clock,
  { passphrase, mirrors }: RestOptions,
): Promise<Ledger> {
  if (!(await hasData(folder))) {
    throw new Fault('not_found', 'data folder', {
      at: folder.root,
      expected: 'the data of a node',
    });
  }
  const key = await openKey(keyPath(folder, 'checkpoint'), { passphrase });
  const store = await openLevelStore(folder.ledger);
  let opened: OpenGuard | undefined;
  try {
    const bytes = await store.entry(0);
    if (bytes === undefined) throw new Fault('not_found', 'ledger', { expected: 'entry 0' });
    const { origin } = parseGenesis(parseEntry(bytes).body, 'body');
    const signer = checkpointSigner(sha256, origin, key);
    opened = await openGuard(folder);
    const askHeads = mirrors.length === 0 ? null : mirrorHeads(mirrors, signer, fetchNote);
    return await Ledger.open({ sha256, store, ...opened, signer, now, askHeads });
  } catch (error) {
    await opened?.guard.close();
    await store.close();
    throw error;
  }
}
