import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBLEM_TEXTS } from '@assay/node/http/problem-text';
import { problem, type ProblemCode } from '@assay/node/http/problem';

const STATUSES: Readonly<Record<ProblemCode, number>> = {
  bad_request: 400,
  invalid_json: 400,
  invalid_answer: 400,
  invalid_forecast: 400,
  invalid_email: 400,
  invalid_url: 400,
  invalid_filter: 400,
  challenge_failed: 400,
  invalid_payment: 400,
  unauthorized: 401,
  save_failed: 500,
  confirm_failed: 500,
  unavailable: 503,
  other_history: 409,
  busy: 503,
  cross_site: 403,
  not_a_reader: 403,
  unknown_cosigner: 403,
  bad_signature: 403,
  bad_secret: 403,
  not_found: 404,
  not_listed: 404,
  no_report: 404,
  no_kit: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  refused: 409,
  address_cap: 409,
  handle_taken: 409,
  counter_used: 409,
  payment_conflict: 409,
  closed: 410,
  answer_gone: 410,
  content_too_large: 413,
  unsupported_media_type: 415,
  not_json: 415,
  malformed: 422,
  idempotency_reused: 422,
  rate_limited: 429,
  internal: 500,
  damaged: 500,
  tier_closed: 503,
  facilitator_unavailable: 503,
  settlement_unknown: 503,
  writer_away: 503,
  halted: 503,
};

void test('problem: every code has its status, in the line and in the body', () => {
  for (const [code, status] of Object.entries(STATUSES)) {
    const reply = problem({ path: '/v1/x' }, code as ProblemCode);
    const body = JSON.parse(String(reply.body)) as Record<string, unknown>;
    assert.equal(reply.status, status);
    assert.equal(body['status'], status);
    assert.equal(body['error'], code);
    assert.equal(body['instance'], '/v1/x');
    assert.ok(String(body['title']).length > 0);
    const type =
      code === 'rate_limited'
        ? 'https://iana.org/assignments/http-problem-types#quota-exceeded'
        : `/problems/${code}`;
    assert.equal(body['type'], type);
    assert.equal(body['detail'], PROBLEM_TEXTS[code as ProblemCode].meaning);
    assert.deepEqual(reply.headers, [
      ['content-type', 'application/problem+json'],
      ['cache-control', 'no-store'],
      ...(code === 'halted' ? [['retry-after', '30']] : []),
    ]);
  }
});

void test('problem: a halted service says when to ask again, unless the route says better', () => {
  const headers = [['retry-after', '5']] as const;
  const { headers: sent } = problem({ path: '/x' }, 'halted', { headers });
  assert.deepEqual(sent.slice(2), [['retry-after', '5']]);
});

void test('problem: it can carry the body that it replaces', () => {
  const reply = problem({ path: '/board' }, 'halted', {
    detail: 'The record is not there.',
    members: { halted: true, assets: [] },
    headers: [['retry-after', '5']],
  });
  assert.deepEqual(JSON.parse(String(reply.body)), {
    halted: true,
    assets: [],
    type: '/problems/halted',
    title: 'The service is halted',
    status: 503,
    detail: 'The record is not there.',
    instance: '/board',
    error: 'halted',
  });
  assert.deepEqual(reply.headers.at(-1), ['retry-after', '5']);
});

void test('problem: a member of its own cannot be replaced', () => {
  // @ts-expect-error the short code stays what it is
  const reply = problem({ path: '/' }, 'not_found', { members: { error: 'other', status: 200 } });
  const body = JSON.parse(String(reply.body)) as Record<string, unknown>;
  assert.equal(body['error'], 'not_found');
  assert.equal(body['status'], 404);
});
