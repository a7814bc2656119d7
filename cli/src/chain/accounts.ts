import { Fault, messageOf } from '@assay/core/fault';
import { toHashHex } from '@assay/core/hash/hash';
import { type FileFeeds, MAX_ACCOUNT_FILE_BYTES, parseAccountFile } from './account-file.ts';
import { NO_LIMIT, type WorkBudget } from '@assay/core/work-budget';
import {
  type ChainLookup,
  type FeedListing,
  MAX_LISTED_FEEDS,
} from '@assay/verifier/feed/chain-lookup';
import { type ChainRpc, chainRpc, type RpcOptions } from './accounts-rpc.ts';
import { pauseUnless } from '../reader/deadline.ts';
import { readPlainFile } from '../reader/plain-file.ts';

/** CAIP-2 names a Solana chain by this many characters of its genesis hash. */
const GENESIS_CHARACTERS = 32;
/** How often a node is asked for its newest slot until it has reached one, and the milliseconds in between. */
const TRIES = 4;
const PAUSE_MS = 2000;

/**
 * Accounts as a Solana node claims them. Its newest finalized slot is requested here, before the log is read.
 * Throws `unreachable`, `timeout`, `refused` or `malformed`, none of which quotes the address.
 */
export async function nodeAccounts(url: string, options: RpcOptions): Promise<ChainLookup> {
  const rpc = chainRpc(url, options);
  const [genesis, known] = await Promise.all([rpc.genesisHash(), rpc.finalizedSlot()]);
  const since = (slot: number): ChainLookup => ({
    description: `the word of ${new URL(url).host}`,
    chain: `solana:${genesis.slice(0, GENESIS_CHARACTERS)}`,
    slot,
    accounts: (addresses) => rpc.accounts(addresses, slot),
    feeds: (program, publisher) => listed(rpc, new URL(url).host, program, publisher, slot),
    at: async (later) => ((await hasCome(rpc, later, options)) ? since(later) : undefined),
  });
  return since(known);
}

/** The feeds that a node lists, or why it does not list them. */
async function listed(
  rpc: ChainRpc,
  host: string,
  program: string,
  genesis: string,
  slot: number,
): Promise<FeedListing> {
  try {
    const feeds = await rpc.feeds(program, toHashHex(genesis), slot);
    const count = feeds.length;
    const incomplete =
      count > MAX_LISTED_FEEDS
        ? `${host} lists ${count}, of which ${MAX_LISTED_FEEDS} are taken`
        : undefined;
    return { feeds: feeds.slice(0, MAX_LISTED_FEEDS), incomplete };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { feeds: [], incomplete: `${host} does not list them: ${messageOf(error)}` };
  }
}

/** Whether a node has reached a slot, or reaches it in a moment. */
async function hasCome(rpc: ChainRpc, slot: number, options: RpcOptions): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    if ((await rpc.finalizedSlot()) >= slot) return true;
    if (attempt === TRIES || options.signal?.aborted === true) return false;
    const pause = options.backOffMs ?? PAUSE_MS;
    await pauseUnless(options.signal, pause);
  }
}

/**
 * Accounts from a file that `assay chain read --save` has written. What it does not list was not read. Throws
 * `not_found`, and what `parseAccountFile` throws with `work`.
 */
export async function fileAccounts(
  path: string,
  work: WorkBudget = NO_LIMIT,
): Promise<ChainLookup> {
  const bytes = await readPlainFile(path, MAX_ACCOUNT_FILE_BYTES);
  if (bytes === undefined) throw new Fault('not_found', 'accounts file', { at: path });
  const { chain, slot, accounts, feeds } = parseAccountFile(bytes, work);
  const byAddress = new Map(accounts.map((account) => [account.address, account]));
  return {
    description: `the word of a file of ${accounts.length} accounts`,
    chain,
    slot,
    accounts: (addresses) => Promise.resolve(addresses.map((each) => byAddress.get(each))),
    feeds: (program, genesis) => Promise.resolve(keptListing(feeds, program, genesis)),
  };
}

/** The listing of these feeds in a file. */
function keptListing(kept: FileFeeds | null, program: string, genesis: string): FeedListing {
  if (kept === null) return { feeds: [], incomplete: 'the file has no listing of them' };
  if (kept.program !== program || kept.genesis !== genesis) {
    const incomplete = `the file lists those of ${kept.program} under the key ${kept.genesis}`;
    return { feeds: [], incomplete };
  }
  return { feeds: kept.accounts, incomplete: kept.incomplete ?? undefined };
}
