import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseHex } from '@assay/core/bytes/hex';
import { type Report, reportHash } from '@assay/core/report/report';
import { DAY_SECONDS, formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import type { AnchorBlock } from '@assay/core/kind/anchor';
import { KeptTimes } from '@assay/node/page/record/kept-times';
import {
  LATE_S,
  type PrintRecord,
  type PrintTimes,
  publisherRecord,
} from '@assay/node/page/record/publisher-record';
import {
  appendAttested,
  appendBatch,
  blockAt,
  HEADER,
} from '../../../core/fixture/anchor-fixture.ts';
import {
  cosignOf,
  HANDS,
  recountedLog,
  recountedReport,
} from '../../../core/fixture/cosigner-fixture.ts';
import { tickers } from '@assay/core/view/rules';
import { ruleHash } from '@assay/core/rule/rule';
import { layoffsRule, SampleLog, sha256 } from '../../../core/fixture/fixture.ts';

const HOUR = 3600;
const FREEZE_S = 7200;
/** A Saturday; its claims are released on the Thursday after it, at 12:30 UTC in summer. */
const FIRST_WEEK = parseDate('2026-07-25');

function releaseOf(week: number): number {
  return (FIRST_WEEK + 7 * week + 5) * DAY_SECONDS + 12.5 * HOUR;
}

/** What happens in one week, in seconds after its release; undefined for what does not happen. */
interface WeekPlan {
  readonly first: number;
  readonly final: number | undefined;
  readonly isVoid: boolean;
  readonly corrections: number;
  readonly signatures: readonly number[];
  readonly block: number | undefined;
  /** Whether money may settle on it. */
  readonly settles: boolean;
  /** Whether the signatures and the corrections come after the block. */
  readonly isLate: boolean;
  /** Whether another block takes the place of the first. */
  readonly isReplaced: boolean;
}

/** What happens in most weeks. */
const USUAL = { settles: true, isLate: false, isReplaced: false } as const;

/** A block with a time, in Unix seconds. */
function blockOf(time: number, height: number): AnchorBlock {
  const bytes = Buffer.from(parseHex(HEADER, 80));
  bytes.writeUInt32LE(time, 68);
  return { ...blockAt(height), header: bytes.toString('hex') };
}

/** A log in which those weeks happened, one after another. */
function logOf(weeks: readonly WeekPlan[]): SampleLog {
  const log = recountedLog();
  const rule = layoffsRule();
  log.append('rule/1', { rule }, '2026-07-20T00:00:00Z');
  let batches = 0;
  for (const [week, plan] of weeks.entries()) {
    const release = releaseOf(week);
    const report = (name: string, after: number, more: object = {}): Report => {
      const made = recountedReport(name, {
        log: log.log,
        rule: { hash: ruleHash(sha256, rule), version: rule.version },
        period: formatDate(FIRST_WEEK + 7 * week),
        published_at: formatTime(release + after),
        supersedes: null,
        issue: 0,
        ...more,
      });
      log.append('report/1', { report: made, signature: 'ab'.repeat(64) }, made.published_at);
      return made;
    };
    report('provisional', plan.first);
    if (plan.isVoid) report('void', 14 * DAY_SECONDS);
    if (plan.final === undefined) continue;
    const { final: finalAfter, block } = plan;
    const final = report('final', finalAfter, { settleable: plan.settles });
    const followed = (): void => {
      for (const [at, seconds] of plan.signatures.entries()) {
        const time = formatTime(release + finalAfter + seconds);
        log.append('cosign/1', cosignOf(final, HANDS[at] ?? HANDS[0]), time);
      }
      for (let issue = 1; issue <= plan.corrections; issue += 1) {
        report('corrected', finalAfter + DAY_SECONDS * issue, {
          issue,
          supersedes: reportHash(sha256, final),
        });
      }
    };
    if (!plan.isLate) followed();
    if (block !== undefined) {
      const attested = (after: number): void => {
        appendAttested(log, batches, [blockOf(release + finalAfter + after, 100 + week)]);
      };
      appendBatch(log);
      attested(block);
      if (plan.isReplaced) attested(block + 600);
      batches += 1;
    }
    if (plan.isLate) followed();
  }
  return log;
}

/** Entries as their bytes say it. */
interface Entry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: {
    readonly report?: Report;
    readonly statement?: { readonly report: string; readonly cosigner: string };
    readonly batch?: number;
    readonly from?: number;
    readonly to?: number;
    readonly stamped_at?: string;
    readonly bitcoin?: readonly { readonly height: number; readonly header: string }[];
  };
}

/** The smallest value that at least that part of the values do not exceed, found by trying each of them. */
function nearestRank(values: readonly number[], part: number): number | undefined {
  const enough = values.filter(
    (each) => values.filter((other) => other <= each).length >= part * values.length,
  );
  return enough.length === 0 ? undefined : Math.min(...enough);
}

/** The same record again, from the bytes of the entries and nothing else. */
function slowly(log: SampleLog): object {
  const entries = log.entries.map((bytes) => JSON.parse(Buffer.from(bytes).toString()) as Entry);
  const of = (kind: string): readonly Entry[] => entries.filter((each) => each.kind === kind);
  const reports = of('report/1').flatMap(({ seq, body: { report } }) =>
    report === undefined ? [] : [{ seq, report, at: parseTime(report.published_at) }],
  );
  const periods = [...new Set(reports.map(({ report }) => report.period))];
  const asOf = Math.max(0, ...of('anchor/1').map(({ body }) => parseTime(body.stamped_at ?? '')));
  const overdue: string[] = [];
  for (let week = 0; releaseOf(week) + 14 * DAY_SECONDS < asOf; week += 1) {
    const period = formatDate(FIRST_WEEK + 7 * week);
    const done = reports.some(
      ({ report }) => report.period === period && /^(final|void)$/.test(report.status),
    );
    if (!done) overdue.unshift(period);
  }
  const firsts: number[] = [];
  const finals: number[] = [];
  const quorums: number[] = [];
  const blocks: number[] = [];
  const count = { finals: 0, voids: 0, quorumWaiting: 0, blockWaiting: 0 };
  for (const period of periods) {
    const release = (parseDate(period) + 5) * DAY_SECONDS + 12.5 * HOUR;
    const own = reports.filter(({ report }) => report.period === period);
    const final = own.find(({ report }) => report.status === 'final');
    const isVoid = final === undefined && own.some(({ report }) => report.status === 'void');
    if (isVoid) count.voids += 1;
    else firsts.push(Math.min(...own.map(({ at }) => at)) - release);
    if (final === undefined) continue;
    count.finals += 1;
    finals.push(final.at - release - FREEZE_S);
    const block = of('anchor/1')
      .filter(({ body: { from = 0, to = 0 } }) => from <= final.seq && final.seq < to)
      .flatMap(({ body }) => body.bitcoin ?? [])
      .at(-1);
    if (block === undefined) count.blockWaiting += 1;
    else blocks.push(Buffer.from(block.header, 'hex').readUInt32LE(68) - final.at);
    const hash = reportHash(sha256, final.report);
    const signed = new Map<string, number>();
    for (const { at, body } of of('cosign/1')) {
      if (body.statement?.report !== hash || signed.has(body.statement.cosigner)) continue;
      signed.set(body.statement.cosigner, parseTime(at));
    }
    const [, second] = [...signed.values()].sort((a, b) => a - b);
    if (!final.report.settleable) continue;
    if (second === undefined) count.quorumWaiting += 1;
    else quorums.push(second - final.at);
  }
  const spread = (values: readonly number[]): readonly (number | undefined)[] | null =>
    values.length === 0
      ? null
      : [values.length, nearestRank(values, 0.5), nearestRank(values, 0.95), Math.max(...values)];
  const corrected = reports.filter(({ report }) => report.status === 'corrected');
  return {
    printed: periods.length,
    finals: count.finals,
    voids: count.voids,
    open: periods.length - count.finals - count.voids,
    corrections: corrected.length,
    corrected: new Set(corrected.map(({ report }) => report.period)).size,
    late_first: firsts.filter((each) => each > LATE_S).length,
    late_final: finals.filter((each) => each > LATE_S).length,
    first: spread(firsts),
    final: spread(finals),
    quorum: spread(quorums),
    quorum_waiting: count.quorumWaiting,
    block: spread(blocks),
    block_waiting: count.blockWaiting,
    overdue,
  };
}

/** A record with its spreads as lists of figures. */
function figures(record: PrintRecord & { readonly overdue?: readonly string[] }): object {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]) => {
      if (['ticker', 'slug', 'cadence'].includes(name)) return [];
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return [[name, value]];
      const { count, median_s, p95_s, worst_s } = value as Record<string, number>;
      return [[name, [count, median_s, p95_s, worst_s]]];
    }),
  );
}

const PLANS: fc.Arbitrary<readonly WeekPlan[]> = fc.array(
  fc
    .record({
      first: fc.integer({ min: 0, max: 2 * FREEZE_S }),
      final: fc.option(fc.integer({ min: 0, max: DAY_SECONDS }), { nil: undefined }),
      isVoid: fc.boolean(),
      corrections: fc.integer({ min: 0, max: 2 }),
      signatures: fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 3 }),
      settles: fc.boolean(),
      isLate: fc.boolean(),
      isReplaced: fc.boolean(),
      block: fc.option(fc.integer({ min: -HOUR, max: DAY_SECONDS }), { nil: undefined }),
    })
    .map((plan) => ({
      ...plan,
      final: plan.final === undefined ? undefined : Math.max(plan.first, FREEZE_S) + plan.final,
      isVoid: plan.isVoid && plan.final === undefined,
      signatures: plan.signatures.toSorted((a, b) => a - b),
    })),
  { maxLength: 6 },
);

test('publisher record: the same follows from the bytes of the entries alone', () => {
  fc.assert(
    fc.property(PLANS, (weeks) => {
      const log = logOf(weeks);
      const record = publisherRecord(log.views, new KeptTimes(sha256).of);
      const [index] = record.indices;
      assert.ok(index !== undefined);
      const expected = slowly(log);
      assert.deepEqual(figures(index), expected);
      const { overdue: _overdue, ...all } = expected as { readonly overdue: unknown };
      assert.deepEqual(figures(record.all), all);
    }),
    { numRuns: 40 },
  );
});

test('publisher record: what is late, corrected, void, waiting and overdue is counted, and the longest is named', () => {
  const log = logOf([
    {
      ...USUAL,
      first: 60,
      final: FREEZE_S,
      isVoid: false,
      corrections: 1,
      signatures: [5, 90],
      block: 1800,
    },
    {
      ...USUAL,
      first: 2 * HOUR,
      final: 4 * HOUR,
      isVoid: false,
      corrections: 0,
      signatures: [5],
      block: undefined,
    },
    {
      ...USUAL,
      first: 5,
      final: undefined,
      isVoid: true,
      corrections: 0,
      signatures: [],
      block: undefined,
    },
  ]);
  appendBatch(log);
  const { all, as_of, indices, closes } = publisherRecord(log.views, new KeptTimes(sha256).of);
  assert.equal(as_of, '2026-08-22T00:10:00Z');
  assert.deepEqual(
    [all.printed, all.finals, all.voids, all.corrections, all.late_first, all.late_final],
    [3, 2, 1, 1, 1, 1],
  );
  assert.deepEqual(all.first, {
    count: 2,
    median_s: 60,
    p95_s: 7200,
    worst_s: 7200,
    worst: 'LAYOFFS 2026-08-01',
  });
  assert.deepEqual([all.quorum?.worst_s, all.quorum_waiting], [90, 1]);
  assert.deepEqual([all.block?.worst_s, all.block_waiting], [1800, 1]);
  assert.deepEqual(indices[0]?.overdue, [], 'the deadline of the fourth week has not passed');
  assert.equal(closes, null);
});

test('publisher record: of the daily entries, a missing one and a late one are found', () => {
  const log = logOf([
    {
      ...USUAL,
      first: 60,
      final: FREEZE_S,
      isVoid: false,
      corrections: 0,
      signatures: [],
      block: undefined,
    },
  ]);
  const indexed = (day: string, at: string): void =>
    log.append(
      'index/1',
      {
        day,
        size: log.entries.length,
        prints: { count: 1, root: '5e'.repeat(32) },
        keys: { count: 0, root: '5e'.repeat(32) },
        rules: { count: 0, root: '5e'.repeat(32) },
        events: { count: 0, root: '5e'.repeat(32) },
      },
      at,
    );
  indexed('2026-07-30', '2026-07-31T00:00:20Z');
  indexed('2026-08-01', '2026-08-02T03:00:00Z');
  const { index_entries, as_of } = publisherRecord(log.views, new KeptTimes(sha256).of);
  assert.equal(as_of, '2026-08-02T03:00:00Z');
  assert.deepEqual(index_entries, {
    first: '2026-07-30',
    newest: '2026-08-01',
    days: 2,
    missing: ['2026-07-31'],
    late: 1,
    after: { count: 2, median_s: 20, p95_s: 10_800, worst_s: 10_800, worst: '2026-08-01' },
  });
});

test('publisher record: a log without an index has an empty record', () => {
  const record = publisherRecord(recountedLog().views, new KeptTimes(sha256).of);
  assert.deepEqual([record.as_of, record.indices, record.all.printed], [null, [], 0]);
  assert.deepEqual([record.all.first, record.closes, record.index_entries], [null, null, null]);
});

test('kept times: what is kept while a log grows is what follows from each of its states', () => {
  let reused = 0;
  fc.assert(
    fc.property(PLANS, (weeks) => {
      const whole = logOf(weeks);
      const grown = new SampleLog();
      const kept = new KeptTimes(sha256);
      const before = new Map<string, PrintTimes>();
      for (const bytes of whole.entries) {
        const { kind, body, at } = JSON.parse(Buffer.from(bytes).toString()) as Entry;
        grown.append(kind, body, at);
        assert.deepEqual(
          publisherRecord(grown.views, kept.of),
          publisherRecord(grown.views, new KeptTimes(sha256).of),
        );
        for (const ticker of tickers(grown.views)) {
          for (const times of kept.of(grown.views, ticker)) {
            if (before.get(times.period) === times) reused += 1;
            before.set(times.period, times);
          }
        }
      }
    }),
    { numRuns: 15 },
  );
  assert.ok(reused > 0, 'something is kept');
});
