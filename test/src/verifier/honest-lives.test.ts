import { test } from 'node:test';
import { parseRule, type Rule } from '@assay/core/rule/rule';
import { releaseTime } from '@assay/core/rule/release';
import { type DateText, formatDate, formatTime, parseDate, parseTime } from '@assay/core/time/time';
import { periodRow } from '@assay/core/view/periods';
import { wire } from '@assay/core/wire/wire';
import { runClose } from '@assay/node/day/close-round';
import { duePeriods } from '@assay/node/round/due';
import { OpenPeriods } from '@assay/node/round/open-periods';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { runCorrection, runRound } from '@assay/node/round/round';
import type { SettlementFolder } from '@assay/node/day/settlement-mirror';
import fc from 'fast-check';
import type { Week } from '@assay/node/dev/site/claims-sample';
import { claimsCsv, claimsJson } from '../node/fixture/claims-pages.ts';
import {
  CLAIMS_RULE,
  MIRROR,
  page,
  RECORD,
  requireVerified,
  testNode,
} from '../node/fixture/round-fixture.ts';

const START = '2026-01-01T00:00:00Z';
const WEEKS = Array.from({ length: 12 }, (_, i) => parseDate('2026-01-03') + 7 * i);
/** Lives of one run; more by the environment. */
const RUNS = Number(process.env['ASSAY_LIVES'] ?? 30);
const NOWHERE = { put: async () => {}, setLatest: async () => {} } as unknown as SettlementFolder;

/** What happens between two looks of a node. */
interface Turn {
  readonly waits: number;
  readonly recordDown: boolean;
  readonly mirrorDown: boolean;
  /** Seconds that the mirror is behind. */
  readonly mirrorLag: number;
  /** A week that the source changes, and by how much. */
  readonly revises: readonly [week: number, by: number] | null;
  readonly breaks: boolean;
  readonly corrects: boolean;
  readonly closes: boolean;
}

const turn: fc.Arbitrary<Turn> = fc.record({
  waits: fc.constantFrom(600, 3600, 7200, 40_000, 86_400, 20 * 86_400),
  recordDown: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.constant(true)),
  mirrorDown: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
  mirrorLag: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    fc.constantFrom(600, 86_400, 30 * 86_400),
  ),
  revises: fc.option(fc.tuple(fc.nat(11), fc.constantFrom(-1000, 500, 1000)), { freq: 4 }),
  breaks: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
  corrects: fc.oneof({ weight: 15, arbitrary: fc.constant(false) }, fc.constant(true)),
  closes: fc.boolean(),
});

const ruleOf: fc.Arbitrary<Rule> = fc
  .record({
    within: fc.constantFrom('equal', 'median'),
    quorum: fc.constantFrom(1, 2),
    max_dispersion: fc.constantFrom('0', '1000'),
    freeze: fc.constantFrom(0, 7200, 86_400),
    first: fc.constantFrom(86_400, 604_800, 1_209_600),
    deadline: fc.constantFrom(86_400, 1_209_600, 3_000_000),
    revises: fc.constantFrom(null, RECORD.id, MIRROR.id),
  })
  .map(({ within, quorum, max_dispersion: most, freeze, first, deadline, revises }) =>
    parseRule(
      nodeSha256,
      wire({
        ...CLAIMS_RULE,
        aggregate: { ...CLAIMS_RULE.aggregate, within, quorum, max_dispersion: most },
        revision: { ...CLAIMS_RULE.revision, freeze_after_s: freeze, provider: revises },
        release: { ...CLAIMS_RULE.release, first_print_within_s: first, deadline_s: deadline },
        baseline: { window: 4, min: 2, split: 'none' },
      }),
    ),
  );

async function live(rule: Rule, turns: readonly Turn[]): Promise<void> {
  const node = await testNode(START, {}, rule);
  const { ledger, source, parts } = node;
  const figures = new Map(WEEKS.map((week, i) => [week, 200_000 + 1000 * ((i * 7) % 11)]));
  const shownAt = (time: number): readonly Week[] =>
    WEEKS.filter((week) => releaseTime(rule.release, rule.period, week) <= time).map((period) => ({
      period,
      claims: figures.get(period) as number,
    }));
  let now = parseTime(START);
  const open = new OpenPeriods();
  for (const { waits, recordDown, mirrorDown, mirrorLag, ...more } of turns) {
    now += waits;
    node.at(formatTime(now));
    if (more.revises !== null) {
      const week = WEEKS[more.revises[0]] as number;
      figures.set(week, (figures.get(week) as number) + more.revises[1]);
    }
    const silent = { kind: 'failed', reason: 'unreachable', detail: '' } as const;
    const broken = page('<html>busy</html>');
    const csv = more.breaks ? broken : page(claimsCsv(shownAt(now)));
    source.say(RECORD, recordDown ? silent : csv);
    source.say(MIRROR, mirrorDown ? silent : page(claimsJson(shownAt(now - mirrorLag))));
    for (const period of duePeriods(rule.ticker, ledger.tip, now, open)) {
      const row = periodRow(ledger.tip, rule.ticker, formatDate(period));
      if (row !== undefined && row.status !== 'provisional') continue;
      await runRound(rule.ticker, period, parts);
    }
    const settled = WEEKS.find((week) => hasFinal(formatDate(week)));
    if (more.corrects && settled !== undefined) {
      await runCorrection(rule.ticker, settled, 'a life', parts);
    }
    if (more.closes) await runClose({ ...parts, mirror: NOWHERE });
  }
  await requireVerified(node);

  function hasFinal(date: DateText): boolean {
    return periodRow(ledger.tip, rule.ticker, date)?.settlement_value != null;
  }
}

test('an honest publisher is never accused, whatever its sources do and whenever it polls', async () => {
  await fc.assert(
    fc.asyncProperty(ruleOf, fc.array(turn, { minLength: 20, maxLength: 60 }), live),
    { numRuns: RUNS },
  );
});
