import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseGenesis } from '@assay/core/kind/genesis';
import type { Clock } from '../platform/clock.ts';
import type { DataFolder } from '../platform/data-folder.ts';
import { folderCheckpoints, termsOf } from '../key/checkpoint-files.ts';
import type { KeyChangeParts } from '../key/key-change.ts';
import { storedKeys } from '../key/report-keys.ts';
import { ClosingHeads } from '../ledger/closing-heads.ts';
import { openGuard } from '../ledger/guard/open-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { storedSize } from '../ledger/start.ts';
import { fetchNote, mirrorHeads } from '../witness/client/mirror-heads.ts';
import { databaseGuard, hasData, type OpenedGuard, type OpenOptions } from './open-data.ts';

export interface RestOptions extends Pick<OpenOptions, 'passphrase' | 'database'> {
  /** Places that serve a copy of the log, whose heads are compared. If it is empty, nobody is asked. */
  readonly mirrors: readonly string[];
  /** Whether the newest head may stay unsigned, because the checkpoint key is lost. */
  readonly unsigned?: boolean;
}

/**
 * Opens the ledger of a data folder that no node is running on, without its report key, which may be lost, and with every
 * checkpoint key in the folder. Throws what `openData` throws.
 */
export async function openRest(
  folder: DataFolder,
  sha256: Sha256,
  now: Clock,
  { passphrase, mirrors, database, unsigned = false }: RestOptions,
): Promise<KeyChangeParts> {
  if (!(await hasData(folder))) {
    throw new Fault('not_found', 'data folder', {
      at: folder.root,
      expected: 'the data of a node',
    });
  }
  const store = await openLevelStore(folder.ledger);
  let opened: OpenedGuard | undefined;
  try {
    const bytes = await store.entry(0);
    if (bytes === undefined) throw new Fault('not_found', 'ledger', { expected: 'entry 0' });
    const genesis = parseGenesis(parseEntry(bytes).body, 'body');
    const { origin } = genesis;
    const terms = termsOf(genesis, (await storedKeys(sha256, store)).checkpoint);
    const closing = new ClosingHeads(folder.root);
    const signer = await folderCheckpoints({ sha256, origin, terms, closing }, folder, {
      passphrase,
    });
    opened =
      database === undefined
        ? await openGuard(folder)
        : await databaseGuard(folder, database, origin, await storedSize(sha256, store));
    const { guard, signed, writer } = opened;
    const askHeads = mirrors.length === 0 ? null : mirrorHeads(mirrors, signer, fetchNote);
    const ledger = await Ledger.open({
      sha256,
      store,
      guard,
      signed,
      ...(writer === undefined ? {} : { writer }),
      signer,
      closing,
      unsigned,
      now,
      askHeads,
    });
    return { folder, ledger, checkpoints: signer, closing, sha256, passphrase };
  } catch (error) {
    await opened?.guard.close();
    await store.close();
    throw error;
  }
}
