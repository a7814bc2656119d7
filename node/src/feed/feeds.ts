import { ask, memberOf, wholeOf } from '@assay/chain/client/ask';
import { chainCalls } from '@assay/chain/client/chain-calls';
import { FeedClient, type FeedClientParts } from '@assay/chain/client/feed-client';
import { keySigner } from '@assay/chain/client/key-signer';
import { chainId } from '@assay/chain/client/rpc';
import { Sender } from '@assay/chain/client/sender';
import { messageOf } from '@assay/core/fault';
import { quorumOf } from '@assay/core/round/quorum';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import { closesOf } from '@assay/core/view/closes';
import { type LogRow, logRow } from '@assay/core/view/log';
import type { Due } from '@assay/core/view/onchain';
import { reportsOf } from '@assay/core/view/reports';
import { tickers } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';
import type { Concern } from '../health/concern.ts';
import type { Service } from '../health/services.ts';
import type { FeedProgress } from '../api/status.ts';
import { Semaphore } from '../platform/semaphore.ts';
import { Comparison } from './comparison.ts';
import { DueQueue } from './due-queue.ts';
import type { FeedEvents, FeedParts } from './feed-parts.ts';
import { isRpcFault, isSilence } from './item-fault.ts';
import { costOf, errandOf, Outbox } from './outbox.ts';
import { Poster } from './poster.ts';

/** The pause after a failure in seconds: 5, 10, and so on. */
const FIRST_WAIT_S = 5;
const LONGEST_WAIT_S = 300;
/**
 * A transaction that may still land so many blocks from now, half a day, went to another chain: a blockhash is
 * valid for 150.
 */
const FOREIGN_BLOCKS = 100_000n;
/** How many differences are reported in full. */
const TOLD = 10;

const LAMPORTS_PER_SOL = 1e9;

/** What is known of the chain and the payer, for metrics. */
export interface FeedFigures extends FeedProgress {
  /** Lamports; undefined before it was asked. */
  readonly balance: bigint | undefined;
  readonly spentToday: bigint;
  readonly differences: number;
  /** Seconds since the oldest waiting item could have been posted; 0 if nothing waits. */
  readonly waitingS: number;
}

interface Chain {
  readonly poster: Poster;
  readonly client: FeedClient;
}

/**
 * Posts prints and Closes to the chain, records in the log what is there, and compares the chain with the log,
 * again and again and apart from the rounds. What has to be done follows from the log and the accounts.
 */
export class Feeds implements Service {
  readonly #parts: FeedParts;
  readonly #events: FeedEvents;
  readonly #everyMs: number;
  #queue = new DueQueue();
  #comparison = new Comparison();
  readonly #outbox: Outbox;
  readonly #sender: Sender;
  readonly #turn = new Semaphore(1);
  readonly #stop = new AbortController();
  /** Transactions whose fee has been counted. */
  readonly #paid = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #started = false;
  #loaded = false;
  #chain: Chain | undefined;
  /** The chain of the RPC, if it is not the log's. */
  #other: string | undefined;
  #failures = 0;
  /** The last failure. */
  #failure: unknown;
  #notBefore = Number.NEGATIVE_INFINITY;
  #answered: number;
  #compared = Number.NEGATIVE_INFINITY;
  #balance: bigint | undefined;
  #slot = 0n;

  /** The next poll begins `everyMs` after the end of each poll. */
  constructor(parts: FeedParts, everyMs: number, events: FeedEvents) {
    this.#parts = parts;
    this.#events = events;
    this.#everyMs = everyMs;
    this.#answered = parts.elapsed();
    this.#outbox = new Outbox(parts.outgoing, parts.now);
    this.#sender = new Sender({
      rpc: parts.rpc,
      payer: keySigner(parts.payer),
      limits: parts.limits.sender,
      sleep: parts.sleep,
      elapsed: parts.elapsed,
      paid: ({ transaction, fee }) => this.#pay(transaction, fee),
    });
  }

  /** Polls at once, and then again and again. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    void this.#again();
  }

  /** Does once everything that is due, after a poll that is under way. Never throws: a failure is reported. */
  poll(): Promise<void> {
    return this.#turn.run(() => this.#try());
  }

  /** Aborts what is under way with the RPC and waits for the poll to end; no other follows. */
  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#turn.run(() => Promise.resolve());
  }

  async #again(): Promise<void> {
    await this.poll();
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#again(), this.#everyMs);
  }

  async #try(): Promise<void> {
    const { elapsed, ledger } = this.#parts;
    if (this.#stop.signal.aborted || ledger.blocked !== undefined) return;
    this.#queue.update(ledger.shown);
    if (elapsed() < this.#notBefore) return;
    try {
      await this.#poll();
      this.#failures = 0;
      this.#answered = elapsed();
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#failures += 1;
      this.#failure = error;
      const wait = Math.min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (this.#failures - 1));
      this.#notBefore = elapsed() + wait;
      // What is cached may be out of date at the next poll.
      this.#chain?.poster.refresh();
      this.#events.onError('posting', messageOf(error));
    }
  }

  async #poll(): Promise<void> {
    const { ledger, rpc, now, elapsed, limits } = this.#parts;
    const { signal } = this.#stop;
    const log = logRow(ledger.shown);
    if (log?.chain == null || log.program === null) return;
    if (!this.#loaded) {
      await this.#outbox.load();
      this.#loaded = true;
    }
    if (!(await this.#isHome(log))) return;
    this.#chain ??= this.#connect(log);
    const chain = this.#chain;
    const { slot, height } = await chainCalls(rpc).finalizedHead(signal);
    if (slot > this.#slot) this.#slot = slot;
    await this.#settle(height);
    if (chain.poster.errands.isPaused) await this.#askBalance();
    await chain.poster.poll();
    // The RPC may have changed to another chain meanwhile.
    if (this.#chain !== chain) return;
    this.#queue.update(ledger.shown);
    const isDue = elapsed() - this.#compared >= limits.compareEveryS;
    // What was missing is there now, and is compared as well.
    if (!this.#queue.takeBroughtBack() && !isDue) return;
    await this.#askBalance();
    const missing = await this.#comparison.compare({
      client: chain.client,
      rpc,
      program: log.program as FeedClientParts['program'],
      queue: this.#queue,
      state: () => ledger.shown,
      sha256: this.#parts.sha256,
      now: now(),
      signal,
    });
    if (!(await this.#isHome(log))) return;
    for (const due of missing) this.#queue.restore(due);
    chain.poster.refresh();
    this.#compared = elapsed();
  }

  /** Asks for the payer's balance. If it has grown, what was refused is tried again. */
  async #askBalance(): Promise<void> {
    const before = this.#balance;
    this.#balance = await ask(
      'getBalance',
      this.#parts.rpc.getBalance(this.#sender.parts.payer.address),
      this.#stop.signal,
      (answer) => wholeOf(memberOf(answer, 'value')),
    );
    if (before !== undefined && this.#balance > before) this.#chain?.poster.errands.resume();
  }

  /**
   * Whether the RPC is on the log's chain now, because it may change to another at any time. While it is not,
   * what was read from the chain is forgotten.
   */
  async #isHome(log: LogRow): Promise<boolean> {
    const id = await chainId(this.#parts.rpc, this.#stop.signal);
    if (id === log.chain) {
      this.#other = undefined;
      return true;
    }
    if (this.#other !== id) this.#events.onError('posting', `the RPC is of the chain ${id}`);
    this.#other = id;
    this.#chain = undefined;
    this.#queue = new DueQueue();
    this.#queue.update(this.#parts.ledger.shown);
    this.#comparison = new Comparison();
    this.#compared = Number.NEGATIVE_INFINITY;
    this.#balance = undefined;
    return false;
  }

  #connect(log: LogRow): Chain {
    const client = new FeedClient({
      rpc: this.#parts.rpc,
      program: log.program as FeedClientParts['program'],
      genesis: log.report_key,
      sender: this.#sender,
    });
    const poster = new Poster(this.#parts, this.#events, {
      client,
      queue: this.#queue,
      outbox: this.#outbox,
      signal: this.#stop.signal,
      isHome: () => this.#isHome(log),
    });
    return { client, poster };
  }

  /** Finds out what became of the transactions that were out. */
  async #settle(height: bigint): Promise<void> {
    for (const entry of this.#outbox.open()) {
      const { of, transaction } = entry;
      const out = {
        signature: transaction,
        lastValidBlockHeight: BigInt(entry.last_valid_block_height),
      };
      const outcome = await this.#sender.outcome(out, this.#stop.signal);
      const isForeign = out.lastValidBlockHeight > height + FOREIGN_BLOCKS;
      if (outcome.kind === 'pending' && !isForeign) continue;
      const { fee, rent } = costOf(entry, outcome);
      this.#pay(transaction, fee, of);
      this.#outbox.spend(rent, errandOf(of) === 'feed');
      if (rent > 0n) this.#events.onSpent(errandOf(of), 'rent', rent);
      // Until the log records that it is on chain, the transaction that brought it is remembered.
      const waits = [...this.#queue.all()].some((due) => `${due.of}/${due.digest}` === of);
      if (outcome.kind === 'finalized' && waits) {
        this.#outbox.land(of, { transaction, slot: outcome.slot });
      } else {
        await this.#outbox.forget([of]);
      }
    }
  }

  #pay(transaction: string, fee: bigint, of?: string): void {
    if (this.#paid.has(transaction)) return;
    this.#paid.add(transaction);
    const kind = of === undefined ? (this.#chain?.poster.errands.kind ?? 'print') : errandOf(of);
    this.#outbox.spend(fee, kind === 'feed');
    this.#events.onSpent(kind, 'fee', fee);
  }

  /** What readers are shown. */
  get progress(): FeedProgress {
    const waiting = [...this.#queue.all()];
    const since = this.#oldest(waiting)?.since;
    return {
      slot: this.#slot === 0n ? null : Number(this.#slot),
      waiting: waiting.length,
      waiting_since: since === undefined ? null : formatTime(since),
    };
  }

  get figures(): FeedFigures {
    const { progress } = this;
    const { waiting_since: since } = progress;
    return {
      ...progress,
      balance: this.#balance,
      spentToday: this.#outbox.spentToday(),
      differences: this.#told().length,
      waitingS: since === null ? 0 : this.#parts.now() - parseTime(since),
    };
  }

  /** What is wrong with the feeds, for readers. */
  concerns(): readonly Concern[] {
    const { ledger, limits } = this.#parts;
    const log = logRow(ledger.shown);
    if (log?.chain == null) return [];
    const words: string[] = [];
    if (this.#other !== undefined) {
      words.push(
        `Nothing is posted on chain: the RPC is of ${this.#other}, and the log names ${log.chain}.`,
      );
    }
    words.push(...this.#failureText());
    if (this.#chain?.poster.errands.capped === true) {
      const cap = Number(limits.dailyLamports) / LAMPORTS_PER_SOL;
      words.push(`The lamports of a day are spent (${cap} SOL): nothing is posted until tomorrow.`);
    }
    const told = this.#told();
    words.push(...told.slice(0, TOLD));
    if (told.length > TOLD) words.push(`${told.length - TOLD} more things differ on chain.`);
    words.push(...this.#payerText(), ...this.#behindText());
    return words.map((reason) => ({ level: 'degraded', reason }));
  }

  /** What will never be on chain, what is refused, and what differs there. */
  #told(): readonly string[] {
    const refusals = this.#chain?.poster.errands.refusals ?? [];
    return [...this.#queue.lost, ...refusals, ...this.#comparison.words];
  }

  /** Why nothing is posted: at once if the RPC is not the reason, otherwise after a while. */
  #failureText(): readonly string[] {
    const { elapsed, limits } = this.#parts;
    if (this.#failures === 0) return [];
    const isSilent = isSilence(this.#failure);
    const mayPass = isSilent || isRpcFault(this.#failure);
    if (mayPass && elapsed() - this.#answered <= limits.silentAfterS) return [];
    return [
      isSilent
        ? 'The RPC of the chain does not answer: what stands there is not known.'
        : `Posting on chain does not go on: ${messageOf(this.#failure)}.`,
    ];
  }

  #payerText(): readonly string[] {
    if (this.#balance === undefined) return [];
    const week = this.#outbox.spentInWeek();
    if (this.#balance > week && this.#balance > 0n) return [];
    return ['The payer of the chain has lamports for less than about a week.'];
  }

  /** The oldest item of each index, and of the Closes, that has waited too long. */
  #behindText(): readonly string[] {
    const { now, limits } = this.#parts;
    const { ledger } = this.#parts;
    const late = now() - limits.behindAfterS;
    const groups: readonly (readonly [string, readonly Due[]])[] = [
      ...tickers(ledger.shown).map((each) => [each, this.#queue.prints(each)] as const),
      ['Closes', this.#queue.closes()],
    ];
    return groups.flatMap(([name, waiting]) => {
      const oldest = this.#oldest(waiting);
      if (oldest === undefined || oldest.since > late) return [];
      const { due, since } = oldest;
      const why = this.#chain?.poster.reasonOf(due);
      const because = why === undefined ? '' : ` (${why})`;
      const what =
        due.of === 'close' ? `The Close of ${due.period}` : `A print of ${name} ${due.period}`;
      return [`${what} could be on chain since ${formatTime(since)} and is not${because}.`];
    });
  }

  /** The item that could have been posted first. What waits for its quorum does not count. */
  #oldest(waiting: readonly Due[]): { readonly due: Due; readonly since: number } | undefined {
    const state = this.#parts.ledger.shown;
    let found: { readonly due: Due; readonly since: number } | undefined;
    for (const due of waiting) {
      const since = readyAt(state, due);
      if (since === undefined) continue;
      const time = parseTime(since);
      if (found === undefined || time < found.since) found = { due, since: time };
    }
    return found;
  }
}

/** From when on something could be posted, by the log; undefined while its quorum is missing. */
function readyAt(state: ViewState, { of, ticker, period, digest }: Due): TimeText | undefined {
  if (of === 'close') return closesOf(state, period).find(({ hash }) => hash === digest)?.at;
  const row = reportsOf(state, ticker, period).find(({ hash }) => hash === digest);
  if (row === undefined) return undefined;
  if (row.report.status === 'provisional') return row.report.published_at;
  return quorumOf(state, row).reached_at ?? undefined;
}
