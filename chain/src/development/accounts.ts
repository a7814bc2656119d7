import { type Address, getAddressDecoder, getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { equalBytes } from '@assay/core/bytes/bytes';
import type { Json, JsonObject } from './json.ts';
import type { SvmAccount } from './litesvm.ts';
import { integerParam, listParam, type RpcConfig, textParam } from './params.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { parseMint, parseTokenAccount, tokenAmount, tokenProgramName } from './token-account.ts';

/** How an account is to be encoded. */
export interface AccountView {
  /** `binary` is base58 as a bare text, which is the default of Solana's nodes. */
  readonly encoding: 'binary' | 'base58' | 'base64' | 'jsonParsed';
  readonly slice: { readonly offset: number; readonly length: number } | undefined;
}

/** Returns the account at an address. */
export type AccountLookup = (address: Address) => SvmAccount | undefined;

const MAX_BASE58 = 128;
const MAX_FILTERS = 4;
const MAX_COMPARED = 128;
/** The epoch in which an account pays rent, which no account does. */
const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n;
const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
const LOOKUP_TABLE_HEAD = 56;

/** Reads the view from the options of a call. Throws `invalid_params`. */
export function accountViewOf({ encoding, dataSlice }: RpcConfig): AccountView {
  const slice = dataSlice === undefined || dataSlice === null ? undefined : sliceOf(dataSlice);
  switch (encoding ?? 'binary') {
    case 'binary':
      return { encoding: 'binary', slice };
    case 'base58':
      return { encoding: 'base58', slice };
    case 'base64':
      return { encoding: 'base64', slice };
    case 'jsonParsed':
      return { encoding: 'jsonParsed', slice };
    default:
      throw invalidParams('unsupported encoding: use base58, base64 or jsonParsed');
  }
}

/** Returns an account as Solana's JSON-RPC writes it; null if there is none. */
export function formatAccount(
  account: SvmAccount | undefined,
  view: AccountView,
  lookup: AccountLookup,
): JsonObject | null {
  if (account === undefined) return null;
  return {
    lamports: account.lamports,
    owner: account.programAddress,
    executable: account.executable,
    rentEpoch: RENT_EXEMPT_EPOCH,
    space: account.data.length,
    data: formatData(account, view, lookup),
  };
}

/** The most bytes of account data in one answer, before they are encoded. */
export const MAX_ANSWER_DATA = 16_777_216;

/** Throws `invalid_params` if the data of several accounts are too much for one answer. */
export function requireAnswerable(
  accounts: readonly (SvmAccount | undefined)[],
  { slice }: AccountView,
): void {
  const most = slice?.length ?? Number.POSITIVE_INFINITY;
  const total = accounts.reduce((sum, each) => sum + Math.min(each?.data.length ?? 0, most), 0);
  if (total > MAX_ANSWER_DATA) {
    throw invalidParams(`${total} bytes of data are too many: ask for fewer, or for slices`);
  }
}

/** Whether an account passes `filters` of getProgramAccounts. */
export type AccountFilter = (account: SvmAccount) => boolean;

/**
 * Reads the filters from the options of a call: `dataSize` and `memcmp`, all of which must match. Throws
 * `invalid_params`.
 */
export function accountFilterOf({ filters }: RpcConfig): AccountFilter {
  if (filters === undefined || filters === null) return () => true;
  const all = listParam(filters, 'filters', MAX_FILTERS, filterOf);
  return (account) => all.every((each) => each(account));
}

function filterOf(value: unknown): AccountFilter {
  const { dataSize, memcmp } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (dataSize !== undefined) {
    const size = integerParam(dataSize, 'dataSize', 0, Number.MAX_SAFE_INTEGER);
    return ({ data }) => data.length === size;
  }
  if (typeof memcmp !== 'object' || memcmp === null) throw invalidParams('unknown filter');
  const { offset, bytes, encoding } = memcmp as Readonly<Record<string, unknown>>;
  const at = integerParam(offset, 'memcmp.offset', 0, Number.MAX_SAFE_INTEGER);
  const wanted = comparedBytes(textParam(bytes, 'memcmp.bytes'), encoding ?? 'base58');
  return ({ data }) => equalBytes(data.subarray(at, at + wanted.length), wanted);
}

function comparedBytes(text: string, encoding: unknown): Uint8Array {
  if (text.length > MAX_COMPARED * 2) throw invalidParams('memcmp.bytes is too long');
  let bytes: Uint8Array;
  try {
    if (encoding === 'base64') bytes = parseBase64(text);
    else bytes = new Uint8Array(getBase58Encoder().encode(text));
  } catch {
    throw invalidParams('memcmp.bytes is not in the stated encoding');
  }
  if (bytes.length > MAX_COMPARED) throw invalidParams('memcmp.bytes is too long');
  return bytes;
}

function sliceOf(value: unknown): { offset: number; length: number } {
  const { offset, length } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    offset: integerParam(offset, 'dataSlice.offset', 0, Number.MAX_SAFE_INTEGER),
    length: integerParam(length, 'dataSlice.length', 0, Number.MAX_SAFE_INTEGER),
  };
}

function formatData(
  account: SvmAccount,
  { encoding, slice }: AccountView,
  lookup: AccountLookup,
): Json {
  if (encoding === 'jsonParsed') {
    const parsed = parsedData(account, lookup);
    if (parsed !== undefined) return parsed;
  }
  const { data: whole } = account;
  const data =
    slice === undefined ? whole : whole.subarray(slice.offset, slice.offset + slice.length);
  if (encoding === 'base64' || encoding === 'jsonParsed') return [formatBase64(data), 'base64'];
  if (data.length > MAX_BASE58) {
    throw new RpcError(
      'invalid_request',
      `Encoded binary (base 58) data should be less than ${MAX_BASE58} bytes, please use Base64 encoding.`,
    );
  }
  const text = getBase58Decoder().decode(data);
  return encoding === 'binary' ? text : [text, 'base58'];
}

/** Returns an account with named fields if its program is known. Extensions of Token-2022 are left out. */
function parsedData(account: SvmAccount, lookup: AccountLookup): JsonObject | undefined {
  const { programAddress, data } = account;
  if (programAddress === LOOKUP_TABLE_PROGRAM) return parsedTable(data);
  const program = tokenProgramName(programAddress);
  if (program === undefined) return undefined;
  const parsed = parsedMint(account) ?? parsedTokenAccount(account, lookup);
  return parsed === undefined ? undefined : { program, space: data.length, parsed };
}

function parsedMint(account: SvmAccount): JsonObject | undefined {
  const mint = parseMint(account);
  if (mint === undefined) return undefined;
  return {
    type: 'mint',
    info: {
      mintAuthority: mint.mintAuthority ?? null,
      supply: mint.supply.toString(),
      decimals: mint.decimals,
      isInitialized: mint.isInitialized,
      freezeAuthority: mint.freezeAuthority ?? null,
    },
  };
}

function parsedTokenAccount(account: SvmAccount, lookup: AccountLookup): JsonObject | undefined {
  const token = parseTokenAccount(account);
  const mint = token === undefined ? undefined : lookup(token.mint);
  const decimals = mint === undefined ? undefined : parseMint(mint)?.decimals;
  if (token === undefined || decimals === undefined) return undefined;
  const { delegate, closeAuthority, rentExemptReserve: reserve } = token;
  return {
    type: 'account',
    info: {
      isNative: reserve !== undefined,
      mint: token.mint,
      owner: token.owner,
      state: token.state,
      tokenAmount: tokenAmount(token.amount, decimals),
      ...(delegate === undefined
        ? {}
        : { delegate, delegatedAmount: tokenAmount(token.delegatedAmount, decimals) }),
      ...(reserve === undefined ? {} : { rentExemptReserve: tokenAmount(reserve, 9) }),
      ...(closeAuthority === undefined ? {} : { closeAuthority }),
    },
  };
}

/** The addresses of a lookup table, which begin at byte 56. */
export function lookupTableAddresses(data: Uint8Array): readonly Address[] {
  const count = Math.max(0, Math.floor((data.length - LOOKUP_TABLE_HEAD) / 32));
  return Array.from({ length: count }, (_, i) =>
    getAddressDecoder().decode(data.subarray(LOOKUP_TABLE_HEAD + i * 32)),
  );
}

/** 0 4 kind, 4 8 slot of its end, 12 8 slot of its last addition, 20 1 first index of that, 21 1 option, 22 32 authority */
function parsedTable(data: Uint8Array): JsonObject | undefined {
  if (data.length < LOOKUP_TABLE_HEAD) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (view.getUint32(0, true) !== 1) return undefined;
  return {
    program: 'address-lookup-table',
    space: data.length,
    parsed: {
      type: 'lookupTable',
      info: {
        deactivationSlot: view.getBigUint64(4, true).toString(),
        lastExtendedSlot: view.getBigUint64(12, true).toString(),
        lastExtendedSlotStartIndex: data[20] ?? 0,
        ...(data[21] === 1 ? { authority: getAddressDecoder().decode(data.subarray(22)) } : {}),
        addresses: lookupTableAddresses(data),
      },
    },
  };
}
