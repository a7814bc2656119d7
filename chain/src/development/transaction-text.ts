import { type Address, getBase58Decoder } from '@solana/kit';
import { formatBase64 } from '@assay/core/bytes/base64';
import type {
  ExecutedTransaction,
  Execution,
  InnerInstruction,
  TokenBalance,
} from './execution.ts';
import type { Json, JsonObject } from './json.ts';
import { statusOf } from './transaction-error.ts';
import { tokenAmount, tokenProgramName } from './token-account.ts';
import { formatTransactionText, type WireMessage } from './wire-transaction.ts';

/** The encoding of a transaction. */
export type TransactionEncoding = 'json' | 'jsonParsed' | 'base58' | 'base64';

/** The index of transferChecked in both token programs. */
const TRANSFER_CHECKED = 12;

/** Returns a transaction that ran as getTransaction writes it. */
export function formatExecuted(
  executed: ExecutedTransaction,
  encoding: TransactionEncoding,
): JsonObject {
  const { wire } = executed;
  const transaction: Json =
    encoding === 'base58' || encoding === 'base64'
      ? [formatTransactionText(wire, encoding), encoding]
      : { signatures: wire.signatures, message: formatMessage(executed, encoding) };
  return {
    slot: executed.slot,
    blockTime: executed.blockTime,
    version: wire.message.version,
    transaction,
    meta: formatMeta(executed, encoding),
  };
}

function formatMeta(executed: ExecutedTransaction, encoding: TransactionEncoding): JsonObject {
  const { error, before, after, addresses } = executed;
  return {
    err: error,
    status: statusOf(error),
    fee: executed.fee,
    preBalances: before,
    postBalances: after,
    preTokenBalances: formatTokens(executed.tokensBefore),
    postTokenBalances: formatTokens(executed.tokensAfter),
    innerInstructions: formatInner(executed, addresses, encoding === 'jsonParsed'),
    logMessages: executed.logs,
    computeUnitsConsumed: executed.units,
    rewards: [],
    loadedAddresses: executed.loaded,
    returnData: formatReturned(executed),
  };
}

/** Returns what an execution returned; undefined if it returned nothing. */
export function formatReturned({ returned }: Execution): JsonObject | undefined {
  if (returned === undefined) return undefined;
  return { programId: returned.program, data: [formatBase64(returned.data), 'base64'] };
}

/** The instructions that others called, grouped by the outer instruction. */
export function formatInner(
  { inner }: Execution,
  addresses: readonly Address[],
  inWords: boolean,
): Json {
  return inner.flatMap((list, index) => {
    if (list.length === 0) return [];
    const instructions = list.map((each) =>
      inWords
        ? textOf(each, addresses)
        : {
            programIdIndex: each.program,
            accounts: each.accounts,
            data: getBase58Decoder().decode(each.data),
            stackHeight: each.stackHeight,
          },
    );
    return [{ index, instructions }];
  });
}

function formatMessage(executed: ExecutedTransaction, encoding: TransactionEncoding): JsonObject {
  const { message } = executed.wire;
  const { header } = message;
  const inWords = encoding === 'jsonParsed';
  const lookups = message.version === 0 ? { addressTableLookups: lookupsOf(message) } : {};
  const instructions = message.instructions.map(
    ({ programAddressIndex: program, accountIndices: accounts = [], data = new Uint8Array() }) =>
      inWords
        ? textOf(
            { program, accounts, data: new Uint8Array(data), stackHeight: 1 },
            executed.addresses,
          )
        : {
            programIdIndex: program,
            accounts,
            data: getBase58Decoder().decode(data),
            stackHeight: 1,
          },
  );
  if (inWords) {
    return {
      accountKeys: executed.addresses.map((pubkey, i) => ({ pubkey, ...roleOf(executed, i) })),
      instructions,
      recentBlockhash: message.lifetimeToken,
      ...lookups,
    };
  }
  return {
    accountKeys: message.staticAccounts,
    header: {
      numRequiredSignatures: header.numSignerAccounts,
      numReadonlySignedAccounts: header.numReadonlySignerAccounts,
      numReadonlyUnsignedAccounts: header.numReadonlyNonSignerAccounts,
    },
    instructions,
    recentBlockhash: message.lifetimeToken,
    ...lookups,
  };
}

function lookupsOf(message: WireMessage): Json {
  if (message.version === 'legacy') return [];
  return (message.addressTableLookups ?? []).map((lookup) => ({
    accountKey: lookup.lookupTableAddress,
    writableIndexes: lookup.writableIndexes,
    readonlyIndexes: lookup.readonlyIndexes,
  }));
}

function roleOf({ wire, loaded }: ExecutedTransaction, index: number): JsonObject {
  const { header, staticAccounts } = wire.message;
  const fixed = staticAccounts.length;
  if (index >= fixed) {
    return {
      signer: false,
      writable: index < fixed + loaded.writable.length,
      source: 'lookupTable',
    };
  }
  const signer = index < header.numSignerAccounts;
  const writable = signer
    ? index < header.numSignerAccounts - header.numReadonlySignerAccounts
    : index < fixed - header.numReadonlyNonSignerAccounts;
  return { signer, writable, source: 'transaction' };
}

/**
 * An instruction with named parts: a checked transfer of tokens by its fields, any other by its accounts and
 * data.
 */
function textOf(instruction: InnerInstruction, addresses: readonly Address[]): JsonObject {
  const { data, stackHeight } = instruction;
  const programId = addresses[instruction.program] ?? '';
  const accounts = instruction.accounts.map((index) => addresses[index] ?? '');
  const program = tokenProgramName(programId as Address);
  const [source, mint, destination, authority, ...more] = accounts;
  if (
    program === undefined ||
    data[0] !== TRANSFER_CHECKED ||
    data.length < 10 ||
    more.length > 0
  ) {
    return { programId, accounts, data: getBase58Decoder().decode(data), stackHeight };
  }
  const amount = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
  const info = {
    source,
    mint,
    destination,
    authority,
    tokenAmount: tokenAmount(amount, data[9] ?? 0),
  };
  return { programId, program, parsed: { type: 'transferChecked', info }, stackHeight };
}

function formatTokens(balances: readonly TokenBalance[]): Json {
  return balances.map(({ index, program, mint, owner, amount, decimals }) => ({
    accountIndex: index,
    mint,
    owner,
    programId: program,
    uiTokenAmount: tokenAmount(amount, decimals),
  }));
}

const MEMO_PROGRAMS: ReadonlySet<string> = new Set([
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
]);

/**
 * The memos of a message as a node lists them beside the signature of its transaction (`extract_and_fmt_memos` of Agave): `[bytes] text`, joined by
 * `; `; null where there is none.
 */
export function formatMemos({
  staticAccounts,
  instructions,
}: Pick<WireMessage, 'staticAccounts' | 'instructions'>): string | null {
  const memos = instructions.filter(({ programAddressIndex }) =>
    MEMO_PROGRAMS.has(staticAccounts[programAddressIndex] ?? ''),
  );
  if (memos.length === 0) return null;
  return memos.map(({ data }) => memoText(new Uint8Array(data ?? []))).join('; ');
}

function memoText(data: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
    return `[${data.length}] ${text}`;
  } catch {
    return `[${data.length}] (unparseable)`;
  }
}
