import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireWhole } from '@assay/core/rule/paging';
import type { Paging, SourceRequest } from '@assay/core/source/request';
import { jsonPage, NOT_FOUND, queryOf, type Site } from '@assay/node/dev/site/site';
import { SiteSource } from '@assay/node/dev/site/site-source';
import { RECORD } from '../../fixture/round-fixture.ts';

const request = (paging: Paging, host = 'a.invalid'): SourceRequest => ({
  ...RECORD.request,
  url: `https://${host}/list`,
  paging,
});

/** Nine numbers, three a page, however the next page is named. */
const site: Site = (asked, now) => {
  const query = queryOf(asked);
  const start = Number(query.get('from') ?? '0');
  const rows = [0, 1, 2].map((i) => ({ at: 100 - start - i, now }));
  const next = `https://a.invalid/list?from=${start + 3}`;
  return { ...jsonPage({ rows, next: start + 3 < 9 ? String(start + 3) : null }), next };
};

async function pages(source: SiteSource, asked: SourceRequest): Promise<readonly string[]> {
  const answer = await source.read(asked);
  assert.ok(answer.kind === 'pages');
  const { paging } = asked;
  if (answer.pages.every(({ status }) => status === 200)) {
    requireWhole(
      paging,
      answer.pages.map(({ bytes }) => bytes),
    );
  }
  return answer.pages.map(({ status, bytes }) => {
    if (status !== 200) return String(status);
    const { rows } = JSON.parse(Buffer.from(bytes).toString()) as { rows: { at: number }[] };
    return rows.map(({ at }) => at).join();
  });
}

const until = (before: string): { rows: string; ptr: string; style: 'unix'; before: string } => ({
  rows: '/rows',
  ptr: '/at',
  style: 'unix',
  before,
});

test('site source: whole lists, by every kind of paging', async () => {
  const source = new SiteSource(new Map([['a.invalid', site]]), () => 7);
  assert.deepEqual(await pages(source, request({ kind: 'none' })), ['100,99,98']);
  const cursor = {
    kind: 'cursor',
    ptr: '/next',
    place: 'query',
    name: 'from',
    max_pages: 9,
    total: null,
  } as const;
  const whole = ['100,99,98', '97,96,95', '94,93,92'];
  assert.deepEqual(await pages(source, request({ ...cursor, until: null })), whole);
  const past = await pages(source, request({ ...cursor, until: until('96') }));
  assert.deepEqual(past, whole.slice(0, 2));
  const link = { kind: 'link', max_pages: 9, until: until('94') } as const;
  assert.deepEqual(await pages(source, request(link)), whole);
  const offset = {
    kind: 'offset',
    name: 'from',
    step: 3,
    rows: '/rows',
    max_pages: 9,
    total: null,
  } as const;
  const three = await pages(source, request({ ...offset, until: until('94') }));
  assert.deepEqual(three, whole);
});

test('site source: a page that is not there ends the list, and an unknown host is unreachable', async () => {
  const gone: Site = (asked, now) => (asked.url.includes('from=3') ? NOT_FOUND : site(asked, now));
  const source = new SiteSource(new Map([['a.invalid', gone]]), () => 7);
  const cursor = {
    kind: 'cursor',
    ptr: '/next',
    place: 'query',
    name: 'from',
    max_pages: 9,
    total: null,
  } as const;
  assert.deepEqual(await pages(source, request({ ...cursor, until: null })), ['100,99,98', '404']);
  const answer = await source.read(request({ kind: 'none' }, 'example.org'));
  assert.equal(answer.kind === 'failed' && answer.reason, 'unreachable');
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(source.read(request({ kind: 'none' }), { signal }), /enough/);
});
