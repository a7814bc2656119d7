import { formatHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import type { Attested } from '@assay/core/ots/evaluate';
import { HASH_BYTES } from '@assay/core/ots/hashes';
import type { Operation } from '@assay/core/ots/operation';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import { count } from '../text/text-rows.ts';

/** How many bytes of an argument are shown in full. Of a longer one the first and the last four are. */
const SHOWN_BYTES = 12;
/** The most columns by which forks are indented, because a hostile tree has hundreds of them. */
const MAX_INDENT = 24;

/**
 * A timestamp as lines, in file order: operations up to and including each hash on one line, forks indented,
 * attestations with the message that they are about. `attested` is the result of `evaluate`. With `full`, every
 * argument is complete.
 */
export function* otsTree(
  timestamp: Timestamp,
  attested: readonly Attested[],
  full: boolean,
): Generator<string, void> {
  let begun = false;
  const open: { items: readonly Item[]; index: number; indent: number }[] = [
    { items: timestamp.items, index: 0, indent: 0 },
  ];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    let { items, index, indent } = at;
    let parts: string[] = [];
    for (;;) {
      const item = items[index] as Item;
      const forks = items.length > 1;
      const ends = forks || 'attestation' in item;
      if (ends && parts.length > 0) {
        yield `${' '.repeat(indent)}${parts.join(', ')}`;
        parts = [];
        begun = true;
      }
      if (forks) {
        if (index === 0 && begun) indent = Math.min(indent + 2, MAX_INDENT);
        if (index + 1 < items.length) open.push({ items, index: index + 1, indent });
        yield `${' '.repeat(indent)}way ${index + 1} of ${items.length}`;
        begun = true;
      }
      if ('attestation' in item) {
        const { message } = attested[seen] as Attested;
        seen += 1;
        for (const line of attestationLines(item.attestation, message, full)) {
          yield `${' '.repeat(indent)}${line}`;
        }
        begun = true;
        break;
      }
      parts.push(operationText(item.operation, full));
      if (item.operation.op in HASH_BYTES) {
        yield `${' '.repeat(indent)}${parts.join(', ')}`;
        parts = [];
        begun = true;
      }
      ({ items } = item.next);
      index = 0;
    }
  }
}

function operationText(operation: Operation, full: boolean): string {
  if (!('argument' in operation)) return operation.op;
  const { op, argument } = operation;
  return `${op} ${bytesText(argument, SHOWN_BYTES, full)}`;
}

/** Bytes in hex; of more than `most`, the first and the last four. */
function bytesText(bytes: Uint8Array, most: number, full: boolean): string {
  if (full || bytes.length <= most) return formatHex(bytes);
  const start = formatHex(bytes.subarray(0, 4));
  const end = formatHex(bytes.subarray(-4));
  return `${start}..${end} (${bytes.length} bytes)`;
}

/** The attestation, and below it the message that it is about. */
function attestationLines(
  attestation: Attestation,
  message: Uint8Array,
  full: boolean,
): readonly string[] {
  const shown = bytesText(message, 32, full);
  switch (attestation.kind) {
    case 'bitcoin':
      // Explorers write it reversed.
      return [
        `= Bitcoin block ${attestation.height}, Merkle root`,
        `  ${bytesText(message.toReversed(), 32, full)}`,
      ];
    case 'litecoin':
    case 'ethereum':
      return [`= ${attestation.kind} block ${attestation.height}, message`, `  ${shown}`];
    case 'pending':
      return [`= promised by ${attestation.uri}`, `  commitment ${shown}`];
    case 'unknown': {
      const bytes = count(attestation.payload.length, 'byte');
      return [`= of unknown kind ${attestation.tag} (${bytes}), message`, `  ${shown}`];
    }
  }
}
