import { Fault } from '@assay/core/fault';
import type { Address } from '@solana/kit';
import type { ChainRpc } from '../client/rpc.ts';
import { elfLength } from './elf.ts';
import { fetchAccount, type FetchedAccount } from './fetched-account.ts';
import { parseLoaderAccount } from './loader-account.ts';
import { LOADER, programDataAddress } from './loader-instructions.ts';

/** A program that stands on a chain, by the word of an RPC node. */
export interface DeployedProgram {
  readonly address: Address;
  readonly loader: Address;
  readonly programData: Address;
  /** Who can replace the program; null where nobody can, for good. */
  readonly authority: Address | null;
  /** Slot of the last deployment. */
  readonly deployedAt: bigint;
  /** From byte 45 of the program data to its end: the ELF, and zeros where there is room for a longer one. */
  readonly bytes: Uint8Array;
  /** Slot of the reading. */
  readonly slot: bigint;
}

/**
 * Reads a program and its data at commitment `finalized`; undefined where no account is there. Throws
 * `unsupported` for a program of another loader, `malformed` for an account that is no program, and
 * what `ask` does.
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

/** What a comparison came to; `at` is the first byte that differs, counted from the ELF's first. */
export type ProgramComparison =
  | { readonly same: true }
  | { readonly same: false; readonly at: number };

/** Compares the bytes of a program on chain with an ELF, behind which there may be nothing but zeros. */
export function compareProgram(bytes: Uint8Array, elf: Uint8Array): ProgramComparison {
  for (let at = 0; at < Math.max(bytes.length, elf.length); at += 1) {
    // A program data account that ends before the ELF lacks bytes, zeros too.
    if (at >= bytes.length || bytes[at] !== (elf[at] ?? 0)) return { same: false, at };
  }
  return { same: true };
}

/**
 * The file that was deployed, of which a hash can be taken: as long as its ELF says, with nothing but zeros behind
 * it; undefined where that cannot be told.
 */
export function deployedFile(bytes: Uint8Array): Uint8Array | undefined {
  const length = elfLength(bytes);
  if (length === undefined || bytes.subarray(length).some((each) => each !== 0)) return undefined;
  return bytes.subarray(0, length);
}
