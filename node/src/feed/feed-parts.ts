import type { ChainRpc } from '@assay/chain/client/rpc';
import { SENDER_LIMITS, type SenderLimits } from '@assay/chain/client/sender';
import type { Sha256 } from '@assay/core/hash/hash';
import type { OnChain } from '@assay/core/kind/print-entry';
import type { Clock } from '../platform/clock.ts';
import type { ReportSigner } from '../key/report-signer.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OutgoingStore } from './outgoing.ts';

/** What posting needs. */
export interface FeedParts {
  readonly ledger: Ledger;
  readonly rpc: ChainRpc;
  /** Pays fees and rent, and has no other rights. */
  readonly payer: Signer;
  /** The report key. It creates feeds and registers rules and co-signer sets. */
  readonly publisher: ReportSigner;
  /**
   * Report keys of other times. A feed changes its key separately from the log, and accepts prints by its own.
   */
  readonly otherPublishers?: readonly ReportSigner[];
  readonly outgoing: OutgoingStore;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Seconds of a clock without steps, with any beginning. Pauses are measured with it. */
  readonly elapsed: Clock;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly limits: FeedLimits;
}

/** In seconds, except the last three. */
export interface FeedLimits {
  /** How long after a print's quorum it is posted without the rest of its set, by the log's clock. */
  readonly gatherS: number;
  /** How long after a print could be posted its absence is reported. */
  readonly behindAfterS: number;
  /** The time between two comparisons of the chain with the log. */
  readonly compareEveryS: number;
  /** How long without an answer from the RPC that is reported. */
  readonly silentAfterS: number;
  /** The most lamports per UTC day, for fees and rent. */
  readonly dailyLamports: bigint;
  /** The most transactions of one poll. */
  readonly mostPerPoll: number;
  readonly sender: SenderLimits;
}

export const FEED_LIMITS: FeedLimits = {
  gatherS: 120,
  behindAfterS: 1800,
  compareEveryS: 600,
  silentAfterS: 600,
  dailyLamports: 1_000_000_000n,
  mostPerPoll: 64,
  sender: SENDER_LIMITS,
};

/** What a node is given to post with. Without it nothing is posted. */
export interface NodeFeed extends Pick<
  FeedParts,
  'rpc' | 'payer' | 'outgoing' | 'sleep' | 'limits'
> {
  readonly otherPublishers?: readonly ReportSigner[];
  /** Milliseconds between two polls. */
  readonly everyMs: number;
  /** Seconds without steps, in which the chain's time passes. The default is the node's own clock. */
  readonly elapsed?: Clock;
}

/** What a lamport was spent on. */
export const ERRANDS = ['feed', 'rule', 'set', 'print', 'cosign', 'dissent', 'close'] as const;
export type ErrandKind = (typeof ERRANDS)[number];

/** The events of posting. */
export interface FeedEvents {
  readonly onPosted: (
    of: OnChain,
    ticker: string,
    period: string,
    transaction: string | null,
  ) => void;
  readonly onSpent: (on: ErrandKind, of: 'fee' | 'rent', lamports: bigint) => void;
  /** Something failed that will be tried again or was given up; `what` is in plain English. */
  readonly onError: (what: string, reason: string) => void;
}
