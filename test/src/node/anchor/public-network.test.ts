import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitcoinNetworkOf } from '@assay/core/bitcoin/bitcoin-network';
import {
  PUBLIC_ATTESTORS,
  PUBLIC_EXPLORERS,
  PUBLIC_HOLDERS,
  PUBLIC_POOL,
} from '@assay/node/anchor/public-network';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

test('public network: every address is encrypted, named once, and one that a client takes', () => {
  const all = [...PUBLIC_POOL, ...PUBLIC_ATTESTORS, ...PUBLIC_EXPLORERS];
  assert.equal(new Set(all).size, all.length);
  for (const address of all) assert.match(address, /^https:\/\/[a-z0-9.-]+(?:\/[a-z]+)?$/);
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: PUBLIC_POOL,
    attestors: PUBLIC_ATTESTORS,
    timeoutMs: 1000,
    sha256: nodeSha256,
  });
  for (const uri of PUBLIC_ATTESTORS) assert.ok(client.isAttestor(uri));
  for (const address of PUBLIC_POOL) assert.equal(client.isAttestor(address), false);
});

test('public network: two calendars of different operators, and two explorers', () => {
  const operator = (address: string): string =>
    new URL(address).host.split('.').slice(-2).join('.');
  assert.ok(new Set(PUBLIC_POOL.map(operator)).size >= 2);
  assert.deepEqual(new Set(PUBLIC_POOL.map(operator)), new Set(PUBLIC_ATTESTORS.map(operator)));
  assert.equal(new Set(PUBLIC_EXPLORERS.map(operator)).size, 2);
  assert.equal(bitcoinNetworkOf('production').name, 'bitcoin');
});

test('public network: behind each address of the pool is one calendar, of the same operator', () => {
  const short = (text: string): string =>
    text.replaceAll(/^https:\/\/|\.(opentimestamps\.org|com)$/g, '');
  const pairs = [...PUBLIC_HOLDERS].map(([address, uri]) => [short(address), short(uri)]);
  assert.deepEqual(pairs, [
    ['a.pool', 'alice.btc.calendar'],
    ['b.pool', 'bob.btc.calendar'],
    ['a.pool.eternitywall', 'finney.calendar.eternitywall'],
    ['ots.btc.catallaxy', 'btc.calendar.catallaxy'],
  ]);
});
