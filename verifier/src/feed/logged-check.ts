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

/** Whether what an entry says could be looked for: not in an account of an earlier slot, nor in one not given. */
export type Sought = 'compared' | 'later' | 'not given';

/** Checks that what an entry says of the chain is there: the print or the Close, its slot, and who co-signed. */
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
 * Whether of the versions of a day none has an entry of a later slot, and each has one: then the account's slot is
 * that of this one. Which of them came last is nobody's fault: anybody may bring a version.
 */
function isNewest(
  { slot }: OnchainRow,
  hashes: readonly HashHex[],
  { state }: OnchainContext,
): boolean {
  return hashes.every((hash) => {
    const said = onchainRow(state, hash);
    return said !== undefined && said.slot <= slot;
  });
}

function checkLoggedPrint(row: OnchainRow, compared: Compared, context: OnchainContext): Sought {
  const found = slotFor(row, compared);
  const record = found === undefined ? undefined : recordFor(row, found.slot);
  // A print's slot never changes: one that is there needs no later look.
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
  // Co-signers may have been added since. That the log has their agreements is checked with the page.
  if (row.cosigners.every((key) => keys.some((each) => each === key))) return 'compared';
  const shown = [...keys].sort().join(', ');
  const said = row.cosigners.join(', ');
  findings.add('feed_entry_wrong', placeOf(row), `co-signers ${shown || 'none'}`, said);
  return 'compared';
}

function recordFor({ digest }: Due, slot: PageSlot | null): ChainRecord | undefined {
  return slot === null ? undefined : recordsOf(slot).find(({ report }) => report === digest);
}

function reportFor({ ticker, period, digest }: Due, state: ViewState): Report | undefined {
  return reportsOf(state, ticker, period).find(({ hash }) => hash === digest)?.report;
}

/** Whether a later print of the kind stands in a print's place: pages hold the newest provisional and correction. */
function isReplaced({ status, issue }: Report, slot: PageSlot | null): boolean {
  const later =
    status === 'provisional' ? slot?.provisional : status === 'corrected' ? slot?.corrected : null;
  return (later?.issue ?? -1) > issue;
}

/** What belongs on chain, has its quorum and is not there, as far as the accounts were looked at. */
export function behindOf(compared: Compared, { state }: OnchainContext): OnchainFacts['behind'] {
  let count = 0;
  let oldest: OnchainFacts['behind']['oldest'] = null;
  for (const due of dueBack(state)) {
    // What the log says is there has been looked for.
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
