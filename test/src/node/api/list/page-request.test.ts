import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCursor } from '@assay/core/answer/page';
import { nextQuery, pageStart } from '@assay/node/api/list/page-request';

const REQUEST = { path: '/receipts' };

test('page request: where a page begins, and what is refused', () => {
  const cursor = formatCursor('receipts', '41');
  assert.deepEqual(pageStart(REQUEST, 'receipts', {}), { after: undefined });
  assert.deepEqual(pageStart(REQUEST, 'receipts', { offset: '5' }), { after: undefined });
  assert.deepEqual(pageStart(REQUEST, 'receipts', { cursor: '' }), { after: undefined });
  assert.deepEqual(pageStart(REQUEST, 'receipts', { cursor }), { after: '41' });
  const refused = (given: object): unknown => {
    const reply = pageStart(REQUEST, 'receipts', given);
    if ('after' in reply || reply.kind !== 'whole') return reply;
    const { status, error, errors } = JSON.parse(String(reply.body)) as Record<string, unknown>;
    return [status, error, errors];
  };
  const pointer = '/cursor';
  for (const wrong of [formatCursor('dataset', '41'), 'x', `${cursor}A`]) {
    const errors = [{ pointer, detail: 'not a cursor of this list' }];
    assert.deepEqual(refused({ cursor: wrong }), [400, 'bad_request', errors], wrong);
  }
  const errors = [{ pointer, detail: 'not together with offset' }];
  for (const offset of ['0', 0, '7']) {
    assert.deepEqual(refused({ cursor, offset }), [400, 'bad_request', errors], String(offset));
  }
});

test('page request: a page from a day on that is after its last day is refused, not empty', () => {
  const given = { from: '2026-09-02', to: '2026-09-01' };
  const reply = pageStart(REQUEST, 'receipts', given);
  assert.ok('kind' in reply && reply.kind === 'whole');
  const { status, errors } = JSON.parse(String(reply.body)) as Record<string, unknown>;
  assert.equal(status, 400);
  assert.deepEqual(errors, [{ pointer: '/to', detail: 'before the first day' }]);
  for (const fine of [
    { from: given.to, to: given.from },
    { from: given.to, to: given.to },
    { to: given.to },
  ]) {
    assert.deepEqual(pageStart(REQUEST, 'receipts', fine), { after: undefined });
  }
});

test('page request: the link repeats what was asked for, with the cursor of the next page', () => {
  assert.equal(nextQuery({ limit: '5', cursor: 'a', symbol: undefined }, 'b'), 'limit=5&cursor=b');
  assert.equal(
    nextQuery({ limit: 5, state: 'open & all' }, 'b'),
    'limit=5&state=open+%26+all&cursor=b',
  );
  assert.equal(nextQuery({ limit: '5' }, null), undefined);
});
