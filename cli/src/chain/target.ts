import type { Address } from '@assay/chain/deploy/address-text';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { readSigner } from './chain-log.ts';
import { addressOption, keyOption } from './options.ts';
import { type ChainConnection, connectChain } from './connection.ts';
import { UsageError } from '../command/exit.ts';

/** Whose feeds a command is about, and on which chain. */
export interface ChainTarget extends ChainConnection {
  readonly program: Address;
  /** The publisher's first key in hex. */
  readonly publisher: HashHex;
}

export interface TargetOptions {
  readonly url: string | undefined;
  readonly program: string | undefined;
  readonly publisher: string | undefined;
}

/**
 * The program and the publisher from options, or from a log's signer document. Throws `UsageError`, and
 * `bad_config` if the log contradicts an option, or if the node at `rpc` is on another chain than the log's.
 */
export async function openTarget(rpc: string, options: TargetOptions): Promise<ChainTarget> {
  const { url, program, publisher } = options;
  if (url === undefined) {
    if (program === undefined || publisher === undefined) {
      throw new UsageError('it takes --url, or --program and --publisher');
    }
    const at = await addressOption(program, '--program');
    const key = await keyOption(publisher, '--publisher');
    return { ...(await connectChain(rpc)), program: at, publisher: key };
  }
  const named = program === undefined ? undefined : await addressOption(program, '--program');
  const key = publisher === undefined ? undefined : await keyOption(publisher, '--publisher');
  const log = await readSigner(url);
  const fed = requireFeeds(log);
  requireStated('--program', named, fed.program);
  requireStated('--publisher', key, log.publisher);
  const connection = await connectChain(rpc, fed.chain);
  const at = await addressOption(fed.program, 'the program of the log');
  return { ...connection, program: at, publisher: log.publisher };
}

/** Throws `bad_config` if a log contradicts an option. */
function requireStated(at: string, expected: string | undefined, found: string): void {
  if (expected === undefined || expected === found) return;
  throw new Fault('bad_config', 'log', { at, expected, found });
}

/** The chain and the program of a log. Throws `not_found` for a log that has none. */
export function requireFeeds(log: {
  readonly origin: string;
  readonly chain: string | null;
  readonly program: string | null;
}): { readonly chain: string; readonly program: string } {
  const { origin, chain, program } = log;
  if (chain !== null && program !== null) return { chain, program };
  throw new Fault('not_found', 'feed', {
    at: origin,
    expected: 'a chain and a program in its first entry',
    found: 'none: the log has no feed',
  });
}
