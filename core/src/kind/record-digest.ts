import { contentHash, type HashHex, hashHex, type Sha256 } from '../hash/hash.ts';
import type { EventOpen } from './event.ts';
import type { ReceiptEntry } from './receipt-entry.ts';
import { formatWire } from '../wire/wire.ts';

/** What is stamped for an event as called, or for a receipt: the SHA-256 of its entry's canonical body. */
export function recordDigest(sha256: Sha256, body: EventOpen | ReceiptEntry): HashHex {
  return hashHex(contentHash(sha256, formatWire(body)));
}
