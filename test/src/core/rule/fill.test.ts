import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillRequest } from '@assay/core/rule/fill';
import type { SourceRequest } from '@assay/core/request';
import { parseDate } from '@assay/core/time';

const REQUEST: SourceRequest = {
  method: 'POST',
  url: 'https://example.gov/{Y}/{MMDDYY}.pdf?key={secret:KEY}',
  headers: [{ name: 'x-week', value: '{period}{X}' }],
  body: '{"from":"{Y-1}-{M}","day":"{D}"}',
  follow: ['{Y}.example.gov'],
  paging: { kind: 'none' },
};

test('fill: the variables of a period; secrets and anything else stay', () => {
  const filled = fillRequest(REQUEST, parseDate('2026-01-03'));
  assert.deepEqual(filled, {
    ...REQUEST,
    url: 'https://example.gov/2026/010326.pdf?key={secret:KEY}',
    headers: [{ name: 'x-week', value: '2026-01-03{X}' }],
    body: '{"from":"2025-01","day":"03"}',
  });
  assert.equal(fillRequest({ ...REQUEST, body: null }, 0).body, null);
  assert.equal(
    fillRequest({ ...REQUEST, url: 'https://a/{MMDDYY}{Y}' }, parseDate('2000-12-31')).url,
    'https://a/1231002000',
  );
});
