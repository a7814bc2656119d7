import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Read, Report } from '@assay/core/report/report';
import { type Draft, draftCorrection, type DraftInput, draftReport } from '@assay/core/round/draft';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import { parseDate, parseTime, type TimeText } from '@assay/core/time/time';
import fc from 'fast-check';
import { GENESIS, layoffsRule, SampleLog, sha256, SOME_HASH, vectors } from '../fixture/fixture.ts';
import type { CaseRead } from './decision-cases.ts';
import { clocksIn } from './case-clocks.ts';
import type { RoundCase, RoundReport, RoundStep } from './round-cases.ts';

const PERIOD = '2026-07-25';

/** A rule with two providers, and one log of one period under it. */
class Round {
  readonly #log = new SampleLog();
  readonly #rule: Rule;

  constructor(aggregate: Rule['aggregate']) {
    const { providers, revision } = layoffsRule();
    const own = providers.filter(({ id }) => id === 'press' || id === 'table');
    this.#rule = layoffsRule({
      aggregate,
      providers: own,
      revision: { ...revision, provider: null },
    });
    this.#log.append('genesis/1', GENESIS);
    this.#log.append('rule/1', { rule: this.#rule });
  }

  draft(step: Pick<RoundStep, 'correction' | 'clocks' | 'reads' | 'published_at'>): Draft {
    const input: DraftInput = {
      log: this.#log.log,
      rule: this.#rule,
      ruleHash: ruleHash(sha256, this.#rule),
      period: parseDate(PERIOD),
      clocks: clocksIn(step.clocks),
      reads: step.reads.map(readOf),
      publishedAt: parseTime(step.published_at as TimeText),
      cosigners: { set: null, required: 0 },
      after: null,
      withheld: null,
    };
    const { views } = this.#log;
    return step.correction ? draftCorrection(input, views) : draftReport(input, views);
  }

  record(report: Report): void {
    this.#log.append('report/1', { report, signature: 'ab'.repeat(64) });
  }
}

function readOf({ provider, outcome, value, read_at }: CaseRead): Read {
  const role = provider === 'press' ? 'record' : 'mirror';
  const snapshot = outcome === 'timeout' ? null : SOME_HASH;
  return {
    provider,
    role,
    outcome,
    value,
    snapshot,
    retain: 'bytes',
    read_at: read_at as TimeText,
  };
}

function said({ status, reason, value, dispersion, issue }: Report): RoundReport {
  return { status, reason, value, dispersion, issue };
}

test('round vectors: what each step publishes, and the reads that it rests on', () => {
  const cases = vectors<readonly RoundCase[]>('decision/rounds');
  assert.ok(cases.length >= 18);
  for (const { name, aggregate, steps } of cases) {
    const round = new Round(aggregate);
    for (const [i, step] of steps.entries()) {
      const draft = round.draft(step);
      const place = `${name}, step ${i}`;
      if (draft.kind !== 'report') {
        assert.equal(draft.kind === 'wait' ? null : draft.kind, step.gives, place);
        continue;
      }
      assert.deepEqual(said(draft.report), step.gives, place);
      const on = step.rests_on === 'newest' ? step : steps[step.rests_on as number];
      assert.deepEqual(draft.report.reads, on?.reads.map(readOf), place);
      if (step.recorded) round.record(draft.report);
    }
  }
});

/** The steps of docs/spec/report.md, "Which reads a report rests on". It shares no code with `draftReport`. */
function restsOn(
  before: readonly Report[],
  newest: readonly CaseRead[],
  { clocks, published_at: t }: Pick<RoundStep, 'clocks' | 'published_at'>,
  comparesValue: boolean,
): readonly Read[] {
  const own = newest.map(readOf);
  const { frozen } = clocks;
  if (frozen === null || t < frozen) return own;
  const agreed = before.filter(({ reason }) => reason === 'freeze_window');
  const a = agreed.findLast(({ published_at: at }) => at < frozen) ?? agreed[0];
  if (a === undefined) return own;
  const later = before.slice(before.indexOf(a) + 1).filter(({ published_at: at }) => at < frozen);
  const isOther = ({ provider, role, value }: Read): boolean => {
    if (role === 'check' || value === null) return false;
    const had = a.reads.find((each) => each.provider === provider)?.value ?? null;
    return had === null ? comparesValue && value !== a.value : value !== had;
  };
  return later.some(({ reads }) => reads.some(isOther)) ? own : a.reads;
}

test('round page: its steps and the code rest on the same reads, whatever comes', () => {
  const clocks = {
    release: '2026-07-30T12:30:00Z',
    frozen: '2026-07-30T12:40:00Z',
    first_print: '2026-08-06T12:30:00Z',
    deadline: '2026-08-13T12:30:00Z',
  };
  const given = fc.constantFrom('5', '5', '6', null);
  let kept = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(given, given), { minLength: 1, maxLength: 7 }),
      fc.integer({ min: 1, max: 2 }),
      fc.boolean(),
      (polls, quorum, median) => {
        const within = median ? 'median' : 'equal';
        const round = new Round({
          round: 'half_away',
          within,
          across: 'single',
          quorum,
          max_dispersion: '0',
        });
        const before: Report[] = [];
        for (const [i, values] of polls.entries()) {
          const at = `2026-07-30T12:${34 + 2 * i}:00Z`;
          const reads = values.map((value, which): CaseRead => ({
            provider: which === 0 ? 'press' : 'table',
            outcome: value === null ? 'timeout' : 'ok',
            value,
            read_at: at,
          }));
          const step = { correction: false, clocks, reads, published_at: at };
          const draft = round.draft(step);
          if (draft.kind !== 'report') continue;
          const expected = restsOn(before, reads, step, within === 'equal');
          assert.deepEqual(draft.report.reads, expected);
          if (expected[0]?.read_at !== at) kept += 1;
          if (draft.report.status !== 'provisional') break;
          round.record(draft.report);
          before.push(draft.report);
        }
      },
    ),
    { numRuns: 400 },
  );
  assert.ok(kept > 20, 'earlier reads were kept');
});
