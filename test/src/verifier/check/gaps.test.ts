import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { formatDate, parseDate, parseTime } from '@assay/core/time/time';
import { findGaps, gapsOf, nameGaps, nameUnsettled, newestDue } from '@assay/verifier/check/gaps';
import { Findings } from '@assay/verifier/verdict/finding';
import { NotCheckedList } from '@assay/verifier/verdict/verdict';
import { chained } from '../fixture/chained-log.ts';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
} from '../../core/fixture/fixture.ts';

function named(log: SampleLog, at: string): readonly string[] {
  const list = new NotCheckedList();
  nameGaps(gapsOf(log.views, parseTime(at)), list);
  return list.list.map(({ what }) => what);
}

function printed(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log });
  log.append('report/1', { report, signature: 'ab'.repeat(64) });
  return log;
}

/** Without what is named of Closes: of a log that makes none. */
function namedOpen(log: SampleLog, at: string): readonly string[] {
  return named(log, at).filter((what) => !what.startsWith('the Close of '));
}

/** Of a log with a rule that has no index entry. */
const UNINDEXED = 'what the log says that it holds in all: it has rules and no index entry';

test('gaps: periods past their deadline without a final or a void, also after the last print', () => {
  const log = printed();
  assert.deepEqual(namedOpen(log, '2026-08-20T12:29:59Z'), [UNINDEXED]);
  assert.deepEqual(namedOpen(log, '2026-08-20T12:30:00Z'), [
    'LAYOFFS of 2026-08-01: no report though the deadline has passed',
    UNINDEXED,
  ]);
  const [line] = namedOpen(log, '2026-12-01T00:00:00Z');
  assert.match(String(line), /^LAYOFFS of 2026-08-01, .* and \d+ more: no report/);
});

test('gaps: days between Closes', () => {
  const log = printed();
  const close = (day: string) =>
    log.append('close/1', {
      content: {
        day,
        items: [{ ticker: 'LAYOFFS', period: '2026-07-25', report: '11'.repeat(32), value: '1' }],
        files: [],
      },
      version: 0,
      supersedes: null,
      signature: 'ab'.repeat(64),
    });
  // The first is due of the day of the first print.
  assert.deepEqual(named(log, '2026-08-01T05:00:00Z'), [
    'the Close of 2026-07-30, which the log does not have',
    UNINDEXED,
  ]);
  close('2026-07-30');
  close('2026-07-31');
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
  close('2026-08-02');
  assert.deepEqual(named(log, '2026-08-03T05:00:00Z'), [
    'the Close of 2026-08-01, which the log does not have',
    UNINDEXED,
  ]);
});

test('gaps: days between index entries', () => {
  const log = printed();
  const index = (day: string): void => {
    const size = log.entries.length;
    log.append('index/1', { day, size, ...recomputeIndex(log.views, sha256, size) });
  };
  assert.deepEqual(namedOpen(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
  index('2026-07-31');
  // The rule stands in the log since the day before.
  assert.deepEqual(namedOpen(log, '2026-08-02T05:00:00Z'), [
    'the index entry of 2026-07-30, which the log does not have',
  ]);
  index('2026-08-02');
  assert.deepEqual(namedOpen(log, '2026-08-03T05:00:00Z'), [
    'the index entry of 2026-07-30, 2026-08-01, which the log does not have',
  ]);
});

test('gaps: a log without a rule needs no index entry', () => {
  const log = new SampleLog();
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), []);
  log.append('genesis/1', GENESIS);
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), []);
  log.append('rule/1', { rule: layoffsRule() });
  assert.deepEqual(named(log, '2026-08-02T05:00:00Z'), [UNINDEXED]);
});

test('gaps: finals that lack their quorum past the deadline of their round, the oldest first', () => {
  const unsettled = (skip: (name: string) => boolean, at: string): readonly string[] => {
    const list = new NotCheckedList();
    nameUnsettled(chained({ skip }).published.views, parseTime(at as never), list);
    return list.list.map(({ what }) => what);
  };
  const end = '2026-12-01T00:00:00Z';
  assert.deepEqual(
    unsettled(() => false, end),
    [],
  );
  const silent = (name: string): boolean => / (cosign|dissent) /.test(name);
  assert.deepEqual(unsettled(silent, end), [
    'no quorum: LAYOFFS of 2026-07-04, 2026-07-11, 2026-07-18, 2026-07-25, 2026-08-01',
  ]);
  // The final of a period whose round may still go on is not late.
  assert.deepEqual(
    unsettled((name) => name === '2026-08-01 final 0 cosign ben', '2026-08-06T15:00:00Z'),
    [],
  );
  const one = unsettled((name) => name === '2026-08-01 final 0 cosign ben', end);
  assert.match(one.join(), /^no quorum: LAYOFFS of 2026-08-01$/);
});

/** The first period that is released after `ruled` records its rule, half an hour later. */
const FIRST_DUE = '2026-07-25';

/** A log with a rule alone, recorded at noon of 2026-07-30. */
function ruled(change: Readonly<Record<string, unknown>>): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule(change) });
  return log;
}

function openOf(log: SampleLog, at: string, steps?: number): ReturnType<typeof gapsOf> {
  return gapsOf(log.views, parseTime(at as never), steps);
}

test('gaps: an index that never prints owes every period that was released since its rule was recorded', () => {
  const log = ruled({});
  // The week of 2026-07-25 was released at half past twelve of the day after the rule.
  const [open, ...others] = openOf(log, '2032-07-30T00:00:00Z').periods;
  assert.deepEqual(others, []);
  assert.deepEqual([open?.ticker, open?.why], ['LAYOFFS', 'no report']);
  const weeks = open?.dates ?? [];
  assert.equal(weeks[0], FIRST_DUE);
  const last = weeks.at(-1) as string;
  assert.equal(weeks.length, (parseDate(last) - parseDate(FIRST_DUE)) / 7 + 1);
  assert.ok(weeks.length > 300, 'six years of weeks, whatever the list shows');
  assert.ok(last > '2032-07-01');
  const [line] = namedOpen(log, '2032-07-30T00:00:00Z');
  assert.match(String(line), new RegExp(`and ${weeks.length - 5} more: no report though`));
});

test('gaps: the count of what is open is exact, and so is the finding of a policy that asks for all of it', () => {
  const gaps = openOf(ruled({}), '2032-07-30T00:00:00Z');
  const list = new NotCheckedList();
  nameGaps(gaps, list);
  const weeks = gaps.periods[0]?.dates.length ?? 0;
  assert.equal(list.counts.open_periods, weeks);
  assert.equal(list.counts.missing_indexes, gaps.indexes.length);
  const findings = new Findings();
  findGaps(gaps, findings);
  const [finding] = findings.list;
  assert.deepEqual([finding?.code, finding?.place], ['log_incomplete', 'LAYOFFS']);
  assert.match(String(finding?.found), new RegExp(`^no report of .* and ${weeks - 5} more$`));
});

test('gaps: a rule that begins in the year 1 costs no more than the periods since it was recorded', () => {
  const log = ruled({ applies_from: '0001-01-06' });
  let asked = 0;
  const { views } = log;
  const counted = new Proxy(views, {
    get(target, name) {
      const found = Reflect.get(target, name) as unknown;
      if (typeof found !== 'function') return found;
      return (...args: unknown[]): unknown => {
        if (name === 'get') asked += 1;
        return (found as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const gaps = gapsOf(counted, parseTime('2026-12-01T00:00:00Z'));
  assert.equal(gaps.periods[0]?.dates[0], FIRST_DUE);
  assert.deepEqual(gaps.unseen, []);
  assert.ok(asked < 400, `${asked} rows were asked for`);
});

test('gaps: periods that are too many to go through are named, and found where all are asked for', () => {
  const log = ruled({});
  const whole = openOf(log, '2032-07-30T00:00:00Z');
  const gaps = openOf(log, '2032-07-30T00:00:00Z', 50);
  const [newest] = gaps.periods;
  // The newest are gone through first.
  assert.equal(newest?.dates.at(-1), whole.periods[0]?.dates.at(-1));
  assert.ok((newest?.dates.length ?? 0) <= 50);
  assert.match(String(gaps.unseen), /^periods of LAYOFFS before 2031-/);
  const list = new NotCheckedList();
  nameGaps(gaps, list);
  assert.equal(list.counts.unseen_ranges, 1);
  assert.match(String(list.list[0]?.what), /^periods of LAYOFFS before/);
  const findings = new Findings();
  findGaps(gaps, findings);
  assert.ok(findings.list.some(({ place }) => place.startsWith('periods of LAYOFFS before')));
});

test('gaps: a period whose release an exception moves is due then, wherever it lies', () => {
  const release = {
    ...layoffsRule().release,
    exceptions: [{ period: '2031-01-04', date: '2026-08-05' }],
  };
  const { periods } = openOf(ruled({ release }), '2026-08-20T12:30:00Z');
  assert.ok(periods[0]?.dates.includes('2031-01-04' as never));
});

test('gaps: the newest period that is due, printed or not', () => {
  const log = ruled({});
  const due = (at: string): string | undefined => {
    const days = newestDue(log.views, layoffsRule().ticker, parseTime(at as never));
    return days === undefined ? undefined : formatDate(days);
  };
  assert.equal(due('2026-08-13T12:29:59Z'), undefined);
  assert.equal(due('2026-08-20T12:30:00Z'), '2026-08-01');
  assert.equal(due('2026-08-27T12:30:00Z'), '2026-08-08');
});

test('gaps: many indexes that ask for much leave what an index prints gone through', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  for (const i of Array.from({ length: 40 }, (_, n) => n)) {
    const ticker = `AA${String(i).padStart(2, '0')}`;
    const names = { ticker, display: ticker, slug: ticker.toLowerCase() };
    log.append('rule/1', { rule: layoffsRule({ ...names, period: 'utc_day' }) });
  }
  log.append('rule/1', { rule: layoffsRule() });
  const report = sampleReport('final', { log: log.log });
  for (let week = 0; week < 30; week += 1) {
    // The newest three are missing.
    if (week > 26) continue;
    const period = formatDate(parseDate(FIRST_DUE) + 7 * week);
    log.append('report/1', { report: { ...report, period }, signature: 'ab'.repeat(64) });
  }
  const { periods, unseen } = gapsOf(log.views, parseTime('2027-03-10T00:00:00Z'), 41 * 10);
  const own = periods.filter(({ ticker }) => ticker === layoffsRule().ticker);
  assert.deepEqual(
    own.map(({ dates }) => dates),
    [['2027-01-30', '2027-02-06', '2027-02-13']],
  );
  assert.equal(unseen.length, 40);
  assert.ok(unseen.every((each) => each.startsWith('periods of AA')));
});
