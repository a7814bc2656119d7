import assert from 'node:assert/strict';
import { test } from 'node:test';
import { closeAddress, feedAddress, pageAddress } from '@assay/chain/addresses';
import { ED25519_PROGRAM, formatEd25519 } from '@assay/chain/ed25519-instruction';
import { closeMessage } from '@assay/core/report/close';
import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import {
  type CloseAccount,
  formatCloseAccount,
  parseCloseAccount,
} from '@assay/core/feed/close-account';
import {
  type FeedAccount,
  type FeedRotation,
  formatFeed,
  parseFeed,
} from '@assay/core/feed/feed-account';
import {
  formatPage,
  type PageAccount,
  type PageSlot,
  parsePage,
} from '@assay/core/feed/page-account';
import { type ChainRecord, formatRecord, parseRecord } from '@assay/core/feed/record';
import { dissentMessage, formatPrint, parsePrint, type Print } from '@assay/core/report/print';
import type { Ticker } from '@assay/core/rule/ticker';
import type { DateText } from '@assay/core/time/time';
import type { Address } from '@solana/kit';
import { vectors } from '../core/fixture/fixture.ts';
import { isVerified, provenBy } from './fixture/proven.ts';

/** Integers of 64 bits are text in a vector. */
type Texts<T> = { readonly [K in keyof T]: T[K] extends bigint ? string : T[K] };

interface Vector {
  readonly name: string;
  readonly hex: string;
}

type PrintVector = Omit<Texts<Print>, 'publishedAt'> & { readonly published_at: string };
type RecordVector = Omit<Texts<ChainRecord>, 'publishedAt'> & { readonly published_at: string };

interface FeedVector extends Omit<
  FeedAccount,
  'nextHash' | 'recoveryHash' | 'rotation' | 'rules' | 'sets'
> {
  readonly next_hash: HashHex;
  readonly recovery_hash: HashHex;
  readonly rotation: {
    readonly effective: string;
    readonly coming: HashHex;
    readonly after_hash: HashHex;
  } | null;
  readonly rules: readonly Texts<FeedAccount['rules'][number]>[];
  readonly sets: readonly Texts<FeedAccount['sets'][number]>[];
}

interface PageVector extends Omit<PageAccount, 'slots'> {
  readonly slots: readonly {
    readonly number: number;
    readonly period: number;
    readonly provisional: RecordVector | null;
    readonly settled: RecordVector | null;
    readonly corrected: RecordVector | null;
    readonly dissent: boolean;
  }[];
}

function printOf({ published_at, value, ...rest }: PrintVector): Print {
  return { ...rest, value: BigInt(value), publishedAt: BigInt(published_at) };
}

function recordOf({ published_at, value, slot, ...rest }: RecordVector): ChainRecord {
  return { ...rest, value: BigInt(value), publishedAt: BigInt(published_at), slot: BigInt(slot) };
}

function feedOf({
  next_hash,
  recovery_hash,
  rotation,
  rules,
  sets,
  ...rest
}: FeedVector): FeedAccount {
  const wide = <T extends { readonly effective: string }>(
    each: T,
  ): Omit<T, 'effective'> & { readonly effective: bigint } => ({
    ...each,
    effective: BigInt(each.effective),
  });
  const coming: FeedRotation | null =
    rotation === null
      ? null
      : {
          effective: BigInt(rotation.effective),
          coming: rotation.coming,
          afterHash: rotation.after_hash,
        };
  return {
    ...rest,
    nextHash: next_hash,
    recoveryHash: recovery_hash,
    rotation: coming,
    rules: rules.map(wide),
    sets: sets.map(wide),
  };
}

function pageOf({ slots, ...rest }: PageVector): PageAccount {
  const all: (PageSlot | null)[] = Array.from({ length: 32 }, () => null);
  const orNull = (record: RecordVector | null): ChainRecord | null =>
    record === null ? null : recordOf(record);
  for (const { number, period, provisional, settled, corrected, dissent } of slots) {
    all[number] = {
      period,
      provisional: orNull(provisional),
      settled: orNull(settled),
      corrected: orNull(corrected),
      dissent,
    };
  }
  return { ...rest, slots: all };
}

test('vectors: a record of a page', () => {
  const cases = vectors<readonly (Vector & { record: RecordVector })[]>('chain/records');
  for (const { name, record, hex } of cases) {
    assert.equal(formatHex(formatRecord(recordOf(record))), hex, name);
    assert.deepEqual(parseRecord(parseHex(hex)), recordOf(record), name);
  }
});

test('vectors: feed accounts', () => {
  const cases = vectors<readonly (Vector & { account: FeedVector })[]>('chain/feeds');
  for (const { name, account, hex } of cases) {
    assert.equal(formatHex(formatFeed(feedOf(account))), hex, name);
    assert.deepEqual(parseFeed(parseHex(hex)), feedOf(account), name);
  }
});

test('vectors: page accounts', () => {
  const cases = vectors<readonly (Vector & { account: PageVector })[]>('chain/pages');
  for (const { name, account, hex } of cases) {
    assert.equal(formatHex(formatPage(pageOf(account))), hex, name);
    assert.deepEqual(parsePage(parseHex(hex)), pageOf(account), name);
  }
});

test('vectors: Close accounts', () => {
  const cases = vectors<readonly (Vector & { account: Texts<CloseAccount> })[]>('chain/closes');
  for (const { name, account, hex } of cases) {
    const close = { ...account, slot: BigInt(account.slot) };
    assert.equal(formatHex(formatCloseAccount(close)), hex, name);
    assert.deepEqual(parseCloseAccount(parseHex(hex)), close, name);
  }
});

type MessageVector = Vector &
  (
    | { readonly of: 'print' | 'dissent'; readonly print: PrintVector }
    | {
        readonly of: 'close';
        readonly log: HashHex;
        readonly day: DateText;
        readonly hash: HashHex;
      }
  );

test('vectors: messages that are signed', () => {
  for (const vector of vectors<readonly MessageVector[]>('chain/messages')) {
    const { name, hex } = vector;
    if (vector.of === 'close') {
      const { log, day, hash } = vector;
      assert.equal(formatHex(closeMessage(log, day, hash)), hex, name);
      continue;
    }
    const print = printOf(vector.print);
    const message = vector.of === 'print' ? formatPrint(print) : dissentMessage(print);
    assert.equal(formatHex(message), hex, name);
    if (vector.of === 'print') assert.deepEqual(parsePrint(parseHex(hex)), print, name);
    else assert.throws(() => parsePrint(parseHex(hex)), name);
  }
});

type AddressVector = {
  readonly program: Address;
  readonly address: Address;
  readonly bump: number;
} & (
  | { readonly of: 'feed'; readonly genesis: string; readonly ticker: Ticker }
  | { readonly of: 'page'; readonly feed: Address; readonly index: number }
  | { readonly of: 'close'; readonly feed: Address; readonly day: number }
);

test('vectors: addresses of feeds, pages and Closes', async () => {
  for (const vector of vectors<readonly AddressVector[]>('chain/addresses')) {
    const { program, address, bump } = vector;
    const found =
      vector.of === 'feed'
        ? await feedAddress(program, vector.genesis, vector.ticker)
        : vector.of === 'page'
          ? await pageAddress(program, vector.feed, vector.index)
          : await closeAddress(program, vector.feed, vector.day);
    assert.deepEqual([...found], [address, bump]);
  }
});

interface ProofVector extends Vector {
  readonly message: string;
  readonly signatures: readonly { readonly key: string; readonly signature: string }[];
}

test('vectors: the data of the instruction that proves signatures', () => {
  for (const { name, message, signatures, hex } of vectors<readonly ProofVector[]>(
    'chain/ed25519',
  )) {
    const bytes = parseHex(message);
    const pairs = signatures.map(({ key, signature }) => ({
      key: parseHex(key),
      signature: parseHex(signature),
    }));
    const data = formatEd25519(bytes, pairs);
    assert.equal(formatHex(data), hex, name);
    const instructions = [{ programAddress: ED25519_PROGRAM, data }];
    assert.ok(isVerified(instructions), name);
    assert.deepEqual(provenBy(instructions, 0, bytes.length), {
      message: bytes,
      keys: signatures.map(({ key }) => key),
    });
  }
});

interface Refused {
  readonly name: string;
  readonly of: 'feed' | 'page' | 'close';
  /** The vector whose bytes are changed: some replaced, or cut or filled with zeros to `length`. */
  readonly base: string;
  readonly at?: number;
  readonly hex?: string;
  readonly length?: number;
  readonly fault: string;
}

const ACCOUNTS = {
  feed: ['chain/feeds', parseFeed],
  page: ['chain/pages', parsePage],
  close: ['chain/closes', parseCloseAccount],
} as const;

test('vectors: bytes that the program does not write are refused by name', () => {
  for (const { name, of, base, at = 0, hex = '', length, fault } of vectors<readonly Refused[]>(
    'chain/refused',
  )) {
    const [file, parse] = ACCOUNTS[of];
    const whole = vectors<readonly Vector[]>(file).find((each) => each.name === base);
    assert.ok(whole, base);
    const before = parseHex(whole.hex);
    const bytes = new Uint8Array(length ?? before.length);
    bytes.set(before.subarray(0, bytes.length));
    bytes.set(parseHex(hex), at);
    assert.throws(
      () => parse(bytes),
      (error: unknown) => error instanceof Fault && error.code === fault,
      `${of}: ${name}`,
    );
  }
});
