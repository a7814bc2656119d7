/**
 * MurmurHash3 x86 32 of `name` with seed 0 (A. Appleby, public domain): what sBPF v3 calls a system
 * call by.
 */
export function murmur3(name: string): number {
  const bytes = new TextEncoder().encode(name);
  const view = new DataView(bytes.buffer);
  const whole = bytes.length - (bytes.length % 4);
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash = rotate(hash ^ scramble(view.getUint32(at, true)), 13);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let at = bytes.length - 1; at >= whole; at -= 1) tail = (tail << 8) | (bytes[at] ?? 0);
  hash ^= scramble(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function scramble(word: number): number {
  return Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
