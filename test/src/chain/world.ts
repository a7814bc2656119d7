import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  closeAddress,
  DEVELOPMENT_PROGRAM,
  feedAddress,
  pageAddress,
} from '@assay/chain/addresses';
import { type CloseAccount, parseCloseAccount } from '@assay/core/onchain/close-account';
import { ed25519Instruction } from '@assay/chain/ed25519-instruction';
import { chainError } from '@assay/chain/errors';
import { type FeedAccount, parseFeed } from '@assay/core/onchain/feed-account';
import {
  close,
  dissent,
  type FeedParameters,
  initFeed,
  openPage,
  publish,
} from '@assay/chain/instructions';
import { concatBytes } from '@assay/core/bytes';
import { formatUtf8 } from '@assay/core/utf8';
import { ordinalOf, pagePlace } from '@assay/core/onchain/ordinal';
import { type PageAccount, type PageSlot, parsePage } from '@assay/core/onchain/page-account';
import { parseHex } from '@assay/core/hex';
import { formatPrint, type Print, seriesId } from '@assay/core/print';
import { formatHex } from '@assay/core/hex';
import type { HashHex } from '@assay/core/hash';
import { periodOf } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/ticker';
import {
  type Address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  type EncodedAccount,
  getBase64EncodedWireTransaction,
  type Instruction,
  type InstructionWithData,
  lamports,
  setTransactionMessageFeePayerSigner,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import type { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { ROOT, sha256 } from '../core/fixture.ts';
import { commitmentTo, hashOf, type Party, partyOf } from './party.ts';

type Svm = typeof import('litesvm');

async function load(): Promise<Svm | undefined> {
  try {
    const found = (await import('litesvm')) as Svm & { readonly default?: Svm };
    return found.default ?? found;
  } catch {
    return undefined;
  }
}

/** The machine that runs the program: a binary package of each platform, `undefined` where it is not. */
export const svmPackage: Svm | undefined = await load();

/** For `node:test`: a word where the machine is not installed. */
export const needsSvm = {
  skip: svmPackage === undefined ? 'litesvm is not installed for this platform' : false,
};

export const PROGRAM: Address = DEVELOPMENT_PROGRAM;

export const PROGRAM_BYTES: Uint8Array = readFileSync(join(ROOT, 'chain/program/assay_feed.so'));

/** 2026-08-01T00:00:00Z, a Saturday. */
export const NOW = 1_785_542_400n;
export const DAY = 86_400n;
export const WEEK: bigint = 7n * DAY;

/** The week that ended on 2026-07-25, which is over by then. */
export const PERIOD = 20_659;

/** What one transaction did. */
export interface Outcome {
  /** Null when it succeeded; a name of the program's list, or the runtime's words. */
  readonly error: string | null;
  /** Compute units. */
  readonly units: number;
  /** On the wire. */
  readonly bytes: number;
}

export interface WorldOptions {
  readonly parameters?: Partial<FeedParameters>;
  readonly cosigners?: number;
  /** Whether feed and page are there; true unless said otherwise. */
  readonly begun?: boolean;
  /** Every feature of the runtime, also those that are not active anywhere. */
  readonly allFeatures?: boolean;
}

/** A chain with the program on it, and the feed of one index. */
export class World {
  readonly svm: LiteSVM;
  readonly payer: Party;
  readonly publisher: Party;
  readonly next: Party;
  readonly recovery: Party;
  readonly cosigners: readonly Party[];
  readonly parameters: FeedParameters;
  readonly feed: Address;

  constructor(
    svm: LiteSVM,
    parties: Pick<World, 'payer' | 'publisher' | 'next' | 'recovery' | 'cosigners'>,
    parameters: FeedParameters,
    feed: Address,
  ) {
    this.svm = svm;
    this.payer = parties.payer;
    this.publisher = parties.publisher;
    this.next = parties.next;
    this.recovery = parties.recovery;
    this.cosigners = parties.cosigners;
    this.parameters = parameters;
    this.feed = feed;
  }

  /** Sends one transaction, paid by `payer`. */
  async send(...instructions: readonly Instruction[]): Promise<Outcome> {
    const { svm } = this;
    const message = appendTransactionMessageInstructions(
      instructions,
      svm.setTransactionMessageLifetimeUsingLatestBlockhash(
        setTransactionMessageFeePayerSigner(
          this.payer.signer,
          createTransactionMessage({ version: 0 }),
        ),
      ),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    const bytes = Buffer.from(getBase64EncodedWireTransaction(transaction), 'base64').length;
    const result = svm.sendTransaction(transaction);
    svm.expireBlockhash();
    if ('err' in result) {
      return { error: errorOf(result), units: unitsOf(result.meta()), bytes };
    }
    return { error: null, units: unitsOf(result), bytes };
  }

  /** The print of the default report, with members replaced. */
  print(change: Partial<Print> = {}): Print {
    const status = change.status ?? 'final';
    const { log, ticker, rule, decimals } = this.parameters;
    return {
      series: formatHex(seriesId(sha256, log as HashHex, ticker)) as HashHex,
      rule: rule as HashHex,
      report: hashOf('a report'),
      value: status === 'void' || change.withheld === true ? 0n : 218_000n,
      publishedAt: NOW - 3600n,
      period: PERIOD,
      status,
      decimals,
      settleable: status === 'final' && change.withheld !== true,
      withheld: false,
      issue: status === 'corrected' ? 1 : 0,
      ...change,
    };
  }

  /** Publishes `print`, or the bytes of one, signed by `signers`. */
  async publish(
    print: Print | Uint8Array,
    signers: readonly Party[] = [this.publisher, ...this.cosigners],
  ): Promise<Outcome> {
    const message = print instanceof Uint8Array ? print : formatPrint(print);
    const period = new DataView(message.buffer, message.byteOffset).getInt32(120, true);
    return this.send(
      proof(message, signers),
      publish(PROGRAM, this.feed, await this.pageOf(period), 0),
    );
  }

  /** Sends a dissent from `print`. */
  async dissent(print: Print | Uint8Array, signers: readonly Party[]): Promise<Outcome> {
    const message = print instanceof Uint8Array ? print : dissentMessage(print);
    const period = new DataView(message.buffer, message.byteOffset).getInt32(120, true);
    return this.send(
      proof(message, signers),
      dissent(PROGRAM, this.feed, await this.pageOf(period), 0),
    );
  }

  /** Sends a Close of `day`. */
  async close(
    day: number,
    hash: HashHex,
    signers: readonly Party[] = [this.publisher],
    log: HashHex = this.parameters.log as HashHex,
  ): Promise<Outcome> {
    const [account] = await closeAddress(PROGRAM, this.feed, day);
    return this.send(
      proof(closeBytes(log, day, hash), signers),
      close(PROGRAM, this.payer.signer, this.feed, account, 0),
    );
  }

  /** Where the page of a period stands; that of the default period for one that is none. */
  async pageOf(period: number): Promise<Address> {
    const { cadence } = this.parameters;
    let ordinal: number;
    try {
      ordinal = ordinalOf(cadence, period);
    } catch {
      ordinal = ordinalOf(cadence, periodOf(cadence, PERIOD));
    }
    return (await pageAddress(PROGRAM, this.feed, pagePlace(ordinal).index))[0];
  }

  async openPage(index: number): Promise<Outcome> {
    const [page] = await pageAddress(PROGRAM, this.feed, index);
    return this.send(openPage(PROGRAM, this.payer.signer, this.feed, page, index));
  }

  init(): Promise<Outcome> {
    const { payer, publisher, feed, parameters } = this;
    return this.send(initFeed(PROGRAM, payer.signer, publisher.signer, feed, parameters));
  }

  get now(): bigint {
    return this.svm.getClock().unixTimestamp;
  }

  set now(seconds: bigint) {
    const clock = this.svm.getClock();
    clock.unixTimestamp = seconds;
    this.svm.setClock(clock);
  }

  account(at: Address): EncodedAccount | undefined {
    const found = this.svm.getAccount(at);
    return found.exists ? found : undefined;
  }

  /** Overwrites an account's bytes, as no transaction could. */
  overwrite(
    at: Address,
    data: Uint8Array,
    programAddress: Address = PROGRAM,
    balance: bigint = 10n ** 9n,
  ): void {
    this.svm.setAccount({
      address: at,
      data,
      executable: false,
      lamports: lamports(balance),
      programAddress,
      space: BigInt(data.length),
    });
  }

  bytesOf(at: Address): Uint8Array {
    const found = this.account(at);
    if (found === undefined) throw new TypeError(`no account at ${at}`);
    return Uint8Array.from(found.data);
  }

  feedAccount(): FeedAccount {
    return parseFeed(this.bytesOf(this.feed));
  }

  async page(period: number = PERIOD): Promise<PageAccount> {
    return parsePage(this.bytesOf(await this.pageOf(period)));
  }

  async slot(period: number = PERIOD): Promise<PageSlot | null> {
    const page = await this.page(period);
    const { slot } = pagePlace(ordinalOf(this.parameters.cadence, period));
    return page.slots[slot] ?? null;
  }

  async closeAccount(day: number): Promise<CloseAccount> {
    return parseCloseAccount(this.bytesOf((await closeAddress(PROGRAM, this.feed, day))[0]));
  }
}

/** The 128 bytes of a dissent. */
export function dissentMessage(print: Print): Uint8Array {
  const message = formatPrint(print);
  message.set(formatUtf8('assayDS1'));
  return message;
}

/** The 76 bytes of a Close, also of a day that has no date. */
export function closeBytes(log: HashHex, day: number, hash: HashHex): Uint8Array {
  const number = new Uint8Array(4);
  new DataView(number.buffer).setInt32(0, day, true);
  return concatBytes(formatUtf8('assayCL1'), parseHex(log, 32), number, parseHex(hash, 32));
}

/** The instruction that proves `signers`' signatures of `message`. */
export function proof(
  message: Uint8Array,
  signers: readonly Party[],
): Instruction & InstructionWithData<Uint8Array> {
  return ed25519Instruction(
    message,
    signers.map((each) => ({ key: parseHex(each.key, 32), signature: each.sign(message) })),
  );
}

export async function worldOf(options: WorldOptions = {}): Promise<World> {
  if (svmPackage === undefined) throw new TypeError('litesvm is not there');
  const { LiteSVM, FeatureSet } = svmPackage;
  const svm =
    options.allFeatures === true
      ? LiteSVM.default()
          .withFeatureSet(FeatureSet.allEnabled())
          .withBuiltins()
          .withLamports(10n ** 15n)
          .withSysvars()
          .withDefaultPrograms()
          .withSigverify(true)
          .withBlockhashCheck(true)
          .withPrecompiles()
      : new LiteSVM();
  svm.withTransactionHistory(0n);
  const cosigners = await Promise.all(
    Array.from({ length: options.cosigners ?? 3 }, (_, i) => partyOf(`co-signer ${i}`)),
  );
  const parties = {
    payer: await partyOf('payer'),
    publisher: await partyOf('publisher'),
    next: await partyOf('next publisher'),
    recovery: await partyOf('recovery'),
    cosigners,
  };
  svm.airdrop(parties.payer.signer.address, lamports(10n ** 12n));
  svm.addProgram(PROGRAM, PROGRAM_BYTES);
  const parameters: FeedParameters = {
    cadence: 'week_ending_saturday',
    decimals: 0,
    ticker: 'LAYOFFS' as Ticker,
    log: hashOf('a log'),
    nextHash: commitmentTo(parties.next),
    recoveryHash: commitmentTo(parties.recovery),
    rule: hashOf('rule 1'),
    first: 2,
    threshold: Math.floor(cosigners.length / 2) + 1,
    cosigners: cosigners.map(({ key }) => key),
    ...options.parameters,
  };
  const [feed] = await feedAddress(PROGRAM, parties.publisher.key, parameters.ticker);
  const world = new World(svm, parties, parameters, feed);
  world.now = NOW;
  if (options.begun === false) return world;
  const { index } = pagePlace(ordinalOf(parameters.cadence, periodOf(parameters.cadence, PERIOD)));
  for (const outcome of [await world.init(), await world.openPage(index)]) {
    if (outcome.error !== null) throw new Error(`the world does not begin: ${outcome.error}`);
  }
  return world;
}

function errorOf(result: FailedTransactionMetadata): string {
  const error = result.err();
  const inner =
    typeof error === 'object' && 'err' in error ? (error.err() as unknown) : (error as unknown);
  if (typeof inner === 'object' && inner !== null && 'code' in inner) {
    const code = Number(inner.code);
    return chainError(code) ?? `custom ${code}`;
  }
  return /err: (.*?), meta/s.exec(result.toString())?.[1] ?? result.toString().slice(0, 200);
}

function unitsOf(meta: { computeUnitsConsumed: () => bigint }): number {
  return Number(meta.computeUnitsConsumed());
}
