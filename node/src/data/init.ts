import { mkdir, rename } from 'node:fs/promises';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Policies } from '@assay/core/kind/genesis';
import type { Clock } from '../platform/clock.ts';
import { type DataFolder, dataFolder, keyPath } from '../platform/data-folder.ts';
import { createKey } from '../key/keystore.ts';
import { appendGenesis } from './genesis.ts';
import { checkpointSigner } from '../ledger/checkpoint-signer.ts';
import { openGuard } from '../ledger/guard/open-guard.ts';
import { Ledger } from '../ledger/ledger.ts';
import { openLevelStore } from '../ledger/store/level-store.ts';
import { fillFolder } from './new-folder.ts';

export interface InitChoices {
  /** The host and path that name the log permanently. A development log begins with `development/`. */
  readonly origin: string;
  readonly passphrase: string | undefined;
  readonly policies: Policies;
  /**
   * The text of entry 1, for a log that continues one that has ended. It is made once the new log has an id.
   */
  readonly succession?: ((log: HashHex) => Promise<string>) | undefined;
  /** The chain that is to hold the feeds, and the program there: both, or neither. */
  readonly onchain?: OnchainChoice | undefined;
}

export interface OnchainChoice {
  /** The CAIP-2 id, such as `solana:` and the first 32 characters of the genesis hash. */
  readonly chain: string;
  /** Base58. */
  readonly program: string;
}

export interface Initialised {
  readonly log: HashHex;
  readonly checkpointVkey: string;
}

/** What a log promises about co-signers and witnesses before it has any. */
export const NO_POLICIES: Policies = {
  cosigners_required: 0,
  witnesses_required: 0,
  witness_max_age_s: 0,
};

/**
 * Makes a new log in an empty folder: four keys, a payer if there is a chain, the database, the head guard, and
 * entry 0. Throws `not_empty` for a folder with anything in it, because a log is never begun over another. It
 * is made in a folder inside and then moved up, the database last, so that an interruption leaves no partial
 * log.
 */
export function initData(
  folder: DataFolder,
  sha256: Sha256,
  now: Clock,
  choices: InitChoices,
): Promise<Initialised> {
  return fillFolder(
    folder.root,
    (staged) => makeData(dataFolder(staged), sha256, now, choices),
    async (staged) => {
      const made = dataFolder(staged);
      for (const part of ['keys', 'head', 'guard', 'ledger'] as const) {
        await rename(made[part], folder[part]);
      }
    },
  );
}

async function makeData(
  folder: DataFolder,
  sha256: Sha256,
  now: Clock,
  choices: InitChoices,
): Promise<Initialised> {
  await mkdir(folder.root, { mode: 0o700 });
  const options = { passphrase: choices.passphrase };
  const report = await createKey(keyPath(folder, 'report'), options);
  const checkpoint = await createKey(keyPath(folder, 'checkpoint'), options);
  const nextReport = await createKey(keyPath(folder, 'next-report'), options);
  const recovery = await createKey(keyPath(folder, 'recovery'), options);
  // It pays on chain and has no other rights.
  if (choices.onchain !== undefined) await createKey(keyPath(folder, 'payer'), options);
  const signer = checkpointSigner(sha256, choices.origin, checkpoint);
  const store = await openLevelStore(folder.ledger);
  const ledger = await Ledger.open({
    sha256,
    store,
    ...(await openGuard(folder)),
    signer,
    now,
    askHeads: null,
  });
  try {
    const log = await appendGenesis(
      ledger,
      sha256,
      { report, nextReport, recovery },
      {
        origin: choices.origin,
        checkpointVkey: signer.vkey,
        chain: choices.onchain?.chain ?? null,
        program: choices.onchain?.program ?? null,
        policies: choices.policies,
      },
    );
    if (choices.succession !== undefined) {
      const text = await choices.succession(log);
      await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
    }
    return { log, checkpointVkey: signer.vkey };
  } finally {
    await ledger.close();
  }
}
