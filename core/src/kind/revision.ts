import type { HashHex } from '../hash/hash.ts';
import { MAX_REVISION_ROWS } from '../limits.ts';
import { type Retain, RETAINS } from '../rule/rule.ts';
import {
  array,
  date,
  hashHex,
  i64,
  malformed,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '../wire/schema.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import type { DateText, TimeText } from '../time/time.ts';
import type { WireValue } from '../wire/wire.ts';

/**
 * A vintage: what the source shows now for periods other than the printed one, where that differs from what the log
 * shows. For a period with a report it is a later revision, never the settlement value. For a period without one it is
 * history, and its settlement value stays empty.
 */
export interface Revision {
  readonly ticker: Ticker;
  readonly rule: HashHex;
  readonly provider: string;
  readonly snapshot: HashHex;
  readonly retain: Retain;
  readonly read_at: TimeText;
  /** The period that the request was made for. */
  readonly read_for: DateText;
  /** Ascending by period; scaled by the rule's decimals. */
  readonly rows: readonly RevisionRow[];
}

export interface RevisionRow {
  readonly period: DateText;
  readonly value: string;
}

const parseShape: Parse<Revision> = object<Revision>({
  ticker: parseTicker,
  rule: hashHex,
  provider: string(1, 64),
  snapshot: hashHex,
  retain: oneOf(RETAINS),
  read_at: time,
  read_for: date,
  rows: array(object<RevisionRow>({ period: date, value: i64 }), 1, MAX_REVISION_ROWS),
});

/** A revision body, or `malformed`: each period once, ascending. */
export const parseRevision: Parse<Revision> = (value: WireValue, at) => {
  const revision = parseShape(value, at);
  for (const [i, { period }] of revision.rows.entries()) {
    const before = revision.rows[i - 1];
    if (before !== undefined && before.period >= period) {
      throw malformed(`${at}.rows[${i}].period`, `a date after ${before.period}`, period);
    }
  }
  return revision;
};
