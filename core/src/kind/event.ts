import type { HashHex } from '../hash/hash.ts';
import {
  hashHex,
  integer,
  malformed,
  nullable,
  object,
  oneOf,
  type Parse,
} from '../wire/schema.ts';
import { ASSET_CLASSES, type AssetClass, parseSymbol } from '../terminal/tick/asset-symbol.ts';
import { parseEventId } from './event-id.ts';
import { tickTime } from '../terminal/calendar/grid.ts';
import { MAX_TICK_LEAVES } from '../terminal/tick/tick-leaf.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';

/** How many of a class's assets moved when an event opened. */
export interface Breadth {
  /** Moved up by 5 % or more. */
  readonly up: number;
  /** Moved down by 5 % or more. */
  readonly down: number;
  /** Those that have a move at all. */
  readonly of: number;
}

/** An event as it was called. Nothing in it changes afterwards. */
export interface EventOpen {
  readonly id: string;
  readonly symbol: string;
  readonly class: AssetClass;
  /** The tick that opened it. */
  readonly opened_at: TimeText;
  readonly score: number;
  /** Basis points over the rule's long return, with both of its ends at the opening. */
  readonly move_24h: number | null;
  /** Hundredths. */
  readonly vol_mult: number | null;
  readonly breadth: Breadth;
  /** Commitment to the price at the opening, in the asset's units. */
  readonly price: HashHex;
  /** Hash of the score rule. */
  readonly rule: HashHex;
}

/** The largest return that is possible here, in basis points. */
export const MAX_RETURN_BP: number = Number.MAX_SAFE_INTEGER;

const assets = integer(0, MAX_TICK_LEAVES);

const parseShape: Parse<EventOpen> = object<EventOpen>({
  id: parseEventId,
  symbol: parseSymbol,
  class: oneOf(ASSET_CLASSES),
  opened_at: tickTime,
  score: integer(0, 100),
  move_24h: nullable(integer(-10_000, MAX_RETURN_BP)),
  vol_mult: nullable(integer(0, Number.MAX_SAFE_INTEGER)),
  breadth: object<Breadth>({ up: assets, down: assets, of: assets }),
  price: hashHex,
  rule: hashHex,
});

/** An event's body, or `malformed`. */
export const parseEventOpen: Parse<EventOpen> = (value, at) => {
  const event = parseShape(value, at);
  const { up, down, of } = event.breadth;
  if (up + down > of) {
    throw malformed(`${at}.breadth`, `at most ${of} that moved`, wire(event.breadth));
  }
  return event;
};
