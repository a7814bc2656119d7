import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Deprecation } from '@assay/node/http/deprecation';
import { whole } from '@assay/node/http/reply';
import type { ApiReply } from '@assay/node/http/request';
import { type Route, route, routeTable } from '@assay/node/http/route';
import fc from 'fast-check';

const OK: ApiReply = whole('text/plain', '');

function get(path: string, options: { unversioned?: boolean } = {}): Route {
  return route('GET', path, () => OK, options);
}

void test('route: a handler knows the names of its path', () => {
  // Compiles only where the names are those of the pattern.
  const asset = route('GET', '/asset/:symbol/at/:day/*', ({ params }) =>
    whole('text/plain', params.symbol + params.day + params['*']),
  );
  // @ts-expect-error no such name
  const wrong = route('GET', '/asset/:symbol', ({ params }) => whole('text/plain', params.ticker));
  const { params } = routeTable([asset]).match('/asset/BTC/at/2026-01-01/a/b');
  assert.deepEqual(params, { symbol: 'BTC', day: '2026-01-01', '*': 'a/b' });
  assert.equal(wrong.path, '/asset/:symbol');
});

void test('route: literal before name before the rest, whatever their order', () => {
  const paths = ['/*', '/a/*', '/a/:x', '/a/b', '/a/:x/c', '/a/b/d', '/:y/b/d', '/'];
  const cases = {
    '/': '/',
    '/a/b': '/a/b',
    '/a/z': '/a/:x',
    '/a/b/c': '/a/:x/c',
    '/a/b/d': '/a/b/d',
    '/z/b/d': '/:y/b/d',
    '/a/z/d': '/a/*',
    '/z': '/*',
    '/a': '/*',
    '/a/': '/*',
    '/v1/a/b': '/a/b',
    '/v1/a/b/c': '/a/:x/c',
    '/v1': '/',
    '/v1/': '/',
  };
  fc.assert(
    fc.property(fc.shuffledSubarray(paths, { minLength: paths.length }), (order) => {
      const table = routeTable(order.map((path) => get(path)));
      for (const [path, pattern] of Object.entries(cases)) {
        assert.equal(table.match(path).endpoint?.path, pattern, path);
        assert.equal(table.match(path).endpoint?.path, pattern, `${path} again`);
      }
    }),
    { numRuns: 30 },
  );
});

void test('route: an empty segment is no name, and a trailing slash is another path', () => {
  const table = routeTable([get('/indices/:ticker'), get('/tile/*'), get('/status')]);
  for (const path of [
    '/indices/',
    '/indices//',
    '/indices',
    '/status/',
    '/tile/',
    '/tile',
    '',
    '*',
  ]) {
    assert.equal(table.match(path).kind, 'none', path);
  }
});

void test('route: names are decoded once, and what cannot be is malformed', () => {
  const table = routeTable([get('/i/:x'), get('/t/*')]);
  assert.equal(table.match('/i/%2525').params['x'], '%25');
  assert.equal(table.match('/t/a%2Fb/c').params['*'], 'a/b/c');
  for (const path of ['/i/%', '/i/%GG', '/i/%E9', '/i/\u00e9', '/i/a b', '/t/x/%C3/y']) {
    const match = table.match(path);
    assert.equal(match.kind, 'malformed', path);
    assert.ok(match.endpoint !== undefined);
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      assert.equal(table.match(`/i/${encodeURIComponent(text)}`).params['x'], text);
    }),
  );
});

void test('route: remembered paths stay right when many come', () => {
  const table = routeTable([get('/i/:x')]);
  for (let round = 0; round < 2; round += 1) {
    for (let i = 0; i < 2500; i += 1) assert.equal(table.match(`/i/${i}`).params['x'], String(i));
  }
  const long = 'l'.repeat(1000);
  assert.equal(table.match(`/i/${long}`).params['x'], long);
});

void test('route: a version is a prefix, unless the path is another document`s', () => {
  const table = routeTable([get('/a'), get('/.well-known/x.json', { unversioned: true })]);
  assert.equal(table.match('/v1/a').kind, 'found');
  assert.equal(table.match('/.well-known/x.json').kind, 'found');
  assert.equal(table.match('/v1/.well-known/x.json').kind, 'none');
  assert.equal(table.match('/v1').kind, 'none');
});

void test('route: one endpoint a path says what it allows', () => {
  const post = route('POST', '/a', () => OK);
  const table = routeTable([get('/a'), post, route('DELETE', '/b', () => OK)]);
  assert.deepEqual(
    table.endpoints.map(({ path, allow, readable }) => ({ path, allow, readable })),
    [
      { path: '/a', allow: 'GET, HEAD, POST, OPTIONS', readable: true },
      { path: '/b', allow: 'DELETE, OPTIONS', readable: false },
    ],
  );
  assert.equal(table.match('/a').endpoint?.routes.get('POST'), post);
  assert.equal(table.match('/a').endpoint, table.match('/v1/a').endpoint);
});

const RETIRED: Deprecation = {
  at: '2026-01-01T00:00:00Z',
  sunset: '2026-06-01T00:00:00Z',
  successor: '/b',
  document: '/docs',
};

void test('route: an endpoint has the budget and the end of its routes', () => {
  const post = route('POST', '/b', () => OK, { budget: 'log', deprecation: RETIRED });
  const other = route('GET', '/b', () => OK, { budget: 'log', deprecation: RETIRED });
  const [plain, set] = routeTable([get('/a'), post, other]).endpoints;
  assert.equal(plain?.budget, 'default');
  assert.equal(plain.deprecation, undefined);
  assert.equal(set?.budget, 'log');
  assert.equal(set.deprecation?.list.length, 3);
  const hasty = { ...RETIRED, sunset: '2026-03-01T00:00:00Z' };
  const short = route('GET', '/a', () => OK, { deprecation: hasty });
  assert.throws(() => routeTable([short]), TypeError);
});

void test('route: a table that can be read in two ways is a mistake', () => {
  for (const routes of [
    [get('/a'), get('/a')],
    [get('/:x'), get('/:y')],
    [get('/a'), get('/v1/a', { unversioned: true })],
    [get('/a'), route('POST', '/a', () => OK, { unversioned: true })],
    [get('/a'), route('POST', '/a', () => OK, { budget: 'log' })],
    [get('/a'), route('POST', '/a', () => OK, { deprecation: RETIRED })],
    [get('/:x/:x')],
    [get('a')],
    [get('/a/')],
    [get('/*/a')],
    [get('/a*')],
    [get('/a b')],
    [get('')],
  ]) {
    assert.throws(() => routeTable(routes), TypeError, JSON.stringify(routes));
  }
});
