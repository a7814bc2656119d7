import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { formatBase64, parseBase64 } from '@assay/core/base64';
import { Fault } from '@assay/core/fault';

const FORMAT = 'assay-development-chain/1';

/** A transaction that ran, and when. */
export interface KeptTransaction {
  /** Unix seconds, with their fraction. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A file of the transactions of a development chain, to be run again after a restart. */
export interface TransactionFile {
  /** Unix seconds of the chain's first block. */
  readonly startedAt: number;
  /** Those that were there when the file was opened. */
  readonly kept: readonly KeptTransaction[];
  append(transaction: KeptTransaction): void;
  close(): void;
}

/**
 * Opens a file, or begins one at `now`. One JSON object a line: the first says `format` and `started_at`,
 * each other one `at` and `transaction` (base64). A last line that a crash cut off is cut away. What is
 * appended is not made durable: a development chain is worth nothing. Throws `malformed`.
 */
export function openTransactionFile(path: string, now: number): TransactionFile {
  const handle = openSync(path, 'a+', 0o600);
  let open = true;
  try {
    const bytes = readFileSync(handle);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end < bytes.length) ftruncateSync(handle, end);
    const [head, ...rest] = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const startedAt = head === undefined ? now : parseHead(head);
    const kept = rest.map(parseLine);
    if (head === undefined) {
      writeSync(handle, `${JSON.stringify({ format: FORMAT, started_at: startedAt })}\n`);
    }
    return {
      startedAt,
      kept,
      append: ({ at, bytes: transaction }) => {
        writeSync(handle, `${JSON.stringify({ at, transaction: formatBase64(transaction) })}\n`);
      },
      close: () => {
        if (open) closeSync(handle);
        open = false;
      },
    };
  } catch (error) {
    closeSync(handle);
    throw error;
  }
}

function parseHead(line: string): number {
  const { format, started_at: startedAt } = objectOf(line, 0);
  if (format !== FORMAT || typeof startedAt !== 'number') throw malformed(0, FORMAT);
  return startedAt;
}

function parseLine(line: string, index: number): KeptTransaction {
  const { at, transaction } = objectOf(line, index + 1);
  if (typeof at !== 'number' || typeof transaction !== 'string') {
    throw malformed(index + 1, 'a transaction and its time');
  }
  return { at, bytes: parseBase64(transaction) };
}

function objectOf(line: string, index: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null)
    return value as Readonly<Record<string, unknown>>;
  throw malformed(index, 'a JSON object');
}

function malformed(index: number, expected: string): Fault {
  return new Fault('malformed', 'development chain file', { at: `line ${index + 1}`, expected });
}
