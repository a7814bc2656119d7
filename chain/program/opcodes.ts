import { viewOf } from './object-file.ts';

/**
 * The instructions that mean the same in eBPF v2, which the compiler writes, and in sBPF v3 (SIMD-0178,
 * SIMD-0189). Left out: 32-bit arithmetic and jumps (sBPF extends signs where LLVM expects zeros),
 * atomics, and calls by register.
 */
const KNOWN: ReadonlySet<number> = new Set([
  // lddw; loads; stores of constants and registers
  0x18,
  0x61,
  0x69,
  0x71,
  0x79,
  0x62,
  0x6a,
  0x72,
  0x7a,
  0x63,
  0x6b,
  0x73,
  0x7b,
  // add, sub, mul, div, or, and, lsh, rsh, mod, xor, mov, arsh with a constant and a register; neg
  ...[0x07, 0x17, 0x27, 0x37, 0x47, 0x57, 0x67, 0x77, 0x97, 0xa7, 0xb7, 0xc7].flatMap((each) => [
    each,
    each + 8,
  ]),
  0x87,
  // byte swap
  0xdc,
  // jumps, always, and by eq, gt, ge, set, ne, sgt, sge, lt, le, slt, sle
  0x05,
  ...[0x15, 0x25, 0x35, 0x45, 0x55, 0x65, 0x75, 0xa5, 0xb5, 0xc5, 0xd5].flatMap((each) => [
    each,
    each + 8,
  ]),
  // call, exit
  0x85,
  0x95,
]);

const LDDW = 0x18;
const ARITHMETIC = 7;

/** Throws at the first instruction that is not known, with its place. */
export function requireKnownOpcodes(text: Uint8Array): void {
  const view = viewOf(text);
  for (let at = 0; at < text.length; at += 8) {
    const opcode = view.getUint8(at);
    const place = `instruction 0x${opcode.toString(16)} at ${at}`;
    if (!KNOWN.has(opcode)) throw new Error(`${place} is not known`);
    // Later eBPF gives arithmetic with an offset another meaning: signed division, sign extension.
    if ((opcode & 7) === ARITHMETIC && view.getInt16(at + 2, true) !== 0) {
      throw new Error(`${place} has an offset`);
    }
    if (opcode === LDDW) {
      at += 8;
      if (at >= text.length || view.getUint8(at) !== 0)
        throw new Error(`${place} has no second half`);
    }
  }
}
