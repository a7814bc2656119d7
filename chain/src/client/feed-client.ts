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
import { keysAt, recordOf, standingRecord } from './standing.ts';

export interface FeedClientParts {
  readonly rpc: ChainRpc;
  readonly program: Address;
  /** The publisher's first key, hex. */
  readonly genesis: string;
  readonly sender: Sender;
}

/** A print as it stands on chain. */
export interface PublishedPrint {
  readonly page: Address;
  readonly record: ChainRecord;
  /** The keys that the record shows as co-signed, hex. */
  readonly cosigners: readonly HashHex[];
}

/** A feed and one of its pages, read at one slot. */
interface Seen {
  readonly slot: bigint;
  readonly feed: FeedAccount;
  readonly page: PageAccount | undefined;
}

/** Signatures that a record is to show. */
interface Gathering {
  readonly title: string;
  readonly place: Place;
  readonly look: (signal: AbortSignal | undefined) => Promise<Seen>;
  readonly recorded: (seen: Seen) => ChainRecord;
  /** Those of some that it does not show yet. */
  readonly missing: (seen: Seen, some: readonly KeySignature[]) => readonly KeySignature[];
  readonly instructionsOf: (some: readonly KeySignature[]) => readonly Instruction[];
}

/** Where a print belongs. */
interface Place {
  readonly feed: Address;
  readonly page: Address;
  readonly index: number;
  readonly slot: number;
}

/**
 * One publisher's feeds on one chain. Whatever brings something reads at `finalized` before it sends and after,
 * and throws what `bring` does: a thing that stands already is `there`, another in its place is `refused`.
 */
export class FeedClient {
  readonly #program: Address;
  readonly #genesis: string;
  readonly #sender: Sender;
  readonly #calls: ChainCalls;
  /** What a feed has for good. */
  readonly #cadences = new Map<Address, PeriodKind>();
  /** Addresses that were derived once: of feeds, and of each feed's pages. */
  readonly #feeds = new Map<Ticker, Address>();
  readonly #pages = new Map<string, Address>();

  constructor({ rpc, program, genesis, sender }: FeedClientParts) {
    this.#program = program;
    this.#genesis = genesis;
    this.#sender = sender;
    this.#calls = chainCalls(rpc);
  }

  /** Where the feed of a ticker stands, or will. */
  async feedAt(ticker: Ticker): Promise<Address> {
    let at = this.#feeds.get(ticker);
    if (at === undefined) {
      [at] = await feedAddress(this.#program, this.#genesis, ticker);
      this.#feeds.set(ticker, at);
    }
    return at;
  }

  /** The feed of a ticker. Throws `unmet`, `bad_length` or `malformed` for an account that is none. */
  async feed(ticker: Ticker, signal?: AbortSignal): Promise<Held<FeedAccount> | undefined> {
    const address = await this.feedAt(ticker);
    const { slot, accounts } = await this.#read([address], signal);
    return this.#heldFeed(ticker, address, slot, accounts[0]);
  }

  /** A page of a feed. Throws as `feed`. */
  async page(
    feed: Address,
    index: number,
    signal?: AbortSignal,
  ): Promise<Held<PageAccount> | undefined> {
    const address = await this.#pageAt(feed, index);
    const { slot, accounts } = await this.#read([address], signal);
    return this.#heldPage({ feed, page: address, index, slot: 0 }, slot, accounts[0]);
  }

  /** The Closes of a day, days since 1970-01-01, under a feed. Throws as `feed`. */
  async closeAccount(
    feed: Address,
    day: number,
    signal?: AbortSignal,
  ): Promise<Held<CloseAccount> | undefined> {
    return (await this.#lookAtClose(feed, day, signal)).held;
  }

  /**
   * Makes a feed. Another one there is `refused` at `differs`; `found` names the field. Throws `refused` at
   * `not_publisher` where `publisher` is not the genesis key.
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
        look: (signal) => this.#lookAtFeed(ticker, signal),
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

  /** Opens a page. Throws `not_found` where there is no feed. */
  async openPage(ticker: Ticker, index: number, options: SendOptions = {}): Promise<Done> {
    const feed = await this.feedAt(ticker);
    const page = await this.#pageAt(feed, index);
    const place = { feed, page, index, slot: 0 };
    return bring(
      this.#sender,
      {
        title: 'page',
        look: (signal) => this.#lookAt(ticker, place, signal),
        found: (seen) => (seen.page === undefined ? undefined : {}),
        instructions: () => [this.#opening(place)],
      },
      options,
    );
  }

  /**
   * Writes a print: its 128 bytes, and the signatures of the publisher, first, and of co-signers. A transaction
   * holds 5 of these, with or without the page, which it opens where it is missing. Those that did not fit, and
   * those that a print which stands already lacks, are added by further ones, as far as the record's own set has
   * their keys; after a rotation the old key's signature adds none. `sent` is the transaction that wrote the print,
   * or, where it stood, the first that added: its slot is then not the record's. A print that may not come any more
   * is `refused` at `settled`, `overtaken` or `differs`, with both reports, or at a name of CHAIN_ERRORS. Throws
   * `not_found` where there is no feed, `out_of_range` for a day that is no period of it, and `too_large` where
   * its set demands more signatures than fit: `found` says how many do.
   */
  async publish(
    ticker: Ticker,
    message: Uint8Array,
    signatures: readonly KeySignature[],
    options: SendOptions = {},
  ): Promise<Done & PublishedPrint> {
    const print = parsePrint(message);
    const place = await this.#placeOf(ticker, print.period, options.signal);
    const look = (signal: AbortSignal | undefined): Promise<Seen> =>
      this.#lookAt(ticker, place, signal);
    const standing = ({ feed, page }: Seen): ChainRecord | undefined =>
      standingRecord(feed, slotOf(page, place, print), print);
    const missing = (seen: Seen, some: readonly KeySignature[]): readonly KeySignature[] => {
      const record = standing(seen);
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
        look,
        found: (seen) => {
          const record = standing(seen);
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
        look,
        recorded: (seen) => {
          const record = standing(seen);
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
   * Notes a dissent from the print that stands: its 128 bytes (`dissentMessage`), and co-signers' signatures, of
   * which those that are noted already are left out, in as many transactions as they need; `sent` is the first. Throws `refused` at `no_such_print` where the print does not
   * stand, or at `unknown_signer`.
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
        look: (signal) => this.#lookAt(ticker, place, signal),
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
   * Writes a Close under the feed of a ticker: its 76 bytes (`closeMessage`), and the publisher's signature. It
   * is `there` in any place among the day's versions. Throws `malformed` for other bytes.
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
        look: (signal) => this.#lookAtClose(feed, day, signal),
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

  /** Appends a rule: its hash, hex, and its first period, days since 1970-01-01. */
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
        look: (signal) => this.#lookAtFeed(ticker, signal),
        found: ({ feed }) => {
          const { rules } = requireFeed(ticker, feed);
          return rules.some((each) => each.hash === hash && each.first === first) ? {} : undefined;
        },
        instructions: () => [addRule(this.#program, publisher, address, hash, first)],
      },
      options,
    );
  }

  /** Appends a co-signer set, keys in hex, where the newest is not the same. */
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
        look: (signal) => this.#lookAtFeed(ticker, signal),
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
   * Hands a feed to the next key, which signs too, after the chain's delay of a week; `afterHash` is the sha256 of the
   * key after it, hex. It is `there` where that very change waits, or the key is the feed's.
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
        look: (signal) => this.#lookAtFeed(ticker, signal),
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

  /** Takes back, with the recovery key, what waits: all that is named or nothing. Refused where one does not wait. */
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
        look: (signal) => this.#lookAtFeed(ticker, signal),
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

  /** Brings signatures to a record, in as many transactions as they need. */
  async #gather(
    { title, place, look, recorded, missing, instructionsOf }: Gathering,
    signatures: readonly KeySignature[],
    options: SendOptions,
  ): Promise<Done & PublishedPrint> {
    let first: Sent | undefined;
    for (;;) {
      // What one transaction is to bring.
      let goal = signatures;
      const { left, ...done } = await bring(
        this.#sender,
        {
          title,
          look,
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

  /** As many of the signatures as fit, from the first on. */
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

  async #lookAtFeed(
    ticker: Ticker,
    signal: AbortSignal | undefined,
  ): Promise<{ slot: bigint; feed: FeedAccount | undefined }> {
    const address = await this.feedAt(ticker);
    const { slot, accounts } = await this.#read([address], signal);
    return { slot, feed: this.#heldFeed(ticker, address, slot, accounts[0])?.account };
  }

  async #lookAt(ticker: Ticker, place: Place, signal: AbortSignal | undefined): Promise<Seen> {
    const { slot, accounts } = await this.#read([place.feed, place.page], signal);
    const feed = this.#heldFeed(ticker, place.feed, slot, accounts[0]);
    const page = this.#heldPage(place, slot, accounts[1]);
    return { slot, feed: requireFeed(ticker, feed?.account), page: page?.account };
  }

  async #lookAtClose(
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

/** The slot of a period; null before its first print. */
function slotOf(page: PageAccount | undefined, place: Place, { period }: Print): PageSlot | null {
  const slot = page?.slots[place.slot] ?? null;
  if (slot !== null) requireSame('page account', 'period', String(period), String(slot.period));
  return slot;
}

/**
 * Throws `too_large` where the first `count` signatures, the publisher's among them, are fewer than a quorum, and
 * all of them would be one. Which set counts is the chain's clock's: of those that have every signer, the least.
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

/** The refusal of a signature by a key that was the publisher's when it signed. */
function isOutOfOffice(error: unknown): boolean {
  return error instanceof Fault && error.code === 'refused' && error.at === 'unknown_signer';
}

/** The print that a dissent is from. Throws `malformed` for bytes that are none. */
function dissentedPrint(message: Uint8Array): Print {
  const bytes = requireLength(message, PRINT_BYTES, 'dissent message').slice();
  bytes.set(formatUtf8('assayPR1'));
  const print = parsePrint(bytes);
  if (equalBytes(dissentMessage(print), message)) return print;
  throw new Fault('malformed', 'dissent message', { expected: 'the 128 bytes of a dissent' });
}

/** The day and the content hash in the 76 bytes of a Close. */
function closeOf(message: Uint8Array): { readonly day: number; readonly hash: HashHex } {
  requireLength(message, CLOSE_MESSAGE_BYTES, 'close message');
  if (!equalBytes(message.subarray(0, 8), formatUtf8('assayCL1'))) {
    throw new Fault('malformed', 'close message', { at: 'byte 0', expected: 'assayCL1' });
  }
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  return { day: view.getInt32(40, true), hash: formatHex(message.subarray(44)) as HashHex };
}

/** The first field in which a feed is not as it was to be made; what may have changed since is left out. */
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
