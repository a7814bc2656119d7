import type { HashHex } from '../hash/hash.ts';
import {
  hashHex,
  integer,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
  time,
} from '../wire/schema.ts';
import { parseEventId } from './event-id.ts';
import { HORIZONS, type Horizon } from './horizon.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { MAX_RETURN_BP } from './event.ts';

/** Why a receipt has no return: there was no good tick in its time, or its asset is no longer listed. */
export const VOID_REASONS = ['no_data', 'delisted'] as const;
export type VoidReason = (typeof VOID_REASONS)[number];

/** The outcome of an event at a horizon. It is stated once. */
export interface ReceiptEntry {
  readonly id: string;
  readonly horizon: Horizon;
  readonly status: 'resolved' | 'void';
  /** The first good tick at or after the horizon; null where the receipt is void. */
  readonly resolved_at: TimeText | null;
  /** Basis points from the opening's price, after splits; null where the receipt is void. */
  readonly ret: number | null;
  /** Commitment to the price at `resolved_at`; null where the receipt is void. */
  readonly price: HashHex | null;
  readonly reason: VoidReason | null;
}

const parseShape: Parse<ReceiptEntry> = object<ReceiptEntry>({
  id: parseEventId,
  horizon: oneOf(HORIZONS),
  status: oneOf(['resolved', 'void'] as const),
  resolved_at: nullable(time),
  ret: nullable(integer(-10_000, MAX_RETURN_BP)),
  price: nullable(hashHex),
  reason: nullable(oneOf(VOID_REASONS)),
});

/** A receipt's body, or `malformed`: a return with its tick, or a reason. */
export const parseReceiptEntry: Parse<ReceiptEntry> = (value, at) => {
  const receipt = parseShape(value, at);
  const { status, resolved_at, ret, price, reason } = receipt;
  const whole = status === 'resolved';
  const given = [resolved_at, ret, price].map((each) => each !== null);
  if (given.some((each) => each !== whole) || (reason === null) !== whole) {
    const expected = whole ? 'a tick, a return and no reason' : 'a reason alone';
    throw malformed(at, expected, wire(receipt));
  }
  return receipt;
};
