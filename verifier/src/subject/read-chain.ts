import { Fault } from '@assay/core/fault';
import type { Genesis } from '@assay/core/kind/genesis';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { logRow } from '@assay/core/view/log';
import { onchainBack, type OnchainRow } from '@assay/core/view/onchain';
import type { ChainLookup } from '../feed/chain-lookup.ts';
import { pauseWithin } from '../verdict/limits.ts';
import type { LogWalk } from '../log/log-walk.ts';
import { readOnchain } from '../feed/onchain-accounts.ts';
import { checkOnchain, requireSameChain } from '../feed/onchain-check.ts';
import type { Session } from './session.ts';
import type { OnchainFacts } from '../verdict/verdict.ts';

/** Accounts that were read, to compare with the log once it has been followed to its end. */
export interface ReadChain {
  readonly compare: () => Promise<OnchainFacts | undefined>;
}

/**
 * Throws `refused` at once where a chain was given and the log names another one or none. In that case there is no
 * program whose feeds could be listed under the log's key, and whoever asked for the comparison must not get a positive
 * verdict without it.
 */
export function requireChain({ chain }: Pick<Session, 'chain'>, genesis: Genesis): void {
  if (chain === undefined) return;
  if (genesis.chain !== null) {
    requireSameChain(chain, genesis.chain);
    return;
  }
  throw new Fault('refused', 'accounts given', {
    at: chain.description,
    expected: 'no chain, for the log names none and nothing can be compared',
    found: `accounts of ${chain.chain} (--chain-rpc, --chain-accounts or ASSAY_SOLANA_RPC)`,
  });
}

/**
 * Reads every account that the log may have on the given chain; undefined where there is nothing to compare. A `copy`
 * of a log, a folder or an export, does not grow, so what came to the chain after the newest slot that it names is
 * newer than the copy. A live log that has stopped has no such excuse: it is compared with what the chain has by the
 * verifier's clock.
 */
export async function readChain(
  session: Session,
  walk: LogWalk,
  copy: boolean,
): Promise<ReadChain | undefined> {
  const { chain, findings, notChecked, environment, work, tally } = session;
  const { views: state, addresses } = walk;
  if (addresses === undefined) {
    if (chain !== undefined && logRow(state)?.chain != null) {
      notChecked.add(
        'chain',
        'the accounts given',
        'the log names no program that could own them',
        'none',
      );
    }
    return undefined;
  }
  if (chain === undefined) {
    nameUnlooked(session, walk);
    return undefined;
  }
  const { now: clock } = session;
  const now = (): number => Math.max(secondsOf(walk.at), copy ? 0 : (clock ?? 0));
  const span = { first: secondsOf(walk.firstAt), newest: now() };
  const pause = (): Promise<void> => pauseWithin(work, environment);
  const lookup = await lookupFor(chain, walk, session);
  const accounts = await readOnchain(lookup, state, addresses, span, pause, notChecked);
  tally.accounts += accounts.count;
  return {
    async compare() {
      const known = copy ? asOf(chain, newestOf(walk)?.slot ?? 0) : chain;
      const facts = await checkOnchain(known, accounts, {
        sha256: environment.sha256,
        state,
        addresses,
        now: now(),
        findings,
        notChecked,
      });
      return facts === undefined ? undefined : { ...facts, slot: chain.slot };
    },
  };
}

function secondsOf(time: TimeText | ''): number {
  return time === '' ? 0 : parseTime(time);
}

/**
 * The lookup at the newest slot that the log names. That slot was final when the log named it, and older accounts could
 * not show what is missing. Throws `unreachable` where the source has not reached it.
 */
async function lookupFor(
  chain: ChainLookup,
  walk: LogWalk,
  { findings }: Session,
): Promise<ChainLookup> {
  const newest = newestOf(walk);
  if (newest === undefined || newest.slot <= chain.slot || chain.at === undefined) return chain;
  const later = await chain.at(newest.slot);
  if (later !== undefined) return later;
  // A log that already has findings is reported in any case, and is still compared with the accounts that there are.
  if (findings.count > 0) return chain;
  throw new Fault('unreachable', 'accounts', {
    at: `slot ${newest.slot}, which entry ${newest.seq} names`,
    found:
      `none so new by ${chain.description}: the RPC node is behind the log, or the log names slots ` +
      'that have not been: ask another node',
  });
}

/** The row with the newest slot, of all that the log records as on chain. */
function newestOf({ views }: LogWalk): OnchainRow | undefined {
  let newest: OnchainRow | undefined;
  for (const row of onchainBack(views)) {
    if (newest === undefined || row.slot > newest.slot) newest = row;
  }
  return newest;
}

/** The given accounts, for a comparison with a log that may know of nothing after `slot`. */
function asOf(chain: ChainLookup, slot: number): ChainLookup {
  if (chain.slot <= slot) return chain;
  return {
    description: chain.description,
    chain: chain.chain,
    slot,
    accounts: (addresses) => chain.accounts(addresses),
    feeds: (program, genesis) => chain.feeds(program, genesis),
  };
}

function nameUnlooked({ notChecked }: Session, { views }: LogWalk): void {
  const said = [...onchainBack(views)].length;
  notChecked.add(
    'chain',
    `the accounts on ${logRow(views)?.chain}, where the log says that ${said} prints and Closes are`,
    'nobody was asked for them; --chain-rpc compares them with the log',
    'accounts',
  );
}
