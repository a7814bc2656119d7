import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugsOf } from '@assay/node/terminal/venue/slug-map';
import { LISTED } from './venue-fixture.ts';

test('slug map: those of listed assets, in order', () => {
  assert.deepEqual(slugsOf({ ETH: ['b', 'a'], SOL: ['c'], META: ['d'], BTC: [] }, LISTED), [
    { symbol: 'ETH', slug: 'b' },
    { symbol: 'ETH', slug: 'a' },
    { symbol: 'META', slug: 'd' },
  ]);
});
