import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test, type TestContext } from 'node:test';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { coreRpc } from '@assay/node/bitcoin/core-rpc';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { startDevelopmentServer } from '@assay/node/dev/bitcoin/development-server';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const START = 1_800_000_000;
const DIGEST = nodeSha256(Uint8Array.of(9));

async function world(t: TestContext) {
  const time = { now: START };
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  const server = await startDevelopmentServer({
    chain,
    now: () => time.now,
    calendars: [
      { name: 'alice', port: 0 },
      { name: 'bob', port: 0 },
    ],
  });
  t.after(() => server.close());
  return { time, chain, server };
}

test('development server: stamps and upgrades over the network, and tells its headers', async (t) => {
  const { time, chain, server } = await world(t);
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: server.calendars,
    attestors: server.calendars,
    timeoutMs: 60_000,
    sha256: nodeSha256,
  });
  const { answers } = await client.submit(DIGEST);
  assert.equal(answers.length, 2);
  time.now += 7 * 600;
  for (const { calendar, timestamp } of answers) {
    const [pending] = evaluate(timestamp, DIGEST, otsHashes(nodeSha256));
    assert.deepEqual(pending?.attestation, { kind: 'pending', uri: calendar });
    const upgraded = await client.upgrade(calendar, pending?.message as Uint8Array);
    assert.equal(upgraded.kind, 'attested');
  }
  const authorization = 'Basic dXNlcjpwYXNz';
  const source = coreRpc({ url: server.rpc, authorization, timeoutMs: 60_000 });
  assert.equal(await source.tip(), 8);
  const headers = await source.headers(0, 20);
  assert.deepEqual(
    headers,
    headers.map((_, height) => chain.block(height)?.header),
  );
  assert.equal(headers.length, 9);
});

test('development server: a body that is too long, and a path that is none', async (t) => {
  const { server } = await world(t);
  const [address = ''] = server.calendars;
  const long = fetch(`${address}/digest`, { method: 'POST', body: new Uint8Array(100_000) });
  assert.ok(
    [413, 'gone'].includes(
      await long.then(
        ({ status }) => status,
        () => 'gone',
      ),
    ),
  );
  assert.equal((await fetch(address)).status, 404);
  assert.equal((await fetch(`${address}/digest`, { method: 'POST', body: 'x' })).status, 200);
});

test('development server: closes with connections open, and its ports are free again', async (t) => {
  const { server, chain } = await world(t);
  const ports = server.calendars.map((uri) => Number(new URL(uri).port));
  const socket = connect(ports[0] as number, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.on('error', () => undefined);
  await server.close();
  await server.close();
  const calendars = ports.map((port, i) => ({ name: String(i), port }));
  const again = await startDevelopmentServer({ chain, now: () => START, calendars });
  assert.deepEqual(again.calendars, server.calendars);
  // A port that is taken leaves none of the others open.
  const taken = [{ name: 'x', port: 0 }, ...calendars];
  const failing = startDevelopmentServer({ chain, now: () => START, calendars: taken });
  await assert.rejects(failing, { code: 'EADDRINUSE' });
  await again.close();
  const none = startDevelopmentServer({ chain, now: () => START, calendars: [] });
  await assert.rejects(none, TypeError);
});
