import { integer, object, oneOf, type Parse, time } from '../wire/schema.ts';
import { parseEventId } from './event-id.ts';
import type { TimeText } from '../time/time.ts';

/** Why an event closed: its score stayed below, it grew too old, or its asset had no good tick. */
export const CLOSE_REASONS = ['below', 'age', 'silent'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/** An event is no longer open. While its receipts are still due, it is cooling. */
export interface EventClose {
  readonly id: string;
  /** The tick at which it closed. */
  readonly closed_at: TimeText;
  readonly reason: CloseReason;
  /** The highest score from its opening until it closed. */
  readonly peak_score: number;
}

export const parseEventClose: Parse<EventClose> = object<EventClose>({
  id: parseEventId,
  closed_at: time,
  reason: oneOf(CLOSE_REASONS),
  peak_score: integer(0, 100),
});
