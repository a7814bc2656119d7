import type { ChainRpc } from '@assay/chain/client/rpc';
import { Fault } from '@assay/core/fault';

/** Milliseconds of one exchange with a node. */
const TIMEOUT_MS = 30_000;

/** A node of a Solana chain, and which chain it is on. */
export interface ChainConnection {
  readonly rpc: ChainRpc;
  /** CAIP-2. */
  readonly chain: string;
  /** Only the node's host, because the rest of its address may contain a key. */
  readonly host: string;
}

/**
 * Asks a node which chain it is on. Throws what its calls throw, and `bad_config` if it is on another chain
 * than `expected`.
 */
export async function connectChain(url: string, expected?: string): Promise<ChainConnection> {
  const { chainId, httpRpc } = await import('@assay/chain/client/rpc');
  const rpc = httpRpc(url, { timeoutMs: TIMEOUT_MS });
  const chain = await chainId(rpc);
  if (expected !== undefined && chain !== expected) {
    throw new Fault('bad_config', 'chain', { at: '--rpc', expected, found: chain });
  }
  return { rpc, chain, host: new URL(url).host };
}
