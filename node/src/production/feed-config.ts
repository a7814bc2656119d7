import { setTimeout as sleep } from 'node:timers/promises';
import { httpRpc } from '@assay/chain/client/rpc';
import { SENDER_LIMITS } from '@assay/chain/client/sender';
import { Fault } from '@assay/core/fault';
import type { Config } from './config.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import { FEED_LIMITS, type NodeFeed } from '../feed/feed-parts.ts';
import { FileOutgoing } from '../feed/outgoing.ts';

/** Milliseconds between two looks, and of one exchange with the RPC. */
const LOOK_MS = 15_000;
const RPC_MS = 20_000;

/** Where a node finds what it posts with. */
export interface FeedPlaces {
  /** CAIP-2 id that the log names; null without. */
  readonly chain: string | null;
  /** File of the transactions that are out. */
  readonly outgoing: string;
  /** Throws what the keystore does. */
  readonly payer: () => Promise<Signer>;
}

/**
 * How a config posts; undefined without an RPC. Throws `bad_config` where the log names no chain: it never
 * will, and an RPC there is a mistake.
 */
export async function feedWorld(
  config: Config,
  { chain, outgoing, payer }: FeedPlaces,
): Promise<NodeFeed | undefined> {
  if (config.solana_rpc === null) return undefined;
  if (chain === null) {
    throw new Fault('bad_config', 'config', {
      at: 'solana_rpc',
      expected: 'none: the first entry of this log names no chain',
      found: 'one',
    });
  }
  return {
    rpc: httpRpc(config.solana_rpc, { timeoutMs: RPC_MS }),
    payer: await payer(),
    outgoing: new FileOutgoing(outgoing),
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, signal === undefined ? {} : { signal });
    },
    everyMs: LOOK_MS,
    limits: {
      ...FEED_LIMITS,
      behindAfterS: config.solana_behind_after_s,
      compareEveryS: config.solana_compare_s,
      dailyLamports: BigInt(config.solana_daily_lamports),
      sender: { ...SENDER_LIMITS, cap: BigInt(config.solana_priority_cap) },
    },
  };
}
