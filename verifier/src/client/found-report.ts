import { Fault } from '@assay/core/fault';
import type { HashHex } from '@assay/core/hash/hash';
import { PRINT_BYTES } from '@assay/core/report/print';
import { parseReport, type Report } from '@assay/core/report/report';
import {
  array,
  hashHex as parseHash,
  hex,
  integer,
  isObject,
  nullable,
  type Parse,
  string,
} from '@assay/core/wire/schema';
import type { WireValue } from '@assay/core/wire/wire';
import type { LogReader } from '../reader/log-reader.ts';
import { parseJson } from './log-answer.ts';

/** The most statements on one report that are included. */
const MAX_WORDS = 64;

/** A quorum's statements, and a provisional for each. */
const MAX_CLOCK_ENTRIES = 16;

/** The number of an entry after the first. */
export const entrySeq: Parse<number> = integer(1, Number.MAX_SAFE_INTEGER);

/** What a bundle takes from the report answer. */
export interface FoundReport {
  readonly report: Report;
  readonly hash: HashHex;
  readonly print: string;
  readonly signature: string;
  readonly public_key: string;
  readonly seq: number;
  /** The entry of the beacon in the report's `after`. */
  readonly after_seq: number | null;
  /** The entries that the clocks of a late number depend on. */
  readonly clock_seqs: readonly number[];
  /** The statements of co-signers, in the order of the log. */
  readonly statements: readonly FoundStatement[];
  readonly feed: FoundFeed | null;
}

export interface FoundStatement {
  readonly seq: number;
  readonly key: string;
  /** The signature over the print; null for a dissent. */
  readonly print: string | null;
}

/** Where the log records that the print is on chain. */
export interface FoundFeed {
  readonly seq: number;
  readonly chain: string;
  readonly account: string;
  readonly page: string;
}

/** Reads the answer for a report. A signed void is in the body of a 404. */
export async function reportOf(reader: LogReader, path: string): Promise<FoundReport> {
  const answer = await reader.get(path);
  const value = parseJson(answer.body, path);
  if (answer.status === 200) return readReport(value, path);
  const problem = isObject(value) ? value : {};
  if (answer.status === 404 && problem['void'] !== undefined) {
    return readReport(problem['void'], path);
  }
  const { detail } = problem;
  const why = typeof detail === 'string' ? detail.replace(/\.$/, '') : `status ${answer.status}`;
  throw new Fault('not_found', `the server has no such report: ${why}`);
}

function readReport(value: WireValue, path: string): FoundReport {
  const member = (name: string): WireValue => (isObject(value) ? (value[name] ?? null) : null);
  const at = (name: string): string => `${path} ${name}`;
  return {
    report: parseReport(member('report'), at('report')),
    hash: parseHash(member('hash'), at('hash')),
    print: hex(PRINT_BYTES)(member('print'), at('print')),
    signature: hex(64)(member('signature'), at('signature')),
    public_key: hex(32)(member('public_key'), at('public_key')),
    seq: entrySeq(member('seq'), at('seq')),
    after_seq: nullable(entrySeq)(member('after_seq'), at('after_seq')),
    clock_seqs: array(entrySeq, 0, MAX_CLOCK_ENTRIES)(member('clock_seqs') ?? [], at('clock_seqs')),
    statements: [
      ...statementsIn(member('cosignatures'), at('cosignatures'), true),
      ...statementsIn(member('dissents'), at('dissents'), false),
    ].sort((a, b) => a.seq - b.seq),
    feed: nullable(parseFeed)(member('feed'), at('feed')),
  };
}

/** A list of co-signers' statements; empty if the server gives none. */
function statementsIn(value: WireValue, at: string, agreed: boolean): readonly FoundStatement[] {
  if (value === null) return [];
  const word: Parse<FoundStatement> = (each, place) => {
    const { seq = null, key = null, signature = null } = isObject(each) ? each : {};
    const by = hex(64)(signature, `${place}.signature`);
    return {
      seq: entrySeq(seq, `${place}.seq`),
      key: hex(32)(key, `${place}.key`),
      print: agreed ? by : null,
    };
  };
  return array(word, 0, MAX_WORDS)(value, at);
}

const parseFeed: Parse<FoundFeed> = (value, at) => {
  const { seq = null, chain = null, account = null, page = null } = isObject(value) ? value : {};
  const text = string(1, 128);
  return {
    seq: entrySeq(seq, `${at}.seq`),
    chain: text(chain, `${at}.chain`),
    account: text(account, `${at}.account`),
    page: text(page, `${at}.page`),
  };
};
