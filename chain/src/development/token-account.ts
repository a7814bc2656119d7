import { type Address, getAddressDecoder } from '@solana/kit';
import type { JsonObject } from './json.ts';
import type { SvmAccount } from './litesvm.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';

/** The programs whose accounts hold tokens. */
export const TOKEN_PROGRAMS: readonly Address[] = [TOKEN as Address, TOKEN_2022 as Address];

/** The name of the program in a parsed account; undefined if it is no token program. */
export function tokenProgramName(owner: Address): 'spl-token' | 'spl-token-2022' | undefined {
  if (owner === TOKEN) return 'spl-token';
  return owner === TOKEN_2022 ? 'spl-token-2022' : undefined;
}

/** The fields of a mint that amounts depend on. */
export interface Mint {
  readonly mintAuthority: Address | undefined;
  readonly supply: bigint;
  readonly decimals: number;
  readonly isInitialized: boolean;
  readonly freezeAuthority: Address | undefined;
}

export interface TokenAccount {
  readonly mint: Address;
  readonly owner: Address;
  readonly amount: bigint;
  readonly delegate: Address | undefined;
  readonly state: 'uninitialized' | 'initialized' | 'frozen';
  /** The lamports that a wrapped account needs for its rent; undefined if it wraps none. */
  readonly rentExemptReserve: bigint | undefined;
  readonly delegatedAmount: bigint;
  readonly closeAuthority: Address | undefined;
}

const MINT_LENGTH = 82;
const ACCOUNT_LENGTH = 165;
const STATES = ['uninitialized', 'initialized', 'frozen'] as const;

/**
 * A mint of either token program; undefined where the account is none.
 *
 *     0 4 option, 4 32 mint authority, 36 8 supply, 44 1 decimals, 45 1 initialized, 46 4 option,
 *     50 32 freeze authority, 82; with extensions zero to 165, then 1 for a mint
 */
export function parseMint({ programAddress, data }: SvmAccount): Mint | undefined {
  const extended = data.length > ACCOUNT_LENGTH && data[ACCOUNT_LENGTH] === 1;
  const fits = data.length === MINT_LENGTH || (programAddress === TOKEN_2022 && extended);
  if (tokenProgramName(programAddress) === undefined || !fits) return undefined;
  const view = viewOf(data);
  return {
    mintAuthority: optionalAddress(data, 0),
    supply: view.getBigUint64(36, true),
    decimals: data[44] as number,
    isInitialized: data[45] === 1,
    freezeAuthority: optionalAddress(data, 46),
  };
}

/**
 * An account of either token program; undefined where the account is none.
 *
 *     0 32 mint, 32 32 owner, 64 8 amount, 72 4 option, 76 32 delegate, 108 1 state, 109 4 option,
 *     113 8 rent-exempt reserve, 121 8 delegated amount, 129 4 option, 133 32 close authority, 165; with
 *     extensions then 2 for an account
 */
export function parseTokenAccount({ programAddress, data }: SvmAccount): TokenAccount | undefined {
  const extended = data.length > ACCOUNT_LENGTH && data[ACCOUNT_LENGTH] === 2;
  const fits = data.length === ACCOUNT_LENGTH || (programAddress === TOKEN_2022 && extended);
  if (tokenProgramName(programAddress) === undefined || !fits) return undefined;
  const view = viewOf(data);
  const state = STATES[data[108] as number];
  if (state === undefined) return undefined;
  return {
    mint: addressAt(data, 0),
    owner: addressAt(data, 32),
    amount: view.getBigUint64(64, true),
    delegate: optionalAddress(data, 72),
    state,
    rentExemptReserve: view.getUint32(109, true) === 1 ? view.getBigUint64(113, true) : undefined,
    delegatedAmount: view.getBigUint64(121, true),
    closeAuthority: optionalAddress(data, 129),
  };
}

/** An amount of tokens as Solana's JSON-RPC writes it. */
export function tokenAmount(amount: bigint, decimals: number): JsonObject {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const text = part === '' ? whole : `${whole}.${part}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

function addressAt(data: Uint8Array, at: number): Address {
  return getAddressDecoder().decode(data.subarray(at, at + 32));
}

/** COption<Pubkey>: four bytes that say whether there is a key, and then its 32 bytes. */
function optionalAddress(data: Uint8Array, at: number): Address | undefined {
  return viewOf(data).getUint32(at, true) === 1 ? addressAt(data, at + 4) : undefined;
}
