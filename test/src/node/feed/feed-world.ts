import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressOfKey, DEVELOPMENT_PROGRAM } from '@assay/chain/addresses';
import { FeedClient } from '@assay/chain/client/feed-client';
import { keySigner } from '@assay/chain/client/key-signer';
import { type ChainRpc, chainId } from '@assay/chain/client/rpc';
import { SENDER_LIMITS, Sender } from '@assay/chain/client/sender';
import {
  type DevelopmentChain,
  openDevelopmentChain,
} from '@assay/chain/development/development-chain';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { closeHash, closeMessage } from '@assay/core/report/close';
import { type CosignerSet, parseCosignerSet, setHash } from '@assay/core/report/cosigner-set';
import { hashHex, type HashHex, leafHash } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { formatPrint, printOf } from '@assay/core/report/print';
import { type Report, reportHash } from '@assay/core/report/report';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatTime, parseTime, toDate, toTime } from '@assay/core/time/time';
import { cosignersAt, setByHash } from '@assay/core/view/cosigner-sets';
import { closesOf } from '@assay/core/view/closes';
import { onchainBack } from '@assay/core/view/onchain';
import { reportsOf } from '@assay/core/view/reports';
import { type RuleRow, ruleVersions } from '@assay/core/view/rules';
import { wire } from '@assay/core/wire/wire';
import { FEED_LIMITS, type FeedLimits } from '@assay/node/feed/feed-parts';
import { Feeds } from '@assay/node/feed/feeds';
import type { Signer } from '@assay/node/ledger/checkpoint-signer';
import { MemoryOutgoing, type OutgoingStore } from '@assay/node/feed/outgoing';
import type { EntryDraft, Ledger, LedgerOptions } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { cosignOf, dissentOf, type Hand, HANDS } from '../../core/fixture/cosigner-fixture.ts';
import { layoffsRule, ROOT, sampleReport } from '../../core/fixture/fixture.ts';
import {
  genesisBody,
  memoryPlace,
  openAt,
  type Place,
  REPORT_SIGNER,
  testSigner,
} from '../ledger/ledger-fixture.ts';

export const TICKER = 'LAYOFFS' as Ticker;
export const WEEK = '2026-07-25';
export const DAY_S = 86_400;
export const START = '2026-07-29T00:00:00Z';
export const PAYER = testSigner(31);
const ELF = new Uint8Array(readFileSync(join(ROOT, 'chain/program/assay_feed.so')));

export interface FeedWorldOptions {
  readonly outgoing?: OutgoingStore;
  readonly limits?: Partial<FeedLimits>;
  /** The log names this chain in place of the one that is there. */
  readonly chain?: string;
  /** In place of the chain's own. */
  readonly rpc?: (chain: DevelopmentChain) => ChainRpc;
  readonly ledger?: Partial<LedgerOptions>;
  readonly lamports?: bigint;
}

/** A log and a chain in memory, on a clock that a test moves; sleeping takes its time. */
export class FeedWorld {
  seconds: number = parseTime(toTime(START));
  readonly told: string[] = [];
  readonly spent = new Map<string, bigint>();
  readonly place: Place;
  chain!: DevelopmentChain;
  rpc!: ChainRpc;
  ledger!: Ledger;
  feeds!: Feeds;
  outgoing: OutgoingStore;
  /** The report key in force, and those of other times that the node has beside it. */
  publisher: Signer = REPORT_SIGNER;
  otherPublishers: readonly Signer[] = [];
  readonly #options: FeedWorldOptions;

  private constructor(place: Place, options: FeedWorldOptions) {
    this.place = place;
    this.#options = options;
    this.outgoing = options.outgoing ?? new MemoryOutgoing();
  }

  /** With genesis, a rule from 2015 on, and a first set: two of three, but `seats` takes fewer. */
  static async make(options: FeedWorldOptions = {}): Promise<FeedWorld> {
    const world = new FeedWorld(await memoryPlace(), options);
    world.chain = await openDevelopmentChain({
      now: world.now,
      tickMs: 0,
      programs: [{ address: DEVELOPMENT_PROGRAM, elf: ELF }],
    });
    world.rpc = options.rpc?.(world.chain) ?? kitRpc(world.chain);
    const lamports = options.lamports ?? 100_000_000_000n;
    const payer = addressOfKey(formatHex(PAYER.publicKey));
    if (lamports > 0n) world.chain.ledger.airdrop(payer, lamports);
    await world.open();
    const chain = options.chain ?? (await chainId(kitRpc(world.chain)));
    const body = genesisBody({ chain, program: DEVELOPMENT_PROGRAM });
    await world.append({ kind: 'genesis/1', body });
    await world.rule();
    await world.set(0);
    return world;
  }

  readonly now = (): number => this.seconds;

  go(seconds: number): void {
    this.seconds += seconds;
  }

  goTo(time: string): void {
    this.seconds = Math.max(this.seconds, parseTime(toTime(time)));
  }

  /** Opens the ledger and the loop over what is kept: what a start of the process does. */
  async open(): Promise<void> {
    this.ledger = await openAt(this.place, {
      now: () => Math.floor(this.now()),
      ...this.#options.ledger,
    });
    this.feeds = this.makeFeeds();
  }

  makeFeeds(rpc: ChainRpc = this.rpc): Feeds {
    const { limits = {} } = this.#options;
    return new Feeds(
      {
        ledger: this.ledger,
        rpc,
        payer: PAYER,
        publisher: this.publisher,
        otherPublishers: this.otherPublishers,
        outgoing: this.outgoing,
        sha256: nodeSha256,
        now: () => Math.floor(this.now()),
        elapsed: this.now,
        sleep: async (ms, signal) => {
          this.seconds += ms / 1000;
          await Promise.resolve();
          signal?.throwIfAborted();
        },
        limits: {
          ...FEED_LIMITS,
          gatherS: 0,
          sender: { ...SENDER_LIMITS, pollMs: 400, tries: 1, rereads: 2, patienceSeconds: 30 },
          ...limits,
        },
      },
      3_600_000,
      {
        onPosted: (of, _ticker, period) => this.told.push(`${of} ${period}`),
        onSpent: (on, of, lamports) => {
          const name = `${on} ${of}`;
          this.spent.set(name, (this.spent.get(name) ?? 0n) + lamports);
        },
        onError: (what, reason) => this.told.push(`${what}: ${reason}`),
      },
    );
  }

  /** A client of somebody else, who pays for himself. */
  client(): FeedClient {
    return new FeedClient({
      rpc: kitRpc(this.chain),
      program: DEVELOPMENT_PROGRAM,
      genesis: formatHex(REPORT_SIGNER.publicKey),
      sender: new Sender({
        rpc: kitRpc(this.chain),
        payer: keySigner(PAYER),
        limits: { ...SENDER_LIMITS, pollMs: 400 },
        elapsed: this.now,
        sleep: async (ms) => {
          this.seconds += ms / 1000;
          await Promise.resolve();
        },
      }),
    });
  }

  async append(...drafts: readonly EntryDraft[]): Promise<void> {
    await this.ledger.write(() => drafts);
  }

  async rule(change: Readonly<Record<string, unknown>> = {}): Promise<Rule> {
    const rule = layoffsRule({ applies_from: '2015-01-03', ...change });
    await this.append({ kind: 'rule/1', body: { rule } });
    return rule;
  }

  async set(number: number, threshold = 2, hands: readonly Hand[] = HANDS): Promise<CosignerSet> {
    const cosigners = hands.map(({ key }, i) => ({ name: `hand-${i}`, key }));
    const body = wire({ number, threshold, cosigners });
    const set = parseCosignerSet(body, 'set');
    await this.append({ kind: 'cosigners/1', body: set });
    return set;
  }

  /** A report as of now, under the rule and the set in force. */
  report(name: string, period = WEEK, change: Readonly<Record<string, unknown>> = {}): Report {
    const state = this.ledger.tip;
    const rule = ruleAt(state, period);
    const set = cosignersAt(state, Math.floor(this.now()));
    const before = reportsOf(state, TICKER, toDate(period)).at(-1);
    assert.ok(rule !== undefined && set !== undefined && this.ledger.log !== undefined);
    return sampleReport(name, {
      log: this.ledger.log,
      period,
      rule: { hash: ruleHash(nodeSha256, rule.rule), version: rule.rule.version },
      cosigners: { set: set.hash, required: set.threshold },
      published_at: formatTime(Math.floor(this.now())),
      supersedes: name === 'provisional' ? null : (before?.hash ?? null),
      ...change,
    });
  }

  /** Appends a report; its hash. */
  async publish(report: Report): Promise<HashHex> {
    const signature = formatHex(this.publisher.sign(formatPrint(printOf(nodeSha256, report))));
    await this.append({ kind: 'report/1', body: { report, signature } });
    return reportHash(nodeSha256, report);
  }

  async cosign(report: Report, ...hands: readonly Hand[]): Promise<void> {
    for (const hand of hands) {
      await this.append({
        kind: 'cosign/1',
        body: cosignOf(report, hand, await this.#place(report)),
      });
    }
  }

  async dissent(report: Report, hand: Hand): Promise<void> {
    const body = dissentOf(report, hand, await this.#place(report));
    await this.append({ kind: 'dissent/1', body });
  }

  /** A final with its quorum. */
  async final(period = WEEK, change: Readonly<Record<string, unknown>> = {}): Promise<Report> {
    const report = this.report('final', period, change);
    await this.publish(report);
    const set = setByHash(this.ledger.tip, report.cosigners.set as HashHex);
    const members = HANDS.filter(({ key }) => set?.cosigners.some((each) => each.key === key));
    await this.cosign(report, ...members.slice(0, set?.threshold));
    return report;
  }

  /** A version of a day's Close, signed by the publisher; its content hash. */
  async close(day: string, report: HashHex): Promise<HashHex> {
    const { log, tip } = this.ledger;
    assert.ok(log !== undefined);
    const versions = closesOf(tip, toDate(day));
    const before = versions.at(-1);
    const item = { ticker: TICKER, period: toDate(WEEK), report, value: '1' };
    const content = { day: toDate(day), items: [item], files: [] };
    const hash = closeHash(nodeSha256, content);
    const body = {
      content,
      version: versions.length,
      supersedes: before?.hash ?? null,
      signature: formatHex(this.publisher.sign(closeMessage(log, toDate(day), hash))),
    };
    await this.append({ kind: 'close/1', body });
    return hash;
  }

  async poll(): Promise<void> {
    await this.feeds.poll();
  }

  /** What the log says stands on chain, oldest first. */
  posted(): readonly PrintEntry[] {
    return [...onchainBack(this.ledger.shown)].reverse();
  }

  reasons(): readonly string[] {
    return this.feeds.concerns().map(({ reason }) => reason);
  }

  /** Transactions of the program that ran, whether they did what they should or not. */
  ran(): number {
    return this.chain.ledger.history
      .newest(10_000)
      .filter(({ addresses }) => addresses.includes(DEVELOPMENT_PROGRAM)).length;
  }

  async end(): Promise<void> {
    await this.feeds.stop();
    await this.ledger.close();
    this.chain.close();
  }

  async #place(report: Report): Promise<object> {
    const row = reportsOf(this.ledger.tip, report.ticker, report.period).find(
      ({ hash }) => hash === reportHash(nodeSha256, report),
    );
    const { published } = this.ledger;
    const bytes = row === undefined ? undefined : await this.ledger.entry(row.seq);
    assert.ok(row !== undefined && bytes !== undefined && published !== undefined);
    return {
      entry: { seq: row.seq, leaf: hashHex(leafHash(nodeSha256, bytes)) },
      head: { size: published.size, root: hashHex(published.root) },
      set: report.cosigners.set,
      signed_at: formatTime(Math.floor(this.now())),
    };
  }
}

/** The set's hash, for reports that name another than the one in force. */
export function hashOfSet(set: CosignerSet): HashHex {
  return setHash(nodeSha256, set);
}

/** The newest version that covers a period, whenever it was recorded: what the chain was told of. */
export function ruleAt(state: Ledger['tip'], period: string): RuleRow | undefined {
  return ruleVersions(state, TICKER).findLast(({ rule }) => rule.applies_from <= period);
}
