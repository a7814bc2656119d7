import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { answerRate, type RateQuestion } from '@assay/node/terminal/answer/base-rate-answer';
import { vectors } from '../../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../../core/terminal/edge/edge-study.ts';

const AT = '2026-09-21T14:15:00Z';
const ts = parseTime(AT);
const study = edgeStudyWith({ bucket: 'up_5', breadth: 'some' });
const event = { opened_at: AT, move_24h: 900, breadth: { up: 10, down: 0, of: 80 } } as never;
const asked: RateQuestion = {
  class: 'crypto',
  latest: { ts, score: 70 },
  current: true,
  threshold: 70,
  event,
};
const eventWith = (change: object): never => ({ ...(event as object), ...change }) as never;

test('base rate answer: a group that holds, at the tick at which the event opened', () => {
  const answer = answerRate(asked, study);
  assert.ok(answer.rate);
  assert.deepEqual([answer.group.bucket, answer.group.breadth], ['up_5', 'some']);
});

test('base rate answer: why there is none, in its order', () => {
  const later = { latest: { ts: ts + 900, score: 88 } };
  const cases: readonly (readonly [string, RegExp, Partial<RateQuestion>, boolean])[] = [
    ['not_current', /no good reading/, { latest: undefined, current: false }, false],
    ['not_current', /and not of now/, { current: false, latest: { ts, score: 10 } }, false],
    ['below_threshold', /no score/, { latest: { ts, score: null } }, true],
    ['below_threshold', /is 69, .* at 70/, { latest: { ts, score: 69 }, class: 'stock' }, false],
    ['below_threshold', /is 70, .* at 71/, { threshold: 71 }, true],
    ['stock_study', /No study of stocks/, { class: 'stock', event: undefined }, false],
    ['not_current', /score is 88\. The last event .* opened at 2026-09-21T14:15:00Z/, later, true],
    ['not_current', /has had no event/, { event: undefined }, false],
    ['not_current', /No event opened/, { class: 'stock', event: undefined }, true],
    ['group_withheld', /No study of crypto is frozen/, {}, false],
    ['group_withheld', /of no group/, { event: eventWith({ move_24h: null }) }, true],
    ['group_withheld', /0 weeks, and 5 are/, { event: eventWith({ move_24h: 1500 }) }, true],
  ];
  for (const [reason, detail, change, frozen] of cases) {
    const answer = answerRate({ ...asked, ...change }, frozen ? study : undefined);
    assert.ok(!answer.rate, reason);
    assert.equal(answer.reason, reason, String(detail));
    assert.match(answer.detail, detail);
  }
});

test('base rate answer: the group is named only where the event opened at that tick', () => {
  const groupOf = (change: Partial<RateQuestion>): unknown => {
    const answer = answerRate({ ...asked, ...change }, undefined);
    return answer.rate ? undefined : answer.group;
  };
  assert.deepEqual(groupOf({}), { bucket: 'up_5', breadth: 'some' });
  assert.equal(groupOf({ latest: { ts: ts + 900, score: 88 } }), undefined);
});

test('base rate answer: the words of each row of the table are fixed', () => {
  interface Case extends Omit<RateQuestion, 'latest' | 'event'> {
    readonly latest: RateQuestion['latest'] | null;
    readonly event: RateQuestion['event'] | null;
    readonly frozen: boolean;
    readonly reason?: string;
    readonly detail: string;
  }
  const cases = vectors<Case[]>('base-rate/words').filter(({ reason }) => reason !== undefined);
  const texts = new Set<string>();
  for (const { latest, event: opened, frozen, reason, detail, ...rest } of cases) {
    const question = { ...rest, latest: latest ?? undefined, event: opened ?? undefined };
    const answer = answerRate(question, frozen ? study : undefined);
    assert.ok(!answer.rate);
    assert.equal(answer.reason, reason);
    assert.equal(answer.detail, detail);
    texts.add(detail);
  }
  assert.equal(texts.size, cases.length);
  assert.equal(new Set(cases.map(({ reason }) => reason)).size, 4, 'each reason is in a vector');
});
