import { contentHash, hashHex, type Sha256 } from '@assay/core/hash/hash';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type PeriodKind, periodOf, shiftPeriod } from '@assay/core/rule/period';
import { releaseTime } from '@assay/core/rule/release';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { DAY_SECONDS, formatDate } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';

/** What somebody decides who wants to try an index of a CSV file. */
export interface CsvIndex {
  readonly ticker: string;
  /** The address of a CSV file, whose first row names its columns. */
  readonly url: string;
  /** The column that names the period: a date, or a month as in `2026-07` for months. */
  readonly day: string;
  /** The column of the number. */
  readonly value: string;
  readonly title: string;
  readonly unit: string;
  /** Of the number, 0 to 18. */
  readonly decimals: number;
  readonly period: PeriodKind;
  /** When the number is read, `HH:MM` in UTC, on the first day after the period. */
  readonly release: string;
}

const CLAUSE =
  'Trial: nobody has read the terms of this source, so that the rule is valid on a development log alone.';

/** A pointer to a column, whose name may have a slash or a tilde (RFC 6901). */
function pointer(column: string): string {
  return `/${column.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * A development rule over one column of a CSV file. What it reads in the day after the release is the first print, and that is final at
 * once. It begins with the period that is released next after `now`, in Unix seconds. Throws `malformed` where a choice does not fit a rule.
 */
export function csvRule(sha256: Sha256, index: CsvIndex, now: number): Rule {
  const today = Math.floor(now / DAY_SECONDS);
  // The release does not depend on where a rule begins.
  const any = ruleFrom(sha256, index, today, today);
  let first = shiftPeriod(index.period, periodOf(index.period, today), -1);
  while (releaseTime(any.release, index.period, first) <= now)
    first = shiftPeriod(index.period, first, 1);
  return ruleFrom(sha256, index, first, today);
}

/** The rule that begins with the period of the day `from`; both days are counted from 1970. */
function ruleFrom(sha256: Sha256, index: CsvIndex, from: number, today: number): Rule {
  const { ticker, url, unit, title, decimals, period } = index;
  const step = decimals === 0 ? '1' : `0.${'0'.repeat(decimals - 1)}1`;
  const rule = {
    spec: 'assay-rule/1',
    network: 'development',
    ticker,
    display: ticker,
    slug: ticker.toLowerCase(),
    version: 1,
    applies_from: formatDate(periodOf(period, from)),
    title,
    unit,
    format: 'count',
    decimals,
    precision: step,
    period,
    release: {
      zone: 'UTC',
      local: index.release,
      days_after: 0,
      exceptions: [],
      deadline_s: DAY_SECONDS,
      first_print_within_s: DAY_SECONDS,
    },
    source: URL.canParse(url) ? new URL(url).host : url,
    providers: [providerOf(index)],
    aggregate: {
      round: 'half_away',
      within: 'equal',
      across: 'single',
      quorum: 1,
      max_dispersion: '0',
    },
    revision: { settles: 'first_published', freeze_after_s: 0, provider: null },
    baseline: { window: 52, min: 26, split: 'none' },
    bands: [
      { name: 'low', from_z: '-99.9' },
      { name: 'normal', from_z: '-1.5' },
      { name: 'high', from_z: '1.5' },
    ],
    grade: 'C',
    rights: {
      terms_url: url,
      clause: CLAUSE,
      clause_sha256: hashHex(contentHash(sha256, formatUtf8(CLAUSE))),
      retrieved: formatDate(today),
      level: 'publish',
      settlement: 'yes',
      attribution: 'Trial',
    },
    tie: { op: 'ge', text: 'A print equal to the strike resolves YES.' },
    listing: {
      no_kit: 'This is a trial.',
      question: `Will ${title} of {period} be at least {strike}?`,
      strike_step: step,
      strikes: 0,
    },
  };
  return parseRule(sha256, wire(rule));
}

function providerOf({ url, day, value, period }: CsvIndex): object {
  return {
    id: 'csv',
    name: 'CSV file',
    group: 'csv',
    role: 'record',
    retain: 'bytes',
    request: {
      method: 'GET',
      url,
      headers: [],
      body: null,
      follow: [],
      paging: { kind: 'none' },
    },
    text: 'none',
    extract: [
      { op: 'utf8' },
      { op: 'csv', delimiter: ',' },
      {
        op: 'series',
        key: [pointer(day)],
        key_style: period === 'month' ? 'iso_month' : 'iso_prefix',
        value: pointer(value),
        style: 'plain',
        missing: ['', '-'],
      },
      { op: 'pick', among: 'newest' },
    ],
    checks: [],
  };
}
