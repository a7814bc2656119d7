import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSkill, meanHundredths, skillText } from '@assay/core/arena/forecast/skill';

const of = (
  handle: string,
  graded: number,
  excess: number,
): { handle: string; graded: number; excess: number } => ({ handle, graded, excess });

test('skill: the mean above the reference, shrunken by the number of forecasts', () => {
  const all = [
    of('a', 3, 30),
    of('b', 300, 600),
    of('c', 3, 0),
    of('d', 5, 0),
    of('e', 5, 0),
    of('f', 1, -90),
    of('g', 90, -100),
  ];
  const order = [...all].sort((x, y) => compareSkill(x, y, 10)).map(({ handle }) => handle);
  // 30 / 13 is above 600 / 310, the more graded of equal ones comes first, and then the smaller id.
  assert.deepEqual(order, ['a', 'b', 'd', 'e', 'c', 'g', 'f']);
  const slow = [...all].sort((x, y) => compareSkill(x, y, 30)).map(({ handle }) => handle);
  assert.deepEqual(slow.slice(0, 2), ['b', 'a'], 'the more is added, the more forecasts it takes');
  assert.equal(compareSkill(of('a', 3, 1), of('a', 3, 1), 10), 0);
});

test('skill: exact where a double is not', () => {
  const [a, b] = [of('a', 94_906_267, 94_906_266), of('b', 94_906_266, 94_906_265)];
  assert.ok(compareSkill(a, b, 0) < 0);
  assert.ok(compareSkill(b, a, 0) > 0);
});

test('skill: as text, and the mean of points', () => {
  assert.equal(skillText(of('a', 3, 30), 10), '2.3077');
  assert.equal(skillText(of('a', 3, -30), 10), '-2.3077');
  assert.equal(skillText(of('a', 1, 1), 19_999), '0.0001');
  assert.equal(skillText(of('a', 1, -1), 20_000), '0.0000');
  assert.equal(skillText(of('a', 0, 0), 0), '0.0000');
  assert.equal(meanHundredths(200, 3), 6667);
  assert.equal(meanHundredths(1, 8), 13);
  assert.equal(meanHundredths(0, 0), 0);
});
