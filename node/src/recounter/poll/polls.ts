import { type Evidence, formatEvidence } from '@assay/core/proof/evidence';
import { faultCode, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatNoteKey, NOTE_COSIGNATURE, type NoteKey } from '@assay/core/log/note';
import { type DateText, formatTime, toDate } from '@assay/core/time/time';
import { indexOfDay } from '@assay/core/view/completeness';
import { reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import { accuseWitnesses } from '@assay/verifier/evidence/evidence-tree';
import { withDeadline } from '../../platform/deadline.ts';
import type { BlobStore } from '../../blob/blob-store.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Followed, LogMirror } from '../../mirror/log-mirror.ts';
import { nodeVerifySignatureAsync } from '../../platform/node-signature.ts';
import { type Turns, turnsUntil } from '../../ledger/store/slices.ts';
import { reportedBefore } from '../../cosign/open-reports.ts';
import { countedReports, MOST_OF_PLACE } from '../../cosign/counted-reports.ts';
import { Semaphore } from '../../platform/semaphore.ts';
import type { CalendarReads } from './calendar-reads.ts';
import type { FindingCode, FindingStore } from '../finding-store.ts';
import { type NewEntries, newEntries } from './followed-log.ts';
import { IndexRecount } from './index-recount.ts';
import { PeerFollower } from './peer-follower.ts';
import type { Outbox } from '../post-statement.ts';
import type { Receipts } from './receipts.ts';
import type { Polled } from '../recounter-parts.ts';
import { GRACE_S, type Silence } from './silence.ts';
import { TwoPrints } from './two-prints.ts';
import type { Statements } from './statements.ts';

export interface PollsParts {
  readonly mirror: LogMirror;
  /**
   * Milliseconds of real time for which one poll follows the publisher's log; the next continues from there.
   */
  readonly followMs?: number;
  /** The other recounters' logs, by their addresses. */
  readonly peers: ReadonlyMap<string, LogMirror>;
  readonly calendar: Pick<CalendarReads, 'poll'>;
  readonly words: Statements;
  readonly outbox: Outbox;
  readonly receipts: Receipts;
  /** The keys of the publisher's witnesses. Those that cosigned both heads of evidence are accused with it. */
  readonly witnessKeys: readonly NoteKey[];
  readonly silence: Silence;
  readonly findings: FindingStore;
  readonly evidence: Pick<BlobStore, 'put'>;
  /**
   * False if the publisher's clock is simulated and may skip days, so that no index entry can be missing. The
   * default is true.
   */
  readonly everyDay?: boolean;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly onError: (what: string, reason: string) => void;
}

/** Enough for one commit of a copy, 8 MB, at 14 kB per second. */
const FOLLOW_MS = 600_000;

/** Codes of failures to reach a log, which are not caused by its content. */
const REACHED_NOT: ReadonlySet<string | undefined> = new Set([
  'unreachable',
  'timeout',
  'redirect_refused',
  'stopped',
  'storage_failed',
  'no_room',
]);

/**
 * Everything that a recounter does, in three parts that run separately: it reads its sources, however slow
 * others are; it follows the logs and makes its statements, in a time that the publisher cannot extend; and it
 * sends them.
 */
export class Polls {
  readonly #parts: PollsParts;
  readonly #hearing = new Semaphore(1);
  readonly #reading = new Semaphore(1);
  readonly #posting = new Semaphore(1);
  readonly #under = new Set<'read' | 'hear' | 'post'>();
  readonly #stop = new AbortController();
  readonly #indexes: IndexRecount;
  readonly #prints: TwoPrints;
  readonly #peers: PeerFollower;
  /** How many entries of the publisher's log have been taken. */
  #looked = 0;
  /** How many there were when the first of them were taken. */
  #first: number | undefined;
  /** Whether this process has seen the publisher's newest log once. */
  #followed = false;
  #trouble: string | undefined;
  #followedAt: number | undefined;

  constructor(parts: PollsParts) {
    this.#parts = parts;
    this.#indexes = new IndexRecount(parts.sha256, parts.everyDay);
    this.#prints = new TwoPrints(parts.mirror, parts.sha256);
    this.#peers = new PeerFollower({
      ...parts,
      onFollowed: (url, followed) => this.#peerFollowed(url, followed),
    });
  }

  /** Why the publisher's log is not followed; undefined while it is. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** The unix seconds of the last poll that reached the publisher's log. */
  get followedAt(): number | undefined {
    return this.#followedAt;
  }

  /** Makes one whole poll, after what is under way. Throws only if its own data fail. */
  async poll(): Promise<Polled> {
    await Promise.all([this.#hear(), this.#read()]);
    await this.#post();
    const { mirror, outbox } = this.#parts;
    return { size: mirror.size, unposted: outbox.unposted, trouble: this.#trouble };
  }

  /**
   * Begins each part of a poll that is not under way, so that its sources are read whatever the publisher does.
   * `onFailed` is called if its own data fail.
   */
  begin(onFailed: (error: unknown) => void): void {
    this.#peers.begin(this.#stop.signal);
    this.#once('read', onFailed);
    this.#once('hear', onFailed);
    this.#once('post', onFailed);
  }

  /** Aborts what is under way, and waits for it. No poll follows. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const rest = async (): Promise<void> => undefined;
    const all = [this.#hearing, this.#reading, this.#posting].map((each) => each.run(rest));
    await Promise.all([...all, this.#peers.settled()]);
  }

  #once(part: 'read' | 'hear' | 'post', onFailed: (error: unknown) => void): void {
    if (this.#under.has(part)) return;
    this.#under.add(part);
    const work = { read: () => this.#read(), hear: () => this.#hear(), post: () => this.#post() };
    void work[part]()
      .catch(onFailed)
      .finally(() => {
        this.#under.delete(part);
        // New statements are sent at once.
        if (part === 'hear' && !this.#stop.signal.aborted) this.#once('post', onFailed);
      });
  }

  /** Reads what is due by the calendar. */
  #read(): Promise<void> {
    return this.#reading.run(async () => {
      const { calendar, mirror } = this.#parts;
      const { signal } = this.#stop;
      if (!signal.aborted) await calendar.poll(mirror.shown, signal);
    });
  }

  /** Sends the statements of its own log to the publisher. */
  #post(): Promise<void> {
    return this.#posting.run(async () => {
      const { signal } = this.#stop;
      if (!signal.aborted) await this.#parts.outbox.poll(signal);
    });
  }

  /** Follows the logs, and records its statements in its own. */
  #hear(): Promise<void> {
    return this.#hearing.run(async () => {
      const { words } = this.#parts;
      const { signal } = this.#stop;
      if (signal.aborted) return;
      await this.#follow(signal);
      await this.#update(signal);
      if (signal.aborted) return;
      // A rule that came just now may have something due, and its statements depend on what was read.
      await this.#read();
      // If this is an old copy of the disk, its earlier statements may be only in the publisher's log.
      if (this.#followed) await words.poll(signal);
      await this.#receipts();
      await this.#others(signal);
    });
  }

  /** Stores an evidence file, and the finding that it proves. */
  readonly hold = async (
    code: FindingCode,
    evidence: Evidence | null,
    about: string,
    says: string,
  ): Promise<void> => {
    const { findings, evidence: files, now } = this.#parts;
    const hash = evidence === null ? null : await files.put(formatEvidence(evidence));
    const at = formatTime(now());
    await findings.hold({ code, about, says: says.slice(0, 2000), evidence: hash }, at);
  };

  async #follow(signal: AbortSignal): Promise<void> {
    const { mirror, followMs = FOLLOW_MS, onError, findings, now } = this.#parts;
    try {
      const followed = await withDeadline(
        followMs,
        'publisher',
        (each) => mirror.follow(each),
        signal,
      );
      this.#followedAt = now();
      switch (followed.kind) {
        case 'followed':
          this.#followed = true;
          this.#trouble = undefined;
          await findings.end('log_refused', 'publisher', formatTime(now()));
          await findings.end('copy_full', 'publisher', formatTime(now()));
          return;
        case 'behind':
          this.#trouble = `the publisher's log shows ${followed.head} entries, and ${followed.size} were followed`;
          return;
        case 'full':
          this.#trouble = `the publisher's log has more than its copy may hold: ${followed.limit}`;
          await this.#full('publisher', followed.limit);
          return;
        case 'unwitnessed':
          this.#trouble = `the newest checkpoint has the lines of ${followed.have} witnesses, too few`;
          return;
        case 'forked':
          this.#trouble = "the publisher's log is forked: /findings has the evidence";
      }
    } catch (error) {
      if (signal.aborted) return;
      const reason = messageOf(error);
      this.#trouble = `the publisher's log could not be followed: ${reason}`;
      onError('the publisher', reason);
      if (REACHED_NOT.has(faultCode(error))) return;
      await this.hold('log_refused', null, 'publisher', reason);
    }
  }

  async #peerFollowed(url: string, followed: Followed): Promise<void> {
    if (followed.kind === 'full') await this.#full(url, followed.limit);
    if (followed.kind !== 'followed') return;
    await this.#parts.findings.end('copy_full', url, formatTime(this.#parts.now()));
  }

  #full(about: string, limit: string): Promise<void> {
    const says = `The log has more than its copy may hold, which is ${limit}: it is followed no further.`;
    return this.hold('copy_full', null, about.slice(0, 200), says);
  }

  async #update(signal: AbortSignal): Promise<void> {
    const { mirror, words, silence } = this.#parts;
    // What there is before the first copy was not shown by anybody.
    if (mirror.published === undefined) return;
    const turns = turnsUntil(signal);
    const { size } = mirror;
    // What was there at the start is taken from the views, and what has come since then from the entries.
    this.#first ??= size;
    const from = this.#looked === 0 ? this.#first : this.#looked;
    const entries = await newEntries(mirror, from, size);
    await words.update(entries, turns);
    await silence.update(mirror.shown, entries, turns);
    for await (const { code, day, seq } of this.#indexes.poll(mirror.shown, turns)) {
      await this.hold(code, null, day, INDEX_SAYS[code](day, seq));
    }
    const reported = this.#looked === 0 ? await severalTimes(mirror.shown, turns) : entries.reports;
    if (signal.aborted) return;
    await this.#periods(reported);
    this.#looked = size;
  }

  /** Checks the reports of each period, each period once. */
  async #periods(reported: NewEntries['reports']): Promise<void> {
    const { mirror, findings } = this.#parts;
    const periods = new Map(reported.map((each) => [`${each.ticker} ${each.period}`, each]));
    for (const [about, { ticker, period }] of periods) {
      const rows = reportsOf(mirror.shown, ticker, period);
      const more = rows.length - countedReports(rows).length;
      if (more > 0) {
        const says = `${about} has more than ${MOST_OF_PLACE} reports for one place: those beyond are not recounted.`;
        await this.hold('too_many_reports', null, about, says);
      }
      if (findings.has('two_prints', about)) continue;
      const found = await this.#prints.poll(ticker, period);
      if (found === undefined) continue;
      const whose = found.evidence === null ? 'Two keys of the publisher' : "The publisher's key";
      const says = `${whose} signed two prints for one place of ${about}.`;
      await this.hold('two_prints', found.evidence, about, says);
    }
  }

  /**
   * Checks for days that ended long ago and have no index entry, and ends the findings of those that have one
   * now.
   */
  async #indexDays(): Promise<void> {
    const { mirror, findings, now } = this.#parts;
    for (const day of this.#indexes.missing(now(), GRACE_S)) {
      await this.hold('index_missing', null, day, INDEX_SAYS.index_missing(day));
    }
    for (const { code, about } of findings.open()) {
      if (code !== 'index_missing' || indexOfDay(mirror.shown, toDate(about)) === undefined)
        continue;
      await findings.end(code, about, formatTime(now()));
    }
  }

  async #receipts(): Promise<void> {
    const { mirror, receipts, witnessKeys, findings, sha256 } = this.#parts;
    await receipts.poll({
      mirror,
      sha256,
      findings,
      now: this.#parts.now(),
      onOmission: async (report, evidence, says) => {
        const vkeys = witnessKeys.map(({ name, publicKey }) =>
          formatNoteKey(sha256, name, publicKey, NOTE_COSIGNATURE),
        );
        const needs = { sha256, verifySignature: nodeVerifySignatureAsync };
        const accused = await accuseWitnesses(evidence, vkeys, needs);
        await this.hold('omission', accused, report, says);
      },
    });
  }

  async #others(signal: AbortSignal): Promise<void> {
    const { mirror, silence } = this.#parts;
    this.#peers.begin(signal);
    if (signal.aborted || mirror.log === undefined) return;
    const turns = turnsUntil(signal);
    await silence.poll(mirror.log, mirror.shown, this.#peers.rows, this.#trouble, turns);
    if (this.#trouble === undefined) await this.#indexDays();
  }
}

const INDEX_SAYS = {
  index_differs: (day: DateText, seq: number) =>
    `The index of ${day}, entry ${seq}, does not say what the entries before it hold.`,
  index_not_due: (day: DateText, seq: number) =>
    `The index of ${day}, entry ${seq}, came before that day was over, or behind that of a later day.`,
  index_missing: (day: DateText) =>
    `The publisher's log has no index of ${day}, though it has one of an earlier day.`,
} as const;

/** The periods with more than one report; fewer once `signal` is aborted. */
async function severalTimes(
  shown: ViewState,
  { pause, signal }: Turns,
): Promise<NewEntries['reports']> {
  const found: NewEntries['reports'][number][] = [];
  for (const ticker of tickers(shown)) {
    let some = reportedBefore(shown, ticker);
    for (; some.length > 0; some = reportedBefore(shown, ticker, some.at(-1))) {
      for (const period of some) {
        await pause();
        if (signal?.aborted === true) return found;
        if (reportsOf(shown, ticker, period).length > 1) found.push({ ticker, period });
      }
    }
  }
  return found;
}
