import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PAGE_BYTES } from '@assay/core/limits';
import { httpReader } from '@assay/verifier';

/** A fetch that answers each request with `response`, and writes down what it was asked. */
function answering(response: () => Response): {
  readonly asked: (readonly [string, unknown])[];
  readonly fetch: (url: string, init: unknown) => Promise<Response>;
} {
  const asked: (readonly [string, unknown])[] = [];
  const fetch = (url: string, init: unknown): Promise<Response> => {
    asked.push([url, init]);
    return Promise.resolve(response());
  };
  return { asked, fetch };
}

test('http reader: path, status, body and the size that an answer names', async () => {
  const { asked, fetch } = answering(
    () => new Response('nothing', { status: 404, headers: { 'assay-log-size': '17' } }),
  );
  const reader = httpReader('https://log.example//', fetch);
  const answer = await reader.get('/checkpoint');
  assert.deepEqual(asked, [['https://log.example/checkpoint', { redirect: 'error' }]]);
  assert.deepEqual(
    [answer.status, new TextDecoder().decode(answer.body), answer.logSize],
    [404, 'nothing', 17],
  );
  assert.equal(reader.live, true);
});

test('http reader: an answer without a body, and without a size', async () => {
  const { fetch } = answering(() => new Response(null, { headers: { 'assay-log-size': '1e3' } }));
  const answer = await httpReader('https://log.example', fetch).get('/');
  assert.deepEqual([answer.body.length, answer.logSize], [0, undefined]);
});

test('http reader: a server that is busy, or gives no answer, was not reached', async () => {
  for (const status of [429, 500, 503]) {
    const { fetch } = answering(() => new Response('later', { status }));
    await assert.rejects(httpReader('https://log.example', fetch).get('/'), {
      code: 'unreachable',
      found: `status ${status}`,
    });
  }
  const failing = (): Promise<Response> => Promise.reject(new TypeError('fetch failed'));
  await assert.rejects(httpReader('https://log.example', failing).get('/x'), {
    code: 'unreachable',
    at: 'https://log.example/x',
    found: 'fetch failed',
  });
});

test('http reader: an answer that breaks off was not reached', async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  const { fetch } = answering(() => new Response(broken));
  await assert.rejects(httpReader('https://log.example', fetch).get('/'), {
    code: 'unreachable',
    found: 'terminated',
  });
});

test('http reader: an answer beyond all bounds is given up, and the stream with it', async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(4 * 1024 * 1024));
    },
    cancel() {
      cancelled = true;
    },
  });
  const { fetch } = answering(() => new Response(endless));
  await assert.rejects(httpReader('https://log.example', fetch).get('/'), {
    code: 'too_large',
    expected: `${MAX_PAGE_BYTES} bytes at most`,
  });
  assert.equal(cancelled, true);
});
