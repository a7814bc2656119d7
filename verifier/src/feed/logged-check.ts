import type { HashHex } from '@assay/core/hash/hash';
import type { PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { quorumOf } from '@assay/core/round/quorum';
import type { Report } from '@assay/core/report/report';
import { parseDate } from '@assay/core/time/time';
import { type Due, dueBack, onchainRow, type OnchainRow } from '@assay/core/view/onchain';
import { reportsOf } from '@assay/core/view/reports';
import type { ViewState } from '@assay/core/view/view';
import type { OnchainContext } from './account-check.ts';
import { type Compared, slotFor } from './compared.ts';
import { chainPlace } from './onchain-accounts.ts';
import { keysOf, recordsOf } from './page-check.ts';
import type { OnchainFacts } from '../verdict/verdict.ts';

/**
 * Whether the thing that an entry records could be looked up. It could not where its account is of an earlier slot or
 * was not given.
 */
export type Sought = 'compared' | 'later' | 'not given';

/** Checks that what an entry records is on chain: the print or the Close, its slot, and who co-signed. */
export function checkLogged(row: OnchainRow, compared: Compared, context: OnchainContext): Sought {
  if (row.of === 'close') return checkLoggedClose(row, compared, context);
  return checkLoggedPrint(row, compared, context);
}

function placeOf({ of, ticker, period }: OnchainRow): string {
  const place = chainPlace(ticker, period);
  return of === 'close' ? `${place}, Close` : place;
}

function missing(row: OnchainRow, found: string, { findings }: OnchainContext): void {
  const expected = `${row.of} ${row.digest}, by entry ${row.seq}`;
  findings.add('feed_print_missing', placeOf(row), expected, found);
}

function checkLoggedClose(row: OnchainRow, compared: Compared, context: OnchainContext): Sought {
  const held = compared.closes.get(parseDate(row.period));
  if (row.slot > (held?.slot ?? compared.slot)) return 'later';
  if (held === undefined) return 'not given';
  if (held === null) {
    missing(row, 'no account', context);
    return 'compared';
  }
  const { hashes, slot } = held.account;
  if (!hashes.includes(row.digest)) {
    missing(row, `${hashes.length} other versions`, context);
  } else if (
    slot < BigInt(row.slot) ||
    (slot > BigInt(row.slot) && isNewest(row, hashes, context))
  ) {
    const expected = `slot ${hashes.length === 1 ? '' : 'of at most '}${slot}`;
    context.findings.add('feed_entry_wrong', placeOf(row), expected, `slot ${row.slot}`);
  }
  return 'compared';
}

/**
 * Whether every version of a day has an entry and none has one of a later slot, so that the account's slot is that of
 * this version. It is nobody's fault which of them came last, because anybody may submit a version.
 */
function isNewest(
  { slot }: OnchainRow,
  hashes: readonly HashHex[],
  { state }: OnchainContext,
): boolean {
  return hashes.every((hash) => {
    const logged = onchainRow(state, hash);
    return logged !== undefined && logged.slot <= slot;
  });
}

function checkLoggedPrint(row: OnchainRow, compared: Compared, context: OnchainContext): Sought {
  const found = slotFor(row, compared);
  const record = found === undefined ? undefined : recordFor(row, found.slot);
  // A print's slot never changes, so one that is there need not be read at a later slot.
  if (record === undefined && row.slot > (found?.held?.slot ?? compared.slot)) return 'later';
  if (found === undefined) return 'not given';
  const { held, slot } = found;
  if (held === null) {
    missing(row, 'no account', context);
    return 'compared';
  }
  if (record === undefined) {
    const report = reportFor(row, context.state);
    if (report === undefined || !isReplaced(report, slot)) {
      missing(row, slot === null ? 'nothing' : 'another print', context);
    }
    return 'compared';
  }
  const { findings } = context;
  if (record.slot !== BigInt(row.slot)) {
    findings.add('feed_entry_wrong', placeOf(row), `slot ${record.slot}`, `slot ${row.slot}`);
  }
  const set = compared.feeds.get(row.ticker)?.feed.sets[record.set];
  const keys = set === undefined ? undefined : keysOf(record.cosigners, set.keys);
  if (keys === undefined) return 'compared';
  // Co-signers may have been added since. The check of the page makes sure that the log has their agreements.
  if (row.cosigners.every((key) => keys.some((each) => each === key))) return 'compared';
  const shown = [...keys].sort().join(', ');
  const listed = row.cosigners.join(', ');
  findings.add('feed_entry_wrong', placeOf(row), `co-signers ${shown || 'none'}`, listed);
  return 'compared';
}

function recordFor({ digest }: Due, slot: PageSlot | null): ChainRecord | undefined {
  return slot === null ? undefined : recordsOf(slot).find(({ report }) => report === digest);
}

function reportFor({ ticker, period, digest }: Due, state: ViewState): Report | undefined {
  return reportsOf(state, ticker, period).find(({ hash }) => hash === digest)?.report;
}

/**
 * Whether a later print of the same kind has taken a print's place. Pages hold only the newest provisional and the
 * newest correction.
 */
function isReplaced({ status, issue }: Report, slot: PageSlot | null): boolean {
  const later =
    status === 'provisional' ? slot?.provisional : status === 'corrected' ? slot?.corrected : null;
  return (later?.issue ?? -1) > issue;
}

/** What belongs on chain, has its quorum and is not there, as far as the accounts were read. */
export function behindOf(compared: Compared, { state }: OnchainContext): OnchainFacts['behind'] {
  let count = 0;
  let oldest: OnchainFacts['behind']['oldest'] = null;
  for (const due of dueBack(state)) {
    // What the log records as being on chain has been checked already.
    if (onchainRow(state, due.digest) !== undefined || !isBehind(due, compared, state)) continue;
    count += 1;
    const { of, ticker, period, seq } = due;
    oldest = { of, ticker, period, seq };
  }
  return { count, oldest };
}

function isBehind(due: Due, compared: Compared, state: ViewState): boolean {
  const { ticker, period, digest } = due;
  if (due.of === 'close') {
    const held = compared.closes.get(parseDate(period));
    return held !== undefined && held?.account.hashes.includes(digest) !== true;
  }
  const found = slotFor(due, compared);
  if (found === undefined || recordFor(due, found.slot) !== undefined) return false;
  const rows = reportsOf(state, ticker, period);
  const row = rows.find(({ hash }) => hash === digest);
  if (row === undefined || isReplaced(row.report, found.slot)) return false;
  if (row.report.status === 'provisional') {
    return found.slot?.settled == null && rows.at(-1) === row;
  }
  const { have, required } = quorumOf(state, row);
  return have >= required;
}
