import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { checkedInput } from '@assay/node/http/input';
import type { ApiReply, ApiRequest } from '@assay/node/http/request';
import { whole } from '@assay/node/http/reply';

const operation = {
  params: z.object({ name: z.string().regex(/^[a-z]+$/, 'not lower case') }),
  query: z.object({ day: z.string().max(10, 'too long').optional(), n: z.string().optional() }),
};

function ask(query: string, name = 'a', given: object = operation): ApiReply {
  const request = { path: '/x', query, params: { name } } as unknown as ApiRequest;
  const handle = checkedInput(given as typeof operation, (_, taken) =>
    whole('application/json', JSON.stringify(taken)),
  );
  return handle(request) as ApiReply;
}

function bodyOf(reply: ApiReply): Record<string, unknown> {
  assert.ok(reply.kind === 'whole' && typeof reply.body === 'string');
  return JSON.parse(reply.body) as Record<string, unknown>;
}

test('input: what fits gets to the handler, decoded', () => {
  assert.deepEqual(bodyOf(ask('')), {});
  assert.deepEqual(bodyOf(ask('day=2026-01-01')), { day: '2026-01-01' });
  assert.deepEqual(bodyOf(ask('day=%32&n=a+b')), { day: '2', n: 'a b' });
});

test('input: a path value that does not fit names nothing', () => {
  const body = bodyOf(ask('', 'A'));
  assert.equal(body['error'], 'not_found');
  assert.equal(body['detail'], 'name: not lower case');
});

test('input: names that are asked for again are judged as they were', () => {
  const handle = checkedInput(operation, () => whole('text/plain', 'done'));
  for (const [name, status] of [
    ['a', 200],
    ['A', 404],
  ] as const) {
    const request = { path: '/x', query: '', params: { name } } as unknown as ApiRequest;
    for (let i = 0; i < 3; i += 1) assert.equal((handle(request) as ApiReply).status, status);
  }
});

test('input: each parameter that is wrong is named', () => {
  const cases: readonly (readonly [string, readonly object[]])[] = [
    ['dya=1', [{ pointer: '/dya', detail: 'no such parameter; the parameters are day, n' }]],
    ['day=1&day=1', [{ pointer: '/day', detail: 'given twice' }]],
    ['day=12345678901', [{ pointer: '/day', detail: 'too long' }]],
    ['a%2Fb~=1', [{ pointer: '/a~1b~0', detail: 'no such parameter; the parameters are day, n' }]],
    [
      'day=12345678901&x=',
      [
        { pointer: '/x', detail: 'no such parameter; the parameters are day, n' },
        { pointer: '/day', detail: 'too long' },
      ],
    ],
    ['x='.padEnd(2049, 'y'), [{ pointer: '', detail: 'the query has over 2048 characters' }]],
  ];
  for (const [query, errors] of cases) {
    const body = bodyOf(ask(query));
    assert.equal(body['status'], 400, query);
    assert.equal(body['error'], 'bad_request', query);
    assert.deepEqual(body['errors'], errors, query);
    assert.match(String(body['detail']), /^(\/|the query)/, 'no detail begins with a colon');
  }
});

test('input: an operation without parameters takes none, and one that ignores them any', () => {
  assert.deepEqual(bodyOf(ask('', 'a', {})), {});
  assert.deepEqual(bodyOf(ask('day=1', 'a', {}))['errors'], [
    { pointer: '/day', detail: 'no such parameter; this path takes none' },
  ]);
  assert.deepEqual(bodyOf(ask('day=1&day=1', 'a', { query: 'ignored' })), {});
});

test('input: any query gets an answer, and a small one', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webQueryParameters()), (query) => {
      const reply = ask(query);
      assert.ok(reply.status === 200 || reply.status === 400);
      assert.ok(JSON.stringify(bodyOf(reply)).length < 8192);
    }),
  );
});
