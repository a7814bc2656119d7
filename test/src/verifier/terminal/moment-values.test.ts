import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MomentReturn, StudyMoment } from '@assay/core/terminal/edge/study-moment';
import { contradiction, StatedReturns } from '@assay/verifier/terminal/moment-values';
import type { PublicReturn } from '@assay/verifier/terminal/public-returns';

const RETURN: MomentReturn = {
  ret: 100,
  gone: false,
  base: 50,
  base_lost: 50,
  gone_controls: 0,
  unpriced_controls: 0,
};
const ID = '00000000-0000-8000-8000-00000000000';

function moment(index: number, change: Partial<StudyMoment> = {}): StudyMoment {
  return {
    id: `${ID}${index}`,
    symbol: `A${index}`,
    opened_at: 900,
    entered_at: 1800,
    bucket: 'up_5',
    breadth: 'alone',
    controls: 12,
    returns: { '1d': RETURN, '7d': { ...RETURN, ret: 300 }, '30d': null },
    ...change,
  };
}

/** With another return after a day. */
const after = (day: Partial<MomentReturn>, index = 0): StudyMoment =>
  moment(index, { returns: { ...moment(0).returns, '1d': { ...RETURN, ...day } } });

/** The same moments with the times at which their returns end. */
function ending(moments: readonly StudyMoment[], day = 90_000, week = 608_400): StudyMoment[] {
  return moments.map((each) => ({
    ...each,
    returns: { '1d': { ...RETURN, ret: day }, '7d': { ...RETURN, ret: week }, '30d': null },
  }));
}

const place = (
  moments: readonly StudyMoment[],
  made: readonly StudyMoment[] | undefined = ending(moments),
  returns: readonly PublicReturn[] = [],
): string | undefined => contradiction(moments, made, returns)?.path;

test('moment values: returns that agree are no contradiction', () => {
  assert.equal(place([moment(0), moment(1)]), undefined);
  assert.equal(contradiction([moment(0), moment(1)], undefined, []), undefined);
  const gone = after({ gone: true, gone_controls: 3, base_lost: -2000 });
  assert.equal(place([gone]), undefined);
});

test('moment values: nothing loses more than everything', () => {
  assert.equal(place([after({ ret: -10_001 })]), '/moments/0/returns/1d/ret');
  assert.equal(place([after({ ret: -10_000 })]), undefined);
  assert.equal(place([after({ base: -10_001, base_lost: -10_001 })]), '/moments/0/returns/1d/base');
});

test('moment values: who lost with the controls that are gone is bounded by how many they are', () => {
  const at = '/moments/0/returns/1d/base_lost';
  assert.equal(place([after({ base_lost: 49 })]), at);
  assert.equal(place([after({ base_lost: 51, gone_controls: 1 })]), at);
  assert.equal(place([after({ base_lost: 49, gone_controls: 1 })]), undefined);
  assert.equal(place([after({ base_lost: -10_001, gone_controls: 1 })]), at);
  assert.equal(place([after({ base_lost: -9_999, gone_controls: 12 })]), at);
  assert.equal(place([after({ base_lost: -10_000, gone_controls: 12 })]), undefined);
});

test('moment values: a control that is gone and has no price since loses all of its part', () => {
  const lost = (gone_controls: number, unpriced_controls: number, base_lost: number) =>
    place([after({ gone_controls, unpriced_controls, base_lost })]);
  const at = '/moments/0/returns/1d/base_lost';
  // A quarter of the controls are 2500 basis points, and both means are rounded.
  assert.deepEqual(
    [-2452, -2451, -2449, -2448].map((base) => lost(3, 3, base)),
    [at, undefined, undefined, at],
  );
  assert.deepEqual(
    [-10_001, -10_000, -1616, -1615].map((base) => lost(3, 2, base)),
    [at, undefined, undefined, at],
  );
  assert.equal(lost(3, 0, 50), undefined);
  assert.match(
    contradiction([after({ gone_controls: 3, unpriced_controls: 2 })], undefined, [])?.expected ??
      '',
    /^-10000 to -1616, with 3 of 12 controls gone and 2 without a price since$/,
  );
  const none = { ...after({ gone_controls: 1, base_lost: 50 }), controls: 0 };
  assert.equal(place([none]), at);
});

test('moment values: an asset without a price after it was entered returns nothing', () => {
  const never = (ret: number) => [after({ ret, gone: true })];
  assert.equal(place(never(1), ending(never(1), 0)), '/moments/0/returns/1d/ret');
  assert.equal(place(never(0), ending(never(0), 0)), undefined);
});

test('moment values: moments that share their controls have one base', () => {
  const at = '/moments/1/returns/1d/base';
  assert.equal(place([moment(0), after({ base: 51, base_lost: 51 }, 1)]), at);
  const three = (base_lost: number, index: number) => after({ gone_controls: 3, base_lost }, index);
  assert.equal(place([three(-900, 0), three(-901, 1)]), `${at}_lost`);
  for (const other of [{ opened_at: 0 }, { entered_at: 2700 }]) {
    const apart = { ...after({ base: 51, base_lost: 51 }, 1), ...other };
    assert.equal(place([moment(0), apart]), undefined);
  }
});

test('moment values: returns over the same two ticks are one', () => {
  const moments = [moment(0)];
  assert.equal(place(moments, ending(moments, 90_000, 90_000)), '/moments/0/returns/7d/ret');
  const equal = [after({ ret: 300 })];
  assert.equal(place(equal, ending(equal, 90_000, 90_000)), undefined);
  const said = { symbol: 'A0', from: 1800, to: 90_000, ret: 101, by: 'the receipt' };
  const found = contradiction(moments, ending(moments), [said]);
  assert.deepEqual(found, {
    path: '/moments/0/returns/1d/ret',
    expected: '101, as the receipt states over the same two ticks',
    found: '100',
  });
  for (const other of [{ ret: 100 }, { symbol: 'A1' }, { from: 900 }, { to: 90_900 }]) {
    assert.equal(place(moments, ending(moments), [{ ...said, ...other }]), undefined);
  }
  // What the leaves make of another moment says nothing about this one.
  assert.equal(place(moments, ending([moment(1)]), [said]), undefined);
});

test('moment values: what a study states, the next one repeats', () => {
  const stated = new StatedReturns();
  assert.equal(stated.difference([moment(0)]), undefined);
  stated.take('entry 4', [moment(0)]);
  assert.equal(stated.difference([moment(1), moment(0)]), undefined);
  assert.deepEqual(stated.difference([moment(1), after({ base: 49 })]), {
    path: '/moments/1/returns/1d/base',
    expected: '50, as in the study of entry 4',
    found: '49',
  });
  // A month that was not over has no return to repeat.
  const over = moment(0, { returns: { ...moment(0).returns, '30d': RETURN } });
  assert.equal(stated.difference([over]), undefined);
  stated.take('entry 5', [over]);
  assert.equal(stated.difference([moment(0)]), undefined);
});
