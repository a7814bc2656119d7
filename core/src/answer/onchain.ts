import type { HashHex } from '../hash/hash.ts';
import { logRow } from '../view/log.ts';
import { onchainRow } from '../view/onchain.ts';
import type { ViewState } from '../view/view.ts';

interface Place {
  /** CAIP-2 id of the chain. */
  readonly chain: string;
  /** The program that owns the accounts, base58. */
  readonly program: string;
  /** First signature of the transaction, base58; null where somebody else sent it. */
  readonly transaction: string | null;
  readonly slot: number;
  /** The entry that records it. */
  readonly seq: number;
}

/** The on-chain account that holds a print. */
export interface FeedPayload extends Place {
  /** The index's feed, base58. */
  readonly account: string;
  /** The feed's page that holds the period, base58. */
  readonly page: string;
  /** The co-signers that the page shows for it, hex. */
  readonly cosigners: readonly string[];
}

/** The on-chain account that holds a Close. */
export interface AttestationPayload extends Place {
  /** The feed that it is under, base58. */
  readonly feed: string;
  readonly account: string;
}

/** Where a report's print is on chain; null until the log records it. */
export function feedPayload(state: ViewState, report: HashHex): FeedPayload | null {
  const row = onchainRow(state, report);
  const place = placeOf(state, row);
  if (row === undefined || place === null) return null;
  return { ...place, account: row.feed, page: row.account, cosigners: row.cosigners };
}

/** Where a Close is on chain; null until the log records it. */
export function attestationPayload(state: ViewState, hash: HashHex): AttestationPayload | null {
  const row = onchainRow(state, hash);
  const place = placeOf(state, row);
  if (row === undefined || place === null) return null;
  return { ...place, feed: row.feed, account: row.account };
}

function placeOf(
  state: ViewState,
  row: Pick<Place, 'transaction' | 'slot' | 'seq'> | undefined,
): Place | null {
  const log = logRow(state);
  if (row === undefined || log?.chain == null || log.program === null) return null;
  const { transaction, slot, seq } = row;
  return { chain: log.chain, program: log.program, transaction, slot, seq };
}
