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

/** The most bytes of a transaction (PACKET_DATA_SIZE of Agave). */
export const MAX_TRANSACTION = 1232;

/** The message of a transaction in a version that is accepted here. */
export type WireMessage = Exclude<CompiledTransactionMessage, { version: 1 }> &
  CompiledTransactionMessageWithLifetime;

/** A transaction as it was received. */
export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly transaction: Transaction;
  readonly message: WireMessage;
  /**
   * The fee payer's signature in base58, which identifies the transaction. 64 zero bytes if the payer has not
   * signed.
   */
  readonly signature: Signature;
  /** In the order of the message; 64 zero bytes for a missing signature. */
  readonly signatures: readonly Signature[];
  readonly payer: Address;
}

/**
 * Parses the wire bytes of a transaction, legacy or version 0. Signatures may be blank and are not checked.
 * Accepts only what an encoder writes. Throws `invalid_params`.
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

/** As `parseWireTransaction`, for a text in `encoding`, which is base58 by default. */
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

/** Whether every signature is present. It may still be invalid. */
export function isFullySigned({ transaction }: WireTransaction): boolean {
  return Object.values(transaction.signatures).every((each) => each !== null);
}

/** Encodes the bytes of a transaction for an answer. */
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
    throw invalidParams('transaction is not in the stated encoding');
  }
}
