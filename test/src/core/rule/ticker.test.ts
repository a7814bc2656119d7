import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTicker, parseTicker } from '@assay/core/rule/ticker';

test('ticker: capitals and digits, a capital first, at most 16, not CLOSE', () => {
  for (const text of ['A', 'LAYOFFS', 'CPI2', 'CLOSES', 'ABCDEFGHIJKLMNOP']) {
    assert.equal(isTicker(text), true, text);
    assert.equal(parseTicker(text, 'ticker'), text);
  }
  for (const text of [
    '',
    'a',
    'jobs',
    '1A',
    'A-B',
    'A_B',
    'Ä',
    'CLOSE',
    'ABCDEFGHIJKLMNOPQ',
    'A\n',
  ]) {
    assert.equal(isTicker(text), false, text);
    assert.throws(() => parseTicker(text, 'x.ticker'), { code: 'malformed', at: 'x.ticker' }, text);
  }
  assert.throws(() => parseTicker(1, 'ticker'), { code: 'malformed' });
});
