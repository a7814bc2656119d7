import { equalBytes } from '@assay/core/bytes/bytes';
import type { OtsHashes } from '@assay/core/ots/hashes';
import { mergeTimestamps } from './merge.ts';
import { apply } from '@assay/core/ots/operation';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';

/**
 * The tree over `message` with `addition`, a tree over `commitment`, merged in wherever the message is the
 * commitment. Every attestation stays. If the commitment occurs nowhere, the tree stays as it is.
 */
export function graft(
  timestamp: Timestamp,
  message: Uint8Array,
  commitment: Uint8Array,
  addition: Timestamp,
  hashes: OtsHashes,
): Timestamp {
  const all: { timestamp: Timestamp; message: Uint8Array }[] = [{ timestamp, message }];
  for (let i = 0; i < all.length; i += 1) {
    const each = all[i] as (typeof all)[number];
    for (const item of each.timestamp.items) {
      if (!('next' in item)) continue;
      all.push({ timestamp: item.next, message: apply(item.operation, each.message, hashes) });
    }
  }
  // Inner nodes come after the nodes that contain them, so that going backwards meets them first.
  const made = new Map<Timestamp, Timestamp>();
  for (const each of all.toReversed()) {
    const items = each.timestamp.items.map((item): Item =>
      'next' in item ? { ...item, next: made.get(item.next) ?? item.next } : item,
    );
    const rebuilt = { items };
    const here = equalBytes(each.message, commitment);
    made.set(each.timestamp, here ? mergeTimestamps(rebuilt, addition) : rebuilt);
  }
  return made.get(timestamp) as Timestamp;
}
