import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SourceRequest } from '@assay/core/source/request';
import type { Source, SourceAnswer, SourcePage } from '@assay/node/source/source';

/** What a source is made to say to a path. */
export interface Said {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
  readonly page: SourcePage;
}

export function request(url: string, parts: Partial<SourceRequest> = {}): SourceRequest {
  return {
    method: 'GET',
    url,
    headers: [],
    body: null,
    follow: [],
    paging: { kind: 'none' },
    ...parts,
  };
}

export function onePage(answer: SourceAnswer): SourcePage {
  assert.equal(answer.kind, 'pages', JSON.stringify(answer));
  assert.equal(answer.kind === 'pages' && answer.pages.length, 1);
  return (answer as Extract<SourceAnswer, { kind: 'pages' }>).pages[0] as SourcePage;
}

function page(status: number, contentType: string | null, bytes: Uint8Array | string): SourcePage {
  return {
    status,
    contentType,
    bytes: typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes,
  };
}

const SAID: readonly Said[] = [
  { method: 'GET', path: '/csv', body: null, page: page(200, 'text/csv', 'a,b\n1,2\n') },
  { method: 'GET', path: '/csv?y=2026', body: null, page: page(200, 'text/csv', 'other') },
  {
    method: 'GET',
    path: '/bytes',
    body: null,
    page: page(
      200,
      null,
      Uint8Array.from({ length: 512 }, (_, i) => i),
    ),
  },
  { method: 'GET', path: '/empty', body: null, page: page(200, 'text/plain', '') },
  {
    method: 'GET',
    path: '/html',
    body: null,
    page: page(200, 'text/html; charset=utf-8', '<p>Please wait</p>'),
  },
  {
    method: 'GET',
    path: '/charset',
    body: null,
    page: page(200, 'text/csv; charset=shift_jis', Uint8Array.of(0xc3, 0xa9, 0xff, 0xfe)),
  },
  { method: 'GET', path: '/forbidden', body: null, page: page(403, 'text/plain', 'no') },
  { method: 'POST', path: '/query', body: 'level=us', page: page(200, 'text/xml', '<us/>') },
  { method: 'POST', path: '/query', body: 'level=é', page: page(200, 'text/xml', '<é/>') },
  { method: 'POST', path: '/query', body: null, page: page(400, null, 'which level?') },
  { method: 'GET', path: '/query', body: null, page: page(200, null, 'use POST') },
];

/** What every source does. `make` gives one that says what is listed, and 404 to all else. */
export function sourceSuite(
  name: string,
  make: (
    t: TestContext,
    said: readonly Said[],
  ) => Promise<{ readonly source: Source; readonly base: string }>,
): void {
  test(`${name}: each answer as it was given, by method, URL and body`, async (t) => {
    const { source, base } = await make(t, SAID);
    for (const { method, path, body, page: expected } of SAID) {
      const answer = await source.read(request(`${base}${path}`, { method, body }));
      assert.deepEqual(answer, { kind: 'pages', pages: [expected] }, `${method} ${path} ${body}`);
    }
  });

  test(`${name}: what it does not have is a page with status 404`, async (t) => {
    const { source, base } = await make(t, SAID);
    for (const [method, path] of [
      ['GET', '/no'],
      ['POST', '/csv'],
    ] as const) {
      const answer = await source.read(request(`${base}${path}`, { method }));
      assert.equal(onePage(answer).status, 404);
      assert.equal(onePage(answer).bytes.length, 0);
    }
  });

  test(`${name}: bytes that a reader changes are its own`, async (t) => {
    const { source, base } = await make(t, SAID);
    const first = onePage(await source.read(request(`${base}/csv`)));
    first.bytes.fill(0);
    const second = onePage(await source.read(request(`${base}/csv`)));
    assert.equal(new TextDecoder().decode(second.bytes), 'a,b\n1,2\n');
  });

  test(`${name}: a caller that has given up gets its own reason`, async (t) => {
    const { source, base } = await make(t, SAID);
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(source.read(request(`${base}/csv`), { signal }), reason);
    await source.read(request(`${base}/csv`), { signal: new AbortController().signal });
  });
}
