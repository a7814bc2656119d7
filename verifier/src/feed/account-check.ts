import { messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import type { LogRow } from '@assay/core/view/log';
import type { ViewState } from '@assay/core/view/view';
import type { AccountBytes } from './chain-lookup.ts';
import { firstDifference } from '../verdict/difference.ts';
import type { Findings } from '../verdict/finding.ts';
import type { FeedAddresses } from '@assay/core/feed/program-address';
import type { NotCheckedList } from '../verdict/verdict.ts';

/** What accounts are compared with, and where the results go. */
export interface OnchainContext {
  readonly sha256: Sha256;
  readonly log: LogRow;
  readonly state: ViewState;
  readonly addresses: FeedAddresses;
  /** The slot that was finalized before the log was read. */
  readonly slot: number;
  /** The time up to which the log must hold what is on chain, in Unix seconds, as in `OnchainSubject`. */
  readonly now: number;
  readonly findings: Findings;
  readonly notChecked: NotCheckedList;
  readonly counts: OnchainCounts;
}

export interface OnchainCounts {
  feeds: number;
  prints: number;
  closes: number;
  /** How many things on chain came after the log was read. */
  newer: number;
  /** How many things the log records at a later slot than that at which their account was read. */
  later: number;
  /** How many dissents from a print on chain are in the log and not on chain. */
  dissentsBehind: number;
}

/**
 * Seconds by which the chain's clock and the publisher's may differ before they contradict each other. The chain's time
 * is what its validators report.
 */
export const CHAIN_CLOCK_S = 7200;

/** Parses an account's bytes; undefined with a finding where its program did not write them. */
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

/** Compares facts one by one and adds a finding for each that differs. */
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
