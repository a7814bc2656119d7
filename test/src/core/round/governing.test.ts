import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { clocksOf } from '@assay/core/rule/clocks';
import { coveredTooLate, governingRule, recordedTooLate } from '@assay/core/round/governing';
import { isPeriod, type PeriodKind, shiftPeriod } from '@assay/core/rule/period';
import { type Release, releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import type { RuleRow } from '@assay/core/view/rules';
import { MemoryViews } from '@assay/core/view/state';
import { wire } from '@assay/core/wire/wire';
import fc from 'fast-check';
import { layoffsRule, vectors } from '../fixture/fixture.ts';

const TICKER = 'LAYOFFS' as Ticker;

interface Version {
  readonly at: string;
  readonly applies_from: string;
  readonly release: Pick<Release, 'zone' | 'local' | 'days_after' | 'exceptions'>;
}

interface Case {
  readonly name: string;
  readonly kind: PeriodKind;
  readonly versions: readonly Version[];
  readonly refused: readonly number[];
  readonly periods: readonly {
    readonly period: string;
    readonly version: number | null;
    readonly release: string | null;
    readonly earliest: string | null;
    readonly latest: string | null;
  }[];
}

const BASE = layoffsRule();

function ruleOf(kind: PeriodKind, { applies_from: from, release }: Version, number: number): Rule {
  return {
    ...BASE,
    version: number,
    period: kind,
    applies_from: formatDate(parseDate(from)),
    release: { ...release, deadline_s: 1_209_600, first_print_within_s: 604_800 },
  };
}

function rowOf(rule: Rule, at: string): RuleRow {
  const hash = String(rule.version).padStart(64, '0') as HashHex;
  return { hash, seq: rule.version, at: formatTime(parseTime(at)), rule };
}

function write(views: MemoryViews, row: RuleRow): void {
  const key = String(row.rule.version).padStart(7, '0');
  views.write([{ table: `rules/${TICKER}`, key, value: wire(row) }]);
}

test('governing rule: by example', () => {
  for (const { name, kind, versions, refused, periods } of vectors<Case[]>('rule/governing')) {
    const views = new MemoryViews();
    const late: number[] = [];
    const recorded: number[] = [];
    for (const [i, version] of versions.entries()) {
      const row = rowOf(ruleOf(kind, version, i + 1), version.at);
      if (coveredTooLate(views, row.rule, parseTime(version.at)) !== undefined) late.push(i + 1);
      write(views, row);
      // Asked between the versions as well: what is worked out is kept.
      for (const { period } of periods) governingRule(views, TICKER, parseDate(period));
      if (recordedTooLate(views, TICKER, row.hash) !== undefined) recorded.push(i + 1);
    }
    assert.deepEqual(late, refused, name);
    assert.deepEqual(recorded, refused, name);
    for (const { period, ...expected } of periods) {
      const found = governingRule(views, TICKER, parseDate(period));
      const time = (at: number | undefined): string | null =>
        at === undefined ? null : formatTime(at);
      assert.deepEqual(
        {
          version: found?.rule.version ?? null,
          release: time(found?.release),
          earliest: time(found?.earliest),
          latest: time(found?.latest),
        },
        expected,
        `${name}: ${period}`,
      );
    }
  }
});

test('governing rule: an index without a rule has none', () => {
  const views = new MemoryViews();
  assert.equal(governingRule(views, TICKER, parseDate('2026-08-01')), undefined);
  assert.equal(coveredTooLate(views, BASE, 0), undefined);
  assert.equal(recordedTooLate(views, TICKER, '00'.repeat(32) as HashHex), undefined);
});

/** The definition of docs/spec/rule.md, period by period and version by version. */
function byDefinition(rows: readonly RuleRow[], period: number): RuleRow | undefined {
  let earliest = Number.POSITIVE_INFINITY;
  let governing: RuleRow | undefined;
  for (const row of rows) {
    const { release, period: kind, applies_from: from } = row.rule;
    if (parseDate(from) > period) continue;
    const own = releaseTime(release, kind, period);
    if (parseTime(row.at) < Math.min(earliest, own)) governing = row;
    earliest = Math.min(earliest, own);
  }
  return governing;
}

function lateByDefinition(rows: readonly RuleRow[], next: Rule, at: number): boolean {
  const from = parseDate(next.applies_from);
  const named = [next, ...rows.map(({ rule }) => rule)].flatMap(({ release }) =>
    release.exceptions.map(({ period }) => parseDate(period)),
  );
  const usual = Array.from({ length: 500 }, (_, i) => FIRST_DAY - 100 + i);
  return [...usual, ...named].some((period) => {
    if (period < from || !isPeriod(next.period, period)) return false;
    return [next, ...rows.map(({ rule }) => rule)].some(
      ({ applies_from: first, release, period: kind }) =>
        parseDate(first) <= period && releaseTime(release, kind, period) <= at,
    );
  });
}

const FIRST_DAY = parseDate('2026-02-01');

const histories = fc
  .record({
    kind: fc.constantFrom<PeriodKind>('utc_day', 'week_ending_saturday', 'month'),
    steps: fc.array(
      fc.record({
        wait: fc.oneof(fc.integer({ min: 0, max: 3600 }), fc.integer({ min: 0, max: 40 * 86_400 })),
        ahead: fc.integer({ min: 1, max: 6 }),
        zone: fc.constantFrom('UTC' as const, 'America/New_York' as const),
        hour: fc.integer({ min: 0, max: 23 }),
        after: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 62 })),
        moved: fc.array(
          fc.tuple(fc.integer({ min: -4, max: 30 }), fc.integer({ min: -60, max: 160 })),
          { maxLength: 4 },
        ),
      }),
      { minLength: 1, maxLength: 7 },
    ),
    asked: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 6 }),
  })
  .map(({ kind, steps, asked }) => {
    let at = FIRST_DAY * 86_400;
    let from = shiftPeriod(kind, kind === 'week_ending_saturday' ? FIRST_DAY + 6 : FIRST_DAY, 0);
    const origin = from;
    const rows = steps.map(({ wait, ahead, zone, hour, after, moved }, i) => {
      at += wait;
      if (i > 0) from = shiftPeriod(kind, from, ahead);
      const exceptions = new Map(
        moved.map(([period, day]) => [shiftPeriod(kind, origin, period), FIRST_DAY + day]),
      );
      const version: Version = {
        at: formatTime(at),
        applies_from: formatDate(from),
        release: {
          zone,
          local: `${String(hour).padStart(2, '0')}:30`,
          days_after: after,
          exceptions: [...exceptions].map(([period, day]) => ({
            period: formatDate(period),
            date: formatDate(day),
          })),
        },
      };
      return rowOf(ruleOf(kind, version, i + 1), version.at);
    });
    return { kind, origin, rows, asked };
  });

test('governing rule: any history of versions is what the definition makes of it', () => {
  let refused = 0;
  let moved = 0;
  fc.assert(
    fc.property(histories, ({ kind, origin, rows, asked }) => {
      const views = new MemoryViews();
      for (const [i, row] of rows.entries()) {
        const before = rows.slice(0, i);
        const at = parseTime(row.at);
        const late = coveredTooLate(views, row.rule, at) !== undefined;
        assert.equal(late, i > 0 && lateByDefinition(before, row.rule, at), `version ${i + 1}`);
        if (late) refused += 1;
        write(views, row);
        // A request about the future leaves no trace in the answers.
        coveredTooLate(views, { ...row.rule, version: i + 2 }, at + 90 * 86_400);
        const seen = rows.slice(0, i + 1);
        for (const each of i + 1 === rows.length
          ? Array.from({ length: 40 }, (_, k) => k)
          : asked) {
          const period = shiftPeriod(kind, origin, each - 2);
          const found = governingRule(views, TICKER, period);
          const expected = byDefinition(seen, period);
          assert.equal(found?.seq, expected?.seq, formatDate(period));
          if (found === undefined) continue;
          assert.equal(found.release, clocksOf(found.rule, period).release);
          assert.ok(found.earliest <= found.release && found.release <= found.latest);
          if (found.earliest !== found.latest) moved += 1;
        }
        assert.equal(recordedTooLate(views, TICKER, row.hash) !== undefined, late);
      }
    }),
    { numRuns: 1000 },
  );
  assert.ok(refused > 250 && moved > 250, `${refused} refused, ${moved} moved`);
});

test('governing rule: where no fault was recorded the newest version that covers a period governs it', () => {
  fc.assert(
    fc.property(histories, ({ kind, origin, rows }) => {
      const views = new MemoryViews();
      const good: RuleRow[] = [];
      for (const row of rows) {
        if (coveredTooLate(views, row.rule, parseTime(row.at)) !== undefined) continue;
        write(views, row);
        good.push(row);
      }
      const began = parseTime((good[0] as RuleRow).at);
      for (let i = 0; i < 40; i += 1) {
        const period = shiftPeriod(kind, origin, i);
        const newest = good.findLast(({ rule }) => parseDate(rule.applies_from) <= period);
        if (newest === undefined) continue;
        const late = releaseTime((good[0] as RuleRow).rule.release, kind, period) <= began;
        assert.equal(governingRule(views, TICKER, period)?.seq, late ? undefined : newest.seq);
      }
    }),
    { numRuns: 500 },
  );
});

test('governing rule: a log whose rows were taken back is asked anew', () => {
  const views = new MemoryViews();
  const at = '2026-07-30T12:00:00Z';
  const version = (change: Partial<Version>): Version => ({
    at,
    applies_from: '2026-07-25',
    release: { zone: 'UTC', local: '00:00', days_after: 4, exceptions: [] },
    ...change,
  });
  write(views, rowOf(ruleOf('week_ending_saturday', version({}), 1), at));
  write(
    views,
    rowOf(ruleOf('week_ending_saturday', version({ applies_from: '2026-08-08' }), 2), at),
  );
  const asked = (): number | undefined =>
    governingRule(views, TICKER, parseDate('2026-08-15'))?.rule.version;
  assert.equal(asked(), 2);
  const other = ruleOf('week_ending_saturday', version({ applies_from: '2026-08-22' }), 2);
  write(views, { ...rowOf(other, at), hash: 'ab'.repeat(32) as HashHex });
  assert.equal(asked(), 1);
});

test('governing rule: twenty thousand versions with fifty exceptions each cost what they are long', (t) => {
  const VERSIONS = 20_000;
  const MOVED = 50;
  let steps = 0;
  // Each version that is asked, and each day that is looked at, is a look-up in a map: they are counted there.
  /* oxlint-disable no-extend-native, typescript/unbound-method */
  const { get } = Map.prototype;
  t.after(() => (Map.prototype.get = get));
  const counted = <T>(work: () => T): T => {
    Map.prototype.get = function (key: unknown): unknown {
      steps += 1;
      return get.call(this, key);
    };
    try {
      return work();
    } finally {
      Map.prototype.get = get;
    }
  };
  /* oxlint-enable no-extend-native, typescript/unbound-method */
  // One list for all of them, or the test itself would need gigabytes: half of them among the periods that are asked for.
  const exceptions = Array.from({ length: MOVED }, (_, i) => ({
    period: formatDate(FIRST_DAY + VERSIONS - 25 + i),
    date: formatDate(FIRST_DAY + 40_000 + ((i * 7919) % 9000)),
  }));
  const release: Release = {
    zone: 'UTC',
    local: '00:00',
    days_after: 3,
    exceptions,
    deadline_s: 0,
    first_print_within_s: 0,
  };
  const views = new MemoryViews();
  for (let i = 0; i < VERSIONS; i += 1) {
    const rule: Rule = {
      ...BASE,
      version: i + 1,
      period: 'utc_day',
      applies_from: formatDate(FIRST_DAY + i),
      release: { ...release, days_after: i % 63 },
    };
    // Each is recorded before what it covers, and one in a hundred too late.
    const at = (FIRST_DAY + i - (i % 100 === 0 ? -70 : 70)) * 86_400;
    write(views, rowOf(rule, formatTime(Math.max(at, FIRST_DAY * 86_400))));
    counted(() => governingRule(views, TICKER, FIRST_DAY + i));
  }
  const each = steps / (VERSIONS * MOVED);
  assert.ok(each < 8, `${each} steps for each exception`);
  steps = 0;
  const last = FIRST_DAY + VERSIONS;
  const ask = (): void => {
    for (let back = 0; back < 1500; back += 1) governingRule(views, TICKER, last - back);
  };
  counted(ask);
  // Of what was moved every version is asked, of the others those around it and their calendars.
  assert.ok(steps <= 25 * VERSIONS + 1500 * 1000, `${steps} steps`);
  steps = 0;
  counted(ask);
  assert.ok(steps <= 6 * 1500, `${steps} steps when it is asked again`);
});
