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
import { parseSymbol } from '../terminal/tick/asset-symbol.ts';
import { parseEventId } from './event-id.ts';
import { HORIZONS, type Horizon } from './horizon.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import { MAX_RETURN_BP } from './event.ts';

/** Why the benchmark has no return: the event is the benchmark's own, or the benchmark had no good tick near enough. */
export const UNMEASURED_REASONS = ['own', 'no_data'] as const;
export type UnmeasuredReason = (typeof UNMEASURED_REASONS)[number];

/** The benchmark's return over the window of a resolved receipt. It is stated once. */
export interface Benchmark {
  readonly id: string;
  readonly horizon: Horizon;
  readonly symbol: string;
  /** The benchmark's first good tick at or after the opening, and at or after the receipt's tick. */
  readonly from: TimeText | null;
  readonly to: TimeText | null;
  /** Basis points. */
  readonly ret: number | null;
  /** Commitments to its prices at these ticks. */
  readonly from_price: HashHex | null;
  readonly to_price: HashHex | null;
  readonly reason: UnmeasuredReason | null;
}

const parseShape: Parse<Benchmark> = object<Benchmark>({
  id: parseEventId,
  horizon: oneOf(HORIZONS),
  symbol: parseSymbol,
  from: nullable(time),
  to: nullable(time),
  ret: nullable(integer(-10_000, MAX_RETURN_BP)),
  from_price: nullable(hashHex),
  to_price: nullable(hashHex),
  reason: nullable(oneOf(UNMEASURED_REASONS)),
});

/** A benchmark's body, or `malformed`: a return with both of its ticks, or only a reason. */
export const parseBenchmark: Parse<Benchmark> = (value, at) => {
  const benchmark = parseShape(value, at);
  const { from, to, ret, from_price, to_price, reason } = benchmark;
  const whole = reason === null;
  if ([from, to, ret, from_price, to_price].some((each) => (each !== null) !== whole)) {
    const expected = whole ? 'a return with its ticks and prices' : 'a reason alone';
    throw malformed(at, expected, wire(benchmark));
  }
  return benchmark;
};
