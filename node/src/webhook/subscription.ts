import { MESSAGE_TYPES, type MessageType } from '@assay/core/message/message-type';

/** Which messages a receiver gets. */
export interface Filter {
  readonly types: readonly MessageType[];
  /** The indexes whose messages are wanted, in upper or lower case as the log has them; null for all. It does not hold for messages about assets. */
  readonly tickers: readonly string[] | null;
  /** The assets whose messages are wanted; null for all. It does not hold for messages about indexes. */
  readonly symbols: readonly string[] | null;
}

/** What a receiver gets that has chosen nothing: the events that the specified interface has. */
export const DEFAULT_TYPES: readonly MessageType[] = ['score_event', 'heat_event'];

/** The next message of a receiver is the first one at `seq` and `ordinal` or later that its filter lets through. */
export interface Cursor {
  readonly seq: number;
  readonly ordinal: number;
}

/** `disabled`: the receiver answered 410, which ends a subscription until its owner resumes it. */
export const SUBSCRIPTION_STATES = ['active', 'paused', 'disabled'] as const;
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number];

/** Why a subscription is not active: its owner paused it, all attempts at a message failed, or the receiver is gone. */
export const PAUSE_REASONS = ['subscriber', 'exhausted', 'gone'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** The failed attempts at the message under the cursor. Times are milliseconds since 1970. */
export interface Attempts {
  readonly count: number;
  readonly next_ms: number;
  readonly failing_since_ms: number;
  /** A status, or the code of why there was no answer. */
  readonly last: string;
}

/** Where a subscription is. It names nobody, so it is stored as it is. */
export interface Progress {
  readonly cursor: Cursor;
  /** The version of the filter by which the messages before the cursor were chosen. */
  readonly filter: number;
  readonly state: SubscriptionState;
  readonly reason: PauseReason | null;
  readonly attempts: Attempts | null;
}

/** A secret of a receiver. During a rotation there are two, and deliveries are signed with both. */
export interface Secret {
  /** 32 bytes in hex. */
  readonly secret: string;
  /** When it ends, in milliseconds since 1970; null for the one in force. */
  readonly until_ms: number | null;
  /** Set once the owner has used a newer one: it signs deliveries until its end, and is no key to the subscription any more. */
  readonly superseded?: true;
}

/** What is known of a receiver. It is personal, and stored encrypted. */
export interface Receiver {
  readonly id: string;
  readonly email: string;
  readonly url: string;
  readonly filter: Filter;
  /** Counted up with each change of the filter. */
  readonly filter_version: number;
  /** The newest first. */
  readonly secrets: readonly Secret[];
  readonly created_ms: number;
}

export interface Subscription extends Receiver {
  readonly progress: Progress;
}

/** Whether a filter lets a message through. */
export function isWanted(
  { types, tickers, symbols }: Filter,
  {
    type,
    subject: { ticker, symbol },
  }: { type: MessageType; subject: { ticker: string | null; symbol: string | null } },
): boolean {
  if (!types.includes(type)) return false;
  if (ticker !== null && tickers !== null && !tickers.includes(ticker)) return false;
  return symbol === null || symbols === null || symbols.includes(symbol);
}

export function isMessageType(text: string): text is MessageType {
  return (MESSAGE_TYPES as readonly string[]).includes(text);
}
