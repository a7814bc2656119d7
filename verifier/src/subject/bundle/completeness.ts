import type { Bundle } from '@assay/core/proof/bundle';
import { messageOf } from '@assay/core/fault';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { type IndexedPrint, parsePrintLeaf, periodKey } from '@assay/core/completeness/leaf';
import { checkIndexProof } from '@assay/core/completeness/proof';
import { seriesId } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import { dateOf, parseDate } from '@assay/core/time/time';
import { keysRoot } from '@assay/core/view/completeness-fold';
import type { IndexRow } from '@assay/core/view/completeness';
import type { ViewState } from '@assay/core/view/view';
import { firstDifference } from '../../verdict/difference.ts';
import type { CheckContext } from '../../check/read-check.ts';
import type { IndexFacts, NotCheckedList } from '../../verdict/verdict.ts';

const PLACE = 'bundle index_proofs';

/** The parts of a bundle that its index entry must agree with. */
export interface IndexedNumber {
  /** The index entry that the bundle's proof is of; empty without a proof. */
  readonly indexes: readonly IndexRow[];
  readonly report: Report;
  /** The report's entry. */
  readonly reported: number;
  /** The rows of genesis and of the report keys after it. */
  readonly keys: ViewState;
}

/**
 * Checks the index entry of a bundle against its report's period. The entry must have this print once, after the print
 * that it supersedes, and no other print that settles the period. Its keys must be those that the bundle shows, so that
 * no key that ended another was left out. Undefined with a finding where the entry does not show this, and without a
 * finding where the bundle has no proof.
 */
export function checkBundleIndex(
  { index_proofs: [given] }: Pick<Bundle, 'index_proofs'>,
  { indexes, report, reported, keys }: IndexedNumber,
  sha256: Sha256,
  { findings, notChecked, tally }: CheckContext,
): IndexFacts | undefined {
  const [entry, ...others] = indexes;
  for (const { seq } of given === undefined ? indexes : others) {
    const expected = 'the index entry of its proof alone';
    findings.add('bundle_malformed', `bundle entry ${seq}`, expected, 'index/1');
  }
  if (given === undefined) {
    notChecked.add(
      'completeness',
      'that it is the only final or void of its period',
      'the bundle has no proof from an index entry: none covered the report when it was made, or it was left out',
      'whole_log',
    );
    return undefined;
  }
  if (entry === undefined || entry.seq !== given.seq) {
    const found = entry === undefined ? 'none' : `entry ${entry.seq}`;
    findings.add('bundle_incomplete', 'bundle', `the index entry ${given.seq}`, found);
    return undefined;
  }
  const { seq, day, at, size, prints } = entry;
  if (size !== seq || day >= dateOf(at) || reported >= seq) {
    const expected = `an index entry of what is before it, of a day that is over, after entry ${reported}`;
    const found = `entry ${seq} of ${day}, written ${at}, over ${size} entries`;
    findings.add('index_proof_invalid', `bundle entry ${seq}`, expected, found);
    return undefined;
  }
  const shownKeys = keysRoot(keys, sha256, seq);
  const otherKeys = firstDifference({ keys: shownKeys }, { keys: entry.keys });
  if (otherKeys !== undefined) {
    const { path, expected, found } = otherKeys;
    const whose = `${expected}, as the key entries of the bundle make it`;
    findings.add('index_differs', `bundle entry ${seq}${path}`, whose, found);
    return undefined;
  }
  const series = hashHex(seriesId(sha256, report.log, report.ticker));
  let shown: readonly IndexedPrint[];
  try {
    const prefix = periodKey(parseDate(report.period), series);
    shown = checkIndexProof(sha256, 'prints', prints, prefix, given).map(parsePrintLeaf);
  } catch (error) {
    const expected = `what leads to the root of entry ${seq}`;
    findings.add('index_proof_invalid', PLACE, expected, messageOf(error));
    return undefined;
  }
  tally.proofs += 1;
  if (!isAlone(report, shown, sha256)) {
    const hash = reportHash(sha256, report);
    const expected = `${report.status} ${hash}, issue ${report.issue}, and nothing against it`;
    findings.add('index_contradicts', PLACE, expected, shown.map(words).join(', ') || 'no print');
    return undefined;
  }
  const before = printBefore(report, shown);
  if (before !== report.supersedes) {
    const expected = `a report that supersedes ${before ?? 'nothing'}, the print before it`;
    findings.add('index_contradicts', PLACE, expected, report.supersedes ?? 'nothing');
    return undefined;
  }
  const of = (status: Report['status']): readonly IndexedPrint[] =>
    shown.filter((print) => print.status === status);
  const settled = [...of('final'), ...of('void')][0]?.status ?? null;
  return {
    day,
    seq,
    at,
    prints: prints.count,
    rules: entry.rules.count,
    provisional: of('provisional').length,
    settled: settled === 'final' || settled === 'void' ? settled : null,
    corrected: of('corrected').length,
    followed: shown.some((print) => rank(print) > rank(report)),
  };
}

/** The hash of the print before a report, among those of its period; null where the report's is the first. */
function printBefore(
  report: Report,
  shown: readonly IndexedPrint[],
): IndexedPrint['report'] | null {
  const earlier = shown.filter((print) => rank(print) < rank(report));
  return earlier.toSorted((a, b) => rank(a) - rank(b)).at(-1)?.report ?? null;
}

/**
 * What a bundle shows of whether a report is the first print of its period. The bundle does not have the report that it
 * supersedes. That report may have printed another number in the freeze window, and would then be the first.
 */
export function firstPrintOf(
  { supersedes, status, ticker, period }: Report,
  index: IndexFacts | undefined,
  notChecked: NotCheckedList,
): 'index' | 'not_shown' {
  if (index !== undefined && supersedes === null) return 'index';
  if (status === 'final') {
    notChecked.add(
      'completeness',
      `that the number of ${ticker} of ${period} is the first that was printed`,
      supersedes === null
        ? 'the bundle has no proof from an index entry of what was printed before it'
        : `the bundle does not have report ${supersedes}, which it supersedes; verify the URL or the folder for it`,
      'whole_log',
    );
  }
  return 'not_shown';
}

/**
 * Whether a report's print is among those of its period, each in a place of its own, with no issue left out and at most
 * one that settles it.
 */
function isAlone(report: Report, shown: readonly IndexedPrint[], sha256: Sha256): boolean {
  const hash = reportHash(sha256, report);
  const own = shown.filter(
    (print) =>
      print.report === hash && print.status === report.status && print.issue === report.issue,
  );
  const places = new Set(shown.map(({ status, issue }) => placeOf(status, issue)));
  const isNumbered = shown.every(({ status, issue }) => {
    const count = shown.filter((print) => print.status === status).length;
    // Provisionals are numbered from 0, and corrections from 1.
    if (status === 'provisional') return issue < count;
    return status !== 'corrected' || (issue > 0 && issue <= count);
  });
  return own.length === 1 && places.size === shown.length && isNumbered;
}

/** A final and a void share one place: the settlement of a period. */
function placeOf(status: Report['status'], issue: number): string {
  return status === 'final' || status === 'void' ? 'settled' : `${status}/${issue}`;
}

/** The order in which the prints of a period come. */
function rank({ status, issue }: Pick<Report, 'status' | 'issue'>): number {
  return (status === 'provisional' ? 0 : status === 'corrected' ? 512 : 256) + issue;
}

function words({ status, issue, report }: IndexedPrint): string {
  return `${status} ${report}, issue ${issue}`;
}
