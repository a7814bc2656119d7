import { concatBytes, requireLength } from '@assay/core/bytes/bytes';
import type { Address, Instruction, InstructionWithData } from '@solana/kit';

/** The precompile that checks Ed25519 signatures before a transaction runs. */
export const ED25519_PROGRAM: Address = 'Ed25519SigVerify111111111111111111111111111' as Address;

/** A key of 32 bytes and its signature of 64 bytes. */
export interface KeySignature {
  readonly key: Uint8Array;
  readonly signature: Uint8Array;
}

/** The instruction index that refers to the data of the same instruction. */
const SELF = 0xffff;

/**
 * The precompile's data for signatures over one message, little endian:
 *
 *        0    1  number of signatures n
 *        1    1  zero
 *        2  14n  signature's place u16, 0xffff; key's place u16, 0xffff; message's place u16, its length
 *                u16, 0xffff
 *           96n  keys and signatures, by turns
 *                message
 */
export function formatEd25519(
  message: Uint8Array,
  signatures: readonly KeySignature[],
): Uint8Array {
  const count = signatures.length;
  const begin = 2 + 14 * count;
  const head = new Uint8Array(begin);
  const view = new DataView(head.buffer);
  head[0] = count;
  for (let i = 0; i < count; i += 1) {
    const at = begin + 96 * i;
    const end = begin + 96 * count;
    const words = [at + 32, SELF, at, SELF, end, message.length, SELF];
    for (const [j, word] of words.entries()) view.setUint16(2 + 14 * i + 2 * j, word, true);
  }
  const pairs = signatures.flatMap(({ key, signature }) => [
    requireLength(key, 32, 'key'),
    requireLength(signature, 64, 'signature'),
  ]);
  return concatBytes(head, ...pairs, message);
}

/** Makes the instruction that proves the signatures to the program. */
export function ed25519Instruction(
  message: Uint8Array,
  signatures: readonly KeySignature[],
): Instruction & InstructionWithData<Uint8Array> {
  return { programAddress: ED25519_PROGRAM, data: formatEd25519(message, signatures) };
}
