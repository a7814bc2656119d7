import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import {
  type Address,
  type Blockhash,
  type Commitment,
  getAddressDecoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  type Signature,
} from '@solana/kit';
import { ask, memberOf, wholeOf } from '../client/ask.ts';
import { chainId, type ChainRpc } from '../client/rpc.ts';
import { hasMemo } from './memo.ts';
import { messageIn, type SignedTransfer, TOKEN_PROGRAMS } from './signed-transfer.ts';

/** How sure a node must be of a block: voted for by two thirds of the stake, or finalized. */
export type PaymentCommitment = Extract<Commitment, 'confirmed' | 'finalized'>;

/** What finding a payment on the chain needs of it. */
export type SoughtTransfer = Pick<SignedTransfer, 'message' | 'payer' | 'destination' | 'memo'>;

/** A payment that has run. */
export interface LandedPayment {
  /** The transaction's signature, which identifies it. */
  readonly signature: string;
  readonly slot: number;
  /** Whether it ran with an error: then nothing has moved. */
  readonly failed: boolean;
  /** By how much the account of the seller grew, in the smallest unit; null if the node does not say. */
  readonly received: bigint | null;
}

/** A block, by its slot and by its height: not every slot has a block. */
export interface ChainHead {
  readonly slot: number;
  readonly height: number;
}

/** The slots that a search goes over. */
export interface SlotRange {
  /** The oldest slot of it. */
  readonly from: number;
  /** A slot that the node must know. A node behind it does not answer (`unreachable`). By default, any node will do. */
  readonly to?: number;
}

/** A transaction that names a token account. */
export interface IncomingTransfer {
  readonly kind: 'read';
  readonly signature: string;
  readonly slot: number;
  /** SHA-256 of its message, hex. */
  readonly messageHash: string;
  /** By how much the account grew, in the smallest unit; below 0 if it shrank. */
  readonly received: bigint;
}

/** A transaction that names a token account, and that could not be read. */
export interface UnreadTransfer {
  readonly kind: 'unread';
  readonly signature: string;
  readonly slot: number;
  readonly reason: string;
}

/** Where tokens are held. */
export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
}

/** Reads payments from a chain and writes nothing. Each call throws what `ask` does. */
export interface PaymentReader {
  /** The CAIP-2 name of the chain that the node is of. */
  network(signal?: AbortSignal): Promise<string>;
  /** The newest block. */
  head(commitment: PaymentCommitment, signal?: AbortSignal): Promise<ChainHead>;
  /** The oldest slot whose transactions the node has. */
  firstAvailable(signal?: AbortSignal): Promise<number>;
  /** Whether a message with this blockhash may run now: the node knows the blockhash, and its life is not over. */
  isRecent(
    blockhash: string,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** The token account at an address; null if there is none, or one that is frozen. */
  tokenAccount(
    address: string,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<TokenAccount | null>;
  /** The transaction with this signature, if its message is that of the payment; otherwise null. */
  transaction(
    signature: string,
    sought: SoughtTransfer,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<LandedPayment | null>;
  /**
   * Goes over the transactions that name the payer, back to a slot, for one with the message of the payment. Null means that the node
   * lists none. It proves nothing about slots that the node does not have (`firstAvailable`). Those are read that are listed with the memo
   * of the payment, the oldest first, because whoever copies the memo has seen the payment, and some of those that are listed without any memo. Throws
   * `too_large` if there are more transactions than are listed, and `not_checked` if more of them than are read have the memo, if one that may be the
   * payment cannot be read, and if the node does not list the memos that transactions have.
   */
  search(
    sought: SoughtTransfer,
    slots: SlotRange,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<LandedPayment | null>;
  /** Every finalized transaction of a token account back to a slot, the newest first. */
  incoming(
    account: Address,
    fromSlot: number,
    signal?: AbortSignal,
  ): AsyncGenerator<IncomingTransfer | UnreadTransfer, void, undefined>;
}

const PAGE = 1000;
const MAX_PAGES = 10;
const MAX_ALL_PAGES = 1000;
/** The most transactions that are read in one search. */
const MAX_READ = 200;
/** How many of the transactions are read that the node lists without a memo, to see that they have none. */
const MAX_SILENT = 10;
/** A memo that nodes repeat as it is. */
const PLAIN = /^[\x20-\x7e]{8,}$/;

/** The signatures of an account, the newest first, back to a slot. Throws `too_large` after `maxPages`. */
async function* signaturesBack(
  rpc: ChainRpc,
  account: Address,
  { from, to }: SlotRange,
  commitment: PaymentCommitment,
  maxPages: number,
  signal?: AbortSignal,
): AsyncGenerator<SignatureRow, void, undefined> {
  let before: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const rows = await signaturesOf(rpc, account, { before, to }, commitment, signal);
    for (const row of rows) {
      if (row.slot < from) return;
      yield row;
    }
    if (rows.length < PAGE) return;
    before = rows.at(-1)?.signature;
  }
  throw new Fault('too_large', 'Solana RPC', {
    at: 'getSignaturesForAddress',
    expected: `at most ${PAGE * maxPages} transactions since then`,
  });
}

export function paymentReader(rpc: ChainRpc): PaymentReader {
  /** Reads one transaction. `parse` gets null for one that the node does not have. */
  const read = <T>(
    signature: string,
    commitment: PaymentCommitment,
    signal: AbortSignal | undefined,
    parse: (answer: unknown) => T | undefined,
  ): Promise<T> =>
    ask(
      'getTransaction',
      rpc.getTransaction(signature as Signature, {
        commitment,
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      }),
      signal,
      parse,
    );
  return {
    network: (signal) => chainId(rpc, signal),
    head: (commitment, signal) =>
      ask('getEpochInfo', rpc.getEpochInfo({ commitment }), signal, (answer) => {
        const slot = wholeOf(memberOf(answer, 'absoluteSlot'));
        const height = wholeOf(memberOf(answer, 'blockHeight'));
        if (slot === undefined || height === undefined) return undefined;
        return { slot: Number(slot), height: Number(height) };
      }),
    firstAvailable: (signal) =>
      ask('getFirstAvailableBlock', rpc.getFirstAvailableBlock(), signal, (answer) => {
        const slot = wholeOf(answer);
        return slot === undefined ? undefined : Number(slot);
      }),
    isRecent: (blockhash, commitment, signal) =>
      ask(
        'isBlockhashValid',
        rpc.isBlockhashValid(blockhash as Blockhash, { commitment }),
        signal,
        (answer) => {
          const value = memberOf(answer, 'value');
          return typeof value === 'boolean' ? value : undefined;
        },
      ),
    tokenAccount: (address, commitment, signal) =>
      ask(
        'getAccountInfo',
        rpc.getAccountInfo(address as Address, { commitment, encoding: 'base64' }),
        signal,
        tokenAccountIn,
      ).then(({ account }) => account),
    transaction: (signature, sought, commitment, signal) =>
      read(signature, commitment, signal, (answer) =>
        answer === null ? { landed: null } : landedOf(answer, signature, sought),
      ).then(({ landed }) => landed),
    async search(sought, slots, commitment, signal) {
      const rows = signaturesBack(rpc, sought.payer, slots, commitment, MAX_PAGES, signal);
      const { named, silent, failure } = await candidates(rows, sought.memo);
      for (const row of [...named.slice(0, MAX_READ), ...silent]) {
        const { signature } = row;
        try {
          const { landed, isMemo } = await read(signature, commitment, signal, (answer) => {
            if (answer === null) throw missing();
            return landedOf(answer, signature, sought);
          });
          if (landed !== null) return landed;
          if (isMemo && silent.includes(row)) throw unlisted(signature);
        } catch (error) {
          if (!isOtherVersion(error)) throw error;
        }
      }
      if (failure !== undefined) throw failure;
      if (named.length > MAX_READ) throw tooMany();
      return null;
    },
    async *incoming(account, fromSlot, signal) {
      const slots = { from: fromSlot };
      const rows = signaturesBack(rpc, account, slots, 'finalized', MAX_ALL_PAGES, signal);
      for await (const { signature, slot } of rows) {
        try {
          yield await read(signature, 'finalized', signal, (answer) => {
            if (answer === null) throw missing();
            return incomingOf(answer, signature, slot, account);
          });
        } catch (error) {
          if (!isOfOneTransaction(error)) throw error;
          yield { kind: 'unread', signature, slot, reason: error.message };
        }
      }
    },
  };
}

/** A node that lists a transaction and does not give it has not shown that it is another one. */
function missing(): Fault {
  return new Fault('not_checked', 'Solana RPC', {
    at: 'getTransaction',
    expected: 'a transaction that the node lists',
    found: 'nothing',
  });
}

/** A node that lists a transaction without the memo that it has would list a payment without it, too. */
function unlisted(signature: string): Fault {
  return new Fault('not_checked', 'Solana RPC', {
    at: 'getSignaturesForAddress',
    expected: `the memo of ${signature}`,
    found: 'null',
  });
}

function tooMany(): Fault {
  return new Fault('not_checked', 'Solana RPC', {
    at: 'getTransaction',
    expected: `at most ${MAX_READ} transactions that may be the payment`,
  });
}

/** The version of a transaction is beyond 0: it is no payment, for those have version 0 or none (`parseSignedTransfer`). */
function isOtherVersion(error: unknown): boolean {
  return error instanceof Fault && error.code === 'refused' && error.found === 'code -32015';
}

/** Whether an error says something about one transaction and nothing about the node. */
function isOfOneTransaction(error: unknown): error is Fault {
  return (
    error instanceof Fault &&
    (error.code === 'not_checked' || error.code === 'malformed' || isOtherVersion(error))
  );
}

/** A token account as both programs lay it out: 0 32 mint, 32 32 owner, 64 8 amount, 108 1 state (1 is in use, 2 frozen). */
function tokenAccountIn(answer: unknown): { readonly account: TokenAccount | null } | undefined {
  const value = memberOf(answer, 'value');
  if (value === null) return { account: null };
  const program = memberOf(value, 'owner');
  const text = memberOf(value, 'data', 0);
  if (typeof program !== 'string' || typeof text !== 'string') return undefined;
  const data = getBase64Encoder().encode(text);
  if (!TOKEN_PROGRAMS.some((each) => each === program) || data.length < 165 || data[108] !== 1) {
    return { account: null };
  }
  const decoder = getAddressDecoder();
  return { account: { mint: decoder.decode(data, 0), owner: decoder.decode(data, 32) } };
}

/** Which transactions are read to find a payment, the oldest first. */
interface Candidates {
  /** Those that may be the payment. A memo only saves calls: whether it is the payment, the message says. */
  readonly named: readonly SignatureRow[];
  /** Some that are listed without any memo. */
  readonly silent: readonly SignatureRow[];
  /** Why older ones are not listed. */
  readonly failure: Fault | undefined;
}

async function candidates(
  rows: AsyncIterable<SignatureRow>,
  sought: string | null,
): Promise<Candidates> {
  const isPlain = sought !== null && PLAIN.test(sought);
  const named: SignatureRow[] = [];
  const silent: SignatureRow[] = [];
  let failure: Fault | undefined;
  try {
    for await (const row of rows) {
      if (!isPlain || row.memo?.includes(sought) === true) named.push(row);
      else if (row.memo === null) silent.push(row);
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'too_large') throw error;
    failure = error;
  }
  return { named: named.reverse(), silent: silent.reverse().slice(0, MAX_SILENT), failure };
}

interface SignatureRow {
  readonly signature: string;
  readonly memo: string | null;
  readonly slot: number;
}

function signaturesOf(
  rpc: ChainRpc,
  account: Address,
  { before, to }: { readonly before: string | undefined; readonly to: number | undefined },
  commitment: PaymentCommitment,
  signal: AbortSignal | undefined,
): Promise<readonly SignatureRow[]> {
  const from = {
    ...(before === undefined ? {} : { before: before as Signature }),
    ...(to === undefined ? {} : { minContextSlot: BigInt(to) }),
  };
  return ask(
    'getSignaturesForAddress',
    rpc.getSignaturesForAddress(account, { commitment, limit: PAGE, ...from }),
    signal,
    (answer) => {
      if (!Array.isArray(answer)) return undefined;
      const rows = answer.map((each: unknown): SignatureRow | undefined => {
        const signature = memberOf(each, 'signature');
        const memo = memberOf(each, 'memo') ?? null;
        const slot = wholeOf(memberOf(each, 'slot'));
        if (typeof signature !== 'string' || slot === undefined) return;
        if (memo !== null && typeof memo !== 'string') return;
        return { signature, memo, slot: Number(slot) };
      });
      return rows.every((row) => row !== undefined) ? rows : undefined;
    },
  );
}

function landedOf(
  answer: unknown,
  signature: string,
  sought: SoughtTransfer,
): { readonly landed: LandedPayment | null; readonly isMemo: boolean } | undefined {
  const text = memberOf(answer, 'transaction', 0);
  const slot = wholeOf(memberOf(answer, 'slot'));
  const error = memberOf(answer, 'meta', 'err');
  const message = typeof text === 'string' ? messageIn(text) : undefined;
  if (message === undefined || slot === undefined || error === undefined) return undefined;
  const isMemo = hasMemo(message);
  if (!equalBytes(message, sought.message)) return { landed: null, isMemo };
  const received = receivedOf(answer, sought);
  const landed = { signature, slot: Number(slot), failed: error !== null, received };
  return { landed, isMemo };
}

function incomingOf(
  answer: unknown,
  signature: string,
  slot: number,
  account: Address,
): IncomingTransfer | undefined {
  const text = memberOf(answer, 'transaction', 0);
  const message = typeof text === 'string' ? messageIn(text) : undefined;
  if (message === undefined) return undefined;
  const received = receivedOf(answer, { message, destination: account }) ?? 0n;
  const messageHash = formatHex(nobleSha256(message));
  return { kind: 'read', signature, slot, messageHash, received };
}

/** By how much the token account of the seller grew. An account that did not exist before had nothing. */
function receivedOf(
  answer: unknown,
  { message, destination }: Pick<SoughtTransfer, 'message' | 'destination'>,
): bigint | null {
  const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(message);
  const loaded = [
    memberOf(answer, 'meta', 'loadedAddresses', 'writable'),
    memberOf(answer, 'meta', 'loadedAddresses', 'readonly'),
  ].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  const index = BigInt([...staticAccounts, ...loaded].indexOf(destination));
  const amountIn = (list: unknown): bigint | undefined => {
    if (!Array.isArray(list)) return undefined;
    const row: unknown = list.find((each) => wholeOf(memberOf(each, 'accountIndex')) === index);
    const amount = memberOf(row, 'uiTokenAmount', 'amount');
    return typeof amount === 'string' && /^\d{1,20}$/.test(amount) ? BigInt(amount) : undefined;
  };
  const after = amountIn(memberOf(answer, 'meta', 'postTokenBalances'));
  if (after === undefined) return null;
  return after - (amountIn(memberOf(answer, 'meta', 'preTokenBalances')) ?? 0n);
}
