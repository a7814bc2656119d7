import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { test } from 'node:test';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { Fault } from '@assay/core/fault';
import { QUICKNET, roundAt, roundTime } from '@assay/core/timelock/beacon-chain';
import { signRound } from '@assay/core/timelock/beacon-key';
import { beaconClient } from '@assay/node/timelock/beacon-client';
import { OWN, OWN_SECRET, vectorSignature } from '../../core/timelock/timelock-vectors.ts';
import { BROKEN_HOSTS, closedHost, localHost } from '../bitcoin/local-host.ts';
import { beaconSourceSuite } from './beacon-source-suite.ts';

const { signal } = new AbortController();
const ROUND = 1000;

/** A relay of the chain whose secret the vectors have, at a time. */
function relay(now: () => number): RequestListener {
  return ({ url = '' }, response) => {
    const [, hash, number] = /^\/([0-9a-f]{64})\/public\/([0-9]+)$/.exec(url) ?? [];
    const round = Number(number);
    if (hash !== OWN.hash || !(round <= roundAt(OWN, now()))) response.writeHead(404).end();
    else {
      const signature = formatHex(signRound(parseHex(OWN_SECRET), round));
      response.end(JSON.stringify({ round, randomness: '00'.repeat(32), signature }));
    }
  };
}

/** A relay that answers the same whatever it is asked. */
function fixed(body: string, status = 200): RequestListener {
  return (_, response) => response.writeHead(status).end(body);
}

const SIGNATURE = vectorSignature('own', ROUND);
const GOOD = fixed(JSON.stringify({ round: ROUND, signature: SIGNATURE }));
const now = (): number => roundTime(OWN, ROUND);

beaconSourceSuite('beacon client', async (t) => {
  let time = 0;
  const url = await localHost(
    t,
    relay(() => time),
  );
  const source = beaconClient({
    chain: OWN,
    relays: [`${url}/`],
    timeoutMs: 60_000,
    now: () => time,
  });
  return { source, setTime: (seconds) => (time = seconds) };
});

test('beacon client: quicknet’s round 1000, as its relays answer', async (t) => {
  const signature = vectorSignature('quicknet', ROUND);
  const randomness = 'fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd';
  const asked: string[] = [];
  const url = await localHost(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ round: ROUND, randomness, signature }));
  });
  const source = beaconClient({ chain: QUICKNET, relays: [url], timeoutMs: 60_000, now });
  assert.equal(formatHex((await source.signature(ROUND, signal)) ?? new Uint8Array(0)), signature);
  assert.deepEqual(asked, [`GET /${QUICKNET.hash}/public/1000`]);
});

test('beacon client: nobody is asked before the round’s time', async () => {
  const source = beaconClient({
    chain: OWN,
    relays: ['http://127.0.0.1:1'],
    timeoutMs: 60_000,
    now: () => roundTime(OWN, ROUND) - 1,
    fetch: () => assert.fail('asked'),
  });
  assert.equal(await source.signature(ROUND, signal), undefined);
});

test('beacon client: a relay that is away, wrong or late is passed over', async (t) => {
  const good = await localHost(t, GOOD);
  const other = vectorSignature('own', 1);
  const wrong: readonly (readonly [string, RequestListener])[] = [
    ...BROKEN_HOSTS,
    ['refused', fixed('', 500)],
    ['refused', fixed('', 429)],
    ['refused', fixed('', 204)],
    ['malformed', fixed('')],
    ['malformed', fixed('null')],
    ['malformed', fixed('[]')],
    ['malformed', fixed('{')],
    ['malformed', fixed(JSON.stringify({ signature: SIGNATURE }))],
    ['malformed', fixed(JSON.stringify({ round: '1000', signature: SIGNATURE }))],
    ['malformed', fixed(JSON.stringify({ round: 999, signature: SIGNATURE }))],
    ['malformed', fixed(JSON.stringify({ round: ROUND }))],
    ['malformed', fixed(JSON.stringify({ round: ROUND, signature: SIGNATURE.toUpperCase() }))],
    ['malformed', fixed(JSON.stringify({ round: ROUND, signature: `${SIGNATURE}00` }))],
    // In the right form, but not the signature of this round of this chain.
    ['malformed', fixed(JSON.stringify({ round: ROUND, signature: other }))],
    ['malformed', fixed(JSON.stringify({ round: ROUND, signature: `c0${'00'.repeat(47)}` }))],
  ];
  for (const [code, listener] of wrong) {
    const url = await localHost(t, listener);
    const timeoutMs = code === 'timeout' ? 60 : 60_000;
    const alone = beaconClient({ chain: OWN, relays: [url], timeoutMs, now });
    await assert.rejects(alone.signature(ROUND, signal), { code });
    // That a late relay is passed over is the next test's: here the good one might be late, too.
    if (code === 'timeout') continue;
    const both = beaconClient({ chain: OWN, relays: [url, good], timeoutMs, now });
    const found = await both.signature(ROUND, signal);
    assert.equal(formatHex(found ?? new Uint8Array(0)), SIGNATURE, code);
  }
});

test('beacon client: a relay that is late is passed over', async () => {
  const asked: string[] = [];
  const source = beaconClient({
    chain: OWN,
    relays: ['http://late', 'http://good'],
    timeoutMs: 60_000,
    now,
    fetch: async ({ url }) => {
      asked.push(new URL(url).host);
      if (url.startsWith('http://late')) throw new Fault('timeout', 'drand relay');
      const body = formatUtf8(JSON.stringify({ round: ROUND, signature: SIGNATURE }));
      return { status: 200, body };
    },
  });
  const found = await source.signature(ROUND, signal);
  assert.equal(formatHex(found ?? new Uint8Array(0)), SIGNATURE);
  assert.deepEqual(asked, ['late', 'good']);
});

test('beacon client: a round is not out while one relay says so and none has it', async (t) => {
  const down = await closedHost();
  for (const status of [404, 425]) {
    const early = await localHost(t, fixed('', status));
    for (const relays of [[early], [down, early], [early, down]]) {
      const source = beaconClient({ chain: OWN, relays, timeoutMs: 60_000, now });
      assert.equal(await source.signature(ROUND, signal), undefined);
    }
  }
  const source = beaconClient({ chain: OWN, relays: [down, down], timeoutMs: 60_000, now });
  await assert.rejects(source.signature(ROUND, signal), { code: 'unreachable' });
});

test('beacon client: a signal ends it, and no further relay is asked', async (t) => {
  const stop = new AbortController();
  let asked = 0;
  const silent = await localHost(t, () => {
    asked += 1;
    stop.abort();
  });
  const relays = [silent, await localHost(t, GOOD)];
  const source = beaconClient({ chain: OWN, relays, timeoutMs: 60_000, now });
  await assert.rejects(source.signature(ROUND, stop.signal), { code: 'unreachable' });
  assert.equal(asked, 1);
  // Nor is it known then that the round is not out, although the relay before said so.
  const again = new AbortController();
  const early = await localHost(t, fixed('', 404));
  const leaving = await localHost(t, () => again.abort());
  const both = beaconClient({ chain: OWN, relays: [early, leaving], timeoutMs: 60_000, now });
  await assert.rejects(both.signature(ROUND, again.signal), { code: 'unreachable' });
});

test('beacon client: without a relay there is none', () => {
  assert.throws(() => beaconClient({ chain: OWN, relays: [], timeoutMs: 60_000, now }), TypeError);
});
