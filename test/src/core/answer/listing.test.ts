import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closedListingOf,
  type Kit,
  kitUntil,
  listingOf,
  listingPayload,
  overdueReason,
  withOpenStrikes,
} from '@assay/core/answer/listing';
import { formatScaled, parseDecimal, roundScaled } from '@assay/core/number/rational';
import { type Rule, ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { parseTime } from '@assay/core/time/time';
import fc from 'fast-check';
import { setOfStrangers } from '../fixture/cosigner-fixture.ts';
import {
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
  sha256,
  withheldRule,
} from '../fixture/fixture.ts';
import { revision, SIGNATURE, smallLog } from '../view/small-log.ts';

const TICKER = 'LAYOFFS' as Ticker;

function kitOf(log: SampleLog, ticker: Ticker = TICKER): Kit {
  const listed = listingOf(log.views, ticker);
  assert.ok('kit' in listed);
  return listed.kit;
}

/** A log whose one final has this value. */
function settledAt(rule: Rule, value: string): SampleLog {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule });
  const { decimals } = rule;
  const report = sampleReport('final', { log: log.log, value, decimals });
  log.append('report/1', { report, signature: SIGNATURE });
  return log;
}

function strikesAt(change: Readonly<Record<string, unknown>>, value: string): readonly string[] {
  return kitOf(settledAt(layoffsRule(change), value)).strikes;
}

test('listing: the exact kit', () => {
  const rule = layoffsRule();
  assert.deepEqual(kitOf(smallLog()), {
    ticker: 'LAYOFFS',
    title: rule.title,
    network: 'development',
    question: 'Will US initial claims for the week ending 2026-08-08 be at least {strike}?',
    period: '2026-08-08',
    unit: 'claims',
    decimals: 0,
    strikes: ['205000', '210000', '215000', '220000', '225000', '230000', '235000'],
    strike_step: '5000',
    tie: { op: 'ge', text: 'A print equal to the strike resolves YES.' },
    settlement: {
      release_at: '2026-08-13T12:30:00Z',
      final_from: '2026-08-13T14:30:00Z',
      void_after: '2026-08-27T12:30:00Z',
      on:
        'settlement_value of LAYOFFS for 2026-08-08: the first final under rule version 1, signed ' +
        'by the publisher. Later revisions and corrections do not change it. It settles from when ' +
        '`settleable` of that period is true.',
      if_void:
        'Where the source publishes no number by its deadline the period is void: a signed report ' +
        'says so, and the market has no number to settle on.',
    },
    // The week after was void, and a correction changed nothing of what settled.
    reference: { period: '2026-07-25', settlement_value: '218000' },
    rule: { version: 1, hash: ruleHash(sha256, rule) },
    source: { name: 'US Department of Labor', attribution: rule.rights.attribution },
  });
});

test('listing: under a rule that waits for a late number a market is open as long as the period can be', () => {
  const { release } = layoffsRule();
  const voidAfter = (late: object): readonly [string, boolean] => {
    const rule = layoffsRule({ spec: 'assay-rule/2', release: { ...release, late } });
    const { settlement } = kitOf(settledAt(rule, '218000'));
    return [settlement.void_after, settlement.if_void.includes('late')];
  };
  const from = (days: number): object => ({ kind: 'from_publication', within_s: days * 86_400 });
  // The release of the next period is on 2026-08-06 at 12:30, and fourteen days are its deadline.
  assert.deepEqual(voidAfter({ kind: 'void' }), ['2026-08-20T12:30:00Z', false]);
  // Seen on the last day but one, it has fourteen days from then.
  assert.deepEqual(voidAfter(from(60)), ['2026-10-18T12:30:00Z', true]);
});

test('listing: strikes stand around the value, at both halves of a step', () => {
  const step = { ...layoffsRule().listing, strikes: 1 };
  const near = (value: string): string => strikesAt({ listing: step }, value)[1] ?? '';
  assert.equal(near('217499'), '215000');
  assert.equal(near('217500'), '220000');
  assert.equal(near('220000'), '220000');
  assert.deepEqual(strikesAt({ listing: { ...step, strikes: 0 } }, '218000'), ['220000']);
});

test('listing: a count or an amount has no strike at 0 or below, a percentage has', () => {
  assert.deepEqual(strikesAt({}, '20000'), [
    '5000',
    '10000',
    '15000',
    '20000',
    '25000',
    '30000',
    '35000',
  ]);
  assert.deepEqual(strikesAt({}, '0'), ['5000', '10000', '15000']);
  assert.deepEqual(strikesAt({}, '-40000'), []);
  const percent = {
    format: 'percent',
    decimals: 1,
    precision: '0.1',
    listing: { ...layoffsRule().listing, strike_step: '0.2' },
  };
  assert.deepEqual(strikesAt(percent, '1'), ['-0.4', '-0.2', '0.0', '0.2', '0.4', '0.6', '0.8']);
  assert.deepEqual(strikesAt({ ...percent, format: 'usd' }, '1'), ['0.1', '0.2', '0.3', '0.4']);
});

test('listing: strikes of any value are multiples of the step, ascending, around the nearest', () => {
  const values = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(
      values,
      fc.bigInt({ min: 1n, max: 10n ** 9n }),
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 6 }),
      (value, step, strikes, decimals) => {
        const listing = {
          ...layoffsRule().listing,
          strike_step: formatScaled(step, decimals),
          strikes,
        };
        const change = { format: 'percent', decimals, precision: '1', listing };
        const found = strikesAt(change, value.toString()).map((each) =>
          roundScaled(parseDecimal(each), decimals, 'half_away'),
        );
        assert.equal(found.length, 2 * strikes + 1);
        const middle = found[strikes] as bigint;
        const distance = middle > value ? middle - value : value - middle;
        assert.ok(2n * distance <= step, `${middle} for ${value}`);
        for (const [i, each] of found.entries()) {
          assert.equal(each, middle + BigInt(i - strikes) * step);
          assert.equal(each % step, 0n);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('listing: before a first final there is no reference and there are no strikes', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('rule/1', { rule: layoffsRule() });
  for (const period of [undefined, '2026-07-11', '2026-07-18']) {
    if (period !== undefined) log.append('revision/1', revision([{ period, value: '216000' }]));
    const kit = kitOf(log);
    assert.deepEqual([kit.strikes, kit.reference], [[], null]);
    // No market on a week that came before the first rule.
    assert.equal(kit.period, '2026-07-25');
  }
});

test('listing: {strike} is left open however often it stands there, and {period} is filled', () => {
  const question = '{period}: {strike}? In {period}, {strike} {other}';
  const listing = { ...layoffsRule().listing, question };
  const kit = kitOf(settledAt(layoffsRule({ listing }), '218000'));
  assert.equal(kit.question, '2026-08-01: {strike}? In 2026-08-01, {strike} {other}');
});

test('listing: the market is on the next print, by the rule of that period', () => {
  const log = smallLog();
  const { listing, release } = layoffsRule();
  const next = layoffsRule({
    version: 2,
    applies_from: '2026-08-08',
    release: { ...release, local: '10:00' },
    listing: { ...listing, strike_step: '1000', question: 'At {strike} in {period}?' },
    tie: { op: 'gt', text: 'Equal is NO.' },
  });
  log.append('rule/1', { rule: next });
  const kit = kitOf(log);
  assert.deepEqual(kit.rule, { version: 2, hash: ruleHash(sha256, next) });
  assert.deepEqual(
    [kit.question, kit.tie.op, kit.strike_step, kit.settlement.release_at, kit.strikes[0]],
    ['At {strike} in 2026-08-08?', 'gt', '1000', '2026-08-13T14:00:00Z', '215000'],
  );
  log.append('rule/1', {
    rule: layoffsRule({
      version: 3,
      applies_from: '2026-08-15',
      listing: { ...listing, no_kit: 'Not any more.' },
    }),
  });
  assert.equal(kitOf(log).rule.version, 2, 'a rule of a later period is not its rule');
  log.append('report/1', {
    report: sampleReport('provisional', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  assert.deepEqual(listingOf(log.views, TICKER), { no_kit: 'Not any more.' });
});

test('listing: a period that is out provisionally is not a market any more', () => {
  const log = smallLog();
  log.append('report/1', {
    report: sampleReport('provisional', { log: log.log, period: '2026-08-08' }),
    signature: SIGNATURE,
  });
  const kit = kitOf(log);
  assert.deepEqual([kit.period, kit.reference?.period], ['2026-08-15', '2026-07-25']);
});

test('listing: an index without a kit says why', () => {
  const log = smallLog();
  assert.deepEqual(listingOf(log.views, 'CPI' as Ticker), {
    no_kit: 'A monthly level is not offered as a market.',
  });
  const withheld = new SampleLog();
  withheld.append('genesis/1', GENESIS);
  withheld.append('rule/1', { rule: withheldRule() });
  assert.deepEqual(listingOf(withheld.views, TICKER), { no_kit: 'The level is withheld.' });
});

test('listing: the answer is the kit, and then where its things are', () => {
  const kit = kitOf(smallLog());
  const where = {
    report: `/indices/LAYOFFS/report?period=${kit.period}`,
    settlement_index: '/settlement/latest.json',
    mirror: null,
    reference_file: '/settlement/2026-08-21/LAYOFFS.json',
    proof: null,
    recount: null,
    rule: '/indices/LAYOFFS/rule',
  };
  assert.deepEqual(listingPayload(kit, where), { ...kit, where });
  assert.equal(Object.keys(listingPayload(kit, where)).at(-1), 'where');
});

test('listing: the kit of a settlement file keeps its bytes, with a strike at 0', () => {
  const log = settledAt(layoffsRule(), '4000');
  const closed = closedListingOf(log.views, TICKER);
  assert.ok('kit' in closed);
  const { strikes, strike_step, ...rest } = closed.kit;
  assert.deepEqual([strikes, strike_step], [['0', '5000', '10000', '15000', '20000'], '5000']);
  const { strikes: offered, strike_step: step, ...same } = kitOf(log);
  assert.deepEqual(rest, same);
  // Of strikes by the rule's step none but 0 is near 4,000.
  assert.deepEqual(offered, ['1000', '2000', '3000', '4000', '5000', '6000', '7000']);
  assert.equal(step, '1000');
  assert.deepEqual(withOpenStrikes(closed.kit, 'count'), kitOf(log), 'as of a mirror');
});

test('listing: strikes of a value that is small beside the step are near it, and none is certain', () => {
  assert.deepEqual(strikesAt({}, '11'), ['6', '8', '10', '12', '14', '16', '18']);
  assert.deepEqual(strikesAt({}, '1'), ['1', '2', '3', '4']);
  const values = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const steps = fc.bigInt({ min: 1n, max: 10n ** 9n });
  fc.assert(
    fc.property(values, steps, fc.integer({ min: 1, max: 20 }), (value, step, count) => {
      const listing = { ...layoffsRule().listing, strike_step: String(step), strikes: count };
      const { strikes, strike_step } = kitOf(settledAt(layoffsRule({ listing }), String(value)));
      const found = strikes.map(BigInt);
      assert.ok(found.length > count && found.length <= 2 * count + 1);
      assert.ok(found.every((each) => each > 0n && each % BigInt(strike_step) === 0n));
      assert.ok(BigInt(strike_step) <= step, 'never coarser than the rule');
      assert.ok(
        found.some((each) => each <= value),
        'not all above the value',
      );
      assert.ok((found.at(-1) ?? 0n) > value, 'and not all below it');
      const [first = 0n] = found;
      assert.ok((found.at(-1) ?? 0n) - first <= 2n * BigInt(count) * step);
    }),
  );
});

test('listing: there is a kit until its print is due, and then a text in its place', () => {
  const kit = kitOf(smallLog());
  assert.equal(kitUntil(kit), parseTime(kit.settlement.release_at));
  assert.equal(
    overdueReason(kit),
    `The print of LAYOFFS ${kit.period} was due at ${kit.settlement.release_at} and is not there yet.`,
  );
});

test('listing: it names the quorum of the set that is in force at the release', () => {
  const on = (log: SampleLog): string => kitOf(log).settlement.on;
  const log = smallLog();
  log.append('cosigners/1', setOfStrangers());
  assert.match(on(log), / signed by the publisher and by 2 of its co-signers\. /);
  // The release is on 2026-08-13 at 12:30: the next set comes a second too late, or just in time.
  const later = setOfStrangers({ number: 1, threshold: 3 });
  const late = smallLog();
  late.append('cosigners/1', setOfStrangers());
  late.append('cosigners/1', later, '2026-08-06T12:30:01Z');
  assert.match(on(late), / and by 2 of its co-signers\. /);
  log.append('cosigners/1', later, '2026-08-06T12:30:00Z');
  assert.match(on(log), / and by 3 of its co-signers\. /);
});
