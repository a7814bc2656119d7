import { Fault } from '../fault.ts';

/** The concatenation of `parts`, as new bytes. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Whether two byte strings are the same. Not constant time: nothing here compares secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** `bytes` when it has `length` bytes. Throws `bad_length` with `title` otherwise. */
export function requireLength(bytes: Uint8Array, length: number, title: string): Uint8Array {
  if (bytes.length !== length) {
    throw new Fault('bad_length', title, {
      expected: `${length} bytes`,
      found: `${bytes.length} bytes`,
    });
  }
  return bytes;
}
