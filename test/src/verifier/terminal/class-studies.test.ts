import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import type { EventOpen } from '@assay/core/kind/event';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { ClassStudies, type NamedRule } from '@assay/verifier/terminal/class-studies';
import { shortRule } from '../../core/terminal/score-rule-fixture.ts';
import { EDGE_RULE } from '../fixture/edge-log.ts';

const named = (rule: ScoreRule, digit: string): NamedRule => ({
  rule,
  hash: digit.repeat(64) as HashHex,
});
const FIRST = named(shortRule(), '1');
const SECOND = named(EDGE_RULE, '2');
const THIRD = named({ ...EDGE_RULE, version: EDGE_RULE.version + 1 }, '3');
const at = (date: string): number => parseTime(`${date}T00:00:00Z` as TimeText);

/** What is due after each of these ticks; entries are counted from 10. */
function dues(
  ticks: readonly (readonly [date: string, rule: NamedRule])[],
): readonly (string | undefined)[] {
  const [[begin, rule] = ['', FIRST]] = ticks;
  const studies = new ClassStudies(rule, at(begin));
  return ticks.map(([date, each], i) => {
    studies.tick(each, at(date), 10 + i, false);
    const { due } = studies;
    if (due === undefined) return undefined;
    const { version, range } = due;
    const number = 'number' in range ? ` number ${range.number}` : '';
    return `study/${version} to ${range.to} of ${range.rule[0]}${number}`;
  });
}

test('class studies: the version is that of the newest tick before the month, and 60 days pass first', () => {
  assert.deepEqual(
    dues([
      ['2026-01-01', FIRST],
      ['2026-02-28', FIRST],
      ['2026-03-01', FIRST],
      ['2026-04-01', FIRST],
      ['2026-04-03', SECOND],
      ['2026-05-01', SECOND],
      ['2026-06-01', SECOND],
      ['2026-07-01', SECOND],
      ['2026-07-02', THIRD],
      ['2026-09-01', THIRD],
    ]),
    [
      undefined,
      undefined,
      undefined,
      'study/1 to 13 of 1',
      'study/1 to 13 of 1',
      undefined,
      undefined,
      'study/2 to 17 of 2 number 1',
      'study/2 to 17 of 2 number 1',
      // August went by without a tick.
      'study/2 to 19 of 3 number 3',
    ],
  );
});

test('class studies: a month whose first tick hands over still has a study of the version before', () => {
  assert.deepEqual(
    dues([
      ['2026-01-01', FIRST],
      ['2026-04-01', SECOND],
      ['2026-05-01', SECOND],
      ['2026-05-31', SECOND],
      ['2026-06-01', SECOND],
    ]),
    [undefined, 'study/1 to 11 of 1', undefined, undefined, 'study/2 to 14 of 2 number 1'],
  );
});

test('class studies: the first month begins 60 days after the first tick or later', () => {
  const due = (first: string, month: string) =>
    dues([
      [first, SECOND],
      [month, SECOND],
    ])[1];
  assert.equal(due('2026-03-02', '2026-05-01'), 'study/2 to 11 of 2 number 1');
  assert.equal(due('2026-03-03', '2026-05-01'), undefined);
});

test('class studies: a month that goes by without its study is counted, and one that has it is not', () => {
  const studies = new ClassStudies(SECOND, at('2026-01-01'));
  const skipped = ['2026-02-01', '2026-04-01', '2026-05-01', '2026-06-01', '2026-07-01'].map(
    (date, i) => {
      studies.tick(SECOND, at(date), i, false);
      if (date === '2026-05-01') studies.settle();
      return studies.skipped;
    },
  );
  assert.deepEqual(skipped, [0, 0, 1, 1, 2]);
});

test('class studies: a study of a recorded history is of the month after its newest tick', () => {
  const studies = new ClassStudies(SECOND, at('2026-01-01'));
  const ending = () => {
    const { version, range } = studies.ending(9, false);
    return [version, range.to, 'number' in range ? range.number : undefined];
  };
  assert.deepEqual(ending(), [2, 9, 1]);
  studies.tick(SECOND, at('2026-06-30'), 8, false);
  // April is the first month.
  assert.deepEqual(ending(), [2, 9, 4]);
  const first = new ClassStudies(FIRST, at('2026-01-01'));
  assert.equal(first.ending(3, false).version, 1);
});

test('class studies: the moves of its events are kept, from where studies are of version 2 on', () => {
  const event = {
    id: 'an id',
    symbol: 'BTC',
    class: 'crypto',
    opened_at: '2026-01-01T00:00:00Z',
    move_24h: 2917,
    breadth: { up: 1, down: 0, of: 20 },
  } as unknown as EventOpen;
  for (const rule of [FIRST, SECOND]) {
    const studies = new ClassStudies(rule, at('2026-01-01'));
    studies.step({ ts: at('2026-01-01'), index: 0, leaves: new Map(), dues: [] });
    studies.open(event, new Map(), 7);
    studies.open(event, new Map(), undefined);
    const { range } = studies.ending(9, false);
    const [to, by] = [at('2026-01-01'), 'the move_24h of event an id'];
    const move = { symbol: 'BTC', from: 7, to, ret: 2917, by };
    assert.deepEqual('moves' in range ? range.moves : [], rule === FIRST ? [] : [move]);
    assert.equal('newest' in range ? range.newest : to, to);
  }
});

test('class studies: nothing is known of moments after leaves that could not be read', () => {
  for (const rule of [FIRST, SECOND]) {
    const studies = new ClassStudies(rule, at('2026-01-01'));
    const known = (isLost: boolean) => {
      const { range } = studies.ending(9, isLost);
      return ('counts' in range ? range.counts : 'made' in range && range.made) !== undefined;
    };
    assert.deepEqual([known(false), known(true)], [true, false]);
  }
});
