import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LIMIT, WorkBudget } from '@assay/core/work-budget';
import { anchorIn } from '@assay/core/rule/anchor';

test('anchor: found where it is, once', () => {
  assert.equal(anchorIn('xab', 'ab', NO_LIMIT), 1);
  assert.throws(() => anchorIn('xa', 'ab', NO_LIMIT), { reason: 'not_published' });
  assert.throws(() => anchorIn('abxab', 'ab', NO_LIMIT), { reason: 'malformed' });
  assert.throws(() => anchorIn('aaa', 'aa', NO_LIMIT), { reason: 'malformed' }, 'overlapping');
});

test('anchor: a long text is searched piece by piece, and an anchor across two pieces is found', () => {
  const anchor = 'anchor';
  for (let at = 65_536 - anchor.length - 1; at <= 65_537; at += 1) {
    const text = `${'x'.repeat(at)}${anchor}${'x'.repeat(70_000)}`;
    assert.equal(anchorIn(text, anchor, NO_LIMIT), at);
    assert.throws(() => anchorIn(`${text}${anchor}`, anchor, NO_LIMIT), { reason: 'malformed' });
  }
  const work = new WorkBudget({ steps: 1_000_000 });
  assert.throws(() => anchorIn('x'.repeat(2_000_000), anchor, work), { code: 'work_exceeded' });
});
