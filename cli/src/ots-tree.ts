import { formatHex } from '@assay/core/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import type { Attested } from '@assay/core/ots/evaluate';
import { HASH_BYTES } from '@assay/core/ots/hashes';
import type { Operation } from '@assay/core/ots/operation';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import { count } from './text-rows.ts';

/** Bytes of an argument that are shown whole; of a longer one the first and the last four. */
const SHOWN_BYTES = 12;
/** Columns that forks are moved in by at most: a hostile tree has hundreds of them. */
const MAX_INDENT = 40;

/**
 * A timestamp as lines, in file order: operations up to and with each hash on one line, a fork moved in,
 * attestations with the message that they are about. `attested` is what `evaluate` found of it. `full`:
 * every argument whole.
 */
export function otsTree(
  timestamp: Timestamp,
  attested: readonly Attested[],
  full: boolean,
): readonly string[] {
  const lines: string[] = [];
  const open: { items: readonly Item[]; index: number; indent: number }[] = [
    { items: timestamp.items, index: 0, indent: 0 },
  ];
  let seen = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    let { items, index, indent } = at;
    let parts: string[] = [];
    const put = (): void => {
      if (parts.length > 0) lines.push(`${' '.repeat(indent)}${parts.join(', ')}`);
      parts = [];
    };
    for (;;) {
      const item = items[index] as Item;
      const forks = items.length > 1;
      if (forks) {
        put();
        if (index === 0 && lines.length > 0) indent = Math.min(indent + 2, MAX_INDENT);
        if (index + 1 < items.length) open.push({ items, index: index + 1, indent });
        lines.push(`${' '.repeat(indent)}way ${index + 1} of ${items.length}`);
      }
      if ('attestation' in item) {
        put();
        const { message } = attested[seen] as Attested;
        seen += 1;
        for (const line of attestationLines(item.attestation, message)) {
          lines.push(`${' '.repeat(indent)}${line}`);
        }
        break;
      }
      parts.push(operationText(item.operation, full));
      if (item.operation.op in HASH_BYTES) put();
      ({ items } = item.next);
      index = 0;
    }
  }
  return lines;
}

function operationText(operation: Operation, full: boolean): string {
  if (!('argument' in operation)) return operation.op;
  const { op, argument } = operation;
  if (full || argument.length <= SHOWN_BYTES) return `${op} ${formatHex(argument)}`;
  const start = formatHex(argument.subarray(0, 4));
  const end = formatHex(argument.subarray(-4));
  return `${op} ${start}..${end} (${argument.length} bytes)`;
}

function attestationLines(attestation: Attestation, message: Uint8Array): readonly string[] {
  switch (attestation.kind) {
    case 'bitcoin':
      return [
        `= Bitcoin block ${attestation.height}, Merkle root`,
        `  ${formatHex(message.toReversed())}`,
      ];
    case 'litecoin':
    case 'ethereum':
      return [
        `= ${attestation.kind} block ${attestation.height}, message`,
        `  ${formatHex(message)}`,
      ];
    case 'pending':
      return [`= promised by ${attestation.uri}, commitment`, `  ${formatHex(message)}`];
    case 'unknown': {
      const bytes = count(attestation.payload.length, 'byte');
      return [
        `= of unknown kind ${attestation.tag} (${bytes}), message`,
        `  ${formatHex(message)}`,
      ];
    }
  }
}
