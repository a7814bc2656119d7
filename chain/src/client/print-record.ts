import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import type { FeedAccount } from '@assay/core/feed/feed-account';
import type { PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatPrint, type Print } from '@assay/core/report/print';

/**
 * Whether a record is that of a print. Compares field by field, with the rule of the feed that the record
 * names.
 */
export function isRecordOf(feed: FeedAccount, record: ChainRecord, print: Print): boolean {
  const rule = feed.rules[record.rule]?.hash;
  if (rule === undefined) return false;
  const { period } = print;
  return equalBytes(
    formatPrint({ ...record, series: feed.series, rule, period }),
    formatPrint(print),
  );
}

/** Returns the record of a print if it is the current one; otherwise undefined. */
export function recordOf(
  feed: FeedAccount,
  slot: PageSlot | null,
  print: Print,
): ChainRecord | undefined {
  const record = placeOf(slot, print);
  return record !== null && isRecordOf(feed, record, print) ? record : undefined;
}

/**
 * As `recordOf`. Throws `refused`, with both reports, if another print excludes this one permanently: at
 * `settled` another final or void; at `overtaken` a higher issue, or for a provisional any final or void; at
 * `differs` another print of the same status and issue, which means that two messages were signed where only
 * one may be.
 */
export function requireRecord(
  feed: FeedAccount,
  slot: PageSlot | null,
  print: Print,
): ChainRecord | undefined {
  const own = recordOf(feed, slot, print);
  if (own !== undefined) return own;
  const other = placeOf(slot, print);
  const { status, issue } = print;
  const isSettling = status === 'final' || status === 'void';
  if (other !== null) {
    if (isSettling) throw barred('settled', print, other);
    if (other.issue === issue) throw barred('differs', print, other);
    if (other.issue > issue) throw barred('overtaken', print, other);
  }
  const settled = slot?.settled ?? null;
  if (status === 'provisional' && settled !== null) throw barred('overtaken', print, settled);
  return undefined;
}

function placeOf(slot: PageSlot | null, { status }: Print): ChainRecord | null {
  if (slot === null) return null;
  if (status === 'provisional') return slot.provisional;
  return status === 'corrected' ? slot.corrected : slot.settled;
}

function barred(at: string, print: Print, other: ChainRecord): Fault {
  const words = ({ status, issue, report }: Pick<Print, 'status' | 'issue' | 'report'>): string =>
    `${status} ${issue} of report ${report}`;
  return new Fault('refused', 'print', { at, expected: words(print), found: words(other) });
}

/** Returns the keys whose bits are set, in the order of the record's set. */
export function keysAt(feed: FeedAccount, set: number, bits: number): readonly HashHex[] {
  return (feed.sets[set]?.keys ?? []).filter((_, i) => ((bits >> i) & 1) === 1);
}
