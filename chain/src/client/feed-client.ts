import { equalBytes, requireLength } from '@assay/core/bytes/bytes';
import { CLOSE_MESSAGE_BYTES } from '@assay/core/report/close';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex } from '@assay/core/bytes/hex';
import { type CloseAccount, parseCloseAccount } from '@assay/core/feed/close-account';
import { type FeedAccount, parseFeed } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { type PageAccount, type PageSlot, parsePage } from '@assay/core/feed/page-account';
import type { ChainRecord } from '@assay/core/feed/record';
import { dissentMessage, parsePrint, type Print, PRINT_BYTES } from '@assay/core/report/print';
import type { PeriodKind } from '@assay/core/rule/period';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import {
  type Address,
  getAddressEncoder,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import { addressOfKey, closeAddress, feedAddress, pageAddress } from '../addresses.ts';
import { ed25519Instruction, type KeySignature } from '../ed25519-instruction.ts';
import {
  addRule,
  addSet,
  cancel,
  close,
  dissent,
  type FeedParameters,
  initFeed,
  openPage,
  publish,
  rotate,
  type Waiting,
} from '../instructions.ts';
import { bring, type Done } from './bring.ts';
import { type ChainCalls, chainCalls } from './chain-calls.ts';
import { type Held, heldAccount, requireSame } from './held-account.ts';
import type { ChainRpc } from './rpc.ts';
import type { SendOptions, Sender, Sent } from './sender.ts';
import { keysAt, recordOf, requireRecord } from './print-record.ts';

export interface FeedClientParts {
  readonly rpc: ChainRpc;
  readonly program: Address;
  /** The publisher's first key, in hex. */
  readonly genesis: string;
  readonly sender: Sender;
}

/** A print as it is recorded on chain. */
export interface PublishedPrint {
  readonly page: Address;
  readonly record: ChainRecord;
  /** The keys that are recorded as co-signers, in hex. */
  readonly cosigners: readonly HashHex[];
}

/** A feed and one of its pages, read at one slot. */
interface Seen {
  readonly slot: bigint;
  readonly feed: FeedAccount;
  readonly page: PageAccount | undefined;
}

/** Signatures that are to be added to a record. */
interface Gathering {
  readonly title: string;
  readonly place: Place;
  readonly read: (signal: AbortSignal | undefined) => Promise<Seen>;
  readonly recorded: (seen: Seen) => ChainRecord;
  /** Returns those of the given signatures that are not recorded yet. */
  readonly missing: (seen: Seen, some: readonly KeySignature[]) => readonly KeySignature[];
  readonly instructionsOf: (some: readonly KeySignature[]) => readonly Instruction[];
}

/** Where a print is recorded. */
interface Place {
  readonly feed: Address;
  readonly page: Address;
  readonly index: number;
  readonly slot: number;
}

/**
 * One publisher's feeds on one chain. Every method that writes reads the accounts at `finalized` before and
 * after it sends, and throws what `bring` does: what is recorded already is `there`, and anything else in its
 * place is `refused`.
 */
export class FeedClient {
  readonly #program: Address;
  readonly #genesis: string;
  readonly #sender: Sender;
  readonly #calls: ChainCalls;
  /** The cadence of a feed, which never changes. */
  readonly #cadences = new Map<Address, PeriodKind>();
  /** Addresses that were derived already: of feeds, and of the pages of each feed. */
  readonly #feeds = new Map<Ticker, Address>();
  readonly #pages = new Map<string, Address>();

  constructor({ rpc, program, genesis, sender }: FeedClientParts) {
    this.#program = program;
    this.#genesis = genesis;
    this.#sender = sender;
    this.#calls = chainCalls(rpc);
  }

  /** Derives the address of the feed of a ticker, whether or not it exists. */
  async feedAt(ticker: Ticker): Promise<Address> {
    let at = this.#feeds.get(ticker);
    if (at === undefined) {
      [at] = await feedAddress(this.#program, this.#genesis, ticker);
      this.#feeds.set(ticker, at);
    }
    return at;
  }

  /**
   * Returns the feed of a ticker. Throws `unmet`, `bad_length` or `malformed` for an account that is no feed.
   */
  async feed(ticker: Ticker, signal?: AbortSignal): Promise<Held<FeedAccount> | undefined> {
    const address = await this.feedAt(ticker);
    const { slot, accounts } = await this.#read([address], signal);
    return this.#heldFeed(ticker, address, slot, accounts[0]);
  }

  /** Returns a page of a feed. Throws what `feed` throws. */
  async page(
    feed: Address,
    index: number,
    signal?: AbortSignal,
  ): Promise<Held<PageAccount> | undefined> {
    const address = await this.#pageAt(feed, index);
    const { slot, accounts } = await this.#read([address], signal);
    return this.#heldPage({ feed, page: address, index, slot: 0 }, slot, accounts[0]);
  }

  /** Returns the Closes of a day (days since 1970-01-01) of a feed. Throws what `feed` throws. */
  async closeAccount(
    feed: Address,
    day: number,
    signal?: AbortSignal,
  ): Promise<Held<CloseAccount> | undefined> {
    return (await this.#readClose(feed, day, signal)).held;
  }

  /**
   * Creates a feed. If another feed is there, it is `refused` at `differs`; `found` names the field. Throws
   * `refused` at `not_publisher` if `publisher` is not the genesis key.
   */
  async initFeed(
    publisher: TransactionSigner,
    parameters: FeedParameters,
    options: SendOptions = {},
  ): Promise<Done> {
    if (publisher.address !== addressOfKey(this.#genesis)) {
      throw new Fault('refused', 'feed', {
        at: 'not_publisher',
        expected: addressOfKey(this.#genesis),
        found: publisher.address,
      });
    }
    const { ticker } = parameters;
    const address = await this.feedAt(ticker);
    const { payer } = this.#sender.parts;
    return bring(
      this.#sender,
      {
        title: 'feed',
        read: (signal) => this.#readFeed(ticker, signal),
        found: ({ feed }) => {
          if (feed === undefined) return undefined;
          const field = differingField(feed, parameters);
          if (field === undefined) return {};
          throw new Fault('refused', 'feed', { at: 'differs', found: field });
        },
        instructions: () => [initFeed(this.#program, payer, publisher, address, parameters)],
      },
      options,
    );
  }

  /** Opens a page. Throws `not_found` if the feed does not exist. */
  async openPage(ticker: Ticker, index: number, options: SendOptions = {}): Promise<Done> {
    const feed = await this.feedAt(ticker);
    const page = await this.#pageAt(feed, index);
    const place = { feed, page, index, slot: 0 };
    return bring(
      this.#sender,
      {
        title: 'page',
        read: (signal) => this.#readPlace(ticker, place, signal),
        found: (seen) => (seen.page === undefined ? undefined : {}),
        instructions: () => [this.#opening(place)],
      },
      options,
    );
  }

  /**
   * Writes a print: its 128 bytes, and the signatures of the publisher, which comes first, and of co-signers.
   *
   * One transaction holds 5 signatures, with or without the page, which is opened if it is missing. Further
   * transactions add the signatures that did not fit, or that a print on chain does not have yet, as far as the
   * set of the record contains their keys. After a rotation, the signature of the old key adds nothing. `sent`
   * is the transaction that wrote the print. If the print was there already, `sent` is the first transaction
   * that added to it, and its slot is not the record's.
   *
   * A print that cannot be written any more is `refused` at `settled`, `overtaken` or `differs`, with both
   * reports, or at a name of CHAIN_ERRORS. Throws `not_found` if the feed does not exist, `out_of_range` for a
   * day that is no period of it, and `too_large` if its set demands more signatures than fit: `found` says how
   * many do.
   */
  async publish(
    ticker: Ticker,
    message: Uint8Array,
    signatures: readonly KeySignature[],
    options: SendOptions = {},
  ): Promise<Done & PublishedPrint> {
    const print = parsePrint(message);
    const place = await this.#placeOf(ticker, print.period, options.signal);
    const read = (signal: AbortSignal | undefined): Promise<Seen> =>
      this.#readPlace(ticker, place, signal);
    const current = ({ feed, page }: Seen): ChainRecord | undefined =>
      requireRecord(feed, slotOf(page, place, print), print);
    const missing = (seen: Seen, some: readonly KeySignature[]): readonly KeySignature[] => {
      const record = current(seen);
      if (record === undefined) return [];
      const shown = keysAt(seen.feed, record.set, record.cosigners);
      const lacking = (seen.feed.sets[record.set]?.keys ?? []).filter(
        (key) => !shown.includes(key),
      );
      return some.filter(({ key }) => lacking.includes(formatHex(key) as HashHex));
    };
    const { left, ...done } = await bring(
      this.#sender,
      {
        title: 'print',
        read,
        found: (seen) => {
          const record = current(seen);
          if (record === undefined) return undefined;
          const cosigners = keysAt(seen.feed, record.set, record.cosigners);
          return { page: place.page, record, cosigners, left: missing(seen, signatures).length };
        },
        instructions: ({ feed, page }) => {
          const opening = page === undefined ? [this.#opening(place)] : [];
          const written = publish(this.#program, place.feed, place.page, opening.length);
          const instructionsOf = (some: readonly KeySignature[]): readonly Instruction[] => [
            ...opening,
            ed25519Instruction(message, some),
            written,
          ];
          const some = this.#fitting(signatures, instructionsOf);
          if (print.status !== 'provisional') requireQuorum(feed, signatures, some.length);
          return instructionsOf(some);
        },
      },
      options,
    );
    if (left === 0) return done;
    const publisher = signatures.slice(0, 1);
    const added = await this.#gather(
      {
        title: 'co-signatures',
        place,
        read,
        recorded: (seen) => {
          const record = current(seen);
          if (record !== undefined) return record;
          throw new Fault('refused', 'print', { at: 'no_such_print', expected: print.report });
        },
        missing,
        instructionsOf: (some) => [
          ed25519Instruction(message, [...publisher, ...some]),
          publish(this.#program, place.feed, place.page, 0),
        ],
      },
      signatures,
      options,
    ).catch((error: unknown) => {
      if (isOutOfOffice(error)) return done;
      throw error;
    });
    return done.kind === 'sent' ? { ...added, kind: 'sent', sent: done.sent } : added;
  }

  /**
   * Records a dissent from a print: its 128 bytes (`dissentMessage`) and the signatures of co-signers.
   * Signatures that are recorded already are left out, and the others are sent in as many transactions as they
   * need; `sent` is the first one. Throws `refused` at `no_such_print` if the print is not recorded, or at
   * `unknown_signer`.
   */
  async dissent(
    ticker: Ticker,
    message: Uint8Array,
    signatures: readonly KeySignature[],
    options: SendOptions = {},
  ): Promise<Done & PublishedPrint> {
    const print = dissentedPrint(message);
    const place = await this.#placeOf(ticker, print.period, options.signal);
    const recorded = ({ feed, page }: Seen): ChainRecord => {
      const record = recordOf(feed, slotOf(page, place, print), print);
      if (record !== undefined) return record;
      throw new Fault('refused', 'print', { at: 'no_such_print', expected: print.report });
    };
    return this.#gather(
      {
        title: 'dissent',
        place,
        read: (signal) => this.#readPlace(ticker, place, signal),
        recorded,
        missing: (seen, some) => {
          const { set, dissents } = recorded(seen);
          const noted = keysAt(seen.feed, set, dissents);
          return some.filter(({ key }) => !noted.includes(formatHex(key) as HashHex));
        },
        instructionsOf: (some) => [
          ed25519Instruction(message, some),
          dissent(this.#program, place.feed, place.page, 0),
        ],
      },
      signatures,
      options,
    );
  }

  /**
   * Writes a Close of the feed of a ticker: its 76 bytes (`closeMessage`) and the publisher's signature. It is
   * `there` if it is any one of the versions of the day. Throws `malformed` for other bytes.
   */
  async close(
    feedTicker: Ticker,
    message: Uint8Array,
    signature: KeySignature,
    options: SendOptions = {},
  ): Promise<Done & { readonly account: Address; readonly closes: CloseAccount }> {
    const { day, hash } = closeOf(message);
    const feed = await this.feedAt(feedTicker);
    const [account] = await closeAddress(this.#program, feed, day);
    const { payer } = this.#sender.parts;
    return bring(
      this.#sender,
      {
        title: 'Close',
        read: (signal) => this.#readClose(feed, day, signal),
        found: ({ held }) =>
          held?.account.hashes.includes(hash) === true
            ? { account, closes: held.account }
            : undefined,
        instructions: () => [
          ed25519Instruction(message, [signature]),
          close(this.#program, payer, feed, account, 0),
        ],
      },
      options,
    );
  }

  /** Appends a rule: its hash in hex, and its first period in days since 1970-01-01. */
  async addRule(
    publisher: TransactionSigner,
    ticker: Ticker,
    hash: string,
    first: number,
    options: SendOptions = {},
  ): Promise<Done> {
    const address = await this.feedAt(ticker);
    return bring(
      this.#sender,
      {
        title: 'rule',
        read: (signal) => this.#readFeed(ticker, signal),
        found: ({ feed }) => {
          const { rules } = requireFeed(ticker, feed);
          return rules.some((each) => each.hash === hash && each.first === first) ? {} : undefined;
        },
        instructions: () => [addRule(this.#program, publisher, address, hash, first)],
      },
      options,
    );
  }

  /** Appends a co-signer set, with keys in hex, unless the newest set is the same. */
  async addSet(
    publisher: TransactionSigner,
    ticker: Ticker,
    threshold: number,
    cosigners: readonly string[],
    options: SendOptions = {},
  ): Promise<Done> {
    const address = await this.feedAt(ticker);
    return bring(
      this.#sender,
      {
        title: 'co-signer set',
        read: (signal) => this.#readFeed(ticker, signal),
        found: ({ feed }) => {
          const newest = requireFeed(ticker, feed).sets.at(-1);
          const same = newest?.threshold === threshold && sameKeys(newest.keys, cosigners);
          return same ? {} : undefined;
        },
        instructions: () => [addSet(this.#program, publisher, address, threshold, cosigners)],
      },
      options,
    );
  }

  /**
   * Hands a feed to the next key, which signs too. It takes effect after the chain's delay of a week.
   * `afterHash` is the SHA-256 of the key after that one, in hex. It is `there` if exactly this change is
   * waiting or the key is the feed's already.
   */
  async rotate(
    publisher: TransactionSigner,
    next: TransactionSigner,
    ticker: Ticker,
    afterHash: string,
    options: SendOptions = {},
  ): Promise<Done> {
    const address = await this.feedAt(ticker);
    const coming = keyOf(next.address);
    return bring(
      this.#sender,
      {
        title: 'rotation',
        read: (signal) => this.#readFeed(ticker, signal),
        found: (seen) => {
          const feed = requireFeed(ticker, seen.feed);
          const waits = feed.rotation?.coming === coming && feed.rotation.afterHash === afterHash;
          return waits || feed.publisher === coming ? {} : undefined;
        },
        instructions: () => [rotate(this.#program, publisher, next, address, afterHash)],
      },
      options,
    );
  }

  /**
   * Cancels, with the recovery key, what is waiting: either everything that is named or nothing. It is refused
   * if one of them is not waiting.
   */
  async cancel(
    recovery: TransactionSigner,
    ticker: Ticker,
    what: readonly Waiting[],
    options: SendOptions = {},
  ): Promise<Done> {
    const address = await this.feedAt(ticker);
    let before: FeedAccount | undefined;
    return bring(
      this.#sender,
      {
        title: 'cancellation',
        read: (signal) => this.#readFeed(ticker, signal),
        found: (seen) => {
          const feed = requireFeed(ticker, seen.feed);
          before ??= feed;
          const gone: Readonly<Record<Waiting, boolean>> = {
            rotation: before.rotation !== null && feed.rotation === null,
            rule: feed.rules.length < before.rules.length,
            set: feed.sets.length < before.sets.length,
          };
          return what.every((each) => gone[each]) ? {} : undefined;
        },
        instructions: () => [cancel(this.#program, recovery, address, what)],
      },
      options,
    );
  }

  /** Adds signatures to a record, in as many transactions as they need. */
  async #gather(
    { title, place, read, recorded, missing, instructionsOf }: Gathering,
    signatures: readonly KeySignature[],
    options: SendOptions,
  ): Promise<Done & PublishedPrint> {
    let first: Sent | undefined;
    for (;;) {
      // The signatures of the next transaction.
      let goal = signatures;
      const { left, ...done } = await bring(
        this.#sender,
        {
          title,
          read,
          found: (seen) => {
            const record = recorded(seen);
            if (missing(seen, goal).length > 0) return undefined;
            const cosigners = keysAt(seen.feed, record.set, record.cosigners);
            return { page: place.page, record, cosigners, left: missing(seen, signatures).length };
          },
          instructions: (seen) => {
            goal = this.#fitting(missing(seen, signatures), instructionsOf);
            return instructionsOf(goal);
          },
        },
        options,
      );
      if (done.kind === 'sent') first ??= done.sent;
      if (left > 0) continue;
      return first === undefined ? done : { ...done, kind: 'sent', sent: first };
    }
  }

  /** Returns as many of the signatures as fit, beginning with the first. */
  #fitting(
    signatures: readonly KeySignature[],
    instructionsOf: (some: readonly KeySignature[]) => readonly Instruction[],
  ): readonly KeySignature[] {
    let count = signatures.length;
    while (count > 1 && !this.#sender.fits(instructionsOf(signatures.slice(0, count)))) count -= 1;
    return signatures.slice(0, count);
  }

  #opening({ feed, page, index }: Place): ReturnType<typeof openPage> {
    return openPage(this.#program, this.#sender.parts.payer, feed, page, index);
  }

  async #pageAt(feed: Address, index: number): Promise<Address> {
    const name = `${feed}/${index}`;
    let at = this.#pages.get(name);
    if (at === undefined) {
      [at] = await pageAddress(this.#program, feed, index);
      this.#pages.set(name, at);
    }
    return at;
  }

  #read(
    addresses: readonly Address[],
    signal: AbortSignal | undefined,
  ): ReturnType<ChainCalls['accounts']> {
    return this.#calls.accounts(addresses, signal);
  }

  async #placeOf(ticker: Ticker, period: number, signal: AbortSignal | undefined): Promise<Place> {
    const feed = await this.feedAt(ticker);
    let cadence = this.#cadences.get(feed);
    if (cadence === undefined) {
      const held = await this.#sender.asked(signal, () => this.feed(ticker, signal));
      ({ cadence } = requireFeed(ticker, held?.account));
      this.#cadences.set(feed, cadence);
    }
    const { index, slot } = pagePlace(ordinalOf(cadence, period));
    const page = await this.#pageAt(feed, index);
    return { feed, page, index, slot };
  }

  async #readFeed(
    ticker: Ticker,
    signal: AbortSignal | undefined,
  ): Promise<{ slot: bigint; feed: FeedAccount | undefined }> {
    const address = await this.feedAt(ticker);
    const { slot, accounts } = await this.#read([address], signal);
    return { slot, feed: this.#heldFeed(ticker, address, slot, accounts[0])?.account };
  }

  async #readPlace(ticker: Ticker, place: Place, signal: AbortSignal | undefined): Promise<Seen> {
    const { slot, accounts } = await this.#read([place.feed, place.page], signal);
    const feed = this.#heldFeed(ticker, place.feed, slot, accounts[0]);
    const page = this.#heldPage(place, slot, accounts[1]);
    return { slot, feed: requireFeed(ticker, feed?.account), page: page?.account };
  }

  async #readClose(
    feed: Address,
    day: number,
    signal: AbortSignal | undefined,
  ): Promise<{ slot: bigint; held: Held<CloseAccount> | undefined }> {
    const [address] = await closeAddress(this.#program, feed, day);
    const { slot, accounts } = await this.#read([address], signal);
    const held = heldAccount(accounts[0], {
      title: 'Close account',
      program: this.#program,
      address,
      slot,
      parse: parseCloseAccount,
    });
    if (held !== undefined) {
      requireSame('Close account', 'feed', keyOf(feed), held.account.feed);
      requireSame('Close account', 'day', String(day), String(held.account.day));
    }
    return { slot, held };
  }

  #heldFeed(
    ticker: Ticker,
    address: Address,
    slot: bigint,
    found: Parameters<typeof heldAccount>[0],
  ): Held<FeedAccount> | undefined {
    const program = this.#program;
    const title = 'feed account';
    const held = heldAccount(found, { title, program, address, slot, parse: parseFeed });
    if (held === undefined) return undefined;
    requireSame(title, 'genesis', this.#genesis, held.account.genesis);
    requireSame(title, 'ticker', ticker, held.account.ticker);
    return held;
  }

  #heldPage(
    { feed, page: address, index }: Place,
    slot: bigint,
    found: Parameters<typeof heldAccount>[0],
  ): Held<PageAccount> | undefined {
    const program = this.#program;
    const title = 'page account';
    const held = heldAccount(found, { title, program, address, slot, parse: parsePage });
    if (held === undefined) return undefined;
    requireSame(title, 'feed', keyOf(feed), held.account.feed);
    requireSame(title, 'index', String(index), String(held.account.index));
    return held;
  }
}

function requireFeed(ticker: Ticker, feed: FeedAccount | undefined): FeedAccount {
  if (feed !== undefined) return feed;
  throw new Fault('not_found', 'feed', { expected: `a feed of ${ticker}` });
}

/** Returns the slot of a period on a page; null before its first print. */
function slotOf(page: PageAccount | undefined, place: Place, { period }: Print): PageSlot | null {
  const slot = page?.slots[place.slot] ?? null;
  if (slot !== null) requireSame('page account', 'period', String(period), String(slot.period));
  return slot;
}

/**
 * Throws `too_large` if the first `count` signatures, which include the publisher's, are fewer than a quorum
 * although all of them together would be one. Which set counts depends on the chain's clock, so this uses the
 * smallest threshold of the sets that contain every signer.
 */
function requireQuorum(
  feed: FeedAccount,
  signatures: readonly KeySignature[],
  count: number,
): void {
  const keys = signatures.map(({ key }) => formatHex(key) as HashHex);
  const cosigners = keys.filter((key) => key !== feed.publisher && key !== feed.rotation?.coming);
  const thresholds = feed.sets
    .filter((set) => cosigners.every((key) => set.keys.includes(key)))
    .map(({ threshold }) => threshold);
  const threshold = Math.min(...thresholds);
  const fit = count - (keys.length - cosigners.length);
  if (count === keys.length || thresholds.length === 0 || fit >= threshold) return;
  throw new Fault('too_large', 'print', {
    at: 'signatures',
    expected: `${threshold} co-signers in one transaction`,
    found: `${fit} fit`,
  });
}

/** Whether a signature was refused because its key is no longer the publisher's. */
function isOutOfOffice(error: unknown): boolean {
  return error instanceof Fault && error.code === 'refused' && error.at === 'unknown_signer';
}

/** The print that a dissent is from. Throws `malformed` for other bytes. */
function dissentedPrint(message: Uint8Array): Print {
  const bytes = requireLength(message, PRINT_BYTES, 'dissent message').slice();
  bytes.set(formatUtf8('assayPR1'));
  const print = parsePrint(bytes);
  if (equalBytes(dissentMessage(print), message)) return print;
  throw new Fault('malformed', 'dissent message', { expected: 'the 128 bytes of a dissent' });
}

/** Reads the day and the content hash from the 76 bytes of a Close. */
function closeOf(message: Uint8Array): { readonly day: number; readonly hash: HashHex } {
  requireLength(message, CLOSE_MESSAGE_BYTES, 'close message');
  if (!equalBytes(message.subarray(0, 8), formatUtf8('assayCL1'))) {
    throw new Fault('malformed', 'close message', { at: 'byte 0', expected: 'assayCL1' });
  }
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  return { day: view.getInt32(40, true), hash: formatHex(message.subarray(44)) as HashHex };
}

/**
 * Returns the first parameter in which a feed differs from what was to be created. Fields that can have changed
 * since are left out.
 */
function differingField(feed: FeedAccount, parameters: FeedParameters): string | undefined {
  const { cadence, decimals, log, recoveryHash, nextHash, rule, first } = parameters;
  const [rule0] = feed.rules;
  const [set0] = feed.sets;
  const rotated = feed.rotation !== null || feed.publisher !== feed.genesis;
  if (feed.cadence !== cadence) return 'cadence';
  if (feed.decimals !== decimals) return 'decimals';
  if (feed.log !== log) return 'log';
  if (feed.recoveryHash !== recoveryHash) return 'recoveryHash';
  if (!rotated && feed.nextHash !== nextHash) return 'nextHash';
  if (rule0?.hash !== rule) return 'rule';
  if (rule0.first !== first) return 'first';
  if (set0?.threshold !== parameters.threshold) return 'threshold';
  return sameKeys(set0.keys, parameters.cosigners) ? undefined : 'cosigners';
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((key, i) => key === b[i]);
}

function keyOf(address: Address): string {
  return formatHex(new Uint8Array(getAddressEncoder().encode(address)));
}
