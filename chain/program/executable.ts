import { viewOf } from './object-file.ts';

/** Where the loader of sBPF v3 puts what is read only (SIMD-0189). */
export const RODATA_ADDRESS = 0n;

/** Where it puts the program. */
export const TEXT_ADDRESS = 0x1_0000_0000n;

const HEADER_BYTES = 64;
const SEGMENT_BYTES = 56;

/**
 * An sBPF v3 executable: ELF header, two program headers, read-only data, program; no sections and no
 * relocations. `entry` is a byte of `text`. Both parts are a multiple of 8 bytes long.
 */
export function formatExecutable(rodata: Uint8Array, text: Uint8Array, entry: number): Uint8Array {
  const begin = HEADER_BYTES + 2 * SEGMENT_BYTES;
  const out = new Uint8Array(begin + rodata.length + text.length);
  const view = viewOf(out);
  out.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  view.setUint16(16, 3, true);
  view.setUint16(18, 247, true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, TEXT_ADDRESS + BigInt(entry), true);
  view.setBigUint64(32, BigInt(HEADER_BYTES), true);
  view.setUint32(48, 3, true);
  view.setUint16(52, HEADER_BYTES, true);
  view.setUint16(54, SEGMENT_BYTES, true);
  view.setUint16(56, 2, true);
  view.setUint16(58, 64, true);
  const segment = (number: number, flags: number, at: number, address: bigint, size: number) => {
    const place = HEADER_BYTES + SEGMENT_BYTES * number;
    view.setUint32(place, 1, true);
    view.setUint32(place + 4, flags, true);
    view.setBigUint64(place + 8, BigInt(at), true);
    view.setBigUint64(place + 16, address, true);
    view.setBigUint64(place + 24, address, true);
    view.setBigUint64(place + 32, BigInt(size), true);
    view.setBigUint64(place + 40, BigInt(size), true);
    view.setBigUint64(place + 48, 8n, true);
  };
  segment(0, 4, begin, RODATA_ADDRESS, rodata.length);
  segment(1, 1, begin + rodata.length, TEXT_ADDRESS, text.length);
  out.set(rodata, begin);
  out.set(text, begin + rodata.length);
  return out;
}
