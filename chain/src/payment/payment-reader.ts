import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import {
  type Address,
  type Commitment,
  getCompiledTransactionMessageDecoder,
  type Signature,
} from '@solana/kit';
import { ask, memberOf, wholeOf } from '../client/ask.ts';
import type { ChainRpc } from '../client/rpc.ts';
import { hasMessage, messageIn, type SignedTransfer } from './signed-transfer.ts';

/** How sure a node must be of a block: voted for by two thirds of the stake, or finalized. */
export type PaymentCommitment = Extract<Commitment, 'confirmed' | 'finalized'>;

/** What finding a payment on the chain needs of it. */
export type SoughtTransfer = Pick<SignedTransfer, 'message' | 'source' | 'destination' | 'memo'>;

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

/** A transaction that changed a token account. */
export interface IncomingTransfer {
  readonly signature: string;
  /** SHA-256 of its message, hex. */
  readonly messageHash: string;
  /** By how much the account grew, in the smallest unit; below 0 if it shrank. */
  readonly received: bigint;
}

/** Reads payments from a chain and writes nothing. Each call throws what `ask` does. */
export interface PaymentReader {
  /** The newest block. */
  head(commitment: PaymentCommitment, signal?: AbortSignal): Promise<ChainHead>;
  /** The transaction with this signature, if its message is that of the payment; otherwise null. */
  transaction(
    signature: string,
    sought: SoughtTransfer,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<LandedPayment | null>;
  /**
   * Goes over the transactions of the paying token account back to a slot for one with the message of the payment.
   * Null means that the account has none. Throws `too_large` if the account has more transactions than are looked at.
   */
  search(
    sought: SoughtTransfer,
    fromSlot: number,
    commitment: PaymentCommitment,
    signal?: AbortSignal,
  ): Promise<LandedPayment | null>;
  /** Every finalized transaction of a token account back to a slot, the newest first. */
  incoming(
    account: Address,
    fromSlot: number,
    signal?: AbortSignal,
  ): AsyncGenerator<IncomingTransfer, void, undefined>;
}

const PAGE = 1000;
const MAX_PAGES = 10;
const MAX_ALL_PAGES = 1000;
/** A memo that nodes repeat as it is. */
const PLAIN = /^[\x20-\x7e]{8,}$/;

/** The signatures of an account, the newest first, back to a slot. Throws `too_large` after `maxPages`. */
async function* signaturesBack(
  rpc: ChainRpc,
  account: Address,
  fromSlot: number,
  commitment: PaymentCommitment,
  maxPages: number,
  signal?: AbortSignal,
): AsyncGenerator<SignatureRow, void, undefined> {
  let before: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const rows = await signaturesOf(rpc, account, before, commitment, signal);
    for (const row of rows) {
      if (row.slot < fromSlot) return;
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
  const transaction: PaymentReader['transaction'] = (signature, sought, commitment, signal) =>
    ask(
      'getTransaction',
      rpc.getTransaction(signature as Signature, {
        commitment,
        encoding: 'base64',
        maxSupportedTransactionVersion: 0,
      }),
      signal,
      (answer) => (answer === null ? { landed: null } : landedOf(answer, signature, sought)),
    ).then(({ landed }) => landed);
  return {
    head: (commitment, signal) =>
      ask('getEpochInfo', rpc.getEpochInfo({ commitment }), signal, (answer) => {
        const slot = wholeOf(memberOf(answer, 'absoluteSlot'));
        const height = wholeOf(memberOf(answer, 'blockHeight'));
        if (slot === undefined || height === undefined) return undefined;
        return { slot: Number(slot), height: Number(height) };
      }),
    transaction,
    async search(sought, fromSlot, commitment, signal) {
      const { source, memo } = sought;
      const rows = signaturesBack(rpc, source, fromSlot, commitment, MAX_PAGES, signal);
      for await (const row of rows) {
        if (!mayBe(row.memo, memo)) continue;
        const landed = await transaction(row.signature, sought, commitment, signal);
        if (landed !== null) return landed;
      }
      return null;
    },
    async *incoming(account, fromSlot, signal) {
      const rows = signaturesBack(rpc, account, fromSlot, 'finalized', MAX_ALL_PAGES, signal);
      for await (const { signature } of rows) {
        const transfer = await ask(
          'getTransaction',
          rpc.getTransaction(signature as Signature, {
            commitment: 'finalized',
            encoding: 'base64',
            maxSupportedTransactionVersion: 0,
          }),
          signal,
          (answer) => incomingOf(answer, signature, account),
        );
        yield transfer;
      }
    },
  };
}

/** A memo only saves calls: whether it is the payment, its message says. */
function mayBe(found: string | null, sought: string | null): boolean {
  return found === null || sought === null || !PLAIN.test(sought) || found.includes(sought);
}

interface SignatureRow {
  readonly signature: string;
  readonly memo: string | null;
  readonly slot: number;
}

function signaturesOf(
  rpc: ChainRpc,
  account: Address,
  before: string | undefined,
  commitment: PaymentCommitment,
  signal: AbortSignal | undefined,
): Promise<readonly SignatureRow[]> {
  const from = before === undefined ? {} : { before: before as Signature };
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
): { readonly landed: LandedPayment | null } | undefined {
  const text = memberOf(answer, 'transaction', 0);
  const slot = wholeOf(memberOf(answer, 'slot'));
  const error = memberOf(answer, 'meta', 'err');
  if (typeof text !== 'string' || slot === undefined || error === undefined) return undefined;
  if (!hasMessage(text, sought.message)) return { landed: null };
  const received = receivedOf(answer, sought);
  return { landed: { signature, slot: Number(slot), failed: error !== null, received } };
}

function incomingOf(
  answer: unknown,
  signature: string,
  account: Address,
): IncomingTransfer | undefined {
  const text = memberOf(answer, 'transaction', 0);
  const message = typeof text === 'string' ? messageIn(text) : undefined;
  if (message === undefined) return undefined;
  const received = receivedOf(answer, { message, destination: account }) ?? 0n;
  return { signature, messageHash: formatHex(nobleSha256(message)), received };
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
