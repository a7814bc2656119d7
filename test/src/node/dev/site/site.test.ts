import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostOf, jsonPage, NOT_FOUND, pathOf, queryOf } from '@assay/node/dev/site/site';
import { RECORD } from '../../fixture/round-fixture.ts';

test('site: the parts of a URL, secrets and other URLs in it or not', () => {
  const parts = (url: string): unknown => {
    const request = { ...RECORD.request, url };
    return [hostOf(request), pathOf(request), queryOf(request).toString()];
  };
  assert.deepEqual(parts('https://a.invalid/x/y?b=1&c=2'), ['a.invalid', '/x/y', 'b=1&c=2']);
  assert.deepEqual(parts('https://a.invalid?b=1'), ['a.invalid', '', 'b=1']);
  assert.deepEqual(parts('https://a.invalid/v2/{secret:KEY}'), [
    'a.invalid',
    '/v2/{secret:KEY}',
    '',
  ]);
  assert.deepEqual(parts('https://a.invalid/web/2026id_/https://b.gov/c.pdf'), [
    'a.invalid',
    '/web/2026id_/https://b.gov/c.pdf',
    '',
  ]);
});

test('site: pages', () => {
  assert.deepEqual(jsonPage([1]), { contentType: 'application/json', body: '[1]' });
  assert.equal(NOT_FOUND.status, 404);
});
