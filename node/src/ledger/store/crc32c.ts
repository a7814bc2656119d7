/** How many bytes are processed at a time. */
const STRIDE = 8;

/**
 * Tables of CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4), one after the other.
 * The one at `i` gives the effect of a byte that is `i` bytes before the end of a stride (slicing-by-8:
 * Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based CRC Generators",
 * 2005).
 */
const TABLE: Uint32Array = tables();

function tables(): Uint32Array {
  const table = new Uint32Array(256 * STRIDE);
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    }
    table[byte] = value;
  }
  for (let i = 256; i < table.length; i += 1) {
    const value = table[i - 256] as number;
    table[i] = (value >>> 8) ^ (table[value & 0xff] as number);
  }
  return table;
}

/** The CRC-32C of the bytes `start` to `end` - 1, an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const table = TABLE;
  let crc = 0xffffffff;
  let i = start;
  for (; i + STRIDE <= end; i += STRIDE) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (table[0x700 + (crc & 0xff)] as number) ^
      (table[0x600 + ((crc >>> 8) & 0xff)] as number) ^
      (table[0x500 + ((crc >>> 16) & 0xff)] as number) ^
      (table[0x400 + (crc >>> 24)] as number) ^
      (table[0x300 + (bytes[i + 4] as number)] as number) ^
      (table[0x200 + (bytes[i + 5] as number)] as number) ^
      (table[0x100 + (bytes[i + 6] as number)] as number) ^
      (table[bytes[i + 7] as number] as number);
  }
  for (; i < end; i += 1) {
    crc = (crc >>> 8) ^ (table[(crc ^ (bytes[i] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * The CRC-32C as LevelDB stores it: rotated and shifted, so that a checksum over bytes that contain checksums
 * works (`util/crc32c.h`).
 */
export function maskedCrc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
