import { type Sha256, taggedBytes } from '../hash/hash.ts';
import { formatUuid8 } from '../bytes/uuid.ts';
import { type Parse, string } from '../wire/schema.ts';
import { symbolBytes } from '../terminal/tick/asset-symbol.ts';

/** An event's id: a UUIDv8 in lower case. */
export const parseEventId: Parse<string> = string(
  36,
  36,
  /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

/**
 * The id of the event that `symbol` opened at `openedAt` (Unix seconds): a UUIDv8 (RFC 9562, section 5.8) of the first
 * 16 bytes of `sha256("assay/event/v1" 0x00 || symbol 16 || opened_at i64 LE)`, so that a replay has the same id.
 */
export function eventId(sha256: Sha256, symbol: string, openedAt: number): string {
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigInt64(0, BigInt(openedAt), true);
  const hash = sha256(taggedBytes('assay/event/v1', symbolBytes(symbol), time));
  return formatUuid8(hash.subarray(0, 16));
}
