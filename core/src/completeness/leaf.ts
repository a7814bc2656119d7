import { Fault } from '../fault.ts';
import {
  type Hash,
  type HashHex,
  leafHash,
  type Sha256,
  type Tag,
  taggedBytes,
} from '../hash/hash.ts';
import { formatHex, isHex, parseHex } from '../bytes/hex.ts';
import { STATUS_CODES } from '../report/print.ts';
import type { Status } from '../report/report.ts';

declare const brand: unique symbol;

/**
 * A leaf of a sorted list of the index entry, lower-case hex, without its tag: a key that sorts as its text does,
 * and what stands under it. Big endian.
 *
 *     prints   period u32, days since 1970-01-01 and 2^31 | series 32 | status u8 | issue u8 | report hash 32
 *     rules    series 32 | version u32 | rule hash 32
 *     keys     purpose u8 | number u32 | key, or what stands for it, 32
 *     events   opened_at u64, unix seconds | id 16 | sha256 of the canonical body of its entry, 32
 *
 * Its hash in the tree is the RFC 6962 leaf of `tag 0x00 || these bytes`.
 */
export type IndexLeaf = string & { readonly [brand]: 'index leaf' };

/** The sorted lists. */
export type IndexList = 'prints' | 'rules' | 'keys' | 'events';

const TAGS: Readonly<Record<IndexList, Tag>> = {
  prints: 'assay/index/print/v1',
  rules: 'assay/index/rule/v1',
  keys: 'assay/index/key/v1',
  events: 'assay/index/event/v1',
};

/** Bytes of a leaf of each list, its tag apart. */
export const INDEX_LEAF_BYTES: Readonly<Record<IndexList, number>> = {
  prints: 4 + 32 + 1 + 1 + 32,
  rules: 32 + 4 + 32,
  keys: 1 + 4 + 32,
  events: 8 + 16 + 32,
};

/** What a print is indexed by. */
export interface IndexedPrint {
  /** Days since 1970-01-01. */
  readonly period: number;
  readonly series: HashHex;
  readonly status: Status;
  readonly issue: number;
  readonly report: HashHex;
}

/**
 * What a key of the log is for. The codes count from 1 in this order: a report key, a checkpoint key, the commitment to
 * the next report key and that to the recovery key, a report key that was revoked, the commitment to a checkpoint key
 * of that number, and that to the recovery key by the entry that promised or brought one.
 */
export const KEY_PURPOSES = [
  'report',
  'checkpoint',
  'next',
  'recovery',
  'revoked',
  'next-checkpoint',
  'checkpoint-recovery',
] as const;
export type KeyPurpose = (typeof KEY_PURPOSES)[number];

export function printLeaf(print: IndexedPrint): IndexLeaf {
  const { period, series, status, issue, report } = print;
  const code = STATUS_CODES.indexOf(status) + 1;
  return `${periodKey(period, series)}${number(code, 1)}${number(issue, 1)}${report}` as IndexLeaf;
}

/** What every leaf of one period of a series begins with. */
export function periodKey(period: number, series: HashHex): string {
  return `${number(period + 2 ** 31, 4)}${series}`;
}

/** Throws `malformed` for text that is not a leaf of a print. */
export function parsePrintLeaf(leaf: string): IndexedPrint {
  if (isHex(leaf, INDEX_LEAF_BYTES.prints)) {
    const status = STATUS_CODES[Number.parseInt(leaf.slice(72, 74), 16) - 1];
    const print: IndexedPrint = {
      period: Number.parseInt(leaf.slice(0, 8), 16) - 2 ** 31,
      series: leaf.slice(8, 72) as HashHex,
      status: status ?? 'void',
      issue: Number.parseInt(leaf.slice(74, 76), 16),
      report: leaf.slice(76) as HashHex,
    };
    if (printLeaf(print) === leaf) return print;
  }
  throw new Fault('malformed', 'index leaf', { expected: 'the leaf of a print', found: leaf });
}

export function ruleLeaf(series: HashHex, version: number, hash: HashHex): IndexLeaf {
  return `${series}${number(version, 4)}${hash}` as IndexLeaf;
}

/**
 * `held` is 32 bytes in hex: the key, or the hash that commits to it. `of` is 0 for the keys that genesis
 * names.
 */
export function keyLeaf(purpose: KeyPurpose, of: number, held: string): IndexLeaf {
  return `${number(KEY_PURPOSES.indexOf(purpose) + 1, 1)}${number(of, 4)}${held}` as IndexLeaf;
}

/**
 * `openedAt` is in Unix seconds, from 1970 on. `id` is a UUID, of which the leaf has the 32 digits. `record` is the
 * `recordDigest` of the event.
 */
export function eventLeaf(openedAt: number, id: string, record: HashHex): IndexLeaf {
  const high = Math.floor(openedAt / 2 ** 32);
  const time = `${number(high, 4)}${number(openedAt % 2 ** 32, 4)}`;
  return `${time}${id.replaceAll('-', '')}${record}` as IndexLeaf;
}

/** The hash of a leaf in its list's tree. */
export function indexLeafHash(sha256: Sha256, list: IndexList, leaf: IndexLeaf): Hash {
  return leafHash(sha256, taggedBytes(TAGS[list], parseHex(leaf, INDEX_LEAF_BYTES[list])));
}

/** `value` as hex of `bytes` bytes, in which it must fit. */
function number(value: number, bytes: number): string {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value);
  return formatHex(out.subarray(4 - bytes));
}
