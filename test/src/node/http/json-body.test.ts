import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonBody } from '@assay/node/http/json-body';
import { whole } from '@assay/node/http/reply';
import type { ApiReply, ApiRequest, ReadableHeader } from '@assay/node/http/request';

const echo = jsonBody((_request, body) => whole('application/json', JSON.stringify({ body })));

/** The answer, and whether the body was read for it. */
async function post(
  headers: Partial<Record<ReadableHeader, string>>,
  body: string | Uint8Array,
): Promise<readonly [status: number, text: string, read: boolean]> {
  let read = false;
  const request = {
    path: '/echo',
    header: (name: ReadableHeader) => headers[name],
    body: () => {
      read = true;
      return Promise.resolve(Buffer.from(body));
    },
  } as unknown as ApiRequest;
  const reply: ApiReply = await echo(request);
  assert.ok(reply.kind === 'whole');
  const parsed = JSON.parse(String(reply.body)) as { error?: string };
  return [reply.status, parsed.error ?? String(reply.body), read];
}

const JSON_TYPE = { 'content-type': 'application/json' } as const;

test('json body: what is JSON gets to the handler, whatever it holds', async () => {
  for (const type of ['application/json', 'Application/JSON ; charset=utf-8']) {
    for (const text of ['{"a":[1]}', 'null', '""', '0']) {
      const answer = await post({ 'content-type': type }, text);
      assert.deepEqual(answer, [200, `{"body":${text}}`, true]);
    }
  }
});

test('json body: only the page of another site is refused, unread', async () => {
  const from = (site: string): ReturnType<typeof post> =>
    post({ ...JSON_TYPE, 'sec-fetch-site': site }, '1');
  assert.deepEqual(await from('cross-site'), [403, 'cross_site', false]);
  for (const site of ['same-origin', 'same-site', 'none']) assert.equal((await from(site))[0], 200);
});

test('json body: where a browser sends the origin alone, it is compared with the host', async () => {
  const from = (origin: string, host?: string): ReturnType<typeof post> =>
    post({ ...JSON_TYPE, origin, ...(host === undefined ? {} : { host }) }, '1');
  for (const [origin, host] of [
    ['https://Assay.example', 'assay.example'],
    ['http://127.0.0.1:8787', '127.0.0.1:8787'],
  ] as const) {
    assert.equal((await from(origin, host))[0], 200, origin);
  }
  for (const origin of [
    'https://other.example',
    'https://assay.example.other',
    'https://assay.example:444',
    'https://assay.example@other.example',
    'null',
    'file://assay.example',
  ]) {
    assert.deepEqual(await from(origin, 'assay.example'), [403, 'cross_site', false], origin);
  }
  assert.equal((await from('https://assay.example'))[0], 403);
  // Behind a proxy the host may be another one than the browser sees, and the browser knows better.
  const own = { ...JSON_TYPE, 'sec-fetch-site': 'same-origin', origin: 'https://a.example' };
  assert.equal((await post({ ...own, host: 'backend:80' }, '1'))[0], 200);
});

test('json body: another type is refused unread, and what is no JSON after that', async () => {
  for (const type of [
    undefined,
    'text/plain',
    'application/jsonx',
    'text/plain; application/json',
  ]) {
    const headers = type === undefined ? {} : { 'content-type': type };
    assert.deepEqual(await post(headers, '1'), [415, 'not_json', false], type);
  }
  const other = { 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain' };
  assert.deepEqual(await post(other, '1'), [415, 'not_json', false]);
  for (const body of ['', '{', 'NaN', '{"a":1}x', Uint8Array.of(0x22, 0xff, 0x22)]) {
    assert.deepEqual(await post(JSON_TYPE, body), [400, 'invalid_json', true]);
  }
});
