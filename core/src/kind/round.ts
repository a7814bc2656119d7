import { type HouseForecast } from '../arena/forecast/house.ts';
import { parseHandle } from '../arena/forecast/handle.ts';
import { parseRoundId, roundId } from '../arena/forecast/round-id.ts';
import type { HashHex } from '../hash/hash.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import type { DateText, TimeText } from '../time/time.ts';
import {
  array,
  date,
  hashHex,
  i64,
  integer,
  malformed,
  object,
  type Parse,
  time,
} from '../wire/schema.ts';
import { wire } from '../wire/wire.ts';

/** A round of the arena: forecasts of one period of an index, from its opening on. */
export interface Round {
  /** `<ticker in lower case>-<period>`. */
  readonly id: string;
  readonly ticker: Ticker;
  readonly period: DateText;
  /** The version of the index's rule that governs the period. */
  readonly rule: { readonly version: number; readonly hash: HashHex };
  /** Hash of the arena rule by which the round is run. */
  readonly arena_rule: HashHex;
  /** Decimals of all values of the round, which are scaled integers. */
  readonly decimals: number;
  /** The newest earlier period with a final print, and that print. */
  readonly ref_period: DateText;
  readonly ref_value: string;
  readonly opens_at: TimeText;
  readonly closes_at: TimeText;
  /** The beacon's round that opens the sealed forecasts. */
  readonly drand_round: number;
  readonly house: readonly HouseForecast[];
}

const MAX_DECIMALS = 18;

const parseShape: Parse<Round> = object<Round>({
  id: parseRoundId,
  ticker: parseTicker,
  period: date,
  rule: object<Round['rule']>({ version: integer(1, Number.MAX_SAFE_INTEGER), hash: hashHex }),
  arena_rule: hashHex,
  decimals: integer(0, MAX_DECIMALS),
  ref_period: date,
  ref_value: i64,
  opens_at: time,
  closes_at: time,
  drand_round: integer(1, Number.MAX_SAFE_INTEGER),
  house: array(object<HouseForecast>({ handle: parseHandle, value: i64 }), 0, 16),
});

/** A round's body, or `malformed`. Its id is that of its index and period, and it opens before it closes. */
export const parseRound: Parse<Round> = (value, at) => {
  const round = parseShape(value, at);
  const id = roundId(round.ticker, round.period);
  if (round.id !== id) throw malformed(`${at}.id`, id, round.id);
  if (round.opens_at >= round.closes_at) {
    throw malformed(`${at}.closes_at`, `after ${round.opens_at}`, wire(round.closes_at));
  }
  if (round.ref_period >= round.period) {
    throw malformed(`${at}.ref_period`, `before ${round.period}`, round.ref_period);
  }
  return round;
};
