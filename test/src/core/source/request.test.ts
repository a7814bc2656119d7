import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSourceRequest } from '@assay/core/source/request';
import type { WireObject, WireValue } from '@assay/core/wire/wire';

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

const UNTIL = { rows: '/result', ptr: '/blockTime', style: 'unix', before: '{period:unix}' };
const PAGINGS: readonly WireObject[] = [
  { kind: 'none' },
  {
    kind: 'cursor',
    ptr: '/result/-/signature',
    place: 'body',
    name: '/params/1/before',
    max_pages: 10_000,
    until: UNTIL,
    total: null,
  },
  {
    kind: 'cursor',
    ptr: '/cursor',
    place: 'query',
    name: 'cursor',
    max_pages: 1,
    until: null,
    total: { rows: '/data', ptr: '/meta/total' },
  },
  { kind: 'link', max_pages: 2, until: { ...UNTIL, rows: '', style: 'iso_instant' } },
  {
    kind: 'offset',
    name: 'offset',
    step: 100_000,
    rows: '',
    max_pages: 2,
    until: null,
    total: null,
  },
];

test('request: each kind of paging has its own members', () => {
  const parse = (paging: WireValue): unknown =>
    parseSourceRequest({ ...GOOD, paging }, 'request').paging;
  for (const paging of PAGINGS) {
    assert.deepEqual(parse(paging), paging);
    for (const name of Object.keys(paging)) {
      const { [name]: _left, ...rest } = paging;
      assert.throws(() => parse(rest), { code: 'malformed' }, name);
    }
    assert.throws(() => parse({ ...paging, more: 1 }), { code: 'malformed' });
  }
  const [, cursor, , link, offset] = PAGINGS as readonly [
    WireObject,
    WireObject,
    WireObject,
    WireObject,
    WireObject,
  ];
  for (const bad of [
    { ...cursor, ptr: 'cursor' },
    { ...cursor, place: 'header' },
    { ...cursor, name: '' },
    { ...cursor, total: { rows: '/data' } },
    { ...cursor, total: { rows: '/data', ptr: 'total' } },
    { ...link, total: null },
    { ...offset, total: '/total' },
    { ...cursor, max_pages: 0 },
    { ...cursor, max_pages: 10_001 },
    { ...link, until: null },
    { ...offset, step: 0 },
    { ...offset, step: 100_001 },
    { ...offset, name: 'o'.repeat(65) },
    { ...cursor, until: { ...UNTIL, style: 'date' } },
    { ...cursor, until: { ...UNTIL, before: '{period:YYYY}' } },
    { ...cursor, until: { ...UNTIL, before: 'now' } },
    { ...cursor, until: { ...UNTIL, before: '-1' } },
  ]) {
    assert.throws(() => parse(bad), { code: 'malformed' }, JSON.stringify(bad));
  }
});
