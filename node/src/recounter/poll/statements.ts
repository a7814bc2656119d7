import { setImmediate } from 'node:timers/promises';
import { Fault, faultCode, messageOf } from '@assay/core/fault';
import { hashHex, type HashHex, leafHash, type Sha256, toHashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { NoteKey } from '@assay/core/log/note';
import { recountUntil } from '@assay/core/round/recount';
import type { Statement } from '@assay/core/report/statement';
import { formatTime, parseTime } from '@assay/core/time/time';
import { newestBlock } from '@assay/core/view/beacons';
import { reportsStatedBy, SAID } from '@assay/core/view/cosigns';
import { logRow } from '@assay/core/view/log';
import { statementOn } from '@assay/core/view/statements';
import type { Clock } from '../../platform/clock.ts';
import { inclusionProof } from '../../cosign/inclusion-proof.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { openMirrored, witnessesOf } from '../../mirror/mirrored-note.ts';
import { abstentionText } from '../../cosign/abstention-text.ts';
import type { Asked } from '../../cosign/cosigner.ts';
import type { Turns } from '../../ledger/store/slices.ts';
import { type OpenReport, OpenReports, reportsBefore } from '../../cosign/open-reports.ts';
import { MAX_AHEAD_S, type LocalRecounter } from '../../cosign/local-recounter.ts';
import type { SignedPrints } from '../../cosign/signed-prints.ts';
import { entryOf } from '../../cosign/statement-entry.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import { lineAgeS } from '../../witness/client/gathering.ts';
import type { FindingStore } from '../finding-store.ts';
import type { FollowedLog, NewEntries } from './followed-log.ts';
import { requireGoverned } from './governed-report.ts';
import { sameStatement, loggedStatement } from './logged-statement.ts';

export interface StatementsParts {
  readonly mirror: FollowedLog;
  /** Its own log. */
  readonly ledger: Ledger;
  readonly cosigner: Pick<LocalRecounter, 'key' | 'recount' | 'again' | 'refuted'>;
  readonly memory: Pick<SignedPrints, 'said' | 'all'>;
  /** The witnesses whose lines count. If there are fewer than the log's genesis requires, nothing is signed. */
  readonly witnesses: readonly NoteKey[];
  readonly findings: FindingStore;
  /** Reports on which a person knows of a statement that the memory lacks. No statement is made on them. */
  readonly acknowledged: ReadonlySet<HashHex>;
  readonly sha256: Sha256;
  readonly now: Clock;
}

export interface StatementsEvents {
  readonly onStatement: (about: string, statement: Statement, reason: string | null) => void;
  readonly onFailed: (about: string, reason: string) => void;
}

/** For how many periods of each index a statement is made, however late. */
const PERIODS = 64;
/** How many reports are recounted at once. */
const AT_ONCE = 4;
/**
 * Seconds until a report on which no statement can be made yet is tried again, doubled up to the second number.
 */
const FIRST_WAIT_S = 60;
const MOST_WAIT_S = 3600;

/**
 * A recounter's statements, one on each report. Each is written into its memory before it is signed, and into
 * its own log before anybody else receives it.
 */
export class Statements {
  readonly #parts: StatementsParts;
  readonly #events: StatementsEvents;
  readonly #open = new OpenReports(PERIODS);
  readonly #semaphore = new Semaphore(AT_ONCE);
  readonly #waits = new Map<HashHex, { readonly until: number; readonly waitS: number }>();
  /** Whether everything that the publisher's log has of this key has been compared with the memory. */
  #compared = false;
  #unwitnessed: string | undefined;
  /** Reports with a time that is in the future by this clock, as text. */
  readonly #ahead = new Map<HashHex, string>();

  constructor(parts: StatementsParts, events: StatementsEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  /** Why nothing is signed now; undefined while statements are signed. */
  get held(): string | undefined {
    const { ledger, findings, mirror } = this.#parts;
    if (ledger.blocked !== undefined) return 'its own log accepts no entries';
    if (mirror.fork !== undefined) return "the publisher's log is forked";
    const unknown = findings.open().find(({ code }) => code === 'own_word_unknown');
    if (unknown !== undefined) return unknown.says;
    return this.#unwitnessed;
  }

  /** What it waits for that only clocks can resolve, in sentences. */
  get ahead(): readonly string[] {
    return [...this.#ahead.values()];
  }

  /** Adds to its own log the statements that are only in its memory, because a process ended in between. */
  async recover(): Promise<void> {
    const { ledger, memory } = this.#parts;
    for await (const { log, report } of memory.all()) {
      if (statementOn(ledger.tip, log, report) === undefined) await this.#append(report);
    }
  }

  /** Takes what is new in the publisher's log. */
  async update({ reports, words }: NewEntries, turns: Turns): Promise<void> {
    const { mirror, cosigner } = this.#parts;
    this.#open.changed(reports.map(({ ticker, period }) => `reports/${ticker}/${period}`));
    if (mirror.published === undefined) return;
    this.#open.update(mirror.shown);
    await this.#open.search(mirror.shown, turns);
    const own = this.#compared
      ? words.filter((each) => each.cosigner === cosigner.key).map(({ report }) => report)
      : reportsStatedBy(mirror.rowKeys(SAID), cosigner.key);
    for await (const report of own) {
      await turns.pause();
      if (turns.signal?.aborted === true) return;
      await this.#compare(report);
    }
    if (turns.signal?.aborted === true) return;
    if (!this.#compared) await this.#endRefusals();
    this.#compared = true;
  }

  /**
   * Makes the statements that can be made on open reports. Never throws because of one report: a failure is
   * reported.
   */
  async poll(signal: AbortSignal): Promise<void> {
    const { mirror } = this.#parts;
    if (mirror.published === undefined) return;
    this.#unwitnessed = this.#lines();
    if (this.held !== undefined) {
      for (const open of this.#wanted()) await this.#unsaid(open);
      return;
    }
    const now = this.#parts.now();
    const due = this.#wanted().filter(
      ({ row }) => (this.#waits.get(row.hash)?.until ?? now) <= now,
    );
    // Oldest first, because the reads for a period's first report are also compared with its next one.
    const periods = new Map<string, OpenReport[]>();
    for (const open of [...due].reverse()) {
      const { ticker, period } = open.row.report;
      const key = `${ticker}/${period}`;
      periods.set(key, [...(periods.get(key) ?? []), open]);
    }
    const each = async (reports: readonly OpenReport[]): Promise<void> => {
      for (const open of reports) await this.#recount(open, signal);
    };
    await Promise.all(
      [...periods.values()].map((reports) => this.#semaphore.run(() => each(reports))),
    );
  }

  /** Reports that require its statement. */
  get waiting(): number {
    return this.#wanted().length;
  }

  #wanted(): readonly OpenReport[] {
    const { ledger, cosigner, now } = this.#parts;
    const { acknowledged } = this.#parts;
    const wanted: OpenReport[] = [];
    for (const open of this.#open.list()) {
      const { row, rule, set, clocks } = open;
      const isMine = set.cosigners.some(({ key }) => key === cosigner.key);
      const isStated = statementOn(ledger.tip, row.report.log, row.hash) !== undefined;
      if (!isMine || isStated || acknowledged.has(row.hash)) {
        this.#open.close(row.hash);
        this.#waits.delete(row.hash);
        this.#ahead.delete(row.hash);
      } else if (
        now() <= recountUntil({ rule: rule.rule, clocks, report: row.report }) ||
        this.#open.isRecent(open)
      ) {
        wanted.push(open);
      }
    }
    return wanted;
  }

  async #recount(open: OpenReport, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.held !== undefined) return;
    const { cosigner, findings, now } = this.#parts;
    const { hash } = open.row;
    const about = `${open.rule.rule.display} ${open.row.report.period}`;
    // A log may have any number of reports that are refused at once. Requests are answered in between.
    await setImmediate();
    try {
      // One of two clocks is wrong, and it cannot be determined which.
      if (this.#isAhead(about, open)) {
        await findings.end('report_refused', hash, formatTime(now()));
        this.#wait(hash);
        return;
      }
      const asked = await this.#asked(open);
      const word = asked && (await cosigner.recount(asked, signal));
      // It was examined completely, and is not refused any more.
      if (asked !== undefined) await findings.end('report_refused', hash, formatTime(now()));
      if (word === undefined) {
        this.#wait(hash);
        return;
      }
      await this.#append(hash);
      await findings.end('unwitnessed', hash, formatTime(now()));
      const { statement } = entryOf(word);
      await this.#held(about, open, statement);
      const { reason } = statement;
      this.#events.onStatement(about, statement, reason === null ? null : abstentionText(reason));
    } catch (error) {
      if (signal.aborted) return;
      this.#wait(hash);
      this.#events.onFailed(about, messageOf(error));
      if (faultCode(error) !== 'refused') return;
      const says = `${about}: ${messageOf(error)}`.slice(0, 2000);
      await findings.hold({ code: 'report_refused', about: hash, says }, formatTime(now()));
    }
  }

  #isAhead(about: string, { row: { hash, report } }: OpenReport): boolean {
    const now = this.#parts.now();
    if (parseTime(report.published_at) <= now + MAX_AHEAD_S) {
      this.#ahead.delete(hash);
      return false;
    }
    const says = `${about} is not recounted yet: it is dated ${report.published_at}, and this clock shows ${formatTime(now)}.`;
    this.#ahead.set(hash, says);
    return true;
  }

  /** Ends the findings on reports that an earlier process refused and that have a statement now. */
  async #endRefusals(): Promise<void> {
    const { ledger, findings, mirror, now } = this.#parts;
    for (const { code, about } of findings.open()) {
      if (code !== 'report_refused' || mirror.log === undefined) continue;
      if (statementOn(ledger.tip, mirror.log, toHashHex(about)) === undefined) continue;
      await findings.end(code, about, formatTime(now()));
    }
  }

  /** A void or a final that is contradicted by its own reads in time for a first print. */
  async #held(
    about: string,
    { row, rule, clocks }: OpenReport,
    statement: Statement,
  ): Promise<void> {
    const { report, hash } = row;
    const { own, verdict } = statement;
    const isOver = report.status === 'void' || report.status === 'final';
    if (!isOver || verdict === 'agree' || own === null || own.value === null) return;
    const until = formatTime(recountUntil({ rule: rule.rule, clocks, report }));
    if (own.value === report.value || own.reads.some(({ read_at: at }) => at > until)) return;
    await this.#against(about, hash, report.value, own.value);
  }

  async #against(about: string, hash: HashHex, value: string | null, own: string): Promise<void> {
    const says = `${about}: the publisher reports ${value ?? 'void'}, and what was read here in time gives ${own}.`;
    const { findings, now } = this.#parts;
    await findings.hold({ code: 'against_own_reads', about: hash, says }, formatTime(now()));
  }

  /**
   * What is found about a report while nothing is signed. Whoever withholds the witnesses' lines from this
   * recounter prevents its statement, but not its findings, and the missing statement is a finding too.
   */
  async #unsaid({ row, rule, clocks }: OpenReport): Promise<void> {
    const { mirror, cosigner, findings, now } = this.#parts;
    const { hash, report } = row;
    const about = `${rule.rule.display} ${report.period}`;
    if (!findings.has('against_own_reads', hash)) {
      const before = reportsBefore(mirror.shown, row);
      const own = await cosigner.refuted({ report: row, rule, clocks, before });
      if (own !== undefined) await this.#against(about, hash, report.value, own);
    }
    const until = recountUntil({ rule: rule.rule, clocks, report });
    if (this.#unwitnessed === undefined || now() <= until) return;
    const says = `${about}: no statement was made on the ${report.status} report in time, because ${this.#unwitnessed}.`;
    await findings.hold({ code: 'unwitnessed', about: hash, says }, formatTime(now()));
  }

  #wait(hash: HashHex): void {
    const waitS = Math.min((this.#waits.get(hash)?.waitS ?? FIRST_WAIT_S / 2) * 2, MOST_WAIT_S);
    this.#waits.set(hash, { until: this.#parts.now() + waitS, waitS });
  }

  /** Appends the statement that the memory has on a report. */
  async #append(report: HashHex): Promise<void> {
    const { ledger, cosigner } = this.#parts;
    const word = await cosigner.again(report);
    if (word === undefined) throw new TypeError('Statements: a word that the memory does not have');
    const body = entryOf(word);
    await ledger.write(({ views }) =>
      statementOn(views, body.statement.log, report) === undefined
        ? [{ kind: 'statement/1', body }]
        : [],
    );
  }

  /**
   * Compares a statement of this key in the publisher's log with the memory. If the memory lacks it or differs,
   * the memory is an old one, or somebody else has the key. If the key did not sign it, it comes from the
   * publisher alone and shows neither.
   */
  async #compare(report: HashHex): Promise<void> {
    const { memory, findings, acknowledged, now, mirror, cosigner } = this.#parts;
    const said = loggedStatement(mirror.shown, report, cosigner.key);
    if (said === undefined) return;
    const at = formatTime(now());
    if (said === 'forged') {
      const says = `The publisher's log has a statement on the report ${report} in this recounter's name that its key did not sign.`;
      await findings.hold({ code: 'word_forged', about: `${report} ${cosigner.key}`, says }, at);
      return;
    }
    const own = await memory.said(report);
    if (acknowledged.has(report) || (own !== undefined && sameStatement(own, said))) {
      await findings.end('own_word_unknown', report, at);
      return;
    }
    const has = own === undefined ? 'does not have' : 'has otherwise';
    const says = `The publisher's log has a statement of this recounter's key on the report ${report} that its memory ${has}.`;
    await findings.hold({ code: 'own_word_unknown', about: report, says }, at);
  }

  /** Why no statement can be based on the newest checkpoint; undefined if it can. */
  #lines(): string | undefined {
    const { mirror, witnesses, now } = this.#parts;
    const policies = logRow(mirror.shown)?.policies;
    const { published } = mirror;
    if (policies === undefined || published === undefined) return 'nothing is followed yet';
    const { witnesses_required: required, witness_max_age_s: maxAgeS } = policies;
    if (required === 0) return undefined;
    const keys = distinct(witnesses);
    if (keys.length < required) {
      return `the publisher's log requires the lines of ${required} witnesses, and publisher.witnesses lists ${keys.length}`;
    }
    const note = openMirrored(mirror.keyOf(published.size), published.note, keys);
    const have = witnessesOf(note, { keys, required, maxAgeS: lineAgeS(maxAgeS), now });
    if (have >= required) return undefined;
    return `the newest checkpoint has the lines of ${have} witnesses, and ${required} are required`;
  }

  async #asked({ row, rule, set, clocks }: OpenReport): Promise<Asked | undefined> {
    const { mirror, sha256 } = this.#parts;
    const { published, log } = mirror;
    const bytes = await mirror.entry(row.seq);
    if (bytes === undefined || published === undefined || log === undefined) return undefined;
    if (row.seq >= published.size) {
      throw new Fault('refused', 'co-signer', {
        at: 'head',
        expected: `a checkpoint with entry ${row.seq}`,
        found: `one of ${published.size}`,
      });
    }
    requireGoverned(mirror.shown, row);
    const proof = await inclusionProof(sha256, mirror, row.seq, published.size);
    return {
      log,
      report: row,
      entry: { seq: row.seq, leaf: hashHex(leafHash(sha256, bytes)) },
      bytes,
      head: { size: published.size, root: hashHex(published.root) },
      checkpoint: published.note,
      inclusion: proof.map(hashHex),
      rule,
      clocks,
      set,
      before: reportsBefore(mirror.shown, row),
      after: newestBlock(mirror.shown),
    };
  }
}

/** Each key once, whatever names it has. */
function distinct(keys: readonly NoteKey[]): readonly NoteKey[] {
  return [...new Map(keys.map((key) => [formatHex(key.publicKey), key])).values()];
}
