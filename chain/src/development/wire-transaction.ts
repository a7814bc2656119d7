import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase58Decoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
  type Signature,
  type Transaction,
} from '@solana/kit';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { equalBytes } from '@assay/core/bytes/bytes';
import { invalidParams } from './rpc-error.ts';

/** Bytes of a transaction at most (PACKET_DATA_SIZE of Agave). */
export const MAX_TRANSACTION = 1232;

/** The message of a transaction, of a version that is taken here. */
export type WireMessage = Exclude<CompiledTransactionMessage, { version: 1 }> &
  CompiledTransactionMessageWithLifetime;

/** A transaction as it came. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly transaction: Transaction;
  readonly message: WireMessage;
  /** The fee payer's, base58: the transaction's name. 64 zero bytes where it has not signed. */
  readonly signature: Signature;
  /** In the order of the message; 64 zero bytes where one has not signed. */
  readonly signatures: readonly Signature[];
  readonly payer: Address;
}

/**
 * The transaction of wire bytes, legacy or version 0. Signatures may be blank, and are not checked. Accepts
 * only what an encoder writes. Throws `invalid_params`.
 */
export function parseWireTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION) {
    throw invalidParams(
      `transaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION} bytes)`,
    );
  }
  let transaction: Transaction;
  let message: CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;
  let same: boolean;
  try {
    transaction = getTransactionDecoder().decode(bytes);
    message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    same =
      equalBytes(bytes, new Uint8Array(getTransactionEncoder().encode(transaction))) &&
      equalBytes(
        new Uint8Array(transaction.messageBytes),
        new Uint8Array(getCompiledTransactionMessageEncoder().encode(message)),
      );
  } catch {
    throw invalidParams('not a transaction');
  }
  if (message.version === 1) throw invalidParams('transaction version 1 is not supported');
  const [payer] = message.staticAccounts;
  if (!same || payer === undefined) throw invalidParams('not a transaction');
  const blank = new Uint8Array(64);
  const signatures = Object.values(transaction.signatures).map(
    (each) => getBase58Decoder().decode(each ?? blank) as Signature,
  );
  const signature = signatures[0] as Signature;
  return { bytes, transaction, message, signature, signatures, payer };
}

/** `parseWireTransaction` of a text in `encoding`, base58 where that is not said. */
export function parseTransactionText(text: string, encoding: unknown): WireTransaction {
  // The longest base64 and base58 of a transaction of 1,232 bytes (Agave).
  const longest = encoding === 'base64' ? 1644 : 1683;
  if (text.length > longest)
    throw invalidParams(`transaction too large: ${text.length} characters`);
  if (encoding === 'base64') return parseWireTransaction(bytesOf(() => parseBase64(text)));
  if (encoding !== undefined && encoding !== null && encoding !== 'base58') {
    throw invalidParams('unsupported encoding: use base58 or base64');
  }
  return parseWireTransaction(bytesOf(() => new Uint8Array(getBase58Encoder().encode(text))));
}

/** Whether every signature is there; not whether it is good. */
export function isFullySigned({ transaction }: WireTransaction): boolean {
  return Object.values(transaction.signatures).every((each) => each !== null);
}

/** A transaction's bytes as an answer writes them. */
export function formatTransactionText(
  { bytes }: WireTransaction,
  encoding: 'base58' | 'base64',
): string {
  return encoding === 'base64' ? formatBase64(bytes) : getBase58Decoder().decode(bytes);
}

function bytesOf(decode: () => Uint8Array): Uint8Array {
  try {
    return decode();
  } catch {
    throw invalidParams('transaction in another encoding than was said');
  }
}
