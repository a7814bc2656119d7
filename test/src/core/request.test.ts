import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSourceRequest } from '@assay/core/request';
import type { WireValue } from '@assay/core/wire';

const GOOD = {
  method: 'POST',
  url: 'https://example.gov/data?key={secret:KEY}&week={period}',
  headers: [{ name: 'user-agent', value: 'assay' }],
  body: '{"year":"{Y}"}',
  follow: ['www.example.gov', '127.0.0.1:8080'],
  paging: { kind: 'none' },
};

test('request: the closed shape', () => {
  assert.deepEqual(parseSourceRequest(GOOD, 'request'), GOOD);
  const bad: Readonly<Record<string, readonly [string, WireValue]>> = {
    'request.method': ['method', 'PUT'],
    'request.url': ['url', 'ftp://example.gov/'],
    'request.body': ['body', 1],
    'request.headers': ['headers', Array.from({ length: 17 }, () => GOOD.headers[0] as WireValue)],
    'request.headers[0].name': ['headers', [{ name: 'User-Agent', value: '' }]],
    'request.headers[0].value': ['headers', [{ name: 'a', value: 'x\r\ny: z' }]],
    'request.follow[0]': ['follow', ['https://example.gov']],
    'request.paging.kind': ['paging', { kind: 'all' }],
    'request.paging': ['paging', { kind: 'cursor' }],
  };
  for (const [at, [name, value]] of Object.entries(bad)) {
    assert.throws(() => parseSourceRequest({ ...GOOD, [name]: value }, 'request'), {
      code: 'malformed',
      at,
    });
  }
  for (const url of [
    'https://',
    'https://a b',
    'javascript:alert(1)',
    `https://${'a'.repeat(2048)}`,
  ]) {
    assert.throws(
      () => parseSourceRequest({ ...GOOD, url }, 'request'),
      { at: 'request.url' },
      url,
    );
  }
});
