import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROUTE_CLASSES, routeClass } from '@assay/node/readers/route-class';
import { publisherWorld } from './publisher-world.ts';

/** Routes that a service has only with a tier, or without an address of its own for the metrics. */
const SOMETIMES = ['GET /.well-known/x402', 'GET /.well-known/did.json', 'GET /metrics'];

test('route class: every route of a service has one, and the table has no other', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-classes-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { service } = await publisherWorld(t, folder);
  const served = service.endpoints.flatMap(({ path, routes }) =>
    [...routes.keys()].filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
  );
  assert.deepEqual([...served, ...SOMETIMES].toSorted(), [...ROUTE_CLASSES.keys()].toSorted());
});

test('route class: a route that the table lacks stops whoever asks for its class', () => {
  assert.equal(routeClass({ method: 'GET', path: '/indices' }), 'log');
  assert.throws(() => routeClass({ method: 'GET', path: '/new' }), TypeError);
});
