import type { ChangedTables } from '../ledger/record.ts';
import { equalBytes } from '@assay/core/bytes/bytes';
import { Fault, type FaultCode, faultCode } from '@assay/core/fault';
import { contentHash, hashHex, type HashHex, leafHash, type Sha256 } from '@assay/core/hash/hash';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { quorumOf } from '@assay/core/round/quorum';
import { formatTlogProof } from '@assay/core/log/tlog-proof';
import { cosignerSets, setByHash } from '@assay/core/view/cosigner-sets';
import type { ViewState } from '@assay/core/view/view';
import { formatWire } from '@assay/core/wire/wire';
import type { VerifySignature } from '@assay/verifier/ed25519/profile';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { Clock } from '../platform/clock.ts';
import { inclusionProof } from './inclusion-proof.ts';
import type { Ledger, Receipt } from '../ledger/ledger.ts';
import { logRoot } from './log-root.ts';
import { admit } from './admit.ts';
import type { CosignerStatement } from './cosigner.ts';
import { cosignerConcerns, type Heard, waitingReports } from './cosigner-concerns.ts';
import { type NamedReport, NamedReports } from './named-report.ts';
import { isOpenReport, type OpenReport, OpenReports } from './open-reports.ts';
import { slices } from '../ledger/store/slices.ts';
import { PublicationWait } from './publication-wait.ts';
import type { Received } from './received.ts';
import type { ReceptionLimits } from './reception-limits.ts';
import { type ReportStatements, reportStatements, statementsOn } from './report-statements.ts';
import { cosignerStatementOf } from './statement-entry.ts';
import { badSignature } from './statement-signatures.ts';

export interface ReceptionParts {
  readonly ledger: Pick<
    Ledger,
    'blocked' | 'entry' | 'log' | 'published' | 'shown' | 'tile' | 'tip' | 'write'
  >;
  readonly sha256: Sha256;
  readonly verify: VerifySignature;
  readonly now: Clock;
  /** Seconds of a clock without steps. */
  readonly elapsed: Clock;
  readonly limits: ReceptionLimits;
}

/** The events of the reception. `name` is the co-signer's name in the report's set. */
export interface ReceptionEvents {
  readonly onStatement: (name: string, about: string, word: CosignerStatement) => void;
  readonly onRefused: (name: string, about: string, reason: string) => void;
}

/** A statement that the log holds, with its entry, whether or not that is published. */
interface Committed {
  readonly kind: 'committed';
  readonly seq: number;
}

type Noted = Extract<Received, { readonly kind: 'noted' }>;

/** A statement that differs from the one that the co-signer has made before. */
interface Contrary {
  readonly kind: 'contrary';
  readonly place: readonly [at: string, expected: string, found: string];
}

/** An abstention that is remembered. */
interface Abstained {
  /** The SHA-256 of the canonical statement. */
  readonly word: HashHex;
  readonly reason: string;
}

/** Why a log accepts no entry, whatever is in it. */
const UNWRITTEN: ReadonlySet<FaultCode> = new Set(['read_only', 'stopped', 'no_room', 'bad_clock']);

const BUSY_S = 1;
const MINUTE_S = 60;

/** Seconds after a search that has failed until the next one. */
const SEARCH_AGAIN_S = 60;

const SEARCHING: Concern = {
  level: 'degraded',
  reason:
    'The reports of older periods are being looked through since the start: which of them lack their quorum is not known yet.',
};

/**
 * Receives the statements of co-signers, who send each of them when they have made it. Each co-signer makes one
 * on a report.
 */
export class Reception implements Service {
  readonly stops = 'before';
  readonly #parts: ReceptionParts;
  readonly #events: ReceptionEvents;
  readonly #open: OpenReports;
  readonly #reports: NamedReports;
  readonly #wait: PublicationWait;
  readonly #ended = new AbortController();
  #wasWhole = false;
  /** When a search of the older periods has failed. */
  #failedAt: number | undefined;
  /** Who has abstained from which open report. The log has no place for it. */
  readonly #abstained = new Map<HashHex, Map<string, Abstained>>();
  /** Statements that are being checked, by report and key. */
  readonly #pending = new Map<string, Promise<unknown>>();
  /** When each co-signer's minute began, and its statements since. */
  readonly #minutes = new Map<string, { readonly from: number; words: number }>();

  constructor(parts: ReceptionParts, events: ReceptionEvents) {
    this.#parts = parts;
    this.#events = events;
    const { periods, waiting: most, publishMs: timeoutMs } = parts.limits;
    this.#open = new OpenReports(periods);
    this.#reports = new NamedReports(parts.sha256);
    this.#wait = new PublicationWait({ most, timeoutMs });
  }

  /** Called at each publication, with its size and the tables that it changed. */
  changed(size: number, tables: ChangedTables): void {
    this.#open.changed(tables);
    if (tables === 'all') this.#failedAt = undefined;
    this.#wait.published(size);
  }

  /** Ends the answers that wait for a publication. */
  stop(): void {
    this.#wait.stop();
    this.#ended.abort();
  }

  /**
   * Receives a statement that `parseStatementEntry` accepts. Cheap checks come first, and signatures are
   * checked only if the key is a co-signer's. The same statement again has the same answer, except for `known`
   * and that a proof may be of a newer checkpoint. Throws nothing that is caused by the statement.
   */
  async receive(word: StatementEntry): Promise<Received> {
    const { ledger, limits } = this.#parts;
    const { cosigner, report } = word.statement;
    for (;;) {
      const { log } = ledger;
      if (log === undefined || ledger.published === undefined) return { kind: 'halted' };
      if (!isCosigner(ledger.tip, cosigner)) return { kind: 'unknown_cosigner' };
      const named = this.#reports.find(ledger.shown, log, word.statement);
      if (named === undefined) return { kind: 'not_found' };
      const said = this.#said(named, word);
      if (said?.kind === 'committed') return this.#answer(named, said);
      if (said?.kind === 'noted') return said;
      if (said === undefined && ledger.blocked !== undefined) return { kind: 'halted' };
      // What is not signed by a co-signer is not attributed to it.
      const unsigned = this.#unsigned(word);
      if (unsigned !== undefined) return unsigned;
      if (said !== undefined) return this.#refuse(named, word, ...said.place);
      // From here on it is the co-signer who asks, or somebody with its signed statement.
      const key = `${report}/${cosigner}`;
      const under = this.#pending.get(key);
      if (under !== undefined) {
        await under.catch(() => undefined);
        continue;
      }
      if (this.#pending.size >= limits.atOnce) return { kind: 'busy', retryAfterS: BUSY_S };
      const retryAfterS = this.#count(cosigner);
      if (retryAfterS > 0) return { kind: 'busy', retryAfterS };
      const taking = this.#take(named, word).finally(() => this.#pending.delete(key));
      this.#pending.set(key, taking);
      const taken = await taking;
      // Signed statements are public. One that changes nothing may be sent by somebody else, and does not count
      // against the co-signer.
      const isNew = taken.kind === 'committed' || this.#remembers(report, cosigner);
      if (!isNew) this.#uncount(cosigner);
      if (taken.kind !== 'committed') return taken;
      return this.#answer(named, taken, 'recorded');
    }
  }

  /** Why a co-signer has abstained from an open report; undefined if it has not. */
  abstention(report: HashHex, cosigner: string): string | undefined {
    return this.#abstained.get(report)?.get(cosigner)?.reason;
  }

  /** The statements on a report that is shown; undefined if there is none with that hash. */
  words(report: HashHex): Promise<ReportStatements | undefined> {
    const { ledger } = this.#parts;
    return reportStatements(ledger, report, (cosigner) => this.abstention(report, cosigner));
  }

  /** The reports that somebody has still to make a statement on, or that lack their quorum. */
  get waiting(): number {
    return this.#waiting().length;
  }

  /** Whether all periods have been searched since the start, or could not be, so that `concerns` no longer lacks what is old. */
  get isSettled(): boolean {
    return this.#open.isWhole || this.#failedAt !== undefined;
  }

  /** Whether all periods have been searched once; after that, what is searched again was known before. */
  #isSearched(): boolean {
    this.#wasWhole ||= this.#open.isWhole;
    return this.#wasWhole;
  }

  /** Who is silent, and which reports have no quorum and why, for readers: for each index the newest. */
  concerns(): readonly Concern[] {
    const { limits, now } = this.#parts;
    const isRecent = (open: OpenReport): boolean => this.#open.isRecent(open);
    const found = cosignerConcerns(this.#waiting(), isRecent, this.#heard(), {
      ...limits,
      now: now(),
    });
    return this.#isSearched() ? found : [...found, SEARCHING];
  }

  #heard(): Heard {
    const { shown, tip } = this.#parts.ledger;
    return { shown, tip, abstained: (report, key) => this.abstention(report, key) };
  }

  #waiting(): readonly OpenReport[] {
    this.#open.update(this.#parts.ledger.shown);
    this.#search();
    const reports = waitingReports(this.#open, this.#heard());
    if (!this.#open.isWhole) return reports;
    for (const hash of this.#abstained.keys()) {
      if (!this.#open.has(hash)) this.#abstained.delete(hash);
    }
    return reports;
  }

  /** The older periods of a long log are searched behind the answers, which do not wait for that. */
  #search(): void {
    const { ledger, elapsed } = this.#parts;
    if (this.#failedAt !== undefined && elapsed() - this.#failedAt < SEARCH_AGAIN_S) return;
    // A step is a period of the publisher's own.
    const pause = slices(performance.now.bind(performance));
    // A row that is damaged is derived again, after which all has changed.
    this.#open.search(ledger.shown, { pause, signal: this.#ended.signal }).catch(() => {
      this.#failedAt = elapsed();
    });
  }

  /** The answer to a co-signer that has made a statement on the report already; undefined if it has not. */
  #said(named: NamedReport, word: StatementEntry): Committed | Noted | Contrary | undefined {
    const { ledger, sha256 } = this.#parts;
    const { hash } = named.row;
    const { cosigner } = word.statement;
    const before = statementsOn(ledger.tip, hash).find((each) => isBy(each.word, cosigner));
    if (before !== undefined) {
      const { seq } = before;
      if (equalBytes(bytesOf(before.word), bytesOf(word))) return { kind: 'committed', seq };
      return contrary(`entry ${seq}`);
    }
    const abstained = this.#abstained.get(hash)?.get(cosigner);
    if (abstained === undefined) return undefined;
    if (abstained.word === hashOf(sha256, word)) {
      return { kind: 'noted', quorum: quorumOf(ledger.shown, named.row) };
    }
    return contrary('an abstention');
  }

  #unsigned(word: StatementEntry): Received | undefined {
    const bad = badSignature(word, this.#parts.verify);
    if (bad === undefined) return undefined;
    return { kind: 'bad_signature', expected: `one of ${word.statement.cosigner}`, ...bad };
  }

  #remembers(report: HashHex, cosigner: string): boolean {
    return this.abstention(report, cosigner) !== undefined;
  }

  /**
   * Counts a statement of a co-signer. If it is one too many, returns the seconds until the next is accepted.
   */
  #count(cosigner: string): number {
    const now = this.#parts.elapsed();
    const known = this.#minutes.get(cosigner);
    const minute =
      known === undefined || now - known.from >= MINUTE_S ? { from: now, words: 0 } : known;
    this.#minutes.set(cosigner, minute);
    minute.words += 1;
    if (minute.words <= this.#parts.limits.wordsPerMinute) return 0;
    return Math.max(1, Math.ceil(minute.from + MINUTE_S - now));
  }

  /** Undoes `#count`. */
  #uncount(cosigner: string): void {
    const minute = this.#minutes.get(cosigner);
    if (minute !== undefined) minute.words = Math.max(0, minute.words - 1);
  }

  async #take(named: NamedReport, given: StatementEntry): Promise<Committed | Received> {
    const { ledger, sha256, verify, now } = this.#parts;
    const { row } = named;
    const word = cosignerStatementOf(given);
    const bytes = await ledger.entry(row.seq);
    if (bytes === undefined) return { kind: 'not_found' };
    const entry = { seq: row.seq, leaf: hashHex(leafHash(sha256, bytes)) };
    const root = await logRoot(sha256, ledger, given.statement.head.size);
    try {
      // Admitted and written in one step, so that nobody's statement is recorded twice.
      let noted: Received | undefined;
      const [receipt] = await ledger.write(({ views }) => {
        const draft = admit(word, {
          state: views,
          asked: { ...named, report: row, entry },
          size: ledger.published?.size ?? 0,
          root,
          now: now(),
          sha256,
          verify,
        });
        if (draft === undefined) noted = this.#note(named, given, word);
        return draft === undefined ? [] : [draft];
      });
      if (noted !== undefined) return noted;
      this.#events.onStatement(nameOf(ledger.tip, named, given), aboutOf(named), word);
      return { kind: 'committed', seq: (receipt as Receipt).seq };
    } catch (error) {
      const code = faultCode(error);
      if (code !== undefined && UNWRITTEN.has(code)) return { kind: 'halted' };
      if (!(error instanceof Fault) || code !== 'refused') throw error;
      const { at = '', expected = '', found = '' } = error;
      return this.#refuse(named, given, at, expected, found);
    }
  }

  #note(named: NamedReport, given: StatementEntry, word: CosignerStatement): Received {
    const { ledger, sha256 } = this.#parts;
    const { hash } = named.row;
    const { cosigner, reason } = given.statement;
    // Beyond the open reports nobody asks again, and nothing is remembered.
    this.#open.update(ledger.shown);
    if (this.#isOpen(named)) {
      const words = this.#abstained.get(hash) ?? new Map<string, Abstained>();
      words.set(cosigner, { word: hashOf(sha256, given), reason: `${reason}` });
      this.#abstained.set(hash, words);
      this.#events.onStatement(nameOf(ledger.tip, named, given), aboutOf(named), word);
    }
    return { kind: 'noted', quorum: quorumOf(ledger.shown, named.row) };
  }

  /** Whether a report is open, also where the search has not come to its period yet. */
  #isOpen({ row }: NamedReport): boolean {
    if (this.#open.has(row.hash)) return true;
    if (this.#open.isWhole || this.#open.isRecent({ row })) return false;
    const { ledger, limits } = this.#parts;
    return isOpenReport(ledger.shown, row, limits.periods);
  }

  #refuse(
    named: NamedReport,
    word: StatementEntry,
    at: string,
    expected: string,
    found: string,
  ): Received {
    const reason = `${at}: expected ${expected}, found ${found}`;
    this.#events.onRefused(nameOf(this.#parts.ledger.tip, named, word), aboutOf(named), reason);
    const kind = at.endsWith('signature') ? 'bad_signature' : 'refused';
    return { kind, at, expected, found };
  }

  /** The answer for a statement that the log holds, with the proof of its entry once that is published. */
  async #answer(
    { row }: NamedReport,
    { seq }: Committed,
    kind: 'recorded' | 'known' = 'known',
  ): Promise<Received> {
    const { ledger, sha256 } = this.#parts;
    const isShown = seq < (ledger.published?.size ?? 0) || (await this.#wait.until(seq));
    const { published } = ledger;
    const bytes = isShown ? await ledger.entry(seq) : undefined;
    const quorum = quorumOf(ledger.shown, row);
    if (published === undefined || bytes === undefined) return { kind: 'unpublished', seq, quorum };
    const hashes = await inclusionProof(sha256, ledger, seq, published.size);
    const proof = formatTlogProof({ index: seq, hashes, checkpoint: published.note });
    return { kind, seq, leaf: hashHex(leafHash(sha256, bytes)), quorum, proof };
  }
}

function contrary(found: string): Contrary {
  return { kind: 'contrary', place: ['report', 'nothing said of it', found] };
}

function isCosigner(state: ViewState, key: string): boolean {
  return cosignerSets(state).some(({ cosigners }) => cosigners.some((each) => each.key === key));
}

const isBy = ({ statement }: StatementEntry, key: string): boolean => statement.cosigner === key;

const bytesOf = (word: StatementEntry): Uint8Array => formatWire(word);

function hashOf(sha256: Sha256, word: StatementEntry): HashHex {
  return hashHex(contentHash(sha256, bytesOf(word)));
}

/** A co-signer's name in the set of a report; its key if it has none there. */
function nameOf(state: ViewState, { row }: NamedReport, { statement }: StatementEntry): string {
  const { set } = row.report.cosigners;
  const members = set === null ? [] : (setByHash(state, set)?.cosigners ?? []);
  return members.find(({ key }) => key === statement.cosigner)?.name ?? statement.cosigner;
}

function aboutOf({ row, rule }: NamedReport): string {
  return `${rule.rule.display} ${row.report.period}`;
}
