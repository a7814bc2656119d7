import { Fault } from '../fault.ts';
import type { Attestation } from './attestation.ts';
import { HASH_BYTES, type OtsHashes } from './hashes.ts';
import { MAX_HASHED_BYTES, MAX_NESTED_OPERATIONS, MAX_NODES } from './limits.ts';
import { apply } from './operation.ts';
import type { Item, Timestamp } from './timestamp.ts';

/** An attestation and the message that it is about, such as a block's Merkle root. */
export interface Attested {
  readonly attestation: Attestation;
  readonly message: Uint8Array;
}

/**
 * Every attestation of the tree over `message`, in file order, each step taken once. Nothing is
 * said about whether an attestation is true. Throws `bad_proof` at a limit.
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
  let hashed = 0;
  for (let nodes = 0; ; nodes += 1) {
    const item = items[index];
    if (item === undefined) throw new TypeError('evaluate: a node without items');
    if (nodes === MAX_NODES) throw overLimit(`at most ${MAX_NODES} nodes`);
    if (index + 1 < items.length) forks.push({ items, index: index + 1, depth, message: current });
    if ('attestation' in item) {
      found.push({ attestation: item.attestation, message: new Uint8Array(current) });
      const fork = forks.pop();
      if (fork === undefined) return found;
      ({ items, index, depth, message: current } = fork);
      continue;
    }
    depth += 1;
    if (depth > MAX_NESTED_OPERATIONS) {
      throw overLimit(`at most ${MAX_NESTED_OPERATIONS} nested operations`);
    }
    if (item.operation.op in HASH_BYTES) hashed += current.length;
    if (hashed > MAX_HASHED_BYTES) throw overLimit(`at most ${MAX_HASHED_BYTES} hashed bytes`);
    current = apply(item.operation, current, hashes);
    ({ items } = item.next);
    index = 0;
  }
}

function overLimit(expected: string): Fault {
  return new Fault('bad_proof', 'OpenTimestamps proof', { expected });
}
