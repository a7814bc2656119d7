import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitmentOf } from '@assay/core/hash/commitment';
import {
  draftCorrection,
  type DraftInput,
  draftReport,
  saysTheSame,
  type Withholding,
} from '@assay/core/round/draft';
import { parseReport, type Read, type Report, reportHash } from '@assay/core/report/report';
import { clocksOf, lateClocksOf } from '@assay/core/rule/clocks';
import { ruleHash } from '@assay/core/rule/rule';
import {
  type DateText,
  formatDate,
  formatTime,
  parseDate,
  parseTime,
  toTime,
} from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  SOME_HASH,
  withheldRule,
} from '../fixture/fixture.ts';

const RULE = layoffsRule();
const READ_AT = toTime('2026-07-30T12:30:05Z');

function reads(press: string | null, other: string | null = press): readonly Read[] {
  return [press, other].map((value, i) => ({
    provider: i === 0 ? 'press' : 'table',
    role: i === 0 ? 'record' : 'mirror',
    outcome: value === null ? 'not_published' : 'ok',
    value,
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: READ_AT,
  }));
}

function input(log: SampleLog, change: Partial<DraftInput> = {}): DraftInput {
  return {
    log: log.log,
    rule: RULE,
    ruleHash: ruleHash(sha256, RULE),
    period: parseDate('2026-07-25'),
    clocks: clocksOf(change.rule ?? RULE, change.period ?? parseDate('2026-07-25')),
    reads: reads('218000'),
    publishedAt: parseTime('2026-07-30T14:30:00Z'),
    cosigners: { set: null, required: 0 },
    after: null,
    withheld: null,
    ...change,
  };
}

function startLog(): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: RULE });
  return log;
}

function drafted(log: SampleLog, change: Partial<DraftInput> = {}): Report {
  const draft = draftReport(input(log, change), log.views);
  assert.equal(draft.kind, 'report');
  assert.ok(draft.kind === 'report');
  // What is drafted is what a reader of the wire accepts.
  assert.deepEqual(parseReport(wire(draft.report)), draft.report);
  return draft.report;
}

function print(log: SampleLog, report: Report): void {
  log.append('report/1', { report, signature: 'ab'.repeat(64) });
}

test('draft: provisional, then final, each naming the one before', () => {
  const log = startLog();
  const early = drafted(log, { publishedAt: parseTime('2026-07-30T12:31:00Z') });
  assert.deepEqual(
    [early.status, early.reason, early.issue, early.value, early.settleable, early.supersedes],
    ['provisional', 'freeze_window', 0, '218000', false, null],
  );
  print(log, early);
  const second = drafted(log, {
    reads: reads('218000', '217000'),
    publishedAt: parseTime('2026-07-30T12:40:00Z'),
  });
  assert.deepEqual([second.status, second.reason, second.issue], ['provisional', 'dispersion', 1]);
  print(log, second);
  const last = drafted(log);
  assert.deepEqual(
    [last.status, last.reason, last.issue, last.value, last.settleable, last.dispersion],
    ['final', null, 0, '218000', true, '0'],
  );
  assert.equal(last.published_at, '2026-07-30T14:30:00Z');
  assert.equal(second.supersedes, reportHash(sha256, early));
  assert.equal(last.supersedes, reportHash(sha256, second));
  print(log, last);
  assert.deepEqual(draftReport(input(log), log.views), { kind: 'settled' });
});

test('draft: nothing before the release and nothing without a value', () => {
  const log = startLog();
  assert.deepEqual(
    draftReport(input(log, { publishedAt: parseTime('2026-07-30T12:29:59Z') }), log.views),
    { kind: 'wait' },
  );
  assert.deepEqual(draftReport(input(log, { reads: reads(null) }), log.views), { kind: 'wait' });
});

test('draft: what was read inside the window settles, whenever the publisher polls', () => {
  const log = startLog();
  print(log, drafted(log, { publishedAt: parseTime('2026-07-30T12:31:00Z') }));
  const moved = reads('219000');
  const inside = drafted(log, { reads: moved, publishedAt: parseTime('2026-07-30T14:29:59Z') });
  assert.deepEqual(
    [inside.value, inside.status],
    ['219000', 'provisional'],
    'the source corrects itself',
  );
  const after = drafted(log, { reads: moved });
  assert.deepEqual(
    [after.value, after.status],
    ['218000', 'final'],
    'not printed inside, not settled on',
  );
  assert.deepEqual(after.reads, reads('218000'));
  print(log, inside);
  assert.equal(drafted(log, { reads: reads('220000') }).value, '219000');
});

test('draft: without a quorum inside the window the newest reads settle', () => {
  const log = startLog();
  print(
    log,
    drafted(log, { reads: reads('218000', null), publishedAt: parseTime('2026-07-30T12:31:00Z') }),
  );
  assert.deepEqual(
    [drafted(log, { reads: reads('219000') }).value, drafted(log).status],
    ['219000', 'final'],
  );
});

test('draft: a read from before the release counts for nothing, and nothing is published', () => {
  const log = startLog();
  const early = reads('218000').map((each) => ({
    ...each,
    read_at: toTime('2026-07-30T12:29:59Z'),
  }));
  assert.deepEqual(draftReport(input(log, { reads: early }), log.views), { kind: 'wait' });
  const exact = reads('218000').map((each) => ({
    ...each,
    read_at: toTime('2026-07-30T12:30:00Z'),
  }));
  assert.equal(drafted(log, { reads: exact }).status, 'final');
});

test('draft: what nobody saw is not void; what is open is', () => {
  const log = startLog();
  const late = parseTime('2026-08-13T12:30:00Z');
  const silent = reads(null).map((each) => ({ ...each, outcome: 'unreachable' as const }));
  assert.deepEqual(draftReport(input(log, { reads: silent, publishedAt: late }), log.views), {
    kind: 'wait',
  });
  print(
    log,
    drafted(log, { reads: reads('218000', null), publishedAt: parseTime('2026-07-30T12:31:00Z') }),
  );
  assert.deepEqual(
    [
      drafted(log, { reads: silent, publishedAt: late }).status,
      drafted(log, { reads: silent, publishedAt: late }).reason,
    ],
    ['void', 'no_quorum'],
    'why it was not final before',
  );
});

test('draft: a void has no value, no z and no band, and ends the round', () => {
  const log = startLog();
  const report = drafted(log, {
    reads: reads(null),
    publishedAt: parseTime('2026-08-13T12:30:00Z'),
  });
  assert.deepEqual(
    [
      report.status,
      report.reason,
      report.value,
      report.z,
      report.band,
      report.dispersion,
      report.settleable,
    ],
    ['void', 'late', null, null, null, null, false],
  );
  print(log, report);
  assert.deepEqual(draftReport(input(log), log.views), { kind: 'settled' });
});

test('draft: z is computed from the settlement values before, not from voids, history or later periods', () => {
  const log = startLog();
  const rule = layoffsRule({
    release: { ...RULE.release, deadline_s: 10_000_000, first_print_within_s: 10_000_000 },
  });
  log.append('revision/1', {
    ticker: 'LAYOFFS',
    rule: ruleHash(sha256, RULE),
    provider: 'table',
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: READ_AT,
    read_for: '2026-07-25',
    rows: [{ period: '2026-06-20', value: '999999' }],
  });
  const periods = ['2026-06-27', '2026-07-04', '2026-07-11', '2026-07-18'] as DateText[];
  for (const [i, period] of periods.entries()) {
    const before = drafted(log, {
      rule,
      period: parseDate(period),
      reads: reads(String(210_000 + 2000 * i)),
    });
    assert.equal(before.z, null, 'fewer than the least number of values');
    print(log, before);
  }
  print(log, sampleReport('final', { period: '2026-08-01', value: '1', log: log.log }));
  // Median 213,000; MAD 2,000; s 2,965.2; (218,000 - 213,000) / s = 1.686...
  const report = drafted(log);
  assert.deepEqual([report.z, report.band], ['1.7', 'high']);
});

test('draft: a rule without the right to settle prints finals that do not', () => {
  const log = startLog();
  const rule = layoffsRule({ rights: { ...RULE.rights, settlement: 'no' } });
  assert.deepEqual(
    [drafted(log, { rule }).status, drafted(log, { rule }).settleable],
    ['final', false],
  );
});

test('draft: what a read counts for is up to the rule', () => {
  const log = startLog();
  const [record, mirror] = reads('218000') as [Read, Read];
  const cases: readonly (readonly [string, readonly Read[]])[] = [
    ['a stranger', [record, { ...mirror, provider: 'stranger' }]],
    [
      'a check that calls itself a mirror',
      [record, { ...mirror, provider: 'api', role: 'mirror' }],
    ],
  ];
  for (const [name, given] of cases) {
    assert.equal(drafted(log, { reads: given }).reason, 'no_quorum', name);
  }
});

const SALT = new Uint8Array(32).fill(7);
const HIDDEN = withheldRule();

function hiddenInput(log: SampleLog, change: Partial<DraftInput> = {}): DraftInput {
  const open: Withholding = {
    kind: 'open',
    commit: (value) => commitmentOf(sha256, SALT, value),
    history: [200_000n, 210_000n, 220_000n, 230_000n],
  };
  const ruled = { rule: HIDDEN, ruleHash: ruleHash(sha256, HIDDEN), withheld: open };
  return input(log, { ...ruled, ...change });
}

test('draft: a withheld level leaves a commitment, z and band, and nothing of its value', () => {
  const log = startLog();
  const draft = draftReport(hiddenInput(log), log.views);
  assert.ok(draft.kind === 'report');
  const { report, opening } = draft;
  const { commitment } = report;
  assert.deepEqual(opening, { commitment, value: 218_000n }, 'for whoever keeps it');
  assert.deepEqual(parseReport(wire(report)), report);
  assert.equal(report.status, 'final');
  assert.equal(report.settleable, false);
  assert.equal(report.commitment, commitmentOf(sha256, SALT, 218_000n));
  assert.deepEqual([report.z, report.band], ['0.2', 'normal']);
  assert.equal(JSON.stringify(report).includes('218000'), false);
});

test('draft: whoever has only the report of a withheld level gets it again', () => {
  const log = startLog();
  // As many finals before as z is measured against.
  for (const [i, date] of ['2026-06-27', '2026-07-04', '2026-07-11', '2026-07-18'].entries()) {
    const before = draftReport(hiddenInput(log), log.views);
    assert.ok(before.kind === 'report');
    print(log, { ...before.report, period: date as DateText, z: null, band: null, issue: 0 * i });
  }
  for (const given of [reads('218000'), reads('218000', null), reads('218000', '219000')]) {
    const draft = draftReport(hiddenInput(log, { reads: given }), log.views);
    assert.ok(draft.kind === 'report');
    const { report } = draft;
    const again = draftReport(
      hiddenInput(log, { reads: report.reads, withheld: { kind: 'claimed', report } }),
      log.views,
    );
    assert.deepEqual(again, { ...draft, opening: null });
    // What time and outcomes do not bear out is not taken on its word.
    const lie: Report = { ...report, status: 'final', reason: null, band: 'very_high' };
    const judged = draftReport(
      hiddenInput(log, { reads: report.reads, withheld: { kind: 'claimed', report: lie } }),
      log.views,
    );
    assert.notDeepEqual(judged, { kind: 'report', report: lie, opening: null });
  }
});

/** A withheld rule of two populations that are summed, each with its record and its mirror. */
const SUMMED = withheldRule({
  baseline: { window: 52, min: 52, split: 'none' },
  aggregate: { ...HIDDEN.aggregate, across: 'sum', quorum: 1, max_dispersion: '5' },
  providers: ['one', 'two'].flatMap((group) =>
    HIDDEN.providers
      .filter(({ role }) => role !== 'check')
      .map((provider) => ({ ...provider, id: `${group}-${provider.id}`, group })),
  ),
});

test('draft: what only the withheld values would show is taken as claimed where it can be', () => {
  const given = (values: readonly (string | null)[]): readonly Read[] =>
    SUMMED.providers.map(({ id, role }, i) => {
      const value = values[i] ?? null;
      const outcome = value === null ? ('timeout' as const) : ('ok' as const);
      const snapshot = value === null ? null : SOME_HASH;
      return { provider: id, role, outcome, value, snapshot, retain: 'hash', read_at: READ_AT };
    });
  const late = parseTime('2026-08-20T12:30:00Z');
  const onTime = parseTime('2026-07-30T14:30:00Z');
  const huge = String(2n ** 63n - 1n);
  const cases: readonly (readonly [readonly (string | null)[], number, string, string | null])[] = [
    [['10', '10', '20', '20'], onTime, 'final', null],
    [['10', '16', '20', '20'], onTime, 'provisional', 'dispersion'],
    [['10', '16', '20', '20'], late, 'void', 'dispersion'],
    [[huge, huge, '1', '1'], onTime, 'void', 'out_of_range'],
  ];
  const change = (made: readonly Read[], publishedAt: number): Partial<DraftInput> => ({
    rule: SUMMED,
    ruleHash: ruleHash(sha256, SUMMED),
    reads: made,
    publishedAt,
  });
  for (const [values, at, status, reason] of cases) {
    const log = startLog();
    if (at === late) {
      // What is void at the deadline was told of before.
      const before = draftReport(hiddenInput(log, change(given(values), onTime)), log.views);
      assert.ok(before.kind === 'report');
      print(log, before.report);
    }
    // Too few levels before it for a z.
    const draft = draftReport(hiddenInput(log, change(given(values), at)), log.views);
    assert.ok(draft.kind === 'report');
    const { report } = draft;
    assert.deepEqual([report.status, report.reason], [status, reason], values.join());
    const claimed: Withholding = { kind: 'claimed', report };
    const again = { ...change(report.reads, at), withheld: claimed };
    const closed = { ...draft, opening: null };
    assert.deepEqual(draftReport(hiddenInput(log, again), log.views), closed, values.join());
  }
  const log = startLog();
  // One read of each population cannot differ from others, and no rule of one population has a sum.
  const lie = (
    made: readonly Read[],
    reason: Report['reason'],
    rule = SUMMED,
  ): Report['reason'] | undefined => {
    const report = { ...sampleReport('withheld'), reason };
    const withheld: Withholding = { kind: 'claimed', report };
    const draft = draftReport(
      hiddenInput(log, { rule, ruleHash: ruleHash(sha256, rule), reads: made, withheld }),
      log.views,
    );
    return draft.kind === 'report' ? draft.report.reason : undefined;
  };
  const hide = (all: readonly Read[]): readonly Read[] =>
    all.map((each) => ({ ...each, value: null }));
  assert.equal(lie(hide(given(['1', null, '1', null])), 'dispersion'), null);
  assert.equal(lie(hide(given(['1', '1', '1', null])), 'dispersion'), 'dispersion');
  assert.equal(lie(hide(reads('1')), 'out_of_range', HIDDEN), null);
  assert.equal(lie(hide(given(['1', null, '1', null])), 'out_of_range'), 'out_of_range');
});

test('draft: a withheld z needs as many finals as the rule says', () => {
  const log = startLog();
  const draft = draftReport(hiddenInput(log), log.views);
  assert.ok(draft.kind === 'report');
  const { report } = draft;
  const again = draftReport(
    hiddenInput(log, { reads: report.reads, withheld: { kind: 'claimed', report } }),
    log.views,
  );
  assert.ok(again.kind === 'report');
  assert.equal(again.report.z, null);
});

test('draft: a correction follows a final, and never settles', () => {
  const log = startLog();
  const later = toTime('2026-08-10T09:00:00Z');
  const again = (value: string, other = value): Partial<DraftInput> => ({
    reads: reads(value, other).map((read) => ({ ...read, read_at: later })),
    publishedAt: parseTime(later),
  });
  const correct = (change: Partial<DraftInput>) => draftCorrection(input(log, change), log.views);
  assert.deepEqual(correct(again('217000')), { kind: 'wait' }, 'nothing is final');
  const final = drafted(log);
  print(log, final);
  assert.deepEqual(correct(again('218000')), { kind: 'settled' }, 'the same number');
  assert.deepEqual(correct(again('217000', '216000')), { kind: 'wait' }, 'no agreement');
  assert.deepEqual(
    correct({ ...again('217000'), reads: reads('217000') }),
    { kind: 'wait' },
    'reads from before the final',
  );
  const first = correct(again('217000'));
  assert.ok(first.kind === 'report');
  const { report } = first;
  assert.deepEqual(parseReport(wire(report)), report);
  assert.deepEqual(
    [report.status, report.issue, report.value, report.settleable, report.supersedes],
    ['corrected', 1, '217000', false, reportHash(sha256, final)],
  );
  assert.deepEqual([report.z, report.band], [final.z, final.band]);
  print(log, report);
  const second = correct(again('219000'));
  assert.ok(second.kind === 'report');
  assert.equal(second.report.issue, 2);
  assert.equal(second.report.supersedes, reportHash(sha256, report));
  assert.deepEqual(draftReport(input(log), log.views), { kind: 'settled' });
});

test('draft: a read that comes too late for a first print counts for nothing', () => {
  const log = startLog();
  const rule = layoffsRule({ release: { ...RULE.release, first_print_within_s: 7200 } });
  const at = (time: string) => ({
    rule,
    reads: reads('218000').map((read) => ({ ...read, read_at: toTime(time) })),
    publishedAt: parseTime('2026-07-30T14:30:01Z'),
  });
  assert.equal(drafted(log, at('2026-07-30T14:30:00Z')).status, 'final');
  assert.deepEqual(draftReport(input(log, at('2026-07-30T14:30:01Z')), log.views), {
    kind: 'wait',
  });
});

test('draft: two provisionals say the same when status, reason, value and spread are the same', () => {
  const a = sampleReport('provisional');
  assert.equal(saysTheSame(a, { ...a, issue: 1, published_at: READ_AT }), true);
  for (const change of [
    { value: '1' },
    { dispersion: '1' },
    { reason: 'no_quorum' },
    { status: 'final' },
  ] as Partial<Report>[]) {
    assert.equal(saysTheSame(a, { ...a, ...change }), false);
  }
  assert.equal(formatDate(parseDate('2026-07-25')), a.period);
});

test('draft: what was loaded as history gets no first print afterwards', () => {
  const log = startLog();
  log.append('revision/1', {
    ticker: 'LAYOFFS',
    rule: ruleHash(sha256, RULE),
    provider: 'table',
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: READ_AT,
    read_for: '2026-08-01',
    rows: [{ period: '2026-07-25', value: '218000' }],
  });
  assert.deepEqual(draftReport(input(log), log.views), { kind: 'settled' });
});

test('draft: a final after the deadline needs a provisional from before it', () => {
  const overdue = { publishedAt: parseTime('2026-08-13T12:30:00Z') };
  const silent = startLog();
  assert.deepEqual(draftReport(input(silent, overdue), silent.views), { kind: 'wait' });
  const open = startLog();
  print(open, drafted(open, { publishedAt: parseTime('2026-07-30T12:31:00Z') }));
  assert.equal(drafted(open, overdue).status, 'final');
});

test('draft: z is of the first publication of a value', () => {
  const log = startLog();
  const soon = { publishedAt: parseTime('2026-07-30T12:31:00Z') };
  const first = drafted(log, soon);
  print(log, { ...first, z: '1.2', band: 'normal' });
  const final = drafted(log);
  assert.deepEqual([final.status, final.z, final.band], ['final', '1.2', 'normal']);
  const other = startLog();
  print(other, { ...drafted(other, soon), z: '1.2', band: 'normal' });
  const corrected = drafted(other, {
    reads: reads('219000').map((read) => ({ ...read, read_at: toTime('2026-07-30T13:00:00Z') })),
    publishedAt: parseTime('2026-07-30T13:00:01Z'),
  });
  assert.equal(corrected.z, null, 'another value has a z of its own');
});

test('draft: after 256 provisionals a source that flaps is heard at the end', () => {
  const log = startLog();
  const soon = { publishedAt: parseTime('2026-07-30T12:31:00Z') };
  const first = drafted(log, soon);
  for (let issue = 0; issue < 256; issue += 1) print(log, { ...first, issue });
  assert.deepEqual(draftReport(input(log, soon), log.views), { kind: 'wait' });
  assert.equal(drafted(log).status, 'final');
});

/** Three weeks late: unix seconds of the publication. */
const LATE = parseTime('2026-08-20T12:40:00Z');
const lateReads = (value: string | null, at: number): readonly Read[] =>
  reads(value).map((read) => ({ ...read, read_at: formatTime(at) }));
const UNSEEN = {
  release: parseTime('2026-07-30T12:30:00Z'),
  frozen: Number.POSITIVE_INFINITY,
  firstPrint: parseTime('2026-09-27T12:30:00Z'),
  deadline: parseTime('2026-09-28T12:30:00Z'),
  seen: null,
};
const seenClocks = (seen: number) => ({ ...lateClocksOf(RULE, parseDate('2026-07-25'), seen) });

test('a late number: provisional while no quorum saw it, however long, and void in the end', () => {
  const log = startLog();
  const first = drafted(log, {
    clocks: UNSEEN,
    publishedAt: LATE,
    reads: lateReads('218000', LATE),
  });
  assert.deepEqual([first.status, first.reason], ['provisional', 'freeze_window']);
  print(log, first);
  const weeks = { clocks: UNSEEN, publishedAt: UNSEEN.deadline - 1 };
  const later = drafted(log, { ...weeks, reads: lateReads('219000', LATE + 900_000) });
  assert.deepEqual([later.status, later.reason], ['provisional', 'freeze_window']);
  const end = { clocks: UNSEEN, publishedAt: UNSEEN.deadline };
  for (const value of ['218000', null]) {
    const last = drafted(log, { ...end, reads: lateReads(value, LATE + 900_000) });
    assert.deepEqual([last.status, last.reason, last.value], ['void', 'late', null]);
  }
  // Without a report before it the sources have to say something: that nobody could be reached is no word of theirs.
  const silent = startLog();
  assert.equal(drafted(silent, { ...end, reads: lateReads(null, LATE) }).status, 'void');
  const unreachable = lateReads(null, LATE).map((read) => ({
    ...read,
    outcome: 'unreachable' as const,
    snapshot: null,
  }));
  const nothing = draftReport(input(silent, { ...end, reads: unreachable }), silent.views);
  assert.deepEqual(nothing, { kind: 'wait' });
});

test('a late number: what was last printed inside the window that a quorum set is final', () => {
  const log = startLog();
  const early = { clocks: UNSEEN, publishedAt: LATE - 300, reads: lateReads('218000', LATE - 300) };
  print(log, drafted(log, early));
  const clocks = seenClocks(LATE);
  const corrected = { clocks, publishedAt: LATE + 3600, reads: lateReads('219000', LATE + 3600) };
  print(log, drafted(log, corrected));
  // The source revises it once more, when the window is over.
  const over = { clocks, publishedAt: LATE + 7200, reads: lateReads('220000', LATE + 7200) };
  const final = drafted(log, over);
  assert.deepEqual([final.status, final.value], ['final', '219000']);
});

test('a late number: of what was printed after the window, when nobody knew of it yet, the first counts', () => {
  const log = startLog();
  const day = 86_400;
  for (const [i, value] of ['218000', '219000'].entries()) {
    const at = LATE + (i + 1) * day;
    print(log, drafted(log, { clocks: UNSEEN, publishedAt: at, reads: lateReads(value, at) }));
  }
  const at = LATE + 3 * day;
  const over = { clocks: seenClocks(LATE), publishedAt: at, reads: lateReads('220000', at) };
  const final = drafted(log, over);
  assert.deepEqual([final.status, final.value], ['final', '218000']);
});

test('a late number: a read after the time for first prints does not count, by the clocks of its publication', () => {
  const log = startLog();
  const clocks = seenClocks(LATE);
  const late = { clocks, publishedAt: clocks.firstPrint + 1 };
  const of = (at: number) =>
    draftReport(input(log, { ...late, reads: lateReads('218000', at) }), log.views);
  assert.equal(of(clocks.firstPrint).kind, 'report');
  assert.deepEqual(of(clocks.firstPrint + 1), { kind: 'wait' });
});
