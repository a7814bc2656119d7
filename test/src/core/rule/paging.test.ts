import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  canPage,
  nextRequest,
  type PageMark,
  readMark,
  requireWhole,
} from '@assay/core/rule/paging';
import type { Paging, SourceRequest, Until } from '@assay/core/source/request';
import { formatUtf8 } from '@assay/core/bytes/utf8';

type Of<K extends Paging['kind']> = Extract<Paging, { readonly kind: K }>;

const CURSOR: Of<'cursor'> = {
  kind: 'cursor',
  ptr: '/next',
  place: 'query',
  name: 'cursor',
  max_pages: 3,
  until: null,
  total: null,
};
const UNTIL: Until = { rows: '/rows', ptr: '/t', style: 'unix', before: '100' };
const LINK: Of<'link'> = { kind: 'link', max_pages: 3, until: UNTIL };
const OFFSET: Of<'offset'> = {
  kind: 'offset',
  name: 'offset',
  step: 2,
  rows: '/rows',
  max_pages: 3,
  until: null,
  total: null,
};

const page = (value: unknown): Uint8Array => formatUtf8(JSON.stringify(value));

function request(parts: Partial<SourceRequest>): SourceRequest {
  return {
    method: 'GET',
    url: 'https://a.example/list?limit=2&key={secret:KEY}',
    headers: [],
    body: null,
    follow: [],
    paging: { kind: 'none' },
    ...parts,
  };
}

test('paging: the fraction of a second is left off, not rounded', () => {
  const until: Until = { ...UNTIL, before: '1784937600' };
  const mark = readMark({ ...LINK, until }, page({ rows: [{ t: '1784937599.999999999' }] }));
  assert.deepEqual(mark, { last: true, cursor: null });
});

test('paging: where a page says that the next one is', () => {
  const cases: readonly (readonly [Paging, unknown, PageMark | string])[] = [
    [{ kind: 'none' }, 'anything', { last: true, cursor: null }],
    [CURSOR, { next: 'abc' }, { last: false, cursor: 'abc' }],
    [CURSOR, { next: 12 }, { last: false, cursor: '12' }],
    [CURSOR, { next: null }, { last: true, cursor: null }],
    [CURSOR, { next: '' }, { last: true, cursor: null }],
    [CURSOR, {}, 'malformed'],
    [CURSOR, { Next: 'abc' }, 'malformed'],
    [CURSOR, { next: { a: 1 } }, 'malformed'],
    [CURSOR, { next: true }, 'malformed'],
    [CURSOR, { next: 'x'.repeat(4097) }, 'malformed'],
    [CURSOR, [], 'malformed'],
    [CURSOR, 'text', 'malformed'],
    [{ ...CURSOR, ptr: '/a/next' }, { a: { next: null } }, { last: true, cursor: null }],
    [{ ...CURSOR, ptr: '/a/next' }, { a: null }, 'malformed'],
    [{ ...CURSOR, ptr: '/rows/-/id' }, { rows: null }, 'malformed'],
    [{ ...CURSOR, ptr: '/a/next' }, { error: 'limit' }, 'malformed'],
    [
      { ...CURSOR, ptr: '/rows/-/id' },
      { rows: [{ id: 'a' }, { id: 'b' }] },
      { last: false, cursor: 'b' },
    ],
    [{ ...CURSOR, ptr: '/rows/-/id' }, { rows: [] }, { last: true, cursor: null }],
    [{ ...CURSOR, ptr: '/rows/-/id' }, { rows: [{ id: 'a' }, {}] }, 'malformed'],
    [{ ...CURSOR, ptr: '/rows/-/id' }, { error: { code: -32_005 } }, 'malformed'],
    [
      { ...CURSOR, ptr: '/rows/1/id' },
      { rows: [{ id: 'a' }, { id: 'b' }] },
      { last: false, cursor: 'b' },
    ],
    [
      { ...CURSOR, until: UNTIL },
      { next: 'a', rows: [{ t: 99 }] },
      { last: true, cursor: 'a' },
    ],
    [
      { ...CURSOR, until: UNTIL },
      { next: 'a', rows: [{ t: 100 }] },
      { last: false, cursor: 'a' },
    ],
    [
      { ...CURSOR, until: UNTIL },
      { next: 'a', rows: [] },
      { last: false, cursor: 'a' },
    ],
    [{ ...CURSOR, until: UNTIL }, { next: null, rows: [{ t: 200 }] }, 'malformed'],
    [{ ...CURSOR, until: UNTIL }, { next: null, rows: [] }, 'malformed'],
    [
      { ...CURSOR, until: UNTIL },
      { next: null, rows: [{ t: 99 }] },
      { last: true, cursor: null },
    ],
    [LINK, { rows: [{ t: 5 }, { t: 100 }] }, { last: false, cursor: null }],
    [LINK, { rows: [{ t: 500 }, { t: '99.9' }] }, { last: true, cursor: null }],
    [LINK, { rows: [{ t: null }] }, 'malformed'],
    [LINK, { rows: [{ t: '1e1' }] }, 'malformed'],
    [LINK, { rows: [{}] }, 'malformed'],
    [LINK, { error: 'no' }, 'malformed'],
    [OFFSET, { rows: [1, 2] }, { last: false, cursor: null }],
    [OFFSET, { rows: [1] }, { last: true, cursor: null }],
    [OFFSET, { rows: [] }, { last: true, cursor: null }],
    [OFFSET, { rows: [1, 2, 3] }, 'malformed'],
    [OFFSET, { rows: {} }, 'malformed'],
    [{ ...OFFSET, until: UNTIL }, { rows: [{ t: 200 }, { t: 9 }] }, { last: true, cursor: null }],
    [{ ...OFFSET, until: UNTIL }, { rows: [{ t: 9 }] }, { last: true, cursor: null }],
    [{ ...OFFSET, until: UNTIL }, { rows: [{ t: 200 }] }, 'malformed'],
    [{ ...OFFSET, until: UNTIL }, { rows: [] }, 'malformed'],
  ];
  for (const [paging, value, expected] of cases) {
    const mark = (): PageMark => readMark(paging, page(value));
    const what = `${JSON.stringify(paging)} ${JSON.stringify(value).slice(0, 80)}`;
    if (typeof expected === 'string') {
      assert.throws(
        mark,
        (e: { code?: string; reason?: string }) => (e.code ?? e.reason) === expected,
        what,
      );
    } else {
      assert.deepEqual(mark(), expected, what);
    }
  }
  assert.throws(() => readMark(CURSOR, formatUtf8('<html>')), { code: 'malformed' });
  assert.equal(readMark(CURSOR, formatUtf8('\uFEFF{"next":"a"}')).cursor, 'a');
});

test('paging: a time written in ISO 8601', () => {
  const until: Until = { rows: '', ptr: '/t', style: 'iso_instant', before: '1791417600' };
  const last = (t: string): boolean => readMark({ ...LINK, until }, page([{ t }])).last;
  assert.equal(last('2026-10-07T23:59:59.999999Z'), true);
  assert.equal(last('2026-10-08T00:00:00Z'), false);
  assert.equal(last('2026-10-08T00:00:00.000+00:00'), false);
  for (const bad of [
    '2026-10-08',
    '2026-10-08T00:00:00',
    '2026-13-08T00:00:00Z',
    '2026-10-08T00:00:00+02:00',
  ]) {
    assert.throws(() => last(bad), { code: 'malformed' }, bad);
  }
});

test('paging: a list is whole or it is refused', () => {
  const whole = (paging: Paging, ...values: unknown[]): void => {
    requireWhole(paging, values.map(page));
  };
  whole({ kind: 'none' }, 1);
  whole(CURSOR, { next: 'a' }, { next: 'b' }, { next: null });
  whole(LINK, { rows: [{ t: 200 }] }, { rows: [{ t: 1 }] });
  whole(OFFSET, { rows: [1, 2] }, { rows: [3, 4] }, { rows: [] });
  const broken: readonly (readonly [string, Paging, ...unknown[]])[] = [
    ['malformed', { kind: 'none' }],
    ['malformed', { kind: 'none' }, 1, 2],
    ['malformed', CURSOR],
    ['malformed', CURSOR, { next: 'a' }],
    ['malformed', CURSOR, { next: null }, { next: null }],
    ['malformed', CURSOR, { next: 'a' }, { next: 'a' }, { next: null }],
    ['too_large', CURSOR, { next: 'a' }, { next: 'b' }, { next: 'c' }],
    ['malformed', CURSOR, { next: 'a' }, { next: 'b' }, { next: 'c' }, { next: null }],
    ['malformed', LINK, { rows: [{ t: 200 }] }],
    ['malformed', LINK, { rows: [{ t: 1 }] }, { rows: [{ t: 1 }] }],
    ['too_large', LINK, ...[400, 300, 200].map((t) => ({ rows: [{ t }] }))],
    ['malformed', OFFSET, { rows: [1, 2] }],
    ['malformed', OFFSET, { rows: [1] }, { rows: [] }],
  ];
  for (const [code, paging, ...values] of broken) {
    assert.throws(() => whole(paging, ...values), { code }, JSON.stringify([paging, values]));
  }
});

test('paging: a list has the rows that each of its pages says', () => {
  const total = { rows: '/rows', ptr: '/all' };
  const cursor: Paging = { ...CURSOR, total };
  const offset: Paging = { ...OFFSET, total };
  const whole = (paging: Paging, ...values: unknown[]): void => {
    requireWhole(paging, values.map(page));
  };
  whole(cursor, { next: '', rows: [], all: 0 });
  whole(cursor, { next: 'a', rows: [1, 2], all: 3 }, { next: null, rows: [3], all: '3' });
  whole(offset, { rows: [1, 2], all: 3 }, { rows: [3], all: 3 });
  const broken: readonly (readonly [Paging, ...unknown[]])[] = [
    [cursor, { next: null, rows: [1, 2], all: 3 }],
    [cursor, { next: null, rows: [1, 2], all: 1 }],
    [cursor, { next: 'a', rows: [1, 2], all: 3 }, { next: null, rows: [], all: 3 }],
    [cursor, { next: 'a', rows: [1, 2], all: 4 }, { next: null, rows: [3], all: 3 }],
    [cursor, { next: 'a', rows: [1, 2], all: 3 }, { next: null, rows: [3], all: 4 }],
    [cursor, { next: null, rows: [1] }],
    [cursor, { next: null, rows: {}, all: 1 }],
    [cursor, { next: null, rows: [1], all: null }],
    [cursor, { next: null, rows: [1], all: '01' }],
    [cursor, { next: null, rows: [1], all: 1.5 }],
    [cursor, { next: null, rows: [1], all: -1 }],
    [offset, { rows: [1, 2], all: 4 }, { rows: [3], all: 4 }],
  ];
  for (const [paging, ...values] of broken) {
    assert.throws(
      () => whole(paging, ...values),
      (e: { code?: string; reason?: string }) => (e.code ?? e.reason) === 'malformed',
      JSON.stringify(values),
    );
  }
});

test('paging: the next request', () => {
  const go = (parts: Partial<SourceRequest>, cursor: string | null, count = 1): unknown => {
    const next = nextRequest(request(parts), count, { last: false, cursor });
    return next && (parts.method === 'POST' ? next.body : next.url);
  };
  assert.equal(go({}, null), undefined);
  assert.equal(go({ paging: LINK }, null), undefined);
  assert.equal(go({ paging: CURSOR }, null), undefined);
  assert.equal(
    go({ paging: CURSOR }, 'a b&c={secret:KEY}#'),
    'https://a.example/list?limit=2&key={secret:KEY}&cursor=a%20b%26c%3D%7Bsecret%3AKEY%7D%23',
  );
  assert.equal(
    go({ url: 'https://a.example/x#f', paging: CURSOR }, 'n'),
    'https://a.example/x?cursor=n',
  );
  assert.equal(
    go({ url: 'https://a.example/x?cursor=old&cursors=1&limit', paging: CURSOR }, 'new'),
    'https://a.example/x?cursors=1&limit&cursor=new',
  );
  assert.equal(
    go({ url: 'https://a.example/x?limit=2&offset=0', paging: OFFSET }, null, 3),
    'https://a.example/x?limit=2&offset=6',
  );
  const body = { ...CURSOR, place: 'body', name: '/params/1/before' } as const;
  const post = (text: string, cursor: string): unknown =>
    go({ method: 'POST', body: text, paging: body }, cursor);
  assert.equal(
    post('{"id":1.50,"params":["{secret:KEY}",{"limit":1000}]}', 'sig'),
    '{"id":1.50,"params":["{secret:KEY}",{"limit":1000,"before":"sig"}]}',
  );
  assert.equal(
    post('{"params":[null,{"before":"x","b":[true,{}]}]}', '{secret:KEY}"'),
    '{"params":[null,{"before":"\\u007bsecret:KEY}\\"","b":[true,{}]}]}',
  );
  for (const bad of ['', '{"params":[]}', '{"params":[1,2]}', '{"params":{}}', 'a=1']) {
    assert.throws(() => post(bad, 'c'), { code: 'malformed' }, bad);
  }
});

test('paging: a request that can carry its paging', () => {
  const body = { ...CURSOR, place: 'body', name: '/after' } as const;
  assert.ok(canPage(request({})));
  assert.ok(canPage(request({ paging: CURSOR })));
  assert.ok(canPage(request({ paging: LINK })));
  assert.ok(canPage(request({ paging: OFFSET })));
  assert.ok(canPage(request({ method: 'POST', body: '{}', paging: body })));
  assert.ok(!canPage(request({ method: 'POST', paging: LINK })));
  assert.ok(!canPage(request({ body: '{}', paging: body })));
  assert.ok(!canPage(request({ method: 'POST', paging: body })));
  assert.ok(!canPage(request({ method: 'POST', body: '[]', paging: body })));
  assert.ok(!canPage(request({ method: 'POST', body: '{}', paging: { ...body, name: 'after' } })));
});

test('paging: the last page of a list that is counted may leave its cursor out', () => {
  const counted: Paging = { ...CURSOR, total: { rows: '/rows', ptr: '/all' } };
  const first = formatUtf8('{"next":"b","all":3,"rows":[1,2]}');
  const last = formatUtf8('{"all":3,"rows":[3]}');
  assert.doesNotThrow(() => requireWhole(counted, [first, last]));
  // Renamed on the first page, it is missed by the count.
  const renamed = formatUtf8('{"after":"b","all":3,"rows":[1,2]}');
  assert.throws(() => requireWhole(counted, [renamed]), { code: 'malformed' });
  assert.throws(() => requireWhole(CURSOR, [first, last]), { code: 'malformed' });
});
