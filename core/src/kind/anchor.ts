import type { HashHex } from '../hash/hash.ts';
import {
  array,
  hashHex,
  hex,
  integer,
  malformed,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '../wire/schema.ts';
import type { TimeText } from '../time/time.ts';
import { MAX_HEIGHT } from './beacon.ts';

/** How far a calendar has come with a batch. `expired` means that it has shown no block for long, until it does. */
export const CALENDAR_STATES = ['pending', 'attested', 'expired'] as const;
export type CalendarState = (typeof CALENDAR_STATES)[number];

export interface AnchorCalendar {
  /** As its attestations name it. */
  readonly uri: string;
  readonly state: CalendarState;
}

/** A Bitcoin block that holds the batch's tip, with six more blocks on top of it. */
export interface AnchorBlock {
  readonly height: number;
  /** The 80 bytes of its header, hex. */
  readonly header: string;
  /** sha256 of a blob: the six headers that follow, 480 bytes. */
  readonly following: HashHex;
}

/** The most entries between the size that a batch covers and the entry that records it. */
export const MAX_ANCHOR_LAG = 65_536;

/**
 * Blocks that a reorganisation may undo; a seventh block makes a height final. A batch names a beacon's block, and its
 * own block is higher, or lower by less than this where the beacon's block has been lost since.
 */
export const MAX_REORGANISED = 6;

/**
 * A batch of OpenTimestamps. Its leaves follow from the log, so that none can be left out: the checkpoint of `to`
 * entries, then each record of `[from, to)` that is stamped. Issue 0 is written when enough calendars hold the tip, and
 * a further issue each time that more is known; only `proof`, `calendars` and `bitcoin` change then.
 */
export interface Anchor {
  /** 0 for the first batch of the log. */
  readonly batch: number;
  readonly issue: number;
  readonly from: number;
  readonly to: number;
  /** Root of the log's tree at `to` entries, as in the checkpoint. */
  readonly root: HashHex;
  /** 32 bytes that the nonces derive from, hex. */
  readonly salt: string;
  /** Root of the batch's tree. */
  readonly tip: HashHex;
  /** When the batch was made, just before it was sent. No block that holds its tip is older. */
  readonly stamped_at: TimeText;
  /** sha256 of a blob: the timestamp over the tip, without a header. */
  readonly proof: HashHex;
  /** Ascending by URI. */
  readonly calendars: readonly AnchorCalendar[];
  /** Ascending by height; empty while every calendar is pending. */
  readonly bitcoin: readonly AnchorBlock[];
}

const parseShape: Parse<Anchor> = object<Anchor>({
  batch: integer(0, Number.MAX_SAFE_INTEGER),
  issue: integer(0, 65_535),
  from: integer(0, Number.MAX_SAFE_INTEGER),
  to: integer(1, Number.MAX_SAFE_INTEGER),
  root: hashHex,
  salt: hex(32),
  tip: hashHex,
  stamped_at: time,
  proof: hashHex,
  calendars: array(
    object<AnchorCalendar>({
      uri: string(1, 1000, /^[A-Za-z0-9._/:-]+$/),
      state: oneOf(CALENDAR_STATES),
    }),
    1,
    16,
  ),
  bitcoin: array(
    object<AnchorBlock>({ height: integer(0, MAX_HEIGHT), header: hex(80), following: hashHex }),
    0,
    16,
  ),
});

/** An anchor body, or `malformed`. Members that contradict each other are refused here. */
export const parseAnchor: Parse<Anchor> = (value, at) => {
  const anchor = parseShape(value, at);
  if (anchor.from >= anchor.to) throw malformed(`${at}.from`, 'less than to', anchor.from);
  for (const [i, { uri }] of anchor.calendars.entries()) {
    const before = anchor.calendars[i - 1]?.uri;
    if (before !== undefined && before >= uri) {
      throw malformed(`${at}.calendars[${i}].uri`, `after ${before}`, uri);
    }
  }
  for (const [i, { height }] of anchor.bitcoin.entries()) {
    const before = anchor.bitcoin[i - 1]?.height;
    if (before !== undefined && before >= height) {
      throw malformed(`${at}.bitcoin[${i}].height`, `above ${before}`, height);
    }
  }
  const attested = anchor.calendars.some(({ state }) => state === 'attested');
  if (attested !== anchor.bitcoin.length > 0) {
    throw malformed(`${at}.bitcoin`, 'blocks exactly where a calendar has attested', value);
  }
  if (anchor.issue === 0 && attested) {
    throw malformed(`${at}.issue`, 'a pending batch first', anchor.issue);
  }
  return anchor;
};
