import type { Done } from '@assay/chain/client/bring';
import type { FeedClient } from '@assay/chain/client/feed-client';
import type { Held } from '@assay/chain/client/held-account';
import { keySigner } from '@assay/chain/client/key-signer';
import { keysAt } from '@assay/chain/client/print-record';
import type { KeySignature } from '@assay/chain/ed25519-instruction';
import type { FeedParameters } from '@assay/chain/instructions';
import { closeMessage } from '@assay/core/report/close';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { CLOSE_ACCOUNT_BYTES } from '@assay/core/feed/close-account';
import { FEED_BYTES, type FeedAccount, publisherAt } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { PAGE_BYTES, type PageSlot } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import type { Status } from '@assay/core/report/report';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseDate } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { cosignsOf, type DissentRow, dissentsOf } from '@assay/core/view/cosigns';
import { type LogRow, logRow } from '@assay/core/view/log';
import { type Due, onchainRow } from '@assay/core/view/onchain';
import { type ReportRow, reportsOf } from '@assay/core/view/reports';
import { firstTicker, tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { ReportSigner } from '../key/report-signer.ts';
import type { DueQueue } from './due-queue.ts';
import type { FeedEvents, FeedParts } from './feed-parts.ts';
import { initialFeed, nextRule, nextSet } from './feed-plan.ts';
import { feedDifferences } from './feed-difference.ts';
import { type Errand, Errands } from './errands.ts';
import { LateCosigns } from './late-cosigns.ts';
import type { Outbox } from './outbox.ts';
import { type Readiness, readiness } from './readiness.ts';

/** How many rows for the log are written together. */
const MOST_ROWS = 64;

/** What a row of the log is made of when something stands. */
type Row = Pick<PrintEntry, 'account' | 'slot' | 'cosigners'>;

/**
 * Posts to the chain what the log has and the chain lacks, and records in the log what is there. What it does
 * follows from both alone, so it may be interrupted anywhere and begin again.
 */
export class Poster {
  readonly #parts: FeedParts;
  readonly #events: FeedEvents;
  readonly #client: FeedClient;
  readonly #queue: DueQueue;
  readonly #outbox: Outbox;
  readonly #signal: AbortSignal;
  /** What is being sent, and what was refused. */
  readonly errands: Errands;
  readonly #isHome: () => Promise<boolean>;
  readonly #feeds = new Map<Ticker, Held<FeedAccount>>();
  readonly #pages = new Set<string>();
  readonly #late = new LateCosigns();
  readonly #dissented = new Set<string>();
  /** Why something waits. */
  readonly #reasons = new Map<HashHex, string>();
  #rows: PrintEntry[] = [];

  constructor(
    parts: FeedParts,
    events: FeedEvents,
    {
      client,
      queue,
      outbox,
      signal,
      isHome,
    }: {
      readonly client: FeedClient;
      readonly queue: DueQueue;
      readonly outbox: Outbox;
      readonly signal: AbortSignal;
      /** Asks whether the RPC is of the log's chain now. */
      readonly isHome: () => Promise<boolean>;
    },
  ) {
    this.#parts = parts;
    this.#events = events;
    this.#client = client;
    this.#queue = queue;
    this.#outbox = outbox;
    this.#signal = signal;
    this.#isHome = isHome;
    const onRefused = (): void => this.#feeds.clear();
    this.errands = new Errands(parts, events, { outbox, signal, isHome, onRefused });
  }

  /** Why something waits, as text; undefined if nothing is known. */
  reasonOf({ digest }: Due): string | undefined {
    return this.#reasons.get(digest);
  }

  /** Forgets what it knows of the feeds, which are then read again. */
  refresh(): void {
    this.#feeds.clear();
  }

  /**
   * Goes once over everything that waits, with at most `mostPerPoll` transactions. Throws faults of the RPC and
   * the ledger.
   */
  async poll(): Promise<void> {
    this.errands.begin();
    const state = this.#parts.ledger.shown;
    const log = logRow(state);
    if (log === undefined) return;
    try {
      for (const ticker of tickers(state)) {
        await this.errands.guarded(`feed/${ticker}`, `the accounts of ${ticker}`, () =>
          this.#feedOf(state, log, ticker),
        );
      }
      await this.errands.guarded('close', 'the Closes', () => this.#closes(state, log));
      await this.#cosigns(state);
      await this.#dissents(state);
    } finally {
      await this.#flush();
    }
  }

  async #feedOf(state: ViewState, log: LogRow, ticker: Ticker): Promise<void> {
    const waiting = this.#queue.prints(ticker);
    const feed = await this.#usableFeed(state, log, ticker, waiting);
    if (feed === undefined) return;
    await this.errands.guarded(`rule/${ticker}`, `the rules and co-signer sets of ${ticker}`, () =>
      this.#register(state, ticker, feed),
    );
    for (const due of waiting) {
      if (!this.errands.isOpen) return;
      await this.errands.guarded(`print/${due.digest}`, `a print of ${ticker} ${due.period}`, () =>
        this.#print(state, due, waiting),
      );
    }
  }

  /** The feed, which is created if it is missing; undefined if nothing can be posted to it now. */
  async #usableFeed(
    state: ViewState,
    log: LogRow,
    ticker: Ticker,
    waiting: readonly Due[],
  ): Promise<FeedAccount | undefined> {
    let held = this.#feeds.get(ticker);
    if (held === undefined) {
      const close = this.#queue.closes().length > 0 && firstTicker(state) === ticker;
      const [oldest] = waiting;
      const rule = oldest === undefined ? undefined : rowOf(state, oldest)?.report.rule.hash;
      const wanted = initialFeed(state, log, ticker, rule, this.#parts.now(), close);
      const recorded = this.#queue.isRecorded(ticker);
      if (wanted === undefined && !recorded) return undefined;
      held = await this.#read(ticker);
      // What is recorded as being there is looked up and not created again.
      if (held === undefined && (wanted === undefined || recorded)) return undefined;
      if (held === undefined && wanted !== undefined) held = await this.#make(log, ticker, wanted);
    }
    if (held === undefined) return undefined;
    const { sha256 } = this.#parts;
    const at = { state, sha256, ticker, address: held.address };
    // Nothing is posted to a feed that is not the log's. The comparison reports what differs.
    return feedDifferences(at, held.account).length > 0 ? undefined : held.account;
  }

  /**
   * The signer of the requested key (hex). If it is not here, the log's key is used, which the chain then
   * refuses.
   */
  #keyOf(key: string): ReportSigner {
    const { publisher, otherPublishers = [] } = this.#parts;
    return otherPublishers.find(({ publicKey }) => formatHex(publicKey) === key) ?? publisher;
  }

  #signer(key: string): ReturnType<typeof keySigner> {
    return transactionSigner(this.#keyOf(key));
  }

  /** Who signs for a feed now: a feed changes its key separately from the log. */
  #publisherOf(feed: FeedAccount): ReportSigner {
    return this.#keyOf(publisherAt(feed, BigInt(this.#parts.now())));
  }

  async #make(
    log: LogRow,
    ticker: Ticker,
    wanted: FeedParameters,
  ): Promise<Held<FeedAccount> | undefined> {
    const rent = await this.errands.rentOf(FEED_BYTES);
    const of = `feed/${ticker}`;
    const what = `the feed of ${ticker}`;
    const done = await this.errands.send({ of, kind: 'feed', what, rent, proofs: 1 }, (options) =>
      this.#client.initFeed(this.#signer(log.report_key), wanted, options),
    );
    if (done === undefined) return undefined;
    await this.#outbox.forget([of]);
    return this.#read(ticker);
  }

  async #read(ticker: Ticker): Promise<Held<FeedAccount> | undefined> {
    const held = await this.#client.feed(ticker, this.#signal);
    if (held === undefined) return undefined;
    this.#feeds.set(ticker, held);
    return held;
  }

  /** The log's next rule and next set. Only one of each waits at a time. */
  async #register(state: ViewState, ticker: Ticker, feed: FeedAccount): Promise<void> {
    const seconds = this.#parts.now();
    const now = BigInt(seconds);
    const rule = nextRule(state, ticker, feed, seconds);
    if (rule !== undefined && (feed.rules.at(-1)?.effective ?? 0n) <= now) {
      const of = `rule/${ticker}/${rule.hash}`;
      if (rule.barred !== undefined) {
        this.errands.refuse(of, `The feed of ${ticker} cannot have its next rule: ${rule.barred}.`);
      } else {
        const what = `a rule of ${ticker}`;
        const done = await this.errands.send(
          { of, kind: 'rule', what, rent: 0n, proofs: 1 },
          (options) =>
            this.#client.addRule(
              transactionSigner(this.#publisherOf(feed)),
              ticker,
              rule.hash,
              rule.first,
              options,
            ),
        );
        if (done !== undefined) await this.#registered(of, ticker);
      }
    }
    const set = nextSet(state, feed);
    if (set === undefined || (feed.sets.at(-1)?.effective ?? 0n) > now) return;
    const of = `set/${ticker}/${set.number}`;
    const keys = set.cosigners.map(({ key }) => key);
    const what = `a co-signer set of ${ticker}`;
    const done = await this.errands.send(
      { of, kind: 'set', what, rent: 0n, proofs: 1 },
      (options) =>
        this.#client.addSet(
          transactionSigner(this.#publisherOf(feed)),
          ticker,
          set.threshold,
          keys,
          options,
        ),
    );
    if (done !== undefined) await this.#registered(of, ticker);
  }

  async #registered(of: string, ticker: Ticker): Promise<void> {
    await this.#outbox.forget([of]);
    await this.#read(ticker);
  }

  async #print(state: ViewState, due: Due, waiting: readonly Due[]): Promise<void> {
    const { sha256, now, limits } = this.#parts;
    const { ticker, digest } = due;
    const held = this.#feeds.get(ticker);
    const row = rowOf(state, due);
    if (held === undefined || row === undefined) return;
    const posting = { now: now(), gatherS: limits.gatherS };
    const ready = (each: ReportRow): Readiness => readiness(state, each, held.account, posting);
    const own = ready(row);
    if (own.kind === 'never') return this.#lose(state, due, row, own.why);
    if (own.kind === 'waits') {
      this.#reasons.set(digest, own.why);
      return;
    }
    if (row.report.status === 'provisional') {
      const overtaken = reportsOf(state, ticker, due.period).some(
        (each) =>
          each.seq > due.seq &&
          (each.report.status === 'provisional' ||
            onchainRow(state, each.hash) !== undefined ||
            (waiting.some((other) => other.seq === each.seq) && ready(each).kind === 'ready')),
      );
      if (overtaken) return this.#give(due, 'a later print has overtaken it');
    }
    const of = `print/${digest}`;
    const message = formatPrint(printOf(sha256, row.report));
    const rent = await this.#pageRent(held, parseDate(due.period));
    const what = `the ${row.report.status} of ${ticker} ${due.period}`;
    const publisher = this.#publisherOf(held.account);
    const signatures = [await printSignature(publisher, message, row), ...own.cosignatures];
    const proofs = signatures.length;
    const done = await this.errands
      .send({ of, kind: 'print', what, rent, proofs }, (options) =>
        this.#client.publish(ticker, message, signatures, options),
      )
      .catch((error: unknown) => this.#barred(due, what, error));
    if (done === undefined) return;
    this.#pages.add(done.page);
    const { record, page } = done;
    // The log has no statements of the others that the page shows, and a verifier would ask for them.
    const said = cosignsOf(this.#parts.ledger.shown, digest);
    const cosigners = done.cosigners
      .filter((key) => said.some(({ statement }) => statement.cosigner === key))
      .sort();
    const slot = Number(record.slot);
    this.#stands(due, done, held.address, { account: page, slot, cosigners });
    if (this.#rows.length >= MOST_ROWS) await this.#flush();
  }

  /** A print that another one excludes, because its place is taken permanently. */
  async #barred(due: Due, what: string, error: unknown): Promise<undefined> {
    if (!(error instanceof Fault) || error.code !== 'refused') throw error;
    if (error.at === 'overtaken') {
      await this.#give(due, 'a later print has overtaken it');
    } else if (error.at === 'settled' || error.at === 'differs') {
      const found = error.found === undefined ? '' : `: ${error.found}`;
      const words = `The chain has another print in the place of ${what}${found}.`;
      await this.#give(due, 'the chain has another in its place', words);
    } else throw error;
    return undefined;
  }

  /** A print that can never be posted. This is reported, except for a provisional that a later one followed. */
  async #lose(state: ViewState, due: Due, { report }: ReportRow, why: string): Promise<void> {
    const { ticker, period, seq } = due;
    const isFollowed =
      report.status === 'provisional' &&
      reportsOf(state, ticker, period).some((row) => row.seq > seq);
    const words = `The ${report.status} of ${ticker} ${period} can never be posted on chain: ${why}.`;
    await this.#give(due, why, isFollowed ? undefined : words);
  }

  async #give(due: Due, why: string, words?: string): Promise<void> {
    this.#queue.give(due, words);
    this.#reasons.delete(due.digest);
    this.errands.forgive(`print/${due.digest}`);
    this.#events.onError(`${due.of} ${due.ticker} ${due.period} is not posted`, why);
    await this.#outbox.forget([`${due.of}/${due.digest}`]);
  }

  async #pageRent({ address, account }: Held<FeedAccount>, period: number): Promise<bigint> {
    const { index } = pagePlace(ordinalOf(account.cadence, period));
    const name = `${address}/${index}`;
    if (this.#pages.has(name)) return 0n;
    const page = await this.#client.page(address, index, this.#signal);
    if (page === undefined) return this.errands.rentOf(PAGE_BYTES);
    this.#pages.add(name);
    return 0n;
  }

  async #closes(state: ViewState, log: LogRow): Promise<void> {
    const ticker = firstTicker(state);
    const feed = ticker === undefined ? undefined : this.#feeds.get(ticker);
    if (ticker === undefined || feed === undefined) return;
    for (const due of this.#queue.closes()) {
      if (!this.errands.isOpen) return;
      await this.errands.guarded(`close/${due.digest}`, `the Close of ${due.period}`, () =>
        this.#close(state, log, due, feed),
      );
    }
  }

  async #close(state: ViewState, log: LogRow, due: Due, feed: Held<FeedAccount>): Promise<void> {
    const row = closesOf(state, due.period).find(({ hash }) => hash === due.digest);
    if (row === undefined) return;
    // Each version of a day comes after the one before it.
    const isNext = this.#queue
      .closes()
      .every((other) => other.period !== due.period || other.seq >= due.seq || this.#has(other));
    if (!isNext) return;
    const there = await this.#client.closeAccount(
      feed.address,
      parseDate(due.period),
      this.#signal,
    );
    const rent = there === undefined ? await this.errands.rentOf(CLOSE_ACCOUNT_BYTES) : 0n;
    const message = closeMessage(log.log, due.period, due.digest);
    const signer = this.#publisherOf(feed.account);
    const { day, version, hash } = { ...row, day: row.content.day };
    const signature = {
      key: signer.publicKey,
      signature: await signer.sign(message, { of: 'close', log: log.log, day, version, hash }),
    };
    const what = `the Close of ${due.period}`;
    const of = `close/${due.digest}`;
    const done = await this.errands.send({ of, kind: 'close', what, rent, proofs: 1 }, (options) =>
      this.#client.close(due.ticker, message, signature, options),
    );
    if (done === undefined) return;
    const { account, closes } = done;
    const slot = Number(closes.slot);
    this.#stands(due, done, feed.address, { account, slot, cosigners: [] });
  }

  #has({ digest }: Due): boolean {
    return this.#rows.some((row) => row.digest === digest);
  }

  /**
   * Co-signatures that the log has and a print on chain lacks: they came after it, or somebody else posted it
   * without them.
   */
  async #cosigns(state: ViewState): Promise<void> {
    const { sha256 } = this.#parts;
    this.#late.update(state);
    for (const { row, report } of this.#late.lacking(state)) {
      const { ticker, period, digest } = row;
      const of = `cosign/${digest}`;
      const what = `co-signatures of ${ticker} ${period}`;
      await this.errands.guarded(of, what, async () => {
        const said = cosignsOf(state, digest);
        const message = formatPrint(printOf(sha256, report.report));
        const feed = this.#feeds.get(ticker)?.account;
        const signer = feed === undefined ? this.#parts.publisher : this.#publisherOf(feed);
        const own = await printSignature(signer, message, report);
        const signatures = said.map(({ statement, print_signature }) => ({
          key: parseHex(statement.cosigner, 32),
          signature: parseHex(print_signature, 64),
        }));
        const proofs = 1 + signatures.length;
        const done = await this.errands
          .send({ of, kind: 'cosign', what, rent: 0n, proofs }, (options) =>
            this.#client.publish(ticker, message, [own, ...signatures], options),
          )
          .catch((error: unknown) => {
            if (!(error instanceof Fault) || error.code !== 'refused') throw error;
            // Another print is in its place by now. The comparison reports one that should not be there.
            this.#late.leave(digest);
          });
        if (done === undefined) return;
        this.#late.brought(state, digest);
        await this.#outbox.forget([of]);
      });
    }
  }

  /** Dissents that the log has and the chain lacks. */
  async #dissents(state: ViewState): Promise<void> {
    for (const due of this.#queue.takeTurn(state)) {
      const left = dissentsOf(state, due.digest).filter(
        ({ seq }) => !this.#dissented.has(`${due.digest}/${seq}`),
      );
      if (left.length === 0 || onchainRow(state, due.digest) === undefined) continue;
      if (!this.errands.isOpen) return;
      const of = `dissent/${due.digest}`;
      const what = `a dissent from ${due.ticker} ${due.period}`;
      await this.errands.guarded(of, what, () => this.#dissent(state, due, left, { of, what }));
    }
  }

  /**
   * Posts dissents from a print. One is done once the page shows it, or can never accept it: a later print is
   * in that place, or the print's set does not have its key.
   */
  async #dissent(
    state: ViewState,
    due: Due,
    left: readonly DissentRow[],
    { of, what }: Pick<Errand, 'of' | 'what'>,
  ): Promise<void> {
    const row = rowOf(state, due);
    const held = this.#feeds.get(due.ticker);
    if (row === undefined || held === undefined) return;
    const feed = held.account;
    const { index, slot: place } = pagePlace(ordinalOf(feed.cadence, parseDate(due.period)));
    const page = await this.#client.page(held.address, index, this.#signal);
    const record = placeOf(page?.account.slots[place] ?? null, row.report.status);
    // A page that does not show the print yet, or no longer does, decides nothing.
    if (record === null) return;
    const done = (some: readonly DissentRow[]): void => {
      for (const { seq } of some) this.#dissented.add(`${due.digest}/${seq}`);
    };
    if (record.report !== due.digest) {
      const later = reportsOf(state, due.ticker, due.period).some(
        ({ seq, hash }) => seq > due.seq && hash === record.report,
      );
      if (later) done(left);
      return;
    }
    const keys = feed.sets[record.set]?.keys;
    if (keys === undefined) return;
    const shown = keysAt(feed, record.set, record.dissents);
    const lacking = left.filter(
      ({ statement: { cosigner } }) =>
        keys.some((key) => key === cosigner) && !shown.some((key) => key === cosigner),
    );
    done(left.filter((each) => !lacking.includes(each)));
    if (lacking.length === 0) return;
    const signatures = lacking.map(({ statement, dissent_signature }) => ({
      key: parseHex(statement.cosigner, 32),
      signature: parseHex(dissent_signature, 64),
    }));
    const message = dissentMessage(printOf(this.#parts.sha256, row.report));
    const proofs = signatures.length;
    const sent = await this.errands.send(
      { of, kind: 'dissent', what, rent: 0n, proofs },
      (options) => this.#client.dissent(due.ticker, message, signatures, options),
    );
    if (sent === undefined) return;
    done(lacking);
    await this.#outbox.forget([of]);
  }

  /** Records for the log that something is on chain. */
  #stands(due: Due, done: Done, feed: string, row: Row): void {
    const of = `${due.of}/${due.digest}`;
    // What was sent may have added to what somebody else had posted.
    const own = done.kind === 'sent' ? done.sent : this.#outbox.landed(of);
    const transaction = Number(own?.slot) === row.slot ? (own?.transaction ?? null) : null;
    const { ticker, period, digest } = due;
    this.#rows.push({ of: due.of, ticker, period, digest, feed, transaction, ...row });
    this.#queue.stands(due);
    this.#reasons.delete(digest);
  }

  /** Records in the log what is on chain, each digest once, and forgets the transactions that posted it. */
  async #flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const { ledger } = this.#parts;
    const rows = this.#rows;
    this.#rows = [];
    const isNews =
      (views: ViewState) =>
      ({ digest }: PrintEntry): boolean =>
        onchainRow(views, digest) === undefined;
    // What was seen on another chain is not on this one, and is looked up again.
    if (rows.some(isNews(ledger.tip)) && !(await this.#isHome())) {
      this.errands.end();
      return;
    }
    let news: readonly PrintEntry[] = [];
    await ledger.write(({ views }) => {
      news = rows.filter(isNews(views));
      return news.map((body) => ({ kind: 'print/1' as const, body }));
    });
    for (const { of, ticker, period, transaction } of news) {
      this.#events.onPosted(of, ticker, period, transaction);
    }
    await this.#outbox.forget(rows.map(({ of, digest }) => `${of}/${digest}`));
  }
}

/** What is in the place of a print with this status. */
function placeOf(slot: PageSlot | null, status: Status): ChainRecord | null {
  if (slot === null) return null;
  if (status === 'provisional') return slot.provisional ?? slot.settled;
  return status === 'corrected' ? slot.corrected : slot.settled;
}

function rowOf(state: ViewState, { ticker, period, digest }: Due): ReportRow | undefined {
  return reportsOf(state, ticker, period).find(({ hash }) => hash === digest);
}

/** The publisher's part of the proof of a print. */
async function printSignature(
  signer: ReportSigner,
  message: Uint8Array,
  { report }: ReportRow,
): Promise<KeySignature> {
  return {
    key: signer.publicKey,
    signature: await signer.sign(message, { of: 'print', report }),
  };
}

function transactionSigner({ publicKey, sign }: ReportSigner): ReturnType<typeof keySigner> {
  return keySigner({
    publicKey,
    sign: (message) => sign(message, { of: 'transaction', message: formatHex(message) }),
  });
}
