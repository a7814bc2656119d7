import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { LogRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import type { AccountBytes } from './chain-lookup.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import type { FeedAddresses } from '../ed25519/program-address.ts';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** What accounts are compared with, and where what comes of it goes. */
export interface OnchainContext {
  readonly sha256: Sha256;
  readonly log: LogRow;
  readonly state: ViewState;
  readonly addresses: FeedAddresses;
  /** The slot that was finalized before the log was read. */
  readonly slot: number;
  /** Until when what is on chain must be in the log, unix seconds: as in `OnchainSubject`. */
  readonly now: number;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  readonly counts: OnchainCounts;
}

export interface OnchainCounts {
  feeds: number;
  prints: number;
  closes: number;
  /** Things on chain that came after the log was read. */
  newer: number;
  /** What the log says stands at a slot after that of the account as it was read. */
  later: number;
  /** Dissents in the log from a print on chain, which are not there. */
  dissentsBehind: number;
}

/**
 * Seconds by which the chain's clock and the publisher's may be apart before they contradict each other: the
 * chain's is what its validators say.
 */
export const CHAIN_CLOCK_S = 7200;

/** What an account's bytes are; undefined with a finding where its program did not write them. */
export function openAccount<T>(
  { owner, data }: AccountBytes,
  place: string,
  parse: (data: Uint8Array) => T,
  { log, findings }: OnchainContext,
): T | undefined {
  if (owner !== log.program) {
    findings.add('feed_differs', place, `an account of ${log.program}`, `of ${owner}`);
    return undefined;
  }
  try {
    return parse(data);
  } catch (error) {
    findings.add('feed_differs', place, 'an account that its program writes', messageOf(error));
    return undefined;
  }
}

/** Compares facts one by one: a finding for each that differs. */
export function compareFacts(
  expected: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>>,
  place: string,
  findings: Findings,
): void {
  for (const [name, value] of Object.entries(expected)) {
    const difference = firstDifference(value, found[name]);
    if (difference === undefined) continue;
    const path = difference.path === '/' ? '' : difference.path;
    findings.add('feed_differs', `${place}, ${name}${path}`, difference.expected, difference.found);
  }
}
