import { recountUntil } from '@assay/core/round/recount';
import { DAY_SECONDS, formatTime, parseTime, toDate } from '@assay/core/time/time';
import { isTicker } from '@assay/core/rule/ticker';
import { isDone, overduePeriods } from '@assay/core/round/overdue';
import { tickers } from '@assay/core/view/rules';
import { type StatementRow, statementOn, statementsAfter } from '@assay/core/view/statements';
import type { ViewState } from '@assay/core/view/view';
import { parseEntry } from '@assay/core/log/entry';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Clock } from '../../platform/clock.ts';
import { LEAST_BACK, lookBack } from '../../round/look-back.ts';
import { type OpenReport, OpenReports } from '../../cosign/open-reports.ts';
import type { Turns } from '../../ledger/store/slices.ts';
import type { FindingStore } from '../finding-store.ts';
import type { NewEntries } from './followed-log.ts';
import { holdsStatement, loggedStatement } from './logged-statement.ts';
import { signedPrint } from './signed-print.ts';

export interface SilenceParts {
  /** The key of its own statements, in hex. */
  readonly key: string;
  /** Rows of its own log. */
  readonly own: ViewState;
  readonly findings: FindingStore;
  /** Entries of the copy of the publisher's log. */
  readonly entry: (seq: number) => Promise<Uint8Array | undefined>;
  readonly sha256: Sha256;
  readonly now: Clock;
}

/** Seconds that everybody has after a deadline before they are reported as silent. */
export const GRACE_S: number = DAY_SECONDS;
/**
 * For how many periods a missing report is looked for in addition to those that something may still be due for.
 */
const LOOK_BACK = LEAST_BACK;
const PERIODS = 64;

/**
 * Finds who is silent although its time is over: the publisher about a period that is due by its rule, another
 * recounter about a report that names it, and the publisher's log about a statement that it was given.
 */
export class Silence {
  readonly #parts: SilenceParts;
  readonly #open = new OpenReports(PERIODS);
  /** When this process first saw an open report, in unix seconds. */
  readonly #seen = new Map<HashHex, number>();
  #next = -1;
  /** Its own agreements and dissents that the publisher's log has not shown yet. */
  readonly #unheld = new Map<HashHex, StatementRow>();

  constructor(parts: SilenceParts) {
    this.#parts = parts;
  }

  /** Takes what is new in the publisher's log. */
  async update(shown: ViewState, { reports }: NewEntries, turns: Turns): Promise<void> {
    this.#open.changed(reports.map(({ ticker, period }) => `reports/${ticker}/${period}`));
    this.#open.update(shown);
    await this.#open.search(shown, turns);
    const open = this.#open.list();
    for (const { row } of open) {
      if (!this.#seen.has(row.hash)) this.#seen.set(row.hash, this.#parts.now());
    }
    if (this.#seen.size === open.length) return;
    for (const hash of this.#seen.keys()) if (!this.#open.has(hash)) this.#seen.delete(hash);
  }

  /**
   * Looks for silence in the publisher's log as it was last followed. `peers` are the rows of the other
   * recounters' own logs, by their key, as far as they are followed, because only those contain abstentions; if
   * it is undefined, nothing is reported about them. `unreached` is why the publisher's log could not be
   * followed now, in which case nothing is known about what it holds; undefined if it was followed.
   */
  async poll(
    log: HashHex,
    shown: ViewState,
    peers: ReadonlyMap<string, ViewState> | undefined,
    unreached: string | undefined,
    turns: Turns,
  ): Promise<void> {
    await this.#publisher(shown, unreached);
    await this.#words(log, shown, unreached, turns);
    if (turns.signal?.aborted === true) return;
    if (peers !== undefined) await this.#peers(log, shown, peers);
  }

  async #publisher(shown: ViewState, unreached: string | undefined): Promise<void> {
    const { findings, now } = this.#parts;
    const time = now();
    const overdue = tickers(shown).flatMap((ticker) =>
      overduePeriods(shown, ticker, time, lookBack(shown, ticker, time) + LOOK_BACK).map(
        ({ period }) => ({ ticker, period }),
      ),
    );
    const [first] = overdue;
    const at = formatTime(time);
    if (unreached === undefined) {
      await findings.end('publisher_unreachable', 'publisher', at);
      for (const { ticker, period } of overdue) {
        const says = `${ticker} ${period} has no final and no void in the publisher's log, which was reached, and the deadline of its rule is past.`;
        const about = `${ticker} ${period}`;
        await findings.hold({ code: 'publisher_silent', about, says }, at);
      }
    } else if (first !== undefined) {
      const { ticker, period } = first;
      const says = `The deadline of ${ticker} ${period} is past, and whether it has a final or a void is not known: ${unreached}`;
      await findings.hold(
        { code: 'publisher_unreachable', about: 'publisher', says: says.slice(0, 2000) },
        at,
      );
    }
    for (const { code, about } of findings.open()) {
      if (code !== 'publisher_silent') continue;
      const [ticker = '', period = ''] = about.split(' ');
      if (!isTicker(ticker) || !isDone(shown, ticker, toDate(period))) continue;
      await findings.end(code, about, at);
    }
  }

  async #words(
    log: HashHex,
    shown: ViewState,
    unreached: string | undefined,
    { pause, signal }: Turns,
  ): Promise<void> {
    const { own, findings, now } = this.#parts;
    for (const row of statementsAfter(own, this.#next)) {
      this.#next = row.seq;
      const { statement } = row;
      if (statement.log !== log || statement.verdict === 'abstain') continue;
      this.#unheld.set(statement.report, row);
    }
    for (const [report, { at, statement }] of this.#unheld) {
      await pause();
      if (signal?.aborted === true) return;
      if (holdsStatement(shown, statement)) {
        this.#unheld.delete(report);
        await findings.end('word_withheld', report, formatTime(now()));
        continue;
      }
      if (unreached !== undefined || now() - parseTime(at) <= GRACE_S) continue;
      const word = statement.verdict === 'agree' ? 'agreement' : 'dissent';
      const says = `The ${word} of ${at} on the report ${report} is not in the publisher's log.`;
      await findings.hold({ code: 'word_withheld', about: report, says }, formatTime(now()));
    }
  }

  async #peers(
    log: HashHex,
    shown: ViewState,
    peers: ReadonlyMap<string, ViewState>,
  ): Promise<void> {
    const { findings, key: own, now } = this.#parts;
    for (const open of this.#open.list()) {
      const { hash } = open.row;
      const isOver = now() > this.#until(open) + GRACE_S && (await this.#isOver(shown, open));
      let isHeard = true;
      for (const { key, name } of open.set.cosigners) {
        if (key === own) continue;
        const about = `${hash} ${key}`;
        const peer = peers.get(key);
        const word = loggedStatement(shown, hash, key);
        if (word === 'forged') {
          const says = `The publisher's log has a statement on the report ${hash} in the name of ${name} that its key did not sign.`;
          await findings.hold({ code: 'word_forged', about, says }, formatTime(now()));
        }
        const said =
          (word !== undefined && word !== 'forged') ||
          (peer !== undefined && statementOn(peer, log, hash) !== undefined);
        if (said) {
          await findings.end('peer_silent', about, formatTime(now()));
          continue;
        }
        isHeard = false;
        if (!isOver) continue;
        const place =
          peer === undefined ? "the publisher's log" : "its own log and the publisher's";
        const says = `${name} has made no statement on ${textOf(open)} in time, according to ${place}.`;
        await findings.hold({ code: 'peer_silent', about, says }, formatTime(now()));
      }
      if (isHeard) this.#open.close(hash);
    }
  }

  /** The unix seconds until which others have time. A report may come into the log long after its period. */
  #until({ row, rule, clocks }: OpenReport): number {
    const seen = this.#seen.get(row.hash) ?? this.#parts.now();
    return Math.max(recountUntil({ rule: rule.rule, clocks, report: row.report }), seen);
  }

  /**
   * Whether that time is also over by the time of the report's entry. Nobody has to make a statement on a
   * report that the publisher's key did not sign, so its time is never over.
   */
  async #isOver(shown: ViewState, { row }: OpenReport): Promise<boolean> {
    const { entry, sha256, now } = this.#parts;
    if (signedPrint(shown, row, sha256) === undefined) {
      this.#open.close(row.hash);
      return false;
    }
    const bytes = await entry(row.seq);
    return bytes !== undefined && now() > parseTime(parseEntry(bytes).at) + GRACE_S;
  }
}

function textOf({ row, rule }: OpenReport): string {
  return `the ${row.report.status} report on ${rule.rule.display} ${row.report.period}`;
}
