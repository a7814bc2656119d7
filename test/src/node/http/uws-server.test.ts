import { test } from 'node:test';
import { loadUws } from '@assay/node/http/uws';
import { uwsServer } from '@assay/node/http/uws-server';
import { httpContract } from './contract.ts';

const uws = await loadUws();
if (uws === undefined) {
  void test('HTTP contract: uWebSockets.js', (t) => {
    t.skip('uWebSockets.js does not load here');
  });
} else {
  httpContract('uWebSockets.js', (served, options) => uwsServer(uws, served, options));
}
