import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whole, JSON_TYPE } from '@assay/node/http/reply';
import type { ApiReply, ApiRequest, ReadableHeader } from '@assay/node/http/request';
import { route, type Route, routeTable } from '@assay/node/http/route';
import { Assets } from '@assay/node/page/asset';
import { CardGallery } from '@assay/node/page/card-gallery';
import { html, live } from '@assay/node/page/html';
import { bodyOf, type Page } from '@assay/node/page/page';
import { withPages } from '@assay/node/page/page-routes';

const HTML = 'text/html,*/*;q=0.8';
const never = new AbortController().signal;

interface World {
  readonly routes: readonly Route[];
  readonly get: (
    target: string,
    headers?: Partial<Record<ReadableHeader, string>>,
  ) => Promise<ApiReply>;
  board: object | undefined;
  version: string;
  made: number;
}

/** A picture of nothing. */
const draw = (): Promise<Uint8Array<ArrayBuffer>> => Promise.resolve(new Uint8Array(1));

/** A JSON route /board, a page at the same path, and a page /i/:slug of its own. */
function world(network: string | null = 'mainnet', canDraw = true): World {
  const board: Page = {
    path: '/board',
    async make({ ask }) {
      state.made += 1;
      const { score } = bodyOf(await ask<{ readonly score: string }>('/v1/board'));
      return {
        title: 'Board',
        description: 'All scores.',
        canonical: '/board',
        body: html`<h1>Board</h1>
          ${live('score', score)}`,
      };
    },
  };
  const index: Page = {
    path: '/i/:slug',
    make: ({ params }) =>
      Promise.resolve(
        params['slug'] === 'a'
          ? {
              title: 'A',
              description: 'A.',
              canonical: '/i/a',
              image: '/card/a.png',
              body: html`<h1>A</h1>`,
            }
          : { missing: `There is no index ${params['slug']}.` },
      ),
  };
  const json = route('GET', '/board', () =>
    state.board === undefined
      ? whole('application/problem+json', '{"detail":"The record cannot be read."}', {
          status: 503,
        })
      : whole(JSON_TYPE, JSON.stringify(state.board)),
  );
  const { routes, lost } = withPages([json], [board, index], {
    assets: new Assets(),
    publicUrl: 'https://assay.example',
    notice: 'Closed on Sundays.',
    now: () => 0,
    version: () => state.version,
    network: () => network,
    cards: new CardGallery(() => Promise.resolve(canDraw ? draw : null)),
  });
  const table = routeTable(routes);
  const state: World = {
    routes,
    board: { score: '<41>' },
    version: '1',
    made: 0,
    async get(target, headers = {}) {
      const [path = '', query = ''] = target.split('?', 2);
      const match = table.match(path);
      const request: ApiRequest = {
        method: 'GET',
        path,
        query,
        params: match.kind === 'found' ? match.params : {},
        client: '127.0.0.1',
        signal: never,
        header: (name) => headers[name],
        body: () => Promise.resolve(new Uint8Array()),
      };
      const handler = match.kind === 'found' ? match.endpoint.routes.get('GET') : undefined;
      const reply = handler === undefined ? lost(request) : handler.handle(request);
      assert.ok(reply !== undefined, target);
      return reply;
    },
  };
  return state;
}

function headersOf(reply: ApiReply): ReadonlyMap<string, string> {
  const all = [...reply.blocks.flatMap(({ list }) => list), ...reply.headers];
  const map = new Map<string, string>();
  for (const [name, value] of all) {
    map.set(name, map.has(name) ? `${map.get(name)}, ${value}` : value);
  }
  return map;
}

function textOf(reply: ApiReply): string {
  assert.equal(reply.kind, 'whole');
  const { body } = reply as { readonly body: Uint8Array | string };
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

test('page routes: at a shared path programs get JSON, and who prefers HTML gets the page', async () => {
  const { get } = world();
  for (const accept of [undefined, '*/*', 'application/json']) {
    const reply = await get('/board', accept === undefined ? {} : { accept });
    assert.equal(headersOf(reply).get('content-type'), JSON_TYPE, accept);
    assert.match(headersOf(reply).get('vary') ?? '', /accept\b(?!-)/, accept);
    assert.equal(textOf(reply), '{"score":"<41>"}');
  }
  const page = await get('/board', { accept: HTML });
  assert.match(headersOf(page).get('content-type') ?? '', /^text\/html/);
  assert.match(headersOf(page).get('vary') ?? '', /(?:^|, )accept(?:,|$)/);
  assert.match(textOf(page), /<h1>Board<\/h1>\s*<span data-live="score">&lt;41&gt;<\/span>/);
});

test('page routes: /v1 is always JSON, and a page without a JSON route has no /v1', async () => {
  const { get, routes } = world();
  const reply = await get('/v1/board', { accept: HTML });
  assert.equal(headersOf(reply).get('content-type'), JSON_TYPE);
  assert.equal(routeTable(routes).match('/v1/i/a').kind, 'none');
});

test('page routes: every page forbids inline code, foreign servers and frames', async () => {
  const { get } = world();
  for (const target of ['/board', '/i/a', '/i/none']) {
    const headers = headersOf(await get(target, { accept: HTML }));
    const csp = headers.get('content-security-policy') ?? '';
    assert.match(csp, /^default-src 'none'; script-src 'self'; style-src 'self';/, target);
    assert.match(csp, /require-trusted-types-for 'script'/, target);
    assert.match(csp, /frame-ancestors 'none'/, target);
    assert.doesNotMatch(csp, /unsafe|\*|https?:/, target);
    const text = textOf(await get(target, { accept: HTML }));
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\son[a-z]+=|\sstyle=/, target);
  }
});

test('page routes: a page that is not there is 404, and one without an answer has its status', async () => {
  const shown = world();
  const missing = await shown.get('/i/none');
  assert.equal(missing.status, 404);
  assert.match(textOf(missing), /There is no index none\./);
  shown.board = undefined;
  const closed = await shown.get('/board', { accept: HTML });
  assert.equal(closed.status, 503);
  assert.match(textOf(closed), /The record cannot be read\./);
  assert.equal(headersOf(closed).get('cache-control'), 'no-store');
  const etag = headersOf(missing).get('etag') ?? '';
  const again = await shown.get('/i/none', { 'if-none-match': etag });
  assert.equal(again.status, 404, 'an error is never "not modified"');
});

test('page routes: the changing texts of a page that cannot be made are no texts', async () => {
  const shown = world();
  assert.equal(textOf(await shown.get('/live?page=/board')), '{"score":"<41>"}');
  shown.board = undefined;
  shown.version = '2';
  assert.equal((await shown.get('/live?page=/board')).status, 503);
});

test('page routes: a page is made again when the record changes, and a client that has it is told so', async () => {
  const shown = world();
  const first = await shown.get('/board', { accept: HTML });
  await shown.get('/board', { accept: HTML });
  assert.equal(shown.made, 1);
  const etag = headersOf(first).get('etag') ?? '';
  shown.version = '2';
  const same = await shown.get('/board', { accept: HTML, 'if-none-match': etag });
  assert.equal(shown.made, 2);
  assert.equal(same.status, 304);
  shown.board = { score: '42' };
  shown.version = '3';
  const other = await shown.get('/board', { accept: HTML, 'if-none-match': etag });
  assert.equal(other.status, 200);
  assert.match(textOf(other), />42</);
});

test('page routes: /live has the texts of a page, and none of what is no page', async () => {
  const { get } = world();
  const reply = await get('/live?page=%2Fboard');
  assert.deepEqual(JSON.parse(textOf(reply)), { score: '<41>' });
  assert.deepEqual(JSON.parse(textOf(await get('/live?page=%2Fi%2Fa%3Fx%3D1'))), {});
  for (const page of [
    '',
    '/v1/board',
    '/live',
    '//other',
    '/i/a/b',
    'https://other.example/board',
  ]) {
    const missing = await get(`/live?page=${encodeURIComponent(page)}`);
    assert.equal(missing.status, 404, page);
  }
});

test('page routes: files are served for ever under their hash, and under no other', async () => {
  const { get } = world();
  const text = textOf(await get('/i/a'));
  const path = /href="(\/assets\/[0-9a-f]{16}\/page\.css)"/.exec(text)?.[1] ?? '';
  const reply = await get(path);
  assert.match(headersOf(reply).get('content-type') ?? '', /^text\/css/);
  assert.match(headersOf(reply).get('cache-control') ?? '', /immutable/);
  const coded = await get(path, { 'accept-encoding': 'gzip' });
  assert.equal(headersOf(coded).get('content-encoding'), 'gzip', 'already for who asks first');
  for (const other of [
    path.replace(/[0-9a-f]{16}/, '0123456789abcdef'),
    path.replace(/([0-9a-f]{8})[0-9a-f]{8}/, '$1'),
    path.replace('page.css', 'page.ts'),
    path.replace('page.css', '__proto__'),
  ]) {
    assert.equal((await get(other)).status, 404, other);
  }
});

test('page routes: the notice and the development network stand on every page', async () => {
  assert.match(textOf(await world().get('/i/a')), /class="banner">Closed on Sundays\./);
  assert.match(
    textOf(await world('development').get('/i/a')),
    /Development network\.<\/strong> Nothing here may be settled on\./,
  );
});

test('pages: previews have a picture by its whole address, and none where nothing draws', async () => {
  const pageOf = async (path: string, canDraw: boolean): Promise<string> =>
    textOf(await world('mainnet', canDraw).get(path, { accept: HTML }));
  const own = 'property="og:image" content="https://assay.example/card/a.png"';
  const common = 'property="og:image" content="https://assay.example/card.png"';
  assert.ok((await pageOf('/i/a', true)).includes(own));
  assert.ok((await pageOf('/board', true)).includes(common));
  assert.doesNotMatch(await pageOf('/i/a', false), /og:image/);
  assert.doesNotMatch(await pageOf('/i/none', true), /og:image/);
});

test('pages: an address that nothing has is a page for who prefers HTML, and a problem for programs', async () => {
  const { get } = world();
  const reply = await get('/no/such/page', { accept: HTML });
  assert.equal(reply.status, 404);
  assert.match(textOf(reply), /<h1>There is no such page<\/h1>/);
  assert.match(headersOf(reply).get('vary') ?? '', /accept/);
  await assert.rejects(get('/no/such/page', { accept: '*/*' }), /no\/such\/page/);
  await assert.rejects(get('/v1/no/such', { accept: HTML }), /no\/such/);
});
