import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { openKey } from '../key/keystore.ts';
import { errorCode } from '../platform/durable-file.ts';
import type { KeyHolder } from './key-holder.ts';
import { type RunningSigner, type SignerPlace, startSignerServer } from './signer-server.ts';
import { type HsmTerms, readTerms, type SignerFolder } from './signer-terms.ts';
import { SigningJudge } from './signing-judge.ts';
import { SigningMemory } from './signing-memory.ts';

export interface SignerRun {
  readonly folder: SignerFolder;
  readonly sha256: Sha256;
  /** Unlocks the key files. */
  readonly passphrase: string | undefined;
  /** Where it listens. The default is the socket in its folder. */
  readonly place: SignerPlace | undefined;
  /** Opens the keys of an HSM, by the labels of its terms. */
  readonly openHsm: (terms: HsmTerms) => Promise<HsmKeys>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** The keys of an HSM while they are open. */
export interface HsmKeys {
  readonly keys: readonly KeyHolder[];
  readonly close: () => Promise<void> | void;
}

/**
 * Runs a signer: opens its memory and its keys, and answers a node until it is closed. Throws `key_missing` where the
 * checkpoint key or every report key is missing, and what the memory, the keystore and the HSM throw.
 */
export async function runSigner(run: SignerRun): Promise<RunningSigner> {
  const { folder, sha256, place = { path: folder.socket }, log } = run;
  const terms = await readTerms(folder);
  const memory = await SigningMemory.open(sha256, folder.memory);
  let hsm: HsmKeys | undefined;
  try {
    if (memory.head === undefined) {
      const expected = 'a memory that assay signer init has finished';
      throw new Fault('ledger_corrupt', 'signing memory', { at: folder.memory, expected });
    }
    hsm = terms.hsm === null ? undefined : await run.openHsm(terms.hsm);
    const held = [...(hsm?.keys ?? []), ...(await fileKeys(run))];
    const isCheckpoint = ({ publicKey }: KeyHolder): boolean =>
      formatHex(publicKey) === terms.checkpoint_key;
    const checkpointKey = held.find(isCheckpoint);
    const reportKeys = held.filter((key) => !isCheckpoint(key));
    if (checkpointKey === undefined)
      throw missing(folder, `the checkpoint key ${terms.checkpoint_key}`);
    if (reportKeys.length === 0) throw missing(folder, 'a report key');
    const judge = new SigningJudge({ sha256, terms, memory, checkpointKey, reportKeys });
    const server = await startSignerServer({
      place,
      answer: (question) => judge.answer(question),
      onRefused: ({ ask }, error) => log.warn({ ask, reason: messageOf(error) }, 'not signed'),
    });
    log.info({ log: terms.log, size: memory.head.size, report_keys: reportKeys.length }, 'signing');
    return {
      async close() {
        await server.close();
        await memory.close();
        await hsm?.close();
      },
    };
  } catch (error) {
    await memory.close();
    await hsm?.close();
    throw error;
  }
}

const KEY_FILE = /^(?:report|checkpoint)(?:-[0-9]+)?(?:-copy-[0-9]+)?\.json$/;

async function fileKeys({ folder, passphrase }: SignerRun): Promise<readonly KeyHolder[]> {
  let names: readonly string[];
  try {
    names = (await readdir(folder.keys)).sort();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    names = [];
  }
  const keys: KeyHolder[] = [];
  for (const name of names) {
    if (KEY_FILE.test(name)) keys.push(await openKey(join(folder.keys, name), { passphrase }));
  }
  return keys;
}

function missing({ keys }: SignerFolder, expected: string): Fault {
  return new Fault('key_missing', 'signer', { at: keys, expected, found: 'other keys, or none' });
}
