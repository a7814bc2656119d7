import { Fault } from '../fault.ts';
import type { Attestation } from './attestation.ts';
import type { OtsHashes } from './hashes.ts';
import { passedLimit } from './limits.ts';
import { apply } from './operation.ts';
import type { Item, Timestamp } from './timestamp.ts';

/**
 * An attestation and the message that it is about, such as a block's Merkle root. Attestations of
 * one message share its bytes.
 */
export interface Attested {
  readonly attestation: Attestation;
  readonly message: Uint8Array;
}

/**
 * Every attestation of the tree over `message`, in file order, with each step evaluated once. It does not show whether
 * an attestation is true. Throws `bad_proof` where a limit is exceeded.
 */
export function evaluate(
  timestamp: Timestamp,
  message: Uint8Array,
  hashes: OtsHashes,
): readonly Attested[] {
  const found: Attested[] = [];
  const forks: { items: readonly Item[]; index: number; depth: number; message: Uint8Array }[] = [];
  let { items } = timestamp;
  let index = 0;
  let depth = 0;
  let current: Uint8Array = new Uint8Array(message);
  let handled = 0;
  for (let nodes = 1; ; nodes += 1) {
    const item = items[index];
    if (item === undefined) throw new TypeError('evaluate: a node without items');
    if (index + 1 < items.length) {
      current = plain(current);
      forks.push({ items, index: index + 1, depth, message: current });
    }
    const attested = 'attestation' in item;
    if (attested) {
      found.push({ attestation: item.attestation, message: plain(current) });
    } else {
      const before = current.length;
      current = apply(item.operation, current, hashes);
      handled += Math.max(before, current.length);
      ({ items } = item.next);
      index = 0;
      depth += 1;
    }
    const passed = passedLimit(nodes, depth, handled);
    if (passed !== undefined) {
      throw new Fault('bad_proof', 'OpenTimestamps proof', { expected: passed });
    }
    if (attested) {
      const fork = forks.pop();
      if (fork === undefined) return found;
      ({ items, index, depth, message: current } = fork);
    }
  }
}

/** A hash may be a Buffer, which behaves differently. */
function plain(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes);
}
