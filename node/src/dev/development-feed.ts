import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOfKey, DEVELOPMENT_PROGRAM } from '@assay/chain/addresses';
import { SENDER_LIMITS } from '@assay/chain/client/sender';
import { genesisHashOf, SLOT_SECONDS } from '@assay/chain/development/development-ledger';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { loadLiteSvm } from '@assay/chain/development/litesvm';
import { type StartedChain, startDevelopmentChain } from '@assay/chain/development/server';
import { Fault, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { type Clock, processClock } from '../platform/clock.ts';
import { type DataFolder, keyPath } from '../platform/data-folder.ts';
import { errorCode } from '../platform/durable-file.ts';
import { FEED_LIMITS, type NodeFeed } from '../feed/feed-parts.ts';
import { MemoryOutgoing } from '../feed/outgoing.ts';
import type { OnchainChoice } from '../data/init.ts';
import { tierAccounts } from './development-tier.ts';
import { openKey } from '../key/keystore.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';

const PROGRAM = fileURLToPath(new URL('../../../chain/program/assay_feed.so', import.meta.url));

/** The lamports that the payer begins with: a thousand SOL of play money. */
const PAYER_LAMPORTS = 1_000_000_000_000n;

/** Real seconds between two comparisons of the chain with the log. */
const COMPARE_S = 60;
/** Simulated seconds to wait for more co-signers than a quorum. */
const GATHER_S = 3600;

export interface FeedWorld {
  readonly folder: DataFolder;
  /** The simulated clock, at its time before the log continues. */
  readonly now: Clock;
  /** Simulated seconds per real second. */
  readonly speed: number;
  /** 0 takes any free one. */
  readonly port: number;
  /** Real milliseconds between two polls. */
  readonly everyMs: number;
  /** Simulated seconds after which what is missing on chain is reported. */
  readonly behindAfterS: number;
}

/** A Solana chain of the development network, and how the node posts to it. */
export interface DevelopmentFeed {
  readonly started: StartedChain;
  readonly program: string;
  readonly feed: NodeFeed;
}

/** The chain that a log which begins at `start` (unix seconds) names; undefined if litesvm is not available. */
export async function developmentOnchain(start: number): Promise<OnchainChoice | undefined> {
  if ((await loadLiteSvm()) === undefined) return undefined;
  return {
    chain: `solana:${genesisHashOf(start).slice(0, 32)}`,
    program: DEVELOPMENT_PROGRAM,
  };
}

/**
 * Starts the chain on loopback, or continues the one in the data folder, with the program in place and the
 * payer funded. A blockhash is valid for a real minute there, as it is elsewhere. Throws `bad_config` if a port
 * is in use, and what the keystore throws.
 */
export async function developmentFeed(world: FeedWorld): Promise<DevelopmentFeed> {
  const { folder, now, speed, port, everyMs, behindAfterS } = world;
  const payer: Signer = await openKey(keyPath(folder, 'payer'));
  const started = await startDevelopmentChain({
    now,
    port,
    file: join(folder.root, 'development-solana.jsonl'),
    programs: [{ address: DEVELOPMENT_PROGRAM, elf: new Uint8Array(await readFile(PROGRAM)) }],
    accounts: await tierAccounts(),
    slotSeconds: SLOT_SECONDS * speed,
  }).catch((cause: unknown) => {
    if (errorCode(cause) === undefined) throw cause;
    throw new Fault('bad_config', 'development chain', {
      at: 'ASSAY_CHAIN_PORT',
      expected: 'two free ports of this machine in a row',
      found: messageOf(cause),
      cause,
    });
  });
  const address = addressOfKey(formatHex(payer.publicKey));
  if (started.ledger.balance(address) === 0n) started.ledger.airdrop(address, PAYER_LAMPORTS);
  return {
    started,
    program: DEVELOPMENT_PROGRAM,
    feed: {
      rpc: kitRpc(started.chain),
      payer,
      // Nothing is out when a process of the demo ends, because what is sent has run by then.
      outgoing: new MemoryOutgoing(),
      // What is sent there has run when the call is answered.
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
      elapsed: processClock,
      everyMs,
      limits: {
        ...FEED_LIMITS,
        gatherS: GATHER_S,
        behindAfterS,
        compareEveryS: COMPARE_S,
        dailyLamports: PAYER_LAMPORTS,
        mostPerPoll: 1024,
        sender: { ...SENDER_LIMITS, pollMs: 0 },
      },
    },
  };
}
