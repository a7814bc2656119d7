import { type Parse, string } from '../../wire/schema.ts';

/** Bytes of an asset in a tick leaf. */
export const ASSET_BYTES = 16;

/** The classes of assets that the Terminal lists. Each has its own grid, sources and benchmark. */
export const ASSET_CLASSES = ['crypto', 'stock'] as const;
export type AssetClass = (typeof ASSET_CLASSES)[number];

/** Parses an asset's symbol: `[A-Z0-9]{1,16}`, unique over all classes. */
export const parseSymbol: Parse<string> = string(1, ASSET_BYTES, /^[A-Z0-9]+$/);

/** A symbol as 16 bytes, ASCII, padded with zeros. Throws a `TypeError` unless it is a symbol. */
export function symbolBytes(symbol: string): Uint8Array {
  if (!/^[A-Z0-9]{1,16}$/.test(symbol)) throw new TypeError('symbolBytes: not a symbol');
  const bytes = new Uint8Array(ASSET_BYTES);
  for (let i = 0; i < symbol.length; i += 1) bytes[i] = symbol.charCodeAt(i);
  return bytes;
}
