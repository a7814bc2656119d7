import { concatBytes } from '@assay/core/bytes/bytes';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import {
  AccountRole,
  type AccountSignerMeta,
  type Address,
  type TransactionSigner,
} from '@solana/kit';
import { addressBytes } from './address-text.ts';
import { type ProgramInstruction, SYSTEM_PROGRAM } from '../instructions.ts';

/**
 * The few instructions of Solana's system program that a deployment needs. The data of each is its number as
 * u32 and then its fields, little endian.
 */

/** Instruction 2: lamports u64. */
export function transfer(
  from: TransactionSigner,
  to: Address,
  lamports: bigint,
): ProgramInstruction {
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [writingSigner(from), { address: to, role: AccountRole.WRITABLE }],
    data: concatBytes(u32(2), u64(lamports)),
  };
}

/** Instruction 1: owner. */
export function assign(account: TransactionSigner, owner: Address): ProgramInstruction {
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [writingSigner(account)],
    data: concatBytes(u32(1), addressBytes(owner)),
  };
}

/** Instruction 8: length u64. */
export function allocate(account: TransactionSigner, length: number): ProgramInstruction {
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [writingSigner(account)],
    data: concatBytes(u32(8), u64(BigInt(length))),
  };
}

/**
 * Instruction 9: base, seed (u64 length, UTF-8), length u64, owner. The address of the account is derived from
 * base, seed and owner.
 */
export function allocateWithSeed(
  account: Address,
  base: TransactionSigner,
  seed: string,
  length: number,
  owner: Address,
): ProgramInstruction {
  const text = formatUtf8(seed);
  return {
    programAddress: SYSTEM_PROGRAM,
    accounts: [
      { address: account, role: AccountRole.WRITABLE },
      {
        address: base.address,
        role: AccountRole.READONLY_SIGNER,
        signer: base,
      } as AccountSignerMeta,
    ],
    data: concatBytes(
      u32(9),
      addressBytes(base.address),
      u64(BigInt(text.length)),
      text,
      u64(BigInt(length)),
      addressBytes(owner),
    ),
  };
}

function writingSigner(signer: TransactionSigner): AccountSignerMeta {
  return { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer };
}

export function u32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value, true);
  return out;
}

export function u64(value: bigint): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, value, true);
  return out;
}
