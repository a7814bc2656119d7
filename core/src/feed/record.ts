import type { HashHex } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import type { Status } from '../report/report.ts';
import { hexAt, malformed, viewOf } from './account-bytes.ts';

/**
 * One print as a page stores it, 64 bytes, little endian:
 *
 *      0   8  value i64
 *      8   8  published_at i64, unix seconds
 *     16  32  report hash
 *     48   1  status: 1 provisional, 2 final, 3 corrected, 4 void
 *     49   1  decimals
 *     50   1  flags: bit 0 settleable, bit 1 withheld
 *     51   1  issue
 *     52   1  rule number
 *     53   1  set number
 *     54   1  who co-signed: bit i is key i of the set
 *     55   1  who dissents, likewise
 *     56   8  slot u64
 */
export interface ChainRecord {
  readonly value: bigint;
  readonly publishedAt: bigint;
  readonly report: HashHex;
  readonly status: Status;
  readonly decimals: number;
  readonly settleable: boolean;
  readonly withheld: boolean;
  readonly issue: number;
  readonly rule: number;
  readonly set: number;
  readonly cosigners: number;
  readonly dissents: number;
  /** The slot of the chain at which it was written. */
  readonly slot: bigint;
}

export const RECORD_BYTES = 64;

export const RECORD_OFFSETS = { issue: 51, rule: 52, set: 53, dissents: 55 } as const;

const STATUS_CODES: readonly Status[] = ['provisional', 'final', 'corrected', 'void'];

/** The 64 bytes of a record. */
export function formatRecord(record: ChainRecord): Uint8Array {
  const out = new Uint8Array(RECORD_BYTES);
  const view = viewOf(out);
  view.setBigInt64(0, record.value, true);
  view.setBigInt64(8, record.publishedAt, true);
  out.set(parseHex(record.report, 32), 16);
  out.set(
    [
      STATUS_CODES.indexOf(record.status) + 1,
      record.decimals,
      (record.settleable ? 1 : 0) | (record.withheld ? 2 : 0),
      record.issue,
      record.rule,
      record.set,
      record.cosigners,
      record.dissents,
    ],
    48,
  );
  view.setBigUint64(56, record.slot, true);
  return out;
}

/**
 * The record in 64 bytes. Throws `malformed` for an undefined status. The parser of the page compares the other bytes.
 */
export function parseRecord(bytes: Uint8Array): ChainRecord {
  const view = viewOf(bytes);
  const status = STATUS_CODES[view.getUint8(48) - 1];
  if (status === undefined) throw malformed('record', 'a status 1 to 4', view.getUint8(48));
  const flags = view.getUint8(50);
  return {
    value: view.getBigInt64(0, true),
    publishedAt: view.getBigInt64(8, true),
    report: hexAt(bytes, 16),
    status,
    decimals: view.getUint8(49),
    settleable: (flags & 1) !== 0,
    withheld: (flags & 2) !== 0,
    issue: view.getUint8(51),
    rule: view.getUint8(52),
    set: view.getUint8(53),
    cosigners: view.getUint8(54),
    dissents: view.getUint8(55),
    slot: view.getBigUint64(56, true),
  };
}
