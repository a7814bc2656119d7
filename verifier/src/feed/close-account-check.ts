import { formatHex } from '@assay/core/bytes/hex';
import { type CloseAccount, parseCloseAccount } from '@assay/core/feed/close-account';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { compareFacts, openAccount, type OnchainContext } from './account-check.ts';
import type { AccountBytes } from './chain-lookup.ts';
import { chainPlace } from './onchain-accounts.ts';

/**
 * Compares the Closes of a day on chain with the log's: each hash must be a version of that day, once. Their order, and
 * whether an earlier one is there, does not depend on the publisher alone, because anybody may submit a version that
 * the log has. Undefined with a finding for bytes that are no such account.
 */
export function checkCloseAccount(
  bytes: AccountBytes,
  day: number,
  ticker: Ticker,
  context: OnchainContext,
): CloseAccount | undefined {
  const { addresses, log, findings, counts, state } = context;
  const place = `${chainPlace(ticker, day)}, Close`;
  const account = openAccount(bytes, place, parseCloseAccount, context);
  if (account === undefined) return undefined;
  compareFacts(
    {
      bump: addresses.close(ticker, day).bump,
      day,
      feed: formatHex(addresses.feed(ticker).bytes),
      log: log.log,
    },
    { ...account },
    place,
    findings,
  );
  if (account.slot > BigInt(bytes.slot)) {
    const expected = `a slot of ${bytes.slot} at most, its account's`;
    findings.add('feed_differs', place, expected, `slot ${account.slot}`);
  }
  const versions = closesOf(state, formatDate(day));
  for (const [number, hash] of account.hashes.entries()) {
    if (!versions.some((version) => version.hash === hash)) {
      const isNewest = number === account.hashes.length - 1;
      if (isNewest && account.slot > BigInt(context.slot)) counts.newer += 1;
      else findings.add('feed_print_unknown', place, 'a Close of the log', `hash ${hash}`);
      continue;
    }
    counts.closes += 1;
    if (account.hashes.indexOf(hash) < number) {
      findings.add('feed_differs', place, 'each version once', `hash ${hash} again`);
    }
  }
  return account;
}
