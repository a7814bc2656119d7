import { printsEvidence, statementsEvidence } from '@assay/core/proof/evidence';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { reportClocks } from '@assay/core/round/period-clocks';
import { recountUntil } from '@assay/core/round/recount';
import { statementHash } from '@assay/core/report/statement';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseTime } from '@assay/core/time/time';
import { setByHash } from '@assay/core/view/cosigner-sets';
import { type CosignRow, cosignsOf, type DissentRow, dissentsOf } from '@assay/core/view/cosigns';
import type { ReportRow } from '@assay/core/view/reports';
import { ReportPlaces } from './report-places.ts';
import { ruleVersions } from '@assay/core/view/rules';
import { agreedIn, statementOn, type StatementRow, statements } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import { periodReports, type PublisherLog, reportName } from './publisher-log.ts';
import { type WatchFinding, watchFinding } from './watch-finding.ts';

/** A co-signer's log that was reached and followed to its current head. */
export interface RecounterLog {
  readonly state: ViewState;
  /** Its key, hex. */
  readonly key: string;
  /** Its name in findings: its origin. */
  readonly name: string;
}

export interface CrossTerms {
  /** Unix seconds; on simulated clocks the newest time in either log. */
  readonly now: number;
  /** Seconds that a statement may take from one log to the other, and that a co-signer may be past its deadline. */
  readonly graceS: number;
}

/** A day. */
export const DEFAULT_GRACE_S = 86_400;
/** How many reports a finding lists. */
const MAX_SHOWN = 5;

type Logged = CosignRow | DissentRow;

/**
 * Compares a co-signer's log with the publisher's: what one has and the other lacks or contradicts, and the reports on
 * which the co-signer has made no statement. Pure. Both logs must have been checked by themselves.
 */
export function crossCheck(
  publisher: PublisherLog,
  recounter: RecounterLog,
  terms: CrossTerms,
  sha256: Sha256,
): readonly WatchFinding[] {
  const places = new ReportPlaces();
  const silence = new Silence(publisher, recounter, terms);
  const missing: WatchFinding[] = [];
  for (const rows of periodReports(publisher.state)) {
    // Of a report that is there twice the newest entry counts.
    const newest = rows.toReversed().filter((row) => places.add(row));
    for (const row of newest.toReversed()) {
      missing.push(...unlogged(row, publisher, recounter, terms));
      silence.note(row);
    }
  }
  const findings: WatchFinding[] = [];
  for (const word of statements(recounter.state)) {
    const { statement } = word;
    if (statement.log !== publisher.log || statement.cosigner !== recounter.key) continue;
    findings.push(
      ...(places.seqOf(statement.report) === statement.entry.seq
        ? hidden(word, places, publisher, recounter, terms, sha256)
        : unknownReport(word, publisher, recounter)),
    );
  }
  return [...findings, ...missing, ...ahead(publisher, recounter, terms), ...silence.findings];
}

function placeOf({ seq }: StatementRow, { name }: RecounterLog): string {
  return `${name}, entry ${seq}`;
}

/**
 * A statement on a report that the publisher's log does not have, although that log is as large as the co-signer saw
 * it.
 */
function unknownReport(
  word: StatementRow,
  { size }: PublisherLog,
  recounter: RecounterLog,
): readonly WatchFinding[] {
  const { report, entry, head } = word.statement;
  if (head.size > size) return [];
  const expected = `report ${report} in entry ${entry.seq} of the publisher's log`;
  const found = `no such report there, of ${size} entries`;
  return [watchFinding('history_differs', placeOf(word, recounter), expected, found)];
}

/**
 * The largest head of the publisher's log that the co-signer names, where no address shows that size after the grace
 * period.
 */
function ahead(
  { size, log }: PublisherLog,
  { state, name }: RecounterLog,
  { now, graceS }: CrossTerms,
): readonly WatchFinding[] {
  let beyond: { readonly seq: number; readonly size: number } | undefined;
  for (const { seq, at, statement } of statements(state)) {
    if (statement.log !== log || now - parseTime(at) <= graceS) continue;
    const { head } = statement;
    if (head.size > Math.max(size, beyond?.size ?? 0)) beyond = { seq, size: head.size };
  }
  if (beyond === undefined) return [];
  const expected = `a head of ${beyond.size} entries of the publisher's log, as it saw it`;
  return [watchFinding('head_behind', `${name}, entry ${beyond.seq}`, expected, `${size}`)];
}

/** The publisher's entry with a co-signer's statement on a report. */
function loggedStatement(state: ViewState, report: HashHex, key: string): Logged | undefined {
  return [...cosignsOf(state, report), ...dissentsOf(state, report)].find(
    ({ statement }) => statement.cosigner === key,
  );
}

/** A statement that the publisher's log lacks, or has with another text. An abstention does not belong there. */
function hidden(
  word: StatementRow,
  places: ReportPlaces,
  { state }: PublisherLog,
  recounter: RecounterLog,
  { now, graceS }: CrossTerms,
  sha256: Sha256,
): readonly WatchFinding[] {
  const { statement } = word;
  const logged = loggedStatement(state, statement.report, recounter.key);
  const isSame = logged !== undefined && statementHash(sha256, logged.statement) === word.hash;
  const isEarly = statement.verdict === 'abstain' || now - parseTime(word.at) <= graceS;
  // Most statements are there, so that few of the reports are read again.
  if (isSame || (logged === undefined && isEarly)) return [];
  const row = places.rowOf(state, statement.report);
  if (row === undefined) return [];
  const place = `${placeOf(word, recounter)}, ${reportName(row)}`;
  if (logged !== undefined) {
    const evidence = statementsEvidence(
      { statement, signature: word.signature },
      { statement: logged.statement, signature: logged.signature },
    );
    const expected = `one text: ${statement.verdict} here`;
    const found = `${logged.statement.verdict}, in entry ${logged.seq} of the publisher's log`;
    return [watchFinding('word_contradicts', place, expected, found, evidence ?? null)];
  }
  const set = row.report.cosigners.set;
  const isMember = setByHash(state, set ?? ('' as HashHex))?.cosigners.some(
    ({ key }) => key === recounter.key,
  );
  if (isMember !== true) return [];
  const code = statement.verdict === 'dissent' ? 'dissent_hidden' : 'agreement_hidden';
  const expected = `this ${statement.verdict === 'dissent' ? 'dissent' : 'agreement'} of ${word.at} in the publisher's log`;
  return [watchFinding(code, place, expected, 'nothing of it there')];
}

/** Statements in the publisher's log that the co-signer's log does not have or contradicts. */
function unlogged(
  row: ReportRow,
  { state, log }: PublisherLog,
  recounter: RecounterLog,
  { now, graceS }: CrossTerms,
): readonly WatchFinding[] {
  const logged = loggedStatement(state, row.hash, recounter.key);
  if (logged === undefined) return [];
  if (statementOn(recounter.state, log, row.hash) !== undefined) return [];
  const place = `${recounter.name}, ${reportName(row)}`;
  const agreed =
    logged.statement.verdict === 'agree' ? agreedIn(recounter.state, logged.statement) : undefined;
  const theirs = agreed?.print_signature ?? undefined;
  const ours = 'print_signature' in logged ? logged.print_signature : undefined;
  if (agreed !== undefined && theirs !== undefined && ours !== undefined) {
    const evidence = printsEvidence({
      key: recounter.key,
      log: null,
      first: { message: agreed.statement.print, signature: theirs },
      second: { message: logged.statement.print, signature: ours },
    });
    const found = `another, in entry ${logged.seq} of the publisher's log`;
    const expected = `one print in its place: that of entry ${agreed.seq}`;
    if (evidence !== undefined) {
      return [watchFinding('word_contradicts', place, expected, found, evidence)];
    }
  }
  if (now - parseTime(logged.at) <= graceS) return [];
  const expected = `the statement in entry ${logged.seq} of the publisher's log`;
  return [watchFinding('word_unlogged', place, expected, 'nothing of it there')];
}

/**
 * The reports of each index on which a co-signer of their set made no statement, although the time for reads is over.
 */
class Silence {
  readonly #publisher: PublisherLog;
  readonly #recounter: RecounterLog;
  readonly #terms: CrossTerms;
  /** How many reports of an index there are, and the first of their names. */
  readonly #silent = new Map<Ticker, { count: number; readonly names: string[] }>();

  constructor(publisher: PublisherLog, recounter: RecounterLog, terms: CrossTerms) {
    this.#publisher = publisher;
    this.#recounter = recounter;
    this.#terms = terms;
  }

  note(row: ReportRow): void {
    if (!this.#isSilentOn(row)) return;
    const { ticker } = row.report;
    const silent = this.#silent.get(ticker) ?? { count: 0, names: [] };
    this.#silent.set(ticker, silent);
    const { names } = silent;
    silent.count += 1;
    names.push(reportName(row).slice(ticker.length + 1));
    names.sort();
    if (names.length > MAX_SHOWN) names.pop();
  }

  #isSilentOn(row: ReportRow): boolean {
    const { state, log, owedSince } = this.#publisher;
    const { key, state: theirs } = this.#recounter;
    const { now, graceS } = this.#terms;
    const { hash, report } = row;
    const { ticker, cosigners } = report;
    const set = cosigners.set === null ? undefined : setByHash(state, cosigners.set);
    const rule = ruleVersions(state, ticker).find((each) => each.hash === report.rule.hash);
    // Nobody else can count a level that is withheld.
    if (report.withheld || rule === undefined) return false;
    if (set?.cosigners.some((each) => each.key === key) !== true) return false;
    const since = owedSince(row.seq);
    if (since === undefined) return false;
    // Nobody can make a statement on what did not exist yet, whatever time it claims.
    const clocks = reportClocks(state, rule, row);
    const counted = recountUntil({ rule: rule.rule, clocks, report });
    const until = Math.max(counted, parseTime(report.published_at), since);
    if (now <= until + graceS) return false;
    // A statement that the publisher's log has and the co-signer's log lacks is a finding by itself.
    return (statementOn(theirs, log, hash) ?? loggedStatement(state, hash, key)) === undefined;
  }

  get findings(): readonly WatchFinding[] {
    return [...this.#silent].map(([ticker, { count, names }]) => {
      const more = count > names.length ? ` and ${count - names.length} more` : '';
      const shown = `${names.join(', ')}${more}`;
      const expected = `a statement on each report of ${ticker} by the end of its round`;
      const place = `${this.#recounter.name}, ${ticker}`;
      return watchFinding('recounter_silent', place, expected, `silence on ${shown}`);
    });
  }
}
