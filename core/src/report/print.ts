import { Fault } from '../fault.ts';
import { equalBytes, requireLength } from '../bytes/bytes.ts';
import { type Hash, type HashHex, type Sha256, taggedBytes, toHash } from '../hash/hash.ts';
import { formatHex, parseHex } from '../bytes/hex.ts';
import { type Report, reportHash, type Status } from './report.ts';
import { isI64 } from '../wire/schema.ts';
import type { Ticker } from '../rule/ticker.ts';
import { parseDate, parseTime } from '../time/time.ts';
import { formatUtf8 } from '../bytes/utf8.ts';

/**
 * The print message: the 128 bytes that publisher and co-signers sign, and that the chain checks.
 * Little endian.
 *
 *       0   8  "assayPR1"
 *       8  32  series
 *      40  32  rule hash
 *      72  32  report hash
 *     104   8  value i64, 0 when void or withheld
 *     112   8  published_at i64, unix seconds
 *     120   4  period i32, days since 1970-01-01
 *     124   1  status: 1 provisional, 2 final, 3 corrected, 4 void
 *     125   1  decimals
 *     126   1  flags: bit 0 settleable, bit 1 withheld
 *     127   1  issue
 */
export interface Print {
  readonly series: HashHex;
  readonly rule: HashHex;
  readonly report: HashHex;
  readonly value: bigint;
  readonly publishedAt: bigint;
  readonly period: number;
  readonly status: Status;
  readonly decimals: number;
  readonly settleable: boolean;
  readonly withheld: boolean;
  readonly issue: number;
}

export const PRINT_BYTES = 128;

const MAGIC = formatUtf8('assayPR1');
/** The byte of a status is its place in this list, counted from 1. */
export const STATUS_CODES: readonly Status[] = ['provisional', 'final', 'corrected', 'void'];

/** `sha256("assay/series/v1" 0x00 || log id || ticker, zero padded to 16 bytes)`. */
export function seriesId(sha256: Sha256, log: HashHex, ticker: Ticker): Hash {
  const padded = new Uint8Array(16);
  padded.set(formatUtf8(ticker));
  return toHash(sha256(taggedBytes('assay/series/v1', parseHex(log), padded)));
}

/** The print of a report. It holds nothing that the report does not. `digest` is the report's hash, where it is known. */
export function printOf(sha256: Sha256, report: Report, digest?: HashHex): Print {
  return {
    series: formatHex(seriesId(sha256, report.log, report.ticker)) as HashHex,
    rule: report.rule.hash,
    report: digest ?? reportHash(sha256, report),
    value: report.value === null ? 0n : BigInt(report.value),
    publishedAt: BigInt(parseTime(report.published_at)),
    period: parseDate(report.period),
    status: report.status,
    decimals: report.decimals,
    settleable: report.settleable,
    withheld: report.withheld,
    issue: report.issue,
  };
}

/** Throws `out_of_range` for a number that its field cannot hold. */
export function formatPrint(print: Print): Uint8Array {
  requireFit('value', print.value, isI64(print.value));
  requireFit('published_at', print.publishedAt, isI64(print.publishedAt));
  requireFit('period', print.period, isBetween(print.period, -(2 ** 31), 2 ** 31 - 1));
  requireFit('decimals', print.decimals, isBetween(print.decimals, 0, 18));
  requireFit('issue', print.issue, isBetween(print.issue, 0, 255));
  const out = new Uint8Array(PRINT_BYTES);
  const view = new DataView(out.buffer);
  out.set(MAGIC, 0);
  out.set(parseHex(print.series, 32), 8);
  out.set(parseHex(print.rule, 32), 40);
  out.set(parseHex(print.report, 32), 72);
  view.setBigInt64(104, print.value, true);
  view.setBigInt64(112, print.publishedAt, true);
  view.setInt32(120, print.period, true);
  out[124] = STATUS_CODES.indexOf(print.status) + 1;
  out[125] = print.decimals;
  out[126] = (print.settleable ? 1 : 0) | (print.withheld ? 2 : 0);
  out[127] = print.issue;
  return out;
}

/**
 * What a co-signer signs to dissent from a print on chain: the same 128 bytes with the magic `assayDS1`, so that no
 * dissent can be taken for an agreement.
 */
export function dissentMessage(print: Print): Uint8Array {
  const message = formatPrint(print);
  message.set(formatUtf8('assayDS1'));
  return message;
}

function isBetween(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function requireFit(field: string, value: number | bigint, fits: boolean): void {
  if (!fits) throw new Fault('out_of_range', 'print message', { at: field, found: String(value) });
}

/**
 * Throws `bad_length`, or `malformed` for bytes that cannot be the print of a report: another magic, undefined bits, a
 * value where there must be none, or a settleable print that is not a plain final.
 */
export function parsePrint(bytes: Uint8Array): Print {
  requireLength(bytes, PRINT_BYTES, 'print message');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hashAt = (at: number): HashHex => formatHex(bytes.subarray(at, at + 32)) as HashHex;
  const flags = view.getUint8(126);
  const print: Print = {
    series: hashAt(8),
    rule: hashAt(40),
    report: hashAt(72),
    value: view.getBigInt64(104, true),
    publishedAt: view.getBigInt64(112, true),
    period: view.getInt32(120, true),
    status: STATUS_CODES[view.getUint8(124) - 1] ?? 'void',
    decimals: view.getUint8(125),
    settleable: (flags & 1) !== 0,
    withheld: (flags & 2) !== 0,
    issue: view.getUint8(127),
  };
  const { status, settleable, withheld, issue } = print;
  const makesSense =
    print.decimals <= 18 &&
    (print.value === 0n || !(status === 'void' || withheld)) &&
    (!settleable || (status === 'final' && !withheld)) &&
    (issue === 0 || !(status === 'final' || status === 'void')) &&
    (issue > 0 || status !== 'corrected');
  if (!makesSense || !equalBytes(formatPrint(print), bytes)) {
    throw new Fault('malformed', 'print message', { expected: 'the 128 bytes of a print' });
  }
  return print;
}
