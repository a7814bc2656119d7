import { Fault } from '../fault.ts';
import { MAX_PROOF_BYTES } from './limits.ts';

/** Bytes that are being written: `bytes` up to `at`, and room after them. */
export interface Output {
  bytes: Uint8Array;
  at: number;
}

const FIRST_ROOM = 2048;

/** Nothing yet, with room for `length` bytes before it has to grow. */
export function emptyOutput(length: number = FIRST_ROOM): Output {
  return { bytes: new Uint8Array(Math.min(length, MAX_PROOF_BYTES)), at: 0 };
}

/** What was written. The output is not written to after that. */
export function written({ bytes, at }: Output): Uint8Array {
  return at === bytes.length ? bytes : bytes.slice(0, at);
}

export function writeByte(output: Output, byte: number): void {
  makeRoom(output, 1);
  output.bytes[output.at++] = byte;
}

export function writeBytes(output: Output, bytes: Uint8Array): void {
  makeRoom(output, bytes.length);
  output.bytes.set(bytes, output.at);
  output.at += bytes.length;
}

/** Unsigned LEB128, as `readVaruint` takes it. `value` is a safe integer of at least 0. */
export function writeVaruint(output: Output, value: number): void {
  let left = value;
  while (left >= 0x80) {
    writeByte(output, (left % 0x80) + 0x80);
    left = Math.floor(left / 0x80);
  }
  writeByte(output, left);
}

export function writeVarbytes(output: Output, bytes: Uint8Array): void {
  writeVaruint(output, bytes.length);
  writeBytes(output, bytes);
}

/** Throws `bad_proof` once there is more than a reader takes. */
function makeRoom(output: Output, length: number): void {
  const need = output.at + length;
  if (need <= output.bytes.length) return;
  if (need > MAX_PROOF_BYTES) {
    throw new Fault('bad_proof', 'OpenTimestamps proof', {
      expected: `at most ${MAX_PROOF_BYTES} bytes`,
    });
  }
  const wider = new Uint8Array(Math.min(MAX_PROOF_BYTES, Math.max(need, 2 * output.bytes.length)));
  wider.set(output.bytes.subarray(0, output.at));
  output.bytes = wider;
}
