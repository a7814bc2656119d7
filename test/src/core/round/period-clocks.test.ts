import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { clockEntries, periodClocks, reportClocks } from '@assay/core/round/period-clocks';
import type { Report } from '@assay/core/report/report';
import type { Rule } from '@assay/core/rule/rule';
import { formatTime, parseDate, parseTime, toTime } from '@assay/core/time/time';
import { seqKey } from '@assay/core/view/seq-key';
import { MemoryViews } from '@assay/core/view/state';
import type { WireObject } from '@assay/core/wire/wire';
import { layoffsRule, sampleReport, SOME_HASH, vectors } from '../fixture/fixture.ts';

interface ReportLine {
  readonly report: string;
  readonly published_at: string;
  readonly status: Report['status'];
  readonly reason: Report['reason'];
  readonly set: 'A' | 'B' | null;
  readonly version: number;
}

interface StatementLine {
  readonly statement: string;
  readonly on: string;
  readonly verdict: 'agree' | 'dissent';
  readonly read_at: string;
  readonly press: string | null;
  readonly table: string | null;
}

interface Ask {
  /** How many lines of the log there are; all where null. */
  readonly before: number | null;
  readonly at: string;
  readonly release: string;
  readonly frozen: string | null;
  readonly first_print: string;
  readonly deadline: string;
  readonly seen: string | null;
}

interface Case {
  readonly name: string;
  readonly late: WireObject | null;
  readonly sets: Readonly<
    Record<string, { readonly threshold: number; readonly members: readonly string[] }>
  >;
  readonly log: readonly (ReportLine | StatementLine)[];
  readonly asks: readonly Ask[];
}

const PERIOD = '2026-07-25';
const CASES = vectors<Case[]>('rule/clocks');

/** A hash that begins with a name. */
const named = (name: string): HashHex =>
  Buffer.from(name).toString('hex').padEnd(64, '0') as HashHex;

function ruleOf(late: WireObject | null): Rule {
  if (late === null) return layoffsRule();
  const release = { ...layoffsRule().release, late };
  return layoffsRule({ spec: 'assay-rule/2', release });
}

const version = (late: WireObject | null) => ({ rule: ruleOf(late), hash: named('version 1') });

function readsOf({ press, table, read_at: at }: StatementLine): Report['reads'] {
  return layoffsRule().providers.map(({ id, role, retain }, i) => {
    const value = [press, table, null][i] ?? null;
    const outcome = value === null ? 'not_published' : 'ok';
    return { provider: id, role, retain, outcome, value, snapshot: SOME_HASH, read_at: toTime(at) };
  });
}

/** The rows of a log whose lines are its entries. */
function viewsOf({ sets, log }: Case): MemoryViews {
  const views = new MemoryViews();
  const put = (table: string, key: string, value: unknown): void =>
    views.write([{ table, key, value: value as WireObject }]);
  for (const [i, [name, { threshold, members }]] of Object.entries(sets).entries()) {
    const cosigners = members.map((each) => ({ name: each, key: named(each) }));
    put('cosigner-sets', seqKey(i), { number: i, threshold, cosigners, hash: named(name) });
  }
  for (const [seq, line] of log.entries()) {
    if ('report' in line) {
      const { status, reason, set, published_at } = line;
      const report = {
        ...sampleReport('final'),
        ticker: 'LAYOFFS',
        period: PERIOD,
        rule: { hash: named(`version ${line.version}`), version: line.version },
        status,
        reason,
        published_at,
        value: status === 'void' ? null : '218000',
        cosigners: { set: set === null ? null : named(set), required: set === null ? 0 : 2 },
      };
      const row = { seq, hash: named(line.report), report, signature: '' };
      put(`reports/LAYOFFS/${PERIOD}`, seqKey(seq), row);
      continue;
    }
    const own = { value: line.press, status: 'provisional', reads: readsOf(line) };
    const statement = { report: named(line.on), cosigner: named(line.statement), own };
    const table = line.verdict === 'agree' ? 'cosigns' : 'dissents';
    put(`${table}/${named(line.on)}`, seqKey(seq), { statement, seq });
  }
  return views;
}

test('period clocks: by example', () => {
  for (const each of CASES) {
    const views = viewsOf(each);
    for (const { before, at, ...expected } of each.asks) {
      const found = periodClocks(
        views,
        version(each.late),
        parseDate(PERIOD),
        parseTime(at),
        before ?? undefined,
      );
      const time = (seconds: number | null): string | null =>
        seconds === null || seconds === Number.POSITIVE_INFINITY ? null : formatTime(seconds);
      assert.deepEqual(
        {
          release: time(found.release),
          frozen: time(found.frozen),
          first_print: time(found.firstPrint),
          deadline: time(found.deadline),
          seen: time(found.seen),
        },
        expected,
        `${each.name}, at ${at}`,
      );
    }
  }
});

function find(name: string): Case {
  const found = CASES.find((each) => each.name.startsWith(name));
  assert.ok(found !== undefined, name);
  return found;
}

test('report clocks: what came into the log after a report changes nothing of it', () => {
  const quorum = find('a quorum does');
  const views = viewsOf(quorum);
  const of = (seq: number, at: string): number | null =>
    reportClocks(views, version(quorum.late), {
      seq,
      report: { ...sampleReport('final'), period: PERIOD as never, published_at: toTime(at) },
    }).seen;
  assert.equal(of(2, '2026-08-20T15:00:00Z'), null);
  assert.equal(of(3, '2026-08-20T15:00:00Z'), parseTime('2026-08-20T12:40:00Z'));
});

test('clock entries: what a report rests on beside its rule, and nothing that the schedule decides', () => {
  const of = (name: string, at = '2026-08-20T15:00:00Z'): readonly number[] => {
    const found = find(name);
    return clockEntries(viewsOf(found), version(found.late), {
      seq: 100,
      report: { ...sampleReport('final'), period: PERIOD as never, published_at: toTime(at) },
    });
  };
  assert.deepEqual(of('a quorum does'), [0, 1, 2]);
  assert.deepEqual(of('a quorum does', '2026-08-06T12:30:00Z'), []);
  assert.deepEqual(of('a third that saw'), [0, 1, 2]);
  assert.deepEqual(of('statements on two provisionals'), [0, 1, 2, 4]);
  assert.deepEqual(of('a provisional in time whose reads agreed'), [0]);
  assert.deepEqual(of('a late provisional'), []);
  assert.deepEqual(of('a rule of the first format'), []);
});
