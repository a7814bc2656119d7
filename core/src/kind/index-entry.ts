import type { HashHex } from '../hash/hash.ts';
import { date, hashHex, integer, object, type Parse } from '../wire/schema.ts';
import type { DateText } from '../time/time.ts';

/** How many leaves a sorted list has, and its RFC 6962 root. */
export interface IndexRoot {
  readonly count: number;
  readonly root: HashHex;
}

/** Everything that the entries before an index entry hold, each list sorted. */
export interface IndexContent {
  readonly prints: IndexRoot;
  readonly keys: IndexRoot;
  readonly rules: IndexRoot;
  readonly events: IndexRoot;
}

/**
 * What the log holds at the end of a day. Whoever has a leaf and its neighbours sees that nothing else is between them.
 */
export interface IndexEntry extends IndexContent {
  /** The UTC day that has ended. */
  readonly day: DateText;
  /** How many entries it covers: all before it, so that it equals its own seq. */
  readonly size: number;
}

const root: Parse<IndexRoot> = object<IndexRoot>({
  count: integer(0, Number.MAX_SAFE_INTEGER),
  root: hashHex,
});

export const parseIndexEntry: Parse<IndexEntry> = object<IndexEntry>({
  day: date,
  size: integer(1, Number.MAX_SAFE_INTEGER),
  prints: root,
  keys: root,
  rules: root,
  events: root,
});
