import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLDED_ROUTES } from '@assay/core/answer/routes';
import { foldedRoutes } from '@assay/node/api/folded-routes';
import { Publication } from '@assay/node/api/publication';
import type { QuerySchema } from '@assay/node/http/operation';
import type { ApiReply, ApiRequest } from '@assay/node/http/request';
import type { Route } from '@assay/node/http/route';
import type { LogRecord } from '@assay/node/ledger/record';
import { sha256, SOME_HASH } from '../../core/fixture/fixture.ts';
import { smallLog } from '../../core/view/small-log.ts';

const TAGS = ['indices', 'log', 'proofs', 'terminal', 'arena', 'referee'];
const NOTHING = {} as never;

/** Texts of each kind, and some that are next to one. */
const TEXTS = [
  '',
  'LAYOFFS',
  'a-b',
  'x'.repeat(32),
  'x'.repeat(33),
  'a.b',
  SOME_HASH,
  SOME_HASH.toUpperCase(),
  '2026-07-25',
  '2026-02-30',
  '2026-7-25',
  '0',
  '01',
  '1',
  '99',
  '100',
  '101',
  '1'.repeat(15),
  '1'.repeat(16),
  '-1',
];

/**
 * Parameters of a row's path with which the answer is no folded one: the log does not hold the bytes of a proof's file, and no
 * verifier asks for pages.
 */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  '/proof/:digest': ['format'],
  '/receipts': ['symbol', 'from', 'to', 'cursor'],
};

test('folded routes: every row is served, and takes what the table takes', () => {
  const routes = foldedRoutes(NOTHING, NOTHING, TAGS);
  assert.deepEqual(
    routes.map(({ path }) => path),
    FOLDED_ROUTES.map(({ pattern }) => pattern),
  );
  for (const { pattern, query, names = {} } of FOLDED_ROUTES) {
    const operation = routes.find(({ path }) => path === pattern)?.operation;
    assert.equal(operation?.basis, 'folded', pattern);
    const asked = operation.query === 'ignored' ? undefined : operation.query;
    const shapes = { ...operation.params?.shape, ...(asked as QuerySchema | undefined)?.shape };
    const others = BESIDE[pattern] ?? [];
    assert.deepEqual(Object.keys(shapes).sort(), [...Object.keys(names), ...others].sort());
    if (query !== undefined) assert.ok(asked?.shape[query] !== undefined, pattern);
    for (const [name, { test: takes }] of Object.entries(names)) {
      const shape = shapes[name] as { safeParse: (text: string) => { success: boolean } };
      for (const text of TEXTS) {
        const place = `${pattern} ${name} ${JSON.stringify(text)}`;
        assert.equal(shape.safeParse(text).success, takes.call(names[name], text), place);
      }
    }
  }
});

test('folded routes: an answer is made once, whatever its spelling, until the rows change', async () => {
  const log = smallLog();
  let reads = 0;
  const record = {
    published: { size: 1, root: new Uint8Array(32), note: new Uint8Array(0) },
    get shown() {
      reads += 1;
      return log.views;
    },
  } as unknown as LogRecord;
  const publication = new Publication(record, sha256);
  const routes = foldedRoutes(record, publication, TAGS);
  const ask = async (pattern: string, path: string, query = '', ticker = ''): Promise<ApiReply> => {
    const found = routes.find((each): each is Route => each.path === pattern);
    const request = { path, query, params: { ticker }, header: () => undefined };
    assert.ok(found !== undefined);
    return found.handle(request as unknown as ApiRequest);
  };
  const bodyOf = (reply: ApiReply): unknown => (reply.kind === 'whole' ? reply.body : undefined);
  const pattern = '/indices/:ticker/report';
  const first = await ask(pattern, '/indices/layoffs/report', 'period=2026-07-25', 'layoffs');
  assert.equal(first.status, 200);
  const before = reads;
  const again = await ask(pattern, '/indices/layoffs/report', 'period=2026-07-25', 'layoffs');
  assert.equal(bodyOf(again), bodyOf(first));
  assert.equal(reads, before, 'nothing is looked up for what was asked before');
  const other = await ask(pattern, '/v1/indices/LAYOFFS/report', 'period=2026-07-25', 'LAYOFFS');
  assert.equal(bodyOf(other), bodyOf(first), 'the same bytes in memory');
  const newest = await ask(pattern, '/indices/layoffs/report', '', 'layoffs');
  assert.equal(newest.status, 404, 'the newest is void, and another answer');
  publication.changed(2, new Set());
  assert.equal(
    bodyOf(await ask('/indices', '/indices')),
    bodyOf(await ask('/indices', '/indices')),
  );
  const kept = bodyOf(await ask('/indices', '/indices'));
  publication.changed(3, new Set());
  assert.equal(bodyOf(await ask('/indices', '/indices')), kept, 'no row has changed');
  publication.changed(4, new Set(['periods']));
  assert.notEqual(bodyOf(await ask('/indices', '/indices')), kept);
});
