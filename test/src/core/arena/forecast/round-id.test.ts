import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoundId, roundId, roundSubject } from '@assay/core/arena/forecast/round-id';

test('round id: the ticker in lower case and the period', () => {
  const id = roundId('LAYOFFS' as never, '2026-08-22' as never);
  assert.equal(id, 'layoffs-2026-08-22');
  assert.deepEqual(roundSubject(id), { ticker: 'LAYOFFS', period: '2026-08-22' });
  assert.equal(parseRoundId(id, 'body.round'), id);
});

test('round id: no other text is one', () => {
  for (const id of [
    '',
    'layoffs',
    'LAYOFFS-2026-08-22',
    'layoffs-2026-02-30',
    'layoffs-2026-8-22',
    '-2026-08-22',
    'lay-offs-2026-08-22',
    '1ayoffs-2026-08-22',
    'close-2026-08-22',
    'layoffs-2026-08-22 ',
    'ı-2026-08-22',
  ]) {
    assert.equal(roundSubject(id), undefined, id);
    assert.throws(() => parseRoundId(id, 'body.round'), { code: 'malformed', at: 'body.round' });
  }
  assert.throws(() => parseRoundId(7, 'id'), { code: 'malformed' });
});
