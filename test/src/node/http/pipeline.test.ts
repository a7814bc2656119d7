import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerBlock } from '@assay/node/http/header';
import {
  type Answer,
  pipeline,
  type PipelineOptions,
  type RequestLine,
} from '@assay/node/http/pipeline';
import { problem } from '@assay/node/http/problem';
import { whole } from '@assay/node/http/reply';
import { type ApiReply, BodyRefused, type Incoming } from '@assay/node/http/request';
import { type Route, route } from '@assay/node/http/route';

interface Seen {
  readonly answer: Answer;
  readonly lines: readonly RequestLine[];
  readonly errors: readonly unknown[];
}

async function ask(
  routes: readonly Route[],
  method: Incoming['method'],
  path: string,
  more: Partial<PipelineOptions> = {},
): Promise<Seen> {
  const lines: RequestLine[] = [];
  const errors: unknown[] = [];
  let clock = 10;
  const served = pipeline(routes, {
    requestId: () => 'id-1',
    now: () => {
      clock += 0.25;
      return clock;
    },
    onError: (error, line) => {
      errors.push(error, line);
    },
    onRequest: (line) => {
      lines.push(line);
    },
    ...more,
  });
  const match = served.match(path);
  const request: Incoming = {
    method,
    path,
    query: '',
    params: match.params,
    client: '192.0.2.1',
    signal: new AbortController().signal,
    header: () => undefined,
    body: () => Promise.resolve(new Uint8Array()),
  };
  return { answer: await served.answer(match, request), lines, errors };
}

function bodyOf(reply: ApiReply): Record<string, unknown> {
  assert.ok(reply.kind === 'whole');
  return JSON.parse(String(reply.body)) as Record<string, unknown>;
}

const READ = route('GET', '/read/:x', ({ params }) => whole('text/plain', params.x));
const WRITE = route('POST', '/write', () => whole('text/plain', 'done'));

void test('pipeline: a route is given its request, and the hook its pattern', async () => {
  const { answer, lines, errors } = await ask([READ], 'GET', '/v1/read/a%20b');
  assert.ok(answer.reply.kind === 'whole');
  assert.equal(answer.reply.body, 'a b');
  assert.equal(answer.passage.requestId, 'id-1');
  assert.equal(answer.close, false);
  assert.deepEqual(lines, [
    { requestId: 'id-1', method: 'GET', pattern: '/read/:x', status: 200, seconds: 0.25 },
  ]);
  assert.deepEqual(errors, []);
});

void test('pipeline: HEAD runs the route of GET', async () => {
  const { answer, lines } = await ask([READ], 'HEAD', '/read/a');
  assert.equal(answer.reply.status, 200);
  assert.equal(lines[0]?.method, 'HEAD');
});

void test('pipeline: nothing there, no such method, a path that cannot be read', async () => {
  const nothing = await ask([READ], 'GET', '/nothing');
  assert.equal(bodyOf(nothing.answer.reply)['error'], 'not_found');
  assert.equal(nothing.lines[0]?.pattern, undefined);
  const method = await ask([READ], 'OTHER', '/read/a');
  assert.equal(bodyOf(method.answer.reply)['error'], 'method_not_allowed');
  assert.deepEqual(method.answer.reply.headers.at(-1), ['allow', 'GET, HEAD, OPTIONS']);
  const malformed = await ask([READ], 'GET', '/read/%');
  assert.equal(bodyOf(malformed.answer.reply)['error'], 'bad_request');
});

async function isOpen(method: Incoming['method'], path: string): Promise<boolean> {
  const { answer } = await ask([READ, WRITE], method, path);
  const names = answer.passage.common.list.map(([name]) => name);
  assert.ok(names.includes('x-content-type-options'));
  return names.includes('access-control-allow-origin');
}

void test('pipeline: only reads are open to pages of other sites', async () => {
  assert.ok(await isOpen('GET', '/read/a'));
  assert.ok(await isOpen('OPTIONS', '/read/a'));
  assert.ok(await isOpen('GET', '/nothing'));
  assert.equal(await isOpen('POST', '/write'), false);
  assert.equal(await isOpen('OPTIONS', '/write'), false);
  assert.equal(await isOpen('GET', '/write'), false);
  assert.equal(await isOpen('POST', '/read/a'), false);
});

void test('pipeline: what is thrown is reported once, and shown to nobody', async () => {
  const secret = new Error('secret');
  for (const handle of [
    () => {
      throw secret;
    },
    () => Promise.reject(secret),
  ]) {
    const { answer, errors, lines } = await ask([route('GET', '/a', handle)], 'GET', '/a');
    assert.equal(answer.reply.status, 500);
    assert.doesNotMatch(JSON.stringify(bodyOf(answer.reply)), /secret/);
    assert.deepEqual(errors, [
      secret,
      { requestId: 'id-1', method: 'GET', pattern: '/a', status: 500 },
    ]);
    assert.equal(lines.length, 1);
    assert.equal(lines[0]?.status, 500);
  }
});

void test('pipeline: a reply that cannot be sent is a failure of the service', async () => {
  for (const reply of [
    whole('text/plain', '', { headers: [['x-a', 'b\r\nx-c: d']] }),
    whole('text/plain', '', { status: 100 }),
    whole('text/plain', '', { status: Number.NaN }),
  ]) {
    for (const handle of [() => reply, () => Promise.resolve(reply)]) {
      const { answer, errors } = await ask([route('GET', '/a', handle)], 'GET', '/a');
      assert.equal(answer.reply.status, 500);
      assert.ok(errors[0] instanceof TypeError);
    }
  }
});

void test('pipeline: a refused body is a problem that closes, and no error', async () => {
  for (const [code, status] of [
    ['content_too_large', 413],
    ['request_timeout', 408],
    ['gone', 499],
  ] as const) {
    const refusing = route('POST', '/a', () => Promise.reject(new BodyRefused(code)));
    const { answer, errors, lines } = await ask([refusing], 'POST', '/a');
    assert.equal(answer.close, true);
    assert.equal(lines[0]?.status, status);
    if (code !== 'gone') assert.equal(bodyOf(answer.reply)['error'], code);
    assert.deepEqual(errors, []);
  }
});

void test('pipeline: a limiter comes first, adds to every answer, and can refuse', async () => {
  const policy = headerBlock([['ratelimit-policy', '"default";q=1;w=60']]);
  const status = headerBlock([['ratelimit', '"default";r=0;t=1']]);
  let runs = 0;
  const counted = route('GET', '/a', () => {
    runs += 1;
    return whole('text/plain', '');
  });
  const seen: unknown[] = [];
  const passed = await ask([counted], 'GET', '/a', {
    admit: (request, endpoint, now) => {
      seen.push(request.client, endpoint?.path, now);
      return { policy, status };
    },
  });
  assert.equal(passed.answer.passage.admitted, status);
  assert.deepEqual(seen, ['192.0.2.1', '/a', 10.25]);
  const refused = await ask([counted], 'GET', '/a', {
    admit: (request) => ({ policy, status, reply: problem(request, 'rate_limited') }),
  });
  assert.equal(refused.answer.reply.status, 429);
  assert.equal(refused.answer.passage.admitted, status);
  assert.equal(refused.lines[0]?.status, 429);
  assert.equal(runs, 1);
});

void test('pipeline: without a hook no clock is read', async () => {
  const served = pipeline([READ], {
    requestId: () => 'id',
    now: () => assert.fail('nobody asked for the time'),
    onError: (error) => assert.fail(String(error)),
  });
  const match = served.match('/nothing');
  const request = { method: 'GET', path: '/nothing', params: {} } as unknown as Incoming;
  assert.equal((await served.answer(match, request)).reply.status, 404);
});
