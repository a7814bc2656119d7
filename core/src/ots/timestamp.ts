import { Fault } from '../fault.ts';
import { type Attestation, readAttestation, writeAttestation } from './attestation.ts';
import { badProof, type Cursor, cursorOf, readByte } from './cursor.ts';
import { MAX_MESSAGE_BYTES, MAX_PROOF_BYTES, passedLimit } from './limits.ts';
import { type Operation, readOperation, resultLength, writeOperation } from './operation.ts';
import { emptyOutput, type Output, writeByte, written } from './output.ts';

/**
 * What is known about one message: who attests it, and where operations lead from it. This bare
 * tree, without the message, is what a calendar sends.
 *
 *     tree = (ff item)* item
 *     item = 00 attestation | operation tree
 *
 * Items keep the order that they have in the file. There is at least one.
 */
export interface Timestamp {
  readonly items: readonly Item[];
}

export type Item =
  | { readonly attestation: Attestation }
  | { readonly operation: Operation; readonly next: Timestamp };

const MORE = 0xff;
const ATTESTATION = 0x00;
const SHORTEST_MESSAGE = 1;
const MESSAGE_LIMIT = `a message of at most ${MAX_MESSAGE_BYTES} bytes`;

/**
 * Parses a tree over a message of `messageLength` bytes. Arguments and payloads are views into `bytes`. Throws
 * `bad_proof` at a byte for anything that `formatTimestamp` would not write, and for what a limit forbids. `evaluate`
 * accepts every result for a message of that length.
 */
export function parseTimestamp(bytes: Uint8Array, messageLength: number): Timestamp {
  const cursor = cursorOf(bytes);
  const timestamp = readTimestamp(cursor, messageLength);
  if (cursor.at !== cursor.end) throw badProof(cursor.at, 'the end of the proof');
  return timestamp;
}

/** The tree at `cursor`, which is left after the last byte of the tree. */
export function readTimestamp(cursor: Cursor, messageLength: number): Timestamp {
  if (!Number.isInteger(messageLength) || messageLength < 1 || messageLength > MAX_MESSAGE_BYTES) {
    throw new TypeError(`parseTimestamp: a message of ${messageLength} bytes`);
  }
  if (cursor.bytes.length > MAX_PROOF_BYTES) {
    throw badProof(MAX_PROOF_BYTES, `at most ${MAX_PROOF_BYTES} bytes`);
  }
  const root: Item[] = [];
  // Where parsing continues after a branch: the items there, their depth and the message's length.
  const forks: { items: Item[]; depth: number; length: number }[] = [];
  let items = root;
  let depth = 0;
  let length = messageLength;
  let handled = 0;
  for (let nodes = 1; ; nodes += 1) {
    const start = cursor.at;
    let tag = readByte(cursor);
    if (tag === MORE) {
      forks.push({ items, depth, length });
      tag = readByte(cursor);
    }
    if (tag === ATTESTATION) {
      items.push({ attestation: readAttestation(cursor) });
    } else {
      const operation = readOperation(cursor, tag);
      const result = resultLength(operation, length);
      if (result === undefined) throw badProof(start, MESSAGE_LIMIT);
      const next: Item[] = [];
      items.push({ operation, next: { items: next } });
      items = next;
      depth += 1;
      handled += Math.max(length, result);
      length = result;
    }
    const passed = passedLimit(nodes, depth, handled);
    if (passed !== undefined) throw badProof(start, passed);
    if (tag === ATTESTATION) {
      const fork = forks.pop();
      if (fork === undefined) return { items: root };
      ({ items, depth, length } = fork);
    }
  }
}

/**
 * The bytes of a tree, with its items in their order. Throws `bad_proof` for a tree that passes a limit whatever its
 * message, and TypeError for one that no bytes encode, such as a node without items.
 */
export function formatTimestamp(timestamp: Timestamp): Uint8Array {
  const output = emptyOutput();
  writeTimestamp(output, timestamp, SHORTEST_MESSAGE);
  return written(output);
}

/** Writes a tree that a reader accepts for a message of `messageLength` bytes. */
export function writeTimestamp(output: Output, timestamp: Timestamp, messageLength: number): void {
  const forks: { items: readonly Item[]; index: number; depth: number; length: number }[] = [];
  let { items } = timestamp;
  let index = 0;
  let depth = 0;
  let length = messageLength;
  let handled = 0;
  for (let nodes = 1; ; nodes += 1) {
    const item = items[index];
    if (item === undefined) throw new TypeError('formatTimestamp: a node without items');
    if (index + 1 < items.length) {
      writeByte(output, MORE);
      forks.push({ items, index: index + 1, depth, length });
    }
    const attested = 'attestation' in item;
    if (attested) {
      writeByte(output, ATTESTATION);
      writeAttestation(output, item.attestation);
    } else {
      writeOperation(output, item.operation);
      const result = resultLength(item.operation, length);
      if (result === undefined) throw unwritable(MESSAGE_LIMIT);
      handled += Math.max(length, result);
      length = result;
      ({ items } = item.next);
      index = 0;
      depth += 1;
    }
    const passed = passedLimit(nodes, depth, handled);
    if (passed !== undefined) throw unwritable(passed);
    if (attested) {
      const fork = forks.pop();
      if (fork === undefined) return;
      ({ items, index, depth, length } = fork);
    }
  }
}

/**
 * The depth of the most deeply nested operation. A path that is put before the tree may add to it up to
 * `MAX_NESTED_OPERATIONS`.
 */
export function depthOf(timestamp: Timestamp): number {
  const open: { timestamp: Timestamp; depth: number }[] = [{ timestamp, depth: 0 }];
  let deepest = 0;
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    deepest = Math.max(deepest, each.depth);
    for (const item of each.timestamp.items) {
      if ('next' in item) open.push({ timestamp: item.next, depth: each.depth + 1 });
    }
  }
  return deepest;
}

/** Attestations in the whole tree. */
export function attestationCount(timestamp: Timestamp): number {
  const open: Timestamp[] = [timestamp];
  let found = 0;
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    for (const item of each.items) {
      if ('next' in item) open.push(item.next);
      else found += 1;
    }
  }
  return found;
}

function unwritable(expected: string): Fault {
  return new Fault('bad_proof', 'OpenTimestamps proof', { expected });
}
