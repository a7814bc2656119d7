/** Table of CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4), four bytes at a time. */
const TABLES: readonly Uint32Array[] = tables();

function tables(): readonly Uint32Array[] {
  const all = Array.from({ length: 4 }, () => new Uint32Array(256));
  const [first] = all as [Uint32Array];
  for (let byte = 0; byte < 256; byte += 1) {
    let value = byte;
    for (let bit = 0; bit < 8; bit += 1) {
      value = (value & 1) === 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
    }
    first[byte] = value;
  }
  for (let byte = 0; byte < 256; byte += 1) {
    let value = first[byte] as number;
    for (const table of all.slice(1)) {
      value = (value >>> 8) ^ (first[value & 0xff] as number);
      table[byte] = value;
    }
  }
  return all;
}

/** The CRC-32C of the bytes `start` to `end` - 1, an unsigned 32-bit integer. */
export function crc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const [one, two, three, four] = TABLES as readonly [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  let crc = 0xffffffff;
  let i = start;
  for (; i + 4 <= end; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (four[crc & 0xff] as number) ^
      (three[(crc >>> 8) & 0xff] as number) ^
      (two[(crc >>> 16) & 0xff] as number) ^
      (one[crc >>> 24] as number);
  }
  for (; i < end; i += 1) {
    crc = (crc >>> 8) ^ (one[(crc ^ (bytes[i] as number)) & 0xff] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** The CRC-32C as LevelDB stores it: rotated and moved, so that a checksum over bytes that hold checksums stays good (`util/crc32c.h`). */
export function maskedCrc32c(bytes: Uint8Array, start = 0, end: number = bytes.length): number {
  const crc = crc32c(bytes, start, end);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
