import { setTimeout as sleep } from 'node:timers/promises';
import { httpRpc } from '@assay/chain/client/rpc';
import { SENDER_LIMITS } from '@assay/chain/client/sender';
import { Fault } from '@assay/core/fault';
import type { Config } from './config.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import { FEED_LIMITS, type NodeFeed } from '../feed/feed-parts.ts';
import { FileOutgoing } from '../feed/outgoing.ts';

/** The milliseconds between two polls, and of one exchange with the RPC. */
const LOOK_MS = 15_000;
const RPC_MS = 20_000;

/** Where a node finds what it needs to post. */
export interface FeedPlaces {
  /** The CAIP-2 id that the log names; null if it names none. */
  readonly chain: string | null;
  /** The file of the transactions that are out. */
  readonly outgoing: string;
  /** Throws what the keystore throws. */
  readonly payer: () => Promise<Signer>;
}

/**
 * How a configuration posts; undefined without an RPC. Throws `bad_config` if the log names no chain: it never
 * will, so an RPC is a mistake.
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
