import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerTo, foldedPaths } from '@assay/core/answer/answer';
import { FOLDED_ROUTES, formatFolded, matchFolded } from '@assay/core/answer/routes';
import { appendBatch } from '../fixture/anchor-fixture.ts';
import { appendClose } from '../fixture/close-fixture.ts';
import { sha256, SOME_HASH } from '../fixture/fixture.ts';
import { smallLog } from '../view/small-log.ts';

test('routes: a path is read as it is written, and a literal segment comes before a name', () => {
  for (const [path, pattern, given] of [
    ['/indices', '/indices', {}],
    ['/indices/close', '/indices/close', {}],
    ['/indices/close?day=2026-08-21', '/indices/close', { day: '2026-08-21' }],
    ['/indices/closet', '/indices/:ticker', { ticker: 'closet' }],
    ['/indices/cpi/report', '/indices/:ticker/report', { ticker: 'cpi' }],
    [
      '/indices/cpi/report?period=2026-07-01',
      '/indices/:ticker/report',
      { ticker: 'cpi', period: '2026-07-01' },
    ],
    [`/index/${SOME_HASH}`, '/index/:report', { report: SOME_HASH }],
    ['/anchors?before=12', '/anchors', { before: '12' }],
    [
      '/questions/d7d39887-3885-8360-a0be-f81a5cf45c30',
      '/questions/:id',
      { id: 'd7d39887-3885-8360-a0be-f81a5cf45c30' },
    ],
  ] as const) {
    const found = matchFolded(path);
    assert.equal(found?.route.pattern, pattern, path);
    assert.deepEqual({ ...found.given }, given, path);
    assert.equal(formatFolded(found.route, found.given), path);
  }
});

test('routes: what is in the place of a name must be of its kind', () => {
  for (const path of [
    '/indices/',
    '/indices/a b',
    `/indices/${'x'.repeat(33)}`,
    '/indices/cpi/report?period=2026-02-30',
    '/indices/cpi/report?period=2026-07-01&period=2026-07-01',
    '/indices/cpi/report?day=2026-07-01',
    '/indices/cpi?period=2026-07-01',
    '/indices?',
    `/index/${SOME_HASH.toUpperCase()}`,
    `/proof/${SOME_HASH}?format=ots`,
    '/anchors?before=-1',
    '/receipts?limit=101',
    '/board',
    '/questions',
    '/questions/d7d39887-3885-4360-a0be-f81a5cf45c30',
  ]) {
    assert.equal(matchFolded(path), undefined, path);
  }
});

test('routes: what a row lists is a path of that row, and the log answers it', () => {
  const log = smallLog();
  appendClose(log, '2026-08-21');
  appendBatch(log);
  const listed = new Set<string>();
  for (const path of foldedPaths(log.views, sha256, 9)) {
    assert.ok(answerTo(log.views, sha256, path) !== undefined, path);
    listed.add(matchFolded(path)?.route.pattern ?? path);
  }
  // The small log has no index entry, no events, no rounds and no questions.
  const never = ['/index', '/index/:report', '/receipts', '/arena/rounds/:round', '/questions/:id'];
  const patterns = FOLDED_ROUTES.map(({ pattern }) => pattern);
  assert.deepEqual(
    [...listed, ...never].sort(),
    [...patterns].sort(),
    'each row is listed where the log has something for it',
  );
});

test('routes: each name of a pattern says what may be there, and no two rows mean the same', () => {
  const shapes = new Set<string>();
  for (const { pattern, query, names = {} } of FOLDED_ROUTES) {
    const inPath = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const all = query === undefined ? inPath : [...inPath, query];
    assert.deepEqual(Object.keys(names).sort(), [...all].sort(), pattern);
    assert.ok(inPath.length <= 1, `${pattern}: a path is made with one name`);
    shapes.add(pattern.replace(/:\w+/, ':'));
  }
  assert.equal(shapes.size, FOLDED_ROUTES.length);
});
