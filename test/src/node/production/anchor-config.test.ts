import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { concatBytes } from '@assay/core/bytes/bytes';
import { anchorWorld } from '@assay/node/production/anchor-config';
import { DEFAULT_TIMING } from '@assay/node/anchor/anchor-parts';
import { PUBLIC_ATTESTORS, PUBLIC_HOLDERS, PUBLIC_POOL } from '@assay/node/anchor/public-network';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { type Config, parseConfig } from '@assay/node/production/config';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const LOCAL = 'http://127.0.0.1:1';

function config(change: Readonly<Record<string, unknown>> = {}): Config {
  return parseConfig({ data: 'd', contact: 'a@example.org', ...change }, {}, '/base');
}

test('anchor config: production has the public network, development nothing', () => {
  const open = anchorWorld(config(), {}, 'production');
  assert.ok(open.calendars?.isAttestor(PUBLIC_ATTESTORS[0] ?? ''));
  assert.ok(open.headers !== undefined);
  assert.equal(open.network.name, 'bitcoin');
  assert.deepEqual(open.timing, DEFAULT_TIMING);
  const closed = anchorWorld(config(), {}, 'development');
  assert.deepEqual([closed.calendars, closed.headers], [undefined, undefined]);
  assert.equal(closed.network.name, 'development');
});

test('anchor config: calendars without any source of headers are refused', () => {
  const two = [`${LOCAL}/a`, `${LOCAL}/b`];
  const refused = { code: 'bad_config', at: 'bitcoin_explorers', message: /bitcoin_rpc.*nobody/ };
  const none = { bitcoin_explorers: [] };
  assert.throws(() => anchorWorld(config(none), {}, 'production'), refused);
  assert.throws(() => anchorWorld(config({ calendars: two }), {}, 'development'), refused);
  for (const source of [
    { bitcoin_rpc: LOCAL },
    { bitcoin_headers: 'h' },
    { bitcoin_explorers: [LOCAL] },
  ]) {
    const world = anchorWorld(config({ calendars: two, ...source }), {}, 'development');
    assert.ok(world.calendars !== undefined && world.headers !== undefined);
  }
});

test('anchor config: each address of a calendar has the one calendar behind it', () => {
  const [a, b, c] = [`${LOCAL}/a`, `${LOCAL}/b`, `${LOCAL}/c`] as const;
  const headers = { bitcoin_explorers: [LOCAL] };
  const named = { ...headers, calendars: [a, b], calendar_attestors: [b, c, a] };
  const inOrder = anchorWorld(config(named), {}, 'development').calendars;
  assert.deepEqual(
    [a, b].map((address) => [a, b, c].map((uri) => inOrder?.isHolder(address, uri))),
    [
      [false, true, false],
      [false, false, true],
    ],
  );
  assert.ok(inOrder?.isAttestor(a), 'one more is asked');
  // The public pool's are known; any other address is a calendar's own.
  const [pool] = PUBLIC_POOL;
  const left = { ...headers, calendars: [a, `${pool}/`] };
  const own = anchorWorld(config(left), {}, 'production').calendars;
  assert.deepEqual(
    [
      own?.isHolder(a, a),
      own?.isHolder(a, PUBLIC_ATTESTORS[0] ?? ''),
      own?.isHolder(pool ?? '', PUBLIC_ATTESTORS[0] ?? ''),
      own?.isHolder(pool ?? '', PUBLIC_ATTESTORS[1] ?? ''),
    ],
    [true, false, true, false],
  );
  const open = anchorWorld(config(), {}, 'production').calendars;
  for (const [address, uri] of PUBLIC_HOLDERS) {
    for (const each of PUBLIC_ATTESTORS) {
      assert.equal(open?.isHolder(address, each), each === uri, `${address} ${each}`);
    }
  }
});

test('anchor config: an empty list is none, also in production', () => {
  const none = anchorWorld(config({ calendars: [], bitcoin_explorers: [] }), {}, 'production');
  assert.deepEqual([none.calendars, none.headers], [undefined, undefined]);
});

test('anchor config: calendars that cannot make up a batch are refused', () => {
  const two = [`${LOCAL}/a`, `${LOCAL}/b`];
  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['calendars', { calendars: two.slice(0, 1), calendar_attestors: two }],
    ['calendars', { calendars: [LOCAL, LOCAL], calendar_attestors: two }],
    ['calendar_attestors', { calendars: two, calendar_attestors: two.slice(0, 1) }],
    ['calendar_attestors', { calendars: two, calendar_attestors: [two[0], two[0]] }],
    ['calendar_attestors', { calendars: [...two, LOCAL], calendar_attestors: two }],
    ['calendars', { calendars: two, calendar_attestors: two, calendars_required: 3 }],
  ];
  for (const [at, change] of bad) {
    assert.throws(() => anchorWorld(config(change), {}, 'development'), { code: 'bad_config', at });
  }
  const change = {
    calendars: two,
    calendar_attestors: two,
    bitcoin_explorers: [LOCAL],
    stamp_every_s: 60,
    beacon_every_s: 600,
  };
  const { calendars, timing } = anchorWorld(config(change), {}, 'development');
  assert.ok(calendars?.isAttestor(two[0] as string));
  assert.deepEqual([timing.stampEveryS, timing.beaconEveryS], [60, 600]);
});

test('anchor config: headers from a file', async (t) => {
  const path = join(await temporaryFolder(t), 'headers');
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  chain.advance(1_785_000_000);
  chain.advance(1_785_060_000);
  const headers = Array.from(
    { length: chain.tip.height + 1 },
    (_, i) => chain.block(i)?.header ?? new Uint8Array(),
  );
  await writeFile(path, concatBytes(...headers));
  const world = anchorWorld(config({ bitcoin_headers: path }), {}, 'development');
  await world.headers?.refresh();
  assert.equal(world.headers?.tip?.height, chain.tip.height);
  assert.equal(world.network, DEVELOPMENT);
});

test('anchor config: the password of the node goes into its header and into no message', async (t) => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(401);
    response.end();
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { ASSAY_BITCOIN_RPC_AUTH: 'user:secret' };
  const { headers } = anchorWorld(config({ bitcoin_rpc: url }), environment, 'production');
  const { concerns } = (await headers?.refresh()) ?? { concerns: [] };
  assert.deepEqual(
    new Set(seen),
    new Set([`Basic ${Buffer.from('user:secret').toString('base64')}`]),
  );
  assert.equal(concerns.length, 1, 'a node of one’s own needs no explorer');
  assert.doesNotMatch(JSON.stringify(concerns), /secret|dXNlcj|127\.0/);
});
