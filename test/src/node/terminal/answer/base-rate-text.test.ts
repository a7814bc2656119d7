import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDGE_REASONS, type EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import {
  caveatTexts,
  plainText,
  reasonText,
  withheldText,
} from '@assay/node/terminal/answer/base-rate-text';
import { vectors } from '../../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../../core/terminal/edge/edge-study.ts';

interface Case {
  readonly number: number;
  readonly group?: EdgeGroup;
  readonly plain?: string;
  readonly caveats?: readonly string[];
  readonly withheld?: readonly (readonly [EdgeGroup['withheld'][number], string])[];
}

const study = edgeStudyWith({ bucket: 'up_5', breadth: 'some' });
const held =
  study.groups.find(({ withheld }) => withheld.length === 0) ?? assert.fail('none holds');

test('base rate text: each sentence is the fixed one', () => {
  const cases = vectors<Case[]>('base-rate/words').filter((each) => each.group !== undefined);
  const reasons = new Set<string>();
  for (const { number, group, plain, caveats, withheld } of cases) {
    assert.ok(group !== undefined);
    assert.equal(plain === undefined, group.withheld.length > 0);
    if (plain !== undefined) assert.equal(plainText(group), plain);
    if (caveats !== undefined) assert.deepEqual(caveatTexts(group), caveats);
    for (const [reason, text] of withheld ?? []) {
      reasons.add(reason);
      assert.equal(reasonText(reason, group, number), text);
    }
    if (withheld !== undefined) {
      const few = withheld.filter(([reason]) => reason.startsWith('few_'));
      const named = few.length > 0 ? few : withheld;
      assert.equal(withheldText(group, number), named.map(([, text]) => text).join(' '));
    }
  }
  assert.deepEqual([...reasons].sort(), [...EDGE_REASONS].sort(), 'each reason is in a vector');
});

test('base rate text: a rate says its interval and its sample', () => {
  const { n_weeks, n_assets } = held.whole;
  const plain = plainText(held);
  assert.match(plain, /^After a rise of 5 % to 15 % in a day, while 10 % to 30 % of the assets/);
  assert.match(plain, /\(95 % interval \+\d\.\d\d to \+\d\.\d\d\)\.$/);
  const [selected, sample, ...rest] = caveatTexts(held);
  assert.match(selected ?? '', /selected from 18 .* too far from 0 on average/);
  assert.match(
    sample ?? '',
    new RegExp(`${n_weeks} weeks and ${n_assets} assets, and not 50 events`),
  );
  assert.match(rest.at(-1) ?? '', /what happened, and not what will/);
  assert.equal(rest.length, 2, 'mean and median have one sign');
});

test('base rate text: a median that goes another way than the mean is said', () => {
  const seven = { ...held.horizons['7d'], mean_excess: 412, median_excess: -60 };
  const skewed = { ...held, horizons: { ...held.horizons, '7d': seven } };
  const said = (group: EdgeGroup): boolean =>
    caveatTexts(group).some((each) =>
      /mean is \+4\.12 points and the median is -0\.60:/.test(each),
    );
  assert.ok(said(skewed));
  assert.ok(!said(held));
  for (const [mean, median, expected] of [
    [10, 0, 5],
    [10, 1, 4],
    [-10, 1, 5],
    [0, 1, 4],
  ] as const) {
    const statistics = { ...seven, mean_excess: mean, median_excess: median };
    const group = { ...held, horizons: { ...held.horizons, '7d': statistics } };
    assert.equal(caveatTexts(group).length, expected, `${mean} ${median}`);
  }
});

test('base rate text: the assets that are gone are counted, with both bounds', () => {
  const whole = { ...held.whole, low: { mean: -210, ci: [-900, 480] as const, t: -600 } };
  const caveats = (gone: number, of: EdgeGroup['whole']): string => {
    const seven = { ...held.horizons['7d'], gone };
    const horizons = { ...held.horizons, '7d': seven };
    return caveatTexts({ ...held, whole: of, horizons }).join(' ');
  };
  const ranged = /so the mean is between -2\.10 and \+4\.\d\d points, and the interval allows/;
  const some = caveats(3, whole);
  assert.match(
    some,
    /In 3 of the 50 events the asset had no price any more after 7 days\. The mean/,
  );
  assert.match(some, ranged);
  // A quiet asset can be gone where none of the events is.
  const quiet = caveats(0, whole);
  assert.match(quiet, /In all 50 events the asset still had a price after 7 days\. The mean/);
  assert.match(quiet, ranged);
  assert.doesNotMatch(caveats(0, held.whole), /between/);
  assert.match(plainText({ ...held, whole }), /\(95 % interval -9\.00 to \+4\.\d\d\)\.$/);
});

test('base rate text: a test at two bounds says both', () => {
  const whole = { ...held.whole, low: { mean: -210, ci: [-900, 480] as const, t: -600 } };
  const group = { ...held, whole, other_assets: whole };
  assert.match(
    reasonText('family', group, 1),
    /^All events: the mean is between -2\.10 and \+4\.\d\d points \(95 % interval -9\.00 to \+4\.\d\d\), because some assets have no price any more\. At these two ends it is -0\.600 and \+\d+\.\d{3} times its own error\. At least 3\.912 times was needed at both, in one direction\.$/,
  );
  assert.match(
    reasonText('other_assets', group, 1),
    /^The other half of the assets in the later months: .* needed at both, in the direction of all events\.$/,
  );
});
