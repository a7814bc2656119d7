import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerRate, type RateQuestion } from '@assay/node/terminal/answer/base-rate-answer';
import { syntheticStudy } from '../../../core/terminal/synthetic-study.ts';

const { study } = syntheticStudy();
const asked: RateQuestion = {
  class: 'crypto',
  current: true,
  score: 70,
  move_24h: 900,
  breadth: { up: 10, down: 0, of: 80 },
};

test('base rate answer: a group that holds, with its text', () => {
  const { rate } = answerRate(asked, study, 70);
  assert.ok(rate !== null);
  assert.deepEqual([rate.group.bucket, rate.group.breadth], ['up_5', 'some']);
  assert.match(rate.plain, /^After a rise of 5 % to 15 % in a day,/);
  assert.match(rate.caveat, /28 dates, not 56 events/);
});

test('base rate answer: why there is none, in its order', () => {
  const cases: readonly (readonly [string, RegExp, Partial<RateQuestion>, boolean])[] = [
    ['not_current', /too old/, { current: false, score: 10 }, false],
    ['below_threshold', /no score/, { score: null }, true],
    ['below_threshold', /69, below 70/, { score: 69, class: 'stock' }, false],
    ['stock_study', /not frozen/, { class: 'stock' }, false],
    ['group_withheld', /no study/, {}, false],
    ['group_withheld', /no move/, { move_24h: null }, true],
    ['not_current', /move of the latest good tick is not known/, { move_24h: undefined }, true],
    ['below_threshold', /below 70/, { move_24h: undefined, score: 69 }, true],
    ['group_withheld', /0 of 50 events that are needed/, { move_24h: 1500 }, true],
  ];
  for (const [reason, detail, change, frozen] of cases) {
    const answer = answerRate({ ...asked, ...change }, frozen ? study : undefined, 70);
    assert.ok(answer.rate === null, reason);
    assert.equal(answer.reason, reason);
    assert.match(answer.detail, detail);
  }
});
