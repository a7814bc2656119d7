import { feedAddress, pageAddress } from '@assay/chain/addresses';
import { ordinalOf, pagePlace } from '@assay/chain/ordinal';
import type { FinalPrint, FinalRequest, ReadAccount } from '@assay/chain/reader';
import { requireFinal } from '@assay/chain/reader';
import type { Ticker } from '@assay/core/ticker';
import { parseDate } from '@assay/core/time';
import type { Address } from '@solana/kit';
import { assertAccountExists, fetchEncodedAccount, getAddressEncoder } from '@solana/kit';

type Rpc = Parameters<typeof fetchEncodedAccount>[0];
type Demands = Pick<FinalRequest, 'ruleHash' | 'cosigners' | 'required' | 'maxAge' | 'now'>;

export async function finalOfWeek(
  rpc: Rpc,
  listing: { readonly program: Address; readonly publisher: string; readonly ticker: Ticker },
  period: string,
  demands: Demands,
): Promise<FinalPrint> {
  const { program, publisher, ticker } = listing;
  const [feedAt] = await feedAddress(program, publisher, ticker);
  const { index } = pagePlace(ordinalOf('week_ending_saturday', parseDate(period)));
  const [pageAt] = await pageAddress(program, feedAt, index);
  const page = await accountAt(rpc, pageAt);
  const feed = await accountAt(rpc, feedAt);
  return requireFinal({ program: bytesOf(program), feed, page, ticker, period, ...demands });
}

async function accountAt(rpc: Rpc, at: Address): Promise<ReadAccount> {
  const account = await fetchEncodedAccount(rpc, at, { commitment: 'finalized' });
  assertAccountExists(account);
  const owner = bytesOf(account.programAddress);
  return { address: bytesOf(at), owner, data: new Uint8Array(account.data) };
}

function bytesOf(address: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(address));
}
