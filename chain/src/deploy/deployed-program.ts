import { Fault } from '@assay/core/fault';
import type { Address } from '@solana/kit';
import type { ChainRpc } from '../client/rpc.ts';
import { elfLength } from './elf.ts';
import { fetchAccount, type FetchedAccount } from './fetched-account.ts';
import { parseLoaderAccount } from './loader-account.ts';
import { LOADER, programDataAddress } from './loader-instructions.ts';

/** A program that is deployed on a chain, as an RPC node claims. */
export interface DeployedProgram {
  readonly address: Address;
  readonly loader: Address;
  readonly programData: Address;
  /** Who can replace the program; null if nobody ever can. */
  readonly authority: Address | null;
  /** The slot of the last deployment. */
  readonly deployedAt: bigint;
  /**
   * The bytes from 45 of the program data to its end: the ELF, followed by zeros if there is room for a longer
   * one.
   */
  readonly bytes: Uint8Array;
  /** The slot at which it was read. */
  readonly slot: bigint;
}

/**
 * Reads a program and its data at commitment `finalized`; undefined if no account is there. Throws
 * `unsupported` for a program of another loader, `malformed` for an account that is no program, and what `ask`
 * throws.
 */
export async function readProgram(
  rpc: ChainRpc,
  program: Address,
): Promise<DeployedProgram | undefined> {
  const account = await fetchAccount(rpc, program);
  if (account === undefined || account.data.length === 0) return undefined;
  const state = stateOf(account);
  if (state.kind !== 'program') throw notProgram(program, 'a program', state.kind);
  const { programData } = state;
  if (programData !== (await programDataAddress(program))) {
    throw notProgram(program, 'the program data of its address', programData);
  }
  const held = await fetchAccount(rpc, programData);
  if (held === undefined) throw notProgram(programData, 'program data', 'no account');
  const data = stateOf(held);
  if (data.kind !== 'program data') throw notProgram(programData, 'program data', data.kind);
  const { authority, deployedAt, bytes } = data;
  const { slot } = held;
  return { address: program, loader: LOADER, programData, authority, deployedAt, bytes, slot };
}

function stateOf(account: FetchedAccount): ReturnType<typeof parseLoaderAccount> {
  if (account.owner === LOADER) return parseLoaderAccount(account.data);
  throw new Fault('unsupported', 'program', {
    at: account.address,
    expected: `an account of the upgradeable loader, ${LOADER}`,
    found: `one of ${account.owner}`,
  });
}

function notProgram(at: Address, expected: string, found: string): Fault {
  return new Fault('malformed', 'program', { at, expected, found });
}

/** The result of a comparison. `at` is the first byte that differs, counted from the beginning of the ELF. */
export type ProgramComparison =
  | { readonly same: true }
  | { readonly same: false; readonly at: number };

/** Compares the bytes of a program on chain with an ELF, which only zeros may follow. */
export function compareProgram(bytes: Uint8Array, elf: Uint8Array): ProgramComparison {
  for (let at = 0; at < Math.max(bytes.length, elf.length); at += 1) {
    // Program data that ends before the ELF lacks bytes, even if those are zeros.
    if (at >= bytes.length || bytes[at] !== (elf[at] ?? 0)) return { same: false, at };
  }
  return { same: true };
}

/**
 * Returns the file that was deployed, so that it can be hashed: as long as the headers of the ELF say, and
 * followed only by zeros. Undefined if the length cannot be determined.
 */
export function deployedFile(bytes: Uint8Array): Uint8Array | undefined {
  const length = elfLength(bytes);
  if (length === undefined || bytes.subarray(length).some((each) => each !== 0)) return undefined;
  return bytes.subarray(0, length);
}
