import { formatBase64 } from '@assay/core/bytes/base64';
import type { BundleAccount, BundleAccounts } from '@assay/core/proof/bundle';
import { Fault } from '@assay/core/fault';
import type { ChainLookup } from '../feed/chain-lookup.ts';
import type { FoundFeed } from './found-report.ts';

/** What answers for the accounts of a chain. */
export type AccountSource = Pick<ChainLookup, 'chain' | 'accounts'>;

/**
 * The feed and the page of a print, as a node of the chain answers them. Throws `refused` for another chain
 * than the log's, and `not_found` for an account that does not exist, or for a print without an account in the
 * log.
 */
export async function printAccounts(
  chain: AccountSource,
  feed: FoundFeed | null,
): Promise<BundleAccounts> {
  if (feed === null) {
    throw new Fault('not_found', 'accounts', { expected: 'a print that the log says is on chain' });
  }
  if (feed.chain !== chain.chain) {
    throw new Fault('refused', 'accounts', { expected: `of ${feed.chain}`, found: chain.chain });
  }
  const addresses = [feed.account, feed.page] as const;
  const read = await chain.accounts(addresses);
  const [first, second] = addresses.map((address, i): BundleAccount => {
    const account = read[i];
    if (account == null) throw new Fault('not_found', 'account', { at: address });
    const { owner, slot, data } = account;
    return { address, owner, slot, data: formatBase64(data) };
  }) as [BundleAccount, BundleAccount];
  return { feed: first, page: second };
}
