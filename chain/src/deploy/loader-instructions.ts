import { concatBytes } from '@assay/core/bytes/bytes';
import {
  type AccountMeta,
  AccountRole,
  type AccountSignerMeta,
  type Address,
  getProgramDerivedAddress,
  type TransactionSigner,
} from '@solana/kit';
import { type ProgramInstruction, SYSTEM_PROGRAM } from '../instructions.ts';
import { addressBytes } from './address-text.ts';
import { u32, u64 } from './system-instructions.ts';

/**
 * The upgradeable loader of Solana ("loader v3"), which holds programs. The data of an instruction is its
 * number as u32 and then its fields, little endian (bincode of `UpgradeableLoaderInstruction`).
 */
export const LOADER: Address = 'BPFLoaderUpgradeab1e11111111111111111111111' as Address;

const RENT_SYSVAR = 'SysvarRent111111111111111111111111111111111' as Address;
const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111' as Address;

/** Derives the address of the program data. */
export async function programDataAddress(program: Address): Promise<Address> {
  const [at] = await getProgramDerivedAddress({
    programAddress: LOADER,
    seeds: [addressBytes(program)],
  });
  return at;
}

/** Instruction 0: makes an allocated account a buffer. */
export function initializeBuffer(buffer: Address, authority: Address): ProgramInstruction {
  return loaderInstruction([writing(buffer), reading(authority)], u32(0));
}

/** Instruction 1: offset u32, length u64, bytes. The offset counts from the end of the buffer's header. */
export function writeBuffer(
  buffer: Address,
  authority: TransactionSigner,
  offset: number,
  bytes: Uint8Array,
): ProgramInstruction {
  return loaderInstruction(
    [writing(buffer), signing(authority)],
    u32(1),
    u32(offset),
    u64(BigInt(bytes.length)),
    bytes,
  );
}

/**
 * Instruction 2: the greatest length (u64) of the program. The program's account must be allocated and owned by
 * the loader. The buffer is closed, and its lamports go to `payer`. `authority` is that of the buffer and
 * becomes that of the program.
 */
export function deployBuffer(
  payer: TransactionSigner,
  programData: Address,
  program: Address,
  buffer: Address,
  authority: TransactionSigner,
  maxLength: number,
): ProgramInstruction {
  return loaderInstruction(
    [
      { ...signing(payer), role: AccountRole.WRITABLE_SIGNER },
      writing(programData),
      writing(program),
      writing(buffer),
      reading(RENT_SYSVAR),
      reading(CLOCK_SYSVAR),
      reading(SYSTEM_PROGRAM),
      signing(authority),
    ],
    u32(2),
    u64(BigInt(maxLength)),
  );
}

/**
 * Instruction 4: hands a program's data or a buffer to another authority. With `null` nobody has authority ever
 * again.
 */
export function setAuthority(
  account: Address,
  authority: TransactionSigner,
  next: Address | null,
): ProgramInstruction {
  return loaderInstruction(
    [writing(account), signing(authority), ...(next === null ? [] : [reading(next)])],
    u32(4),
  );
}

/** Instruction 5: closes a buffer. Its lamports go to `recipient`. */
export function closeBuffer(
  buffer: Address,
  authority: TransactionSigner,
  recipient: Address,
): ProgramInstruction {
  return loaderInstruction([writing(buffer), writing(recipient), signing(authority)], u32(5));
}

function loaderInstruction(
  accounts: readonly (AccountMeta | AccountSignerMeta)[],
  ...data: readonly Uint8Array[]
): ProgramInstruction {
  return { programAddress: LOADER, accounts, data: concatBytes(...data) };
}

function reading(address: Address): AccountMeta {
  return { address, role: AccountRole.READONLY };
}

function writing(address: Address): AccountMeta {
  return { address, role: AccountRole.WRITABLE };
}

function signing(signer: TransactionSigner): AccountSignerMeta {
  return { address: signer.address, role: AccountRole.READONLY_SIGNER, signer };
}
