import type { Parse } from '../wire/schema.ts';
import { malformed } from '../wire/schema.ts';

declare const brand: unique symbol;

/** An index's name on the wire: `[A-Z][A-Z0-9]{0,15}`, and not CLOSE, which names the daily freeze. */
export type Ticker = string & { readonly [brand]: 'ticker' };

export function isTicker(text: string): text is Ticker {
  return /^[A-Z][A-Z0-9]{0,15}$/.test(text) && text !== 'CLOSE';
}

export const parseTicker: Parse<Ticker> = (value, at) => {
  if (typeof value !== 'string' || !isTicker(value)) {
    throw malformed(at, 'a ticker [A-Z][A-Z0-9]{0,15}, not CLOSE', value);
  }
  return value;
};
