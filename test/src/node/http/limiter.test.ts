import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { HeadBuffer } from '@assay/node/http/head-buffer';
import { limiter } from '@assay/node/http/limiter';
import type { Admission } from '@assay/node/http/pipeline';
import { whole } from '@assay/node/http/reply';
import type { Incoming } from '@assay/node/http/request';
import { route, routeTable } from '@assay/node/http/route';

function bytes(size: number): Uint8Array {
  return createHash('shake256', { outputLength: size }).update('limiter').digest();
}

const ROUTES = routeTable([
  route('GET', '/read', () => whole('text/plain', '')),
  route('GET', '/tile/*', () => whole('text/plain', ''), { unversioned: true, budget: 'log' }),
]);

/** Asks a limiter of 2 requests, and 5 of the log's, at a second of the test's choice. */
function asker(): (path: string, now: number, client?: string) => Admission {
  const admit = limiter({ default: 2, log: 5 }, bytes).admit;
  return (path, now, client = '192.0.2.1') => {
    const request = { method: 'GET', path, client } as unknown as Incoming;
    return admit(request, ROUTES.match(path).endpoint, now) ?? assert.fail('not counted');
  };
}

const policyOf = (name: string, quota: number): readonly (readonly [string, string])[] => [
  ['ratelimit-policy', `"${name}";q=${quota};w=60`],
];

test('limiter: the policy, where there is one, and a refusal with the time to wait', () => {
  const ask = asker();
  const first = ask('/read', 0.25);
  assert.equal(first.reply, undefined);
  assert.deepEqual(first.policy.list, policyOf('default', 2));
  assert.deepEqual(first.status.list, [
    ...policyOf('default', 2),
    ['ratelimit', '"default";r=1;t=60'],
  ]);
  assert.equal(ask('/read', 30).status.list[1]?.[1], '"default";r=0;t=31');
  const refused = ask('/read', 40);
  assert.equal(refused.status.list[1]?.[1], '"default";r=0;t=21');
  assert.equal(refused.reply?.status, 429);
  assert.deepEqual(refused.reply?.headers.at(-1), ['retry-after', '21']);
  assert.ok(refused.reply.kind === 'whole');
  assert.deepEqual(JSON.parse(String(refused.reply.body)), {
    'violated-policies': ['default'],
    type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
    title: 'Too many requests',
    status: 429,
    detail: 'The budget "default" of this address is spent for 21 s.',
    instance: '/read',
    error: 'rate_limited',
  });
  assert.equal(ask('/read', 60.25).reply, undefined);
});

test('limiter: the log has a budget of its own, and every address one of each', () => {
  const ask = asker();
  for (let i = 0; i < 5; i += 1) {
    const { reply, policy } = ask('/tile/0/000', 0);
    assert.equal(reply, undefined);
    assert.deepEqual(policy.list, policyOf('log', 5));
  }
  assert.equal(ask('/tile/0/000', 0).reply?.status, 429);
  assert.equal(ask('/read', 0).reply, undefined);
  assert.equal(ask('/nothing/there', 0).reply, undefined);
  assert.equal(ask('/read', 0).reply?.status, 429);
  assert.equal(ask('/read', 0, '192.0.2.2').reply, undefined);
});

test('limiter: a request that is as much as many spends what is left of the budget, and no more', () => {
  const { admit, charge } = limiter({ default: 12, log: 5 }, bytes);
  const ask = (path: string, now: number): string | undefined => {
    const request = { method: 'GET', path, client: '192.0.2.1' } as unknown as Incoming;
    return admit(request, ROUTES.match(path).endpoint, now)?.status.list[1]?.[1];
  };
  assert.equal(ask('/read', 10), '"default";r=11;t=60');
  assert.equal(charge('192.0.2.1', 10, 20), undefined);
  assert.equal(ask('/read', 20), '"default";r=0;t=50');
  assert.equal(charge('192.0.2.1', 10, 30), 40);
  assert.equal(charge('192.0.2.2', 10, 30), undefined);
  assert.equal(charge('192.0.2.2', 10, 30), undefined, 'two are left, and it takes them');
  assert.equal(charge('192.0.2.2', 1, 30), 60);
  assert.equal(ask('/tile/0', 30), '"log";r=4;t=60', 'the budget of the log is another');
  assert.equal(charge('192.0.2.1', 10, 70), undefined);
});

test('limiter: its headers are laid out alike for every transport', () => {
  const { status } = asker()('/read', 0);
  assert.deepEqual(status.flat, status.list.flat());
  const head = new HeadBuffer();
  status.addTo(head);
  const lines = status.list.map(([name, value]) => `\r\n${name}: ${value}`).join('');
  assert.equal(Buffer.from(head.view).toString('latin1'), lines);
});
