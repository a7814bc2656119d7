import type { ChainRpc } from '@assay/chain/client/rpc';
import { SENDER_LIMITS, type SenderLimits } from '@assay/chain/client/sender';
import type { Sha256 } from '@assay/core/hash/hash';
import type { OnChain } from '@assay/core/kind/print-entry';
import type { Clock } from '../platform/clock.ts';
import type { Signer } from '../ledger/checkpoint-signer.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { OutgoingStore } from './outgoing.ts';

/** What posting stands on. */
export interface FeedParts {
  readonly ledger: Ledger;
  readonly rpc: ChainRpc;
  /** Pays fees and rent; has no other right. */
  readonly payer: Signer;
  /** The report key: it makes feeds and registers rules and co-signer sets. */
  readonly publisher: Signer;
  /** Report keys of other times: a feed changes its key apart from the log, and takes prints by its own. */
  readonly otherPublishers?: readonly Signer[];
  readonly outgoing: OutgoingStore;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Seconds without steps, from any beginning: what is paced goes by it. */
  readonly elapsed: Clock;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly limits: FeedLimits;
}

/** In seconds, but for the last three. */
export interface FeedLimits {
  /** After a print's quorum, before it is posted without the rest of its set; by the log's clock. */
  readonly gatherS: number;
  /** After a print could be posted, before its absence is told. */
  readonly behindAfterS: number;
  /** Between two comparisons of what stands on chain with the log. */
  readonly compareEveryS: number;
  /** Without an answer by the RPC, before that is told. */
  readonly silentAfterS: number;
  /** Lamports of a UTC day, fees and rent. */
  readonly dailyLamports: bigint;
  /** Transactions of one look. */
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

/** What a node is given to post with; without it nothing is posted. */
export interface NodeFeed extends Pick<
  FeedParts,
  'rpc' | 'payer' | 'outgoing' | 'sleep' | 'limits'
> {
  readonly otherPublishers?: readonly Signer[];
  /** Milliseconds between two looks. */
  readonly everyMs: number;
  /** Seconds without steps, as the chain's time goes; the node's own without. */
  readonly elapsed?: Clock;
}

/** What a lamport was spent on. */
export const ERRANDS = ['feed', 'rule', 'set', 'print', 'cosign', 'dissent', 'close'] as const;
export type ErrandKind = (typeof ERRANDS)[number];

/** What posting tells. */
export interface FeedEvents {
  readonly onPosted: (
    of: OnChain,
    ticker: string,
    period: string,
    transaction: string | null,
  ) => void;
  readonly onSpent: (on: ErrandKind, of: 'fee' | 'rent', lamports: bigint) => void;
  /** Something that is tried again, or given up; in plain words. */
  readonly onError: (what: string, reason: string) => void;
}
