import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { formatBase64, parseBase64 } from '@assay/core/bytes/base64';
import { Fault } from '@assay/core/fault';

const FORMAT = 'assay-development-chain/2';

/** A transaction that ran, and when. */
export interface KeptTransaction {
  /** Unix seconds with their fraction. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The parameters with which a chain began. */
export interface ChainBegin {
  /** The unix seconds of the chain's first block. */
  readonly startedAt: number;
  /** Seconds of a slot. */
  readonly slotSeconds: number;
}

/** A file with the transactions of a development chain, which run again after a restart. */
export interface TransactionFile extends ChainBegin {
  /** The transactions that were there when the file was opened. */
  readonly kept: readonly KeptTransaction[];
  append(transaction: KeptTransaction): void;
  close(): void;
}

/**
 * Opens a file, or creates one with the parameters `begin`. Each line is one JSON object. The first has
 * `format`, `started_at` and `slot_seconds`; each of the others has `at` and `transaction` (base64), in the
 * order in which they ran. The slots are not stored, because they follow from that order and those times. A
 * last line that a crash truncated is removed. What is appended is not made durable, because a development
 * chain is worth nothing. Throws `malformed`.
 */
export function openTransactionFile(path: string, begin: ChainBegin): TransactionFile {
  const handle = openSync(path, 'a+', 0o600);
  let open = true;
  try {
    const bytes = readFileSync(handle);
    const end = bytes.lastIndexOf('\n') + 1;
    if (end < bytes.length) ftruncateSync(handle, end);
    const [head, ...rest] = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    const begun = head === undefined ? begin : parseHead(head);
    const kept = rest.map(parseLine);
    if (head === undefined) {
      writeSync(handle, `${formatHead(begun)}\n`);
    }
    return {
      ...begun,
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

function formatHead({ startedAt, slotSeconds }: ChainBegin): string {
  return JSON.stringify({ format: FORMAT, started_at: startedAt, slot_seconds: slotSeconds });
}

function parseHead(line: string): ChainBegin {
  const { format, started_at: startedAt, slot_seconds: slotSeconds } = objectOf(line, 0);
  if (format !== FORMAT || typeof startedAt !== 'number') throw malformed(0, FORMAT);
  if (typeof slotSeconds !== 'number' || !Number.isFinite(slotSeconds) || slotSeconds <= 0) {
    throw malformed(0, 'slot_seconds above 0');
  }
  return { startedAt, slotSeconds };
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
