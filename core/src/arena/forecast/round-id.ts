import { isTicker, type Ticker } from '../../rule/ticker.ts';
import { type DateText, isDate } from '../../time/time.ts';
import { malformed, type Parse } from '../../wire/schema.ts';

/** The id of the round about one period of an index: `<ticker in lower case>-<period>`. */
export function roundId(ticker: Ticker, period: DateText): string {
  return `${ticker.toLowerCase()}-${period}`;
}

/** What an id of a round is about. */
export interface RoundSubject {
  readonly ticker: Ticker;
  readonly period: DateText;
}

/** The index and the period that an id names; undefined for any other text. */
export function roundSubject(id: string): RoundSubject | undefined {
  const split = id.indexOf('-');
  const ticker = id.slice(0, split).toUpperCase();
  const period = id.slice(split + 1);
  if (split < 1 || !isTicker(ticker) || !isDate(period)) return undefined;
  return roundId(ticker, period) === id ? { ticker, period } : undefined;
}

/** The id of a round, or `malformed`. */
export const parseRoundId: Parse<string> = (value, at) => {
  if (typeof value !== 'string' || roundSubject(value) === undefined) {
    throw malformed(at, 'the id of a round, such as claims-2026-08-22', value);
  }
  return value;
};
