import { parseBase64 } from '@assay/core/bytes/base64';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import { Fault } from '@assay/core/fault';
import { nobleSha256 } from '@assay/core/hash/noble-sha256';
import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import { isMemoProgram } from './memo.ts';

const TOKEN: Address = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const TOKEN_2022: Address = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
/** The programs that hold tokens. */
export const TOKEN_PROGRAMS: readonly Address[] = [TOKEN, TOKEN_2022];
const ASSOCIATED = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address;
/** Assertions that wallets add to what they sign. They move nothing. */
const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95' as Address;

/** The number of TransferChecked among the instructions of the token programs. */
const TRANSFER_CHECKED = 12;
/** The most bytes of a transaction (PACKET_DATA_SIZE of Agave), and of its base64. */
const MAX_BYTES = 1232;
const MAX_TEXT = 1644;

const TITLE = 'signed transfer';

/** One transfer of tokens that its payer has signed. Whoever pays the network's fee may not have signed yet. */
export interface SignedTransfer {
  /** The bytes that are signed. The chain runs a message at most once. */
  readonly message: Uint8Array;
  /** SHA-256 of the message, hex. */
  readonly messageHash: string;
  /** The owner of the tokens, who has signed, with the 32 bytes of its key. */
  readonly payer: Address;
  readonly payerKey: Uint8Array;
  /** Its Ed25519 signature over the message: 64 bytes, which are not checked here. */
  readonly signature: Uint8Array;
  /** Who pays the network's fee. */
  readonly feePayer: Address;
  readonly mint: Address;
  /** The token account that pays, and the one that is paid. */
  readonly source: Address;
  readonly destination: Address;
  readonly tokenProgram: Address;
  /** In the smallest unit of the mint. */
  readonly amount: bigint;
  /** The text of the memo; null if there is none. */
  readonly memo: string | null;
  /** The recent blockhash that the message names, base58. While it lives, the message can run. */
  readonly blockhash: string;
}

/**
 * Reads a transaction of the scheme `exact` on Solana (x402, `scheme_exact_svm`): limits of compute, one
 * TransferChecked of a token program, one memo, and assertions of wallets. Anything else is refused, above all what would let the
 * transaction live longer than its blockhash (a durable nonce needs an instruction of the system program) and accounts that are not
 * written in the message itself (lookup tables). Throws `malformed` or `too_large`.
 */
export function parseSignedTransfer(base64: string): SignedTransfer {
  if (base64.length > MAX_TEXT)
    throw new Fault('too_large', TITLE, { expected: `${MAX_BYTES} bytes` });
  const { message, compiled, signatures } = decoded(base64);
  const accounts = compiled.staticAccounts;
  if ('addressTableLookups' in compiled && (compiled.addressTableLookups ?? []).length > 0) {
    throw refused('accounts in the message itself');
  }
  const { header } = compiled;
  let transfer:
    | Pick<SignedTransfer, 'mint' | 'source' | 'destination' | 'tokenProgram' | 'amount' | 'payer'>
    | undefined;
  let memo: string | null = null;
  for (const {
    programAddressIndex,
    accountIndices = [],
    data = new Uint8Array(),
  } of compiled.instructions) {
    const program = accounts[programAddressIndex];
    if (program === COMPUTE_BUDGET || program === LIGHTHOUSE) continue;
    if (isMemoProgram(program)) {
      if (memo !== null) throw refused('one memo');
      memo = new TextDecoder().decode(data as Uint8Array);
      continue;
    }
    if (program !== TOKEN && program !== TOKEN_2022) throw refused('the programs of the scheme');
    if (transfer !== undefined) throw refused('one transfer');
    const bytes = data as Uint8Array;
    // Instruction, amount (u64), decimals (u8).
    if (bytes[0] !== TRANSFER_CHECKED || bytes.length !== 10) throw refused('a TransferChecked');
    const [source, mint, destination, payer] = accountIndices.map((i) => accounts[i]);
    if (accountIndices.length !== 4 || !source || !mint || !destination || !payer) {
      throw refused('a TransferChecked of one owner');
    }
    // The first accounts of a message are its signers.
    if ((accountIndices[3] as number) >= header.numSignerAccounts)
      throw refused('a payer who signs');
    const amount = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(1, true);
    transfer = { source, mint, destination, payer, amount, tokenProgram: program };
  }
  if (transfer === undefined) throw refused('a transfer');
  const signature = signatures[transfer.payer];
  if (signature === null || signature === undefined) throw refused("the payer's signature");
  return {
    ...transfer,
    message,
    messageHash: formatHex(nobleSha256(message)),
    payerKey: new Uint8Array(getAddressEncoder().encode(transfer.payer)),
    signature: new Uint8Array(signature),
    feePayer: accounts[0] as Address,
    memo,
    blockhash: compiled.lifetimeToken,
  };
}

/** The token account of an owner that its mint and its token program fix (an associated token account). */
export async function tokenAccountOf(
  owner: string,
  mint: string,
  tokenProgram: string,
): Promise<Address> {
  const seeds = [owner, tokenProgram, mint].map((each) =>
    getAddressEncoder().encode(each as Address),
  );
  const [address] = await getProgramDerivedAddress({ programAddress: ASSOCIATED, seeds });
  return address;
}

interface Decoded {
  readonly message: Uint8Array;
  readonly compiled: Exclude<CompiledTransactionMessage, { version: 1 }> &
    CompiledTransactionMessageWithLifetime;
  readonly signatures: Readonly<Record<string, Uint8Array | null>>;
}

function decoded(base64: string): Decoded {
  try {
    const bytes = parseBase64(base64);
    const transaction = getTransactionDecoder().decode(bytes);
    const { messageBytes, signatures } = transaction;
    const message = new Uint8Array(messageBytes);
    const compiled = getCompiledTransactionMessageDecoder().decode(message);
    if (compiled.version === 1) throw new TypeError('version 1');
    // The decoders read over what is missing or too much at the end.
    const again = new Uint8Array(getTransactionEncoder().encode(transaction));
    const messageAgain = new Uint8Array(getCompiledTransactionMessageEncoder().encode(compiled));
    if (!equalBytes(bytes, again) || !equalBytes(message, messageAgain))
      throw new TypeError('bytes');
    return { message, compiled, signatures: signatures as Decoded['signatures'] };
  } catch {
    throw refused('a transaction');
  }
}

function refused(expected: string): Fault {
  return new Fault('malformed', TITLE, { expected });
}

/** The message of a transaction in base64; undefined for what is none. */
export function messageIn(base64: string): Uint8Array | undefined {
  try {
    return new Uint8Array(getTransactionDecoder().decode(parseBase64(base64)).messageBytes);
  } catch {
    return undefined;
  }
}

/** Whether a transaction in base64 has this message, byte for byte. */
export function hasMessage(base64: string, message: Uint8Array): boolean {
  const found = messageIn(base64);
  return found !== undefined && equalBytes(found, message);
}
