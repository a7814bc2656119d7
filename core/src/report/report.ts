import { type Reason, REASONS } from './decide.ts';
import { contentHash, type HashHex, hashHex as toHex, type Sha256 } from '../hash/hash.ts';
import {
  array,
  boolean,
  date,
  hashHex,
  i64,
  integer,
  literal,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
  time,
} from '../wire/schema.ts';
import {
  bandName,
  type Grade,
  GRADES,
  type Retain,
  RETAINS,
  type Role,
  ROLES,
} from '../rule/rule.ts';
import { READ_FAILURES, type ReadFailure } from '../rule/value.ts';
import { parseTicker, type Ticker } from '../rule/ticker.ts';
import type { DateText, TimeText } from '../time/time.ts';
import { formatWire, type WireValue, wire } from '../wire/wire.ts';
import { malformed } from '../wire/schema.ts';

export const STATUSES = ['provisional', 'final', 'corrected', 'void'] as const;
export type Status = (typeof STATUSES)[number];

/** The publisher's read of one provider. */
export interface Read {
  readonly provider: string;
  readonly role: Role;
  readonly outcome: 'ok' | ReadFailure;
  /** Scaled; null unless `ok`, and null where the level is withheld. */
  readonly value: string | null;
  /** The manifest's hash; null when nothing came back. */
  readonly snapshot: HashHex | null;
  readonly retain: Retain;
  readonly read_at: TimeText;
}

/** What the publisher states about one period, under one rule, at one time. */
export interface Report {
  readonly type: 'assay-report/1';
  readonly log: HashHex;
  readonly ticker: Ticker;
  readonly rule: { readonly hash: HashHex; readonly version: number };
  readonly period: DateText;
  /** Provisionals count from 0, a final and a void have 0, corrections count from 1. */
  readonly issue: number;
  readonly status: Status;
  readonly reason: Reason | null;
  /** Scaled by `decimals`; null when void or withheld. */
  readonly value: string | null;
  readonly decimals: number;
  readonly withheld: boolean;
  /** `sha256(salt32 || value i64 LE)` where the level is withheld. */
  readonly commitment: HashHex | null;
  readonly settleable: boolean;
  readonly grade: Grade;
  readonly z: string | null;
  readonly band: string | null;
  /** The largest read that counts minus the smallest, scaled. */
  readonly dispersion: string | null;
  readonly reads: readonly Read[];
  /** The set of co-signers in force (null where none is registered) and how many of them a settlement needs. */
  readonly cosigners: { readonly set: HashHex | null; readonly required: number };
  /** The report that this one corrects or follows, by hash. */
  readonly supersedes: HashHex | null;
  /** The newest Bitcoin block known when it was written; null where the log follows no chain. */
  readonly after: { readonly height: number; readonly hash: HashHex } | null;
  readonly published_at: TimeText;
}

/** A read, or `malformed`. */
export const parseRead: Parse<Read> = object<Read>({
  provider: string(1, 64),
  role: oneOf(ROLES),
  outcome: oneOf(['ok', ...READ_FAILURES]),
  value: nullable(i64),
  snapshot: nullable(hashHex),
  retain: oneOf(RETAINS),
  read_at: time,
});

const parseShape: Parse<Report> = object<Report>({
  type: literal('assay-report/1'),
  log: hashHex,
  ticker: parseTicker,
  rule: object<Report['rule']>({ hash: hashHex, version: integer(1, 1_000_000) }),
  period: date,
  issue: integer(0, 255),
  status: oneOf(STATUSES),
  reason: nullable(oneOf(REASONS)),
  value: nullable(i64),
  decimals: integer(0, 18),
  withheld: boolean,
  commitment: nullable(hashHex),
  settleable: boolean,
  grade: oneOf(GRADES),
  z: nullable(string(3, 5, /^(0\.[0-9]|-0\.[1-9]|-?[1-9][0-9]?\.[0-9])$/)),
  band: nullable(bandName),
  dispersion: nullable(i64),
  reads: array(parseRead, 0, 16),
  cosigners: object<Report['cosigners']>({ set: nullable(hashHex), required: integer(0, 64) }),
  supersedes: nullable(hashHex),
  after: nullable(
    object<NonNullable<Report['after']>>({ height: integer(0, 2 ** 32 - 1), hash: hashHex }),
  ),
  published_at: time,
});

/** A report, or `malformed`. Members that contradict each other are refused here. */
export function parseReport(value: WireValue, at = 'report'): Report {
  const report = parseShape(value, at);
  const isVoid = report.status === 'void';
  const empty = isVoid || report.withheld;
  const providers = report.reads.map(({ provider }) => provider);
  const demands: readonly (readonly [boolean, string, string])[] = [
    [(report.value === null) === empty, 'value', empty ? 'null' : 'a value'],
    [
      (report.commitment !== null) === (report.withheld && !isVoid),
      'commitment',
      'one exactly where a level is withheld',
    ],
    [!empty || report.dispersion === null, 'dispersion', 'null'],
    [!report.dispersion?.startsWith('-'), 'dispersion', 'at least 0'],
    [!isVoid || report.reason !== null, 'reason', 'why it is void'],
    [report.status !== 'provisional' || report.reason !== null, 'reason', 'why it is not final'],
    [report.status !== 'final' || report.reason === null, 'reason', 'null'],
    [!report.settleable || (report.status === 'final' && !report.withheld), 'settleable', 'false'],
    [!(isVoid || report.status === 'final') || report.issue === 0, 'issue', '0'],
    [
      report.status !== 'corrected' || (report.issue >= 1 && report.supersedes !== null),
      'issue',
      'at least 1, and what is superseded',
    ],
    [(report.z === null) === (report.band === null), 'band', 'null exactly when z is'],
    [!isVoid || report.z === null, 'z', 'null'],
    [new Set(providers).size === providers.length, 'reads', 'each provider once'],
    [
      report.reads.every(
        (read) => (read.value !== null) === (read.outcome === 'ok' && !report.withheld),
      ),
      'reads',
      'values of the reads that gave one',
    ],
  ];
  for (const [holds, place, expected] of demands) {
    if (!holds) throw malformed(`${at}.${place}`, expected, wire(report));
  }
  return report;
}

/** The exact bytes that are hashed; the print message binds their hash. */
export function formatReport(report: Report): Uint8Array {
  return formatWire(report);
}

/** `sha256(canonical report)`. */
export function reportHash(sha256: Sha256, report: Report): HashHex {
  return toHex(contentHash(sha256, formatReport(report)));
}
