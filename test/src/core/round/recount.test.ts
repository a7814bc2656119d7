import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  agrees,
  compareRecount,
  groundFault,
  openBefore,
  recount,
  recountKept,
  type RecountInput,
  recountUntil,
  restsInside,
} from '@assay/core/round/recount';
import type { Read, Report } from '@assay/core/report/report';
import { clocksOf } from '@assay/core/rule/clocks';
import type { Statement } from '@assay/core/report/statement';
import { formatTime, parseDate, parseTime, toDate, toTime } from '@assay/core/time/time';
import { layoffsRule, sampleReport, SOME_HASH } from '../fixture/fixture.ts';

const RULE = layoffsRule();
const CLOCKS = clocksOf(RULE, parseDate('2026-07-25'));
const RELEASE = '2026-07-30T12:30:00Z';
const FROZEN = '2026-07-30T14:30:00Z';
const OVERDUE = '2026-08-13T12:30:00Z';

function reads(
  first: string | null,
  second: string | null = first,
  at: string = RELEASE,
): readonly Read[] {
  return [first, second].map((value, i) => ({
    provider: RULE.providers[i]?.id ?? '',
    role: i === 0 ? 'record' : 'mirror',
    outcome: value === null ? 'not_published' : 'ok',
    value,
    snapshot: SOME_HASH,
    retain: 'bytes',
    read_at: toTime(at),
  }));
}

function report(
  status: Report['status'],
  value: string | null,
  change: Partial<Report> = {},
): Report {
  return {
    ...sampleReport('final'),
    ticker: RULE.ticker,
    period: toDate('2026-07-25'),
    status,
    value,
    reason: status === 'provisional' ? 'freeze_window' : status === 'void' ? 'late' : null,
    reads: reads(value),
    published_at: toTime(status === 'provisional' ? RELEASE : FROZEN),
    ...change,
  };
}

const of = (each: Report, own: readonly Read[], change: Partial<RecountInput> = {}): string => {
  const found = recount({
    rule: RULE,
    clocks: CLOCKS,
    report: each,
    reads: own,
    open: null,
    ...change,
  });
  if (found === undefined) return 'nothing';
  return `${found.status} ${found.value} ${found.quorate ? 'quorate' : 'short'}`;
};

test('recount: what the reads give at the time of the report', () => {
  assert.equal(of(report('provisional', '5'), reads('5')), 'provisional 5 quorate');
  assert.equal(of(report('final', '5'), reads('5')), 'final 5 quorate');
  assert.equal(of(report('final', '5'), reads('6')), 'final 6 quorate');
  assert.equal(of(report('final', '5'), reads('5', null)), 'provisional 5 short');
  assert.equal(of(report('final', '5'), reads('5', '6')), 'provisional 5 short');
  assert.equal(of(report('final', '5'), reads(null)), 'nothing');
  // Its own clock says nothing: only when the report was published counts.
  assert.equal(
    of(report('final', '5'), reads('5', '5', '2026-08-01T00:00:00Z')),
    'final 5 quorate',
  );
});

test('recount: a read from before the release, or too late to be a first print, counts for nothing', () => {
  assert.equal(of(report('final', '5'), reads('5', '5', '2026-07-30T12:29:59Z')), 'nothing');
  const last = formatTime(
    recountUntil({ rule: RULE, clocks: CLOCKS, report: report('final', '5') }),
  );
  assert.equal(of(report('final', '5'), reads('5', '5', last)), 'final 5 quorate');
  const after = formatTime(
    recountUntil({ rule: RULE, clocks: CLOCKS, report: report('final', '5') }) + 1,
  );
  assert.equal(of(report('final', '5'), reads('5', '5', after)), 'nothing');
});

test('recount: a void, by why the period was open', () => {
  const late = report('void', null, { published_at: toTime(OVERDUE) });
  assert.equal(of(late, reads(null)), 'void null quorate');
  assert.equal(of(late, reads(null), { open: 'no_quorum' }), 'void null short');
  assert.equal(of(late, reads('5')), 'final 5 quorate', 'what nobody printed was read in time');
  assert.equal(of(late, reads('5', null)), 'nothing');
});

test('recount: a correction goes by reads of any time, and is a correction', () => {
  const corrected = report('corrected', '6', {
    issue: 1,
    published_at: toTime('2026-09-01T00:00:00Z'),
  });
  const late = reads('6', '6', '2026-08-31T00:00:00Z');
  assert.equal(of(corrected, late), 'corrected 6 quorate');
  assert.equal(
    of(corrected, reads('6', null, '2026-08-31T00:00:00Z')),
    'void null short',
    'past the deadline',
  );
  assert.equal(
    recountUntil({ rule: RULE, clocks: CLOCKS, report: corrected }),
    parseTime(corrected.published_at) + RULE.release.deadline_s,
  );
  assert.equal(restsInside(CLOCKS, corrected), false);
});

test('recount: a withheld level is not counted again', () => {
  assert.equal(of({ ...report('final', null), withheld: true }, reads('5')), 'nothing');
});

test('compare: it agrees with the same, is open where another read may decide, and differs otherwise', () => {
  const cases: readonly (readonly [Report, readonly Read[], string])[] = [
    [report('final', '5'), reads('5'), 'agrees'],
    [report('provisional', '5'), reads('5'), 'agrees'],
    [report('provisional', '5'), reads('5', null), 'agrees'],
    [report('final', '5'), reads('6'), 'differs'],
    [report('final', '5'), reads('6', null), 'open'],
    [report('final', '5'), reads(null), 'open'],
    [report('void', null), reads('5'), 'differs'],
    [report('final', '5', { published_at: toTime('2026-07-30T14:29:59Z') }), reads('5'), 'differs'],
    [
      report('provisional', '5', { published_at: toTime(FROZEN), reason: 'no_quorum' }),
      reads('5'),
      'open',
    ],
    [
      report('provisional', '5', { published_at: toTime(FROZEN), reason: 'no_quorum' }),
      reads('6'),
      'differs',
    ],
  ];
  for (const [each, own, expected] of cases) {
    const found = recount({ rule: RULE, clocks: CLOCKS, report: each, reads: own, open: null });
    assert.equal(compareRecount(each, found), expected, `${each.status} ${JSON.stringify(found)}`);
    assert.equal(found !== undefined && agrees(each, found), expected === 'agrees');
  }
});

test('inside the window: every read of the report is from before its end', () => {
  const at = (...times: string[]): boolean =>
    restsInside(
      CLOCKS,
      report('final', '5', {
        reads: reads('5').map((read, i) => ({ ...read, read_at: toTime(times[i] ?? '') })),
      }),
    );
  assert.equal(at(RELEASE, '2026-07-30T14:29:59Z'), true);
  assert.equal(at(RELEASE, FROZEN), false);
});

test('recount of kept bytes: nothing where they give nothing, unknown where they may not be kept', () => {
  const final = report('final', '1000');
  const kept = (own: readonly Read[]): unknown =>
    recountKept({ rule: RULE, clocks: CLOCKS, report: final, reads: own, open: 'freeze_window' });
  assert.deepEqual(kept(reads('1000')), { ...(kept(reads('1000')) as object), value: '1000' });
  assert.equal(kept(reads(null)), null);
  const [first, second] = reads('1000');
  assert.ok(first !== undefined && second !== undefined);
  assert.equal(kept([first, { ...second, retain: 'hash' }]), undefined);
  // A read that left no bytes takes none away, and a value of it is nobody's.
  const bare: Read = { ...second, outcome: 'timeout', value: null, snapshot: null, retain: 'hash' };
  assert.deepEqual(kept([first, bare]), kept([first, { ...bare, outcome: 'ok', value: '1000' }]));
});

test('what was open before a report, as it shows it itself', () => {
  const after = { supersedes: SOME_HASH as never };
  assert.equal(openBefore(report('final', '1', { supersedes: null })), null);
  assert.equal(openBefore(report('final', '1', after)), 'freeze_window');
  assert.equal(openBefore(report('void', null, { ...after, reason: 'no_quorum' })), 'no_quorum');
  assert.equal(openBefore(report('void', null, { ...after, reason: 'late' })), 'freeze_window');
});

test('ground: what a statement says about its reads and the stored bytes supports its verdict', () => {
  const final = report('final', '1000');
  const ownReads = (value: string): readonly Read[] =>
    RULE.providers.map(({ id, role, retain }) => ({
      ...(reads(value)[0] as Read),
      provider: id,
      role,
      retain,
    }));
  const said = { value: '1000', status: 'final' } as const;
  const other = { value: '2000', status: 'final' } as const;
  const agree = {
    verdict: 'agree',
    basis: 'own_read',
    kept: said,
    own: { ...said, reads: ownReads('1000') },
    signed_at: toTime(FROZEN),
  } as const;
  const dissent = {
    ...agree,
    verdict: 'dissent',
    own: { ...other, reads: ownReads('2000') },
  } as const;
  const at = (statement: object, ...bytes: (typeof said | typeof other | null | undefined)[]) =>
    groundFault(
      statement as Statement,
      { rule: RULE, clocks: CLOCKS, report: final, open: 'freeze_window' },
      bytes.length === 0 ? said : bytes[0],
    )?.at;
  assert.equal(at(agree), undefined);
  assert.equal(at({ ...agree, kept: null }), undefined);
  assert.equal(at(dissent), undefined);
  const withRead = (change: Partial<Read>): string | undefined =>
    at({ ...agree, own: { ...said, reads: ownReads('1000').map((r) => ({ ...r, ...change })) } });
  assert.equal(withRead({}), undefined);
  assert.equal(withRead({ provider: 'nobody' }), 'own.reads');
  assert.equal(withRead({ read_at: toTime('2026-07-30T12:29:59Z') }), 'own.reads[0]');
  assert.equal(withRead({ read_at: toTime('2026-07-30T14:30:01Z') }), 'own.reads[0]');
  assert.equal(withRead({ snapshot: null }), 'own.reads[0]');
  assert.equal(withRead({ value: null }), 'own.reads[0]');
  assert.equal(withRead({ outcome: 'timeout' }), 'own.reads[0]');
  assert.equal(at({ ...agree, kept: other }), 'kept');
  assert.equal(at({ ...agree, kept: other }, undefined), 'kept');
  assert.equal(at(agree, other), 'kept');
  assert.equal(at(agree, null), 'kept');
  assert.equal(at({ ...agree, own: null }), 'own');
  assert.equal(at({ ...agree, own: { ...said, reads: ownReads('2000') } }), 'own');
  assert.equal(at({ ...agree, own: { ...other, reads: ownReads('2000') } }), 'own');
  assert.equal(at({ ...dissent, own: agree.own }), 'own');
  // Of bytes that are not kept nobody can tell.
  const retained = { ...dissent, basis: 'retained_bytes', own: null, kept: other };
  assert.equal(at(retained), 'kept');
  assert.equal(at(retained, other), undefined);
  assert.equal(at(retained, undefined), undefined);
});

test('ground: that nobody answered supports no void', () => {
  const empty = report('void', null, { published_at: toTime(OVERDUE) });
  const nothing: Partial<Read> = { outcome: 'unreachable', value: null, snapshot: null };
  const at = (change: Partial<Read>): string | undefined => {
    const own = RULE.providers.map(({ id, role, retain }) => ({
      ...(reads('1')[0] as Read),
      ...nothing,
      ...(role === 'record' ? change : {}),
      provider: id,
      role,
      retain,
    }));
    const statement = {
      verdict: 'agree',
      basis: 'own_read',
      kept: null,
      own: { value: null, status: 'void', reads: own },
      signed_at: toTime(OVERDUE),
    } as unknown as Statement;
    return groundFault(
      statement,
      { rule: RULE, clocks: CLOCKS, report: empty, open: 'freeze_window' },
      undefined,
    )?.at;
  };
  assert.equal(at({}), 'own.reads');
  assert.equal(at({ outcome: 'not_published', snapshot: SOME_HASH }), undefined);
});

test('recount of a late void: whoever read a number in time gives none of it away, whatever the log has', () => {
  const clocks = {
    release: parseTime(RELEASE),
    frozen: Number.POSITIVE_INFINITY,
    firstPrint: parseTime('2026-09-27T12:30:00Z'),
    deadline: parseTime('2026-09-28T12:30:00Z'),
    seen: null,
  };
  const end = { published_at: toTime('2026-09-28T12:30:00Z') };
  const late = report('void', null, end);
  const at = '2026-09-27T12:30:00Z';
  assert.equal(of(late, reads('5', '5', at), { clocks }), 'final 5 quorate');
  assert.equal(of(late, reads('5', null, at), { clocks }), 'void null quorate');
  assert.equal(of(late, reads('5', '5', '2026-09-27T12:30:01Z'), { clocks }), 'void null quorate');
  assert.equal(of(late, reads(null), { clocks }), 'void null quorate');
  const found = recount({
    rule: RULE,
    clocks,
    report: late,
    reads: reads('5', '5', at),
    open: null,
  });
  assert.equal(compareRecount(late, found), 'differs');
  // Before that it is provisional, and nothing becomes final.
  const early = report('provisional', '5', { published_at: toTime('2026-09-20T00:00:00Z') });
  assert.equal(of(early, reads('5', '5', at), { clocks }), 'provisional 5 quorate');
});
