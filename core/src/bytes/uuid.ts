import { requireLength } from './bytes.ts';
import { formatHex, parseHex } from './hex.ts';

const CUTS = [0, 8, 12, 16, 20, 32] as const;

/** The UUIDv8 (RFC 9562, section 5.8) of 16 bytes, of which version and variant replace 6 bits. Lower case. */
export function formatUuid8(bytes: Uint8Array): string {
  const own = requireLength(bytes, 16, 'uuid').slice();
  own[6] = ((own[6] as number) & 0x0f) | 0x80;
  own[8] = ((own[8] as number) & 0x3f) | 0x80;
  const text = formatHex(own);
  return CUTS.slice(1)
    .map((end, i) => text.slice(CUTS[i], end))
    .join('-');
}

/** The 16 bytes of a UUID in lower case. Throws `bad_hex` for any other text. */
export function uuidBytes(uuid: string): Uint8Array {
  return parseHex(uuid.replaceAll('-', ''), 16);
}
