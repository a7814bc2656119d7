import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { parseTimestamp } from '@assay/core/ots/timestamp';
import { parseHeader } from '@assay/core/bitcoin/header';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import {
  DEVELOPMENT_CALENDARS,
  developmentCalendar,
  developmentFetch,
} from '@assay/node/dev/bitcoin/development-calendar';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const START = 1_800_000_000;
const HASHES = otsHashes(nodeSha256);
const DIGEST = nodeSha256(Uint8Array.of(9));

function world() {
  const time = { now: START };
  const now = () => time.now;
  const chain = new DevelopmentChain({ blockSeconds: 600 });
  const calendars = DEVELOPMENT_CALENDARS.map((each) =>
    developmentCalendar({ ...each, chain, now }),
  );
  const uris = calendars.map(({ uri }) => uri);
  const fetch = developmentFetch(calendars);
  const client = new CalendarClient({
    fetch,
    pool: uris,
    attestors: uris,
    timeoutMs: 60_000,
    sha256: nodeSha256,
  });
  const ask = (method: string, path: string, body: Uint8Array = new Uint8Array(0)) => {
    const response = calendars[0]?.answer({ method, path, body });
    return [response?.status, Buffer.from(response?.body ?? []).toString('latin1')];
  };
  return { time, chain, uris, client, ask, fetch };
}

test('development calendar: from a digest to a block, through the client', async () => {
  const { time, chain, uris, client } = world();
  const { answers, failures } = await client.submit(DIGEST);
  assert.deepEqual(failures, []);
  assert.deepEqual(
    answers.map(({ calendar }) => calendar),
    uris,
  );
  const commitments = answers.map(({ timestamp }, i) => {
    const [pending] = evaluate(timestamp, DIGEST, HASHES);
    assert.deepEqual(pending?.attestation, { kind: 'pending', uri: uris[i] });
    assert.equal(pending?.message.length, 44);
    return pending?.message as Uint8Array;
  });
  const upgrades = () =>
    Promise.all(commitments.map((each, i) => client.upgrade(uris[i] as string, each)));
  const reason = 'Pending confirmation in Bitcoin blockchain';
  for (const seconds of [0, 599, 600, 7 * 600 - 1]) {
    time.now = START + seconds;
    const early = [
      { kind: 'pending', reason },
      { kind: 'pending', reason },
    ];
    assert.deepEqual(await upgrades(), early, String(seconds));
  }
  time.now = START + 7 * 600;
  for (const [i, upgraded] of (await upgrades()).entries()) {
    assert.equal(upgraded.kind, 'attested');
    const { timestamp } = upgraded as Extract<typeof upgraded, { kind: 'attested' }>;
    const [attested] = evaluate(timestamp, commitments[i] as Uint8Array, HASHES);
    assert.deepEqual(attested?.attestation, { kind: 'bitcoin', height: 2 });
    const { merkleRoot } = parseHeader(chain.block(2)?.header as Uint8Array);
    assert.deepEqual(attested?.message, merkleRoot);
  }
});

test('development calendar: what it refuses, with the messages of the real ones', () => {
  const { ask } = world();
  assert.deepEqual(ask('GET', `/timestamp/${'00'.repeat(44)}`), [404, 'Commitment not found']);
  for (const path of ['/timestamp/', '/timestamp/0', '/timestamp/zz', '/timestamp/00?x']) {
    assert.equal(ask('GET', path)[0], 400, path);
  }
  assert.equal(ask('POST', '/digest')[0], 400);
  assert.equal(ask('POST', '/digest', new Uint8Array(65))[0], 400);
  assert.equal(ask('POST', '/digest', new Uint8Array(64))[0], 200);
  assert.equal(ask('POST', '/digest', new Uint8Array(1))[0], 200);
  for (const [method, path] of [
    ['GET', '/digest'],
    ['POST', '/timestamp/00'],
    ['GET', '/'],
    ['DELETE', '/digest'],
  ] as const) {
    assert.equal(ask(method, path)[0], 404, `${method} ${path}`);
  }
});

test('development calendar: a digest twice in a second is one commitment, later another', () => {
  const { time, ask } = world();
  const submit = () => ask('POST', '/digest', DIGEST)[1];
  const first = submit();
  assert.equal(submit(), first);
  time.now += 1;
  assert.notEqual(submit(), first);
  const bytes = Buffer.from(first as string, 'latin1');
  assert.doesNotThrow(() => parseTimestamp(bytes, 32));
  assert.ok(formatHex(bytes).includes(Buffer.from('alice.calendar').toString('hex')));
});

test('development calendar: its fetch reaches the calendars alone', async () => {
  const { fetch } = world();
  const { signal } = new AbortController();
  for (const url of [
    'http://carol.calendar.development/digest',
    'http://alice.calendar.development.example/digest',
    'https://alice.calendar.development/digest',
    'http://alice.calendar.development',
  ]) {
    await assert.rejects(fetch({ method: 'POST', url, signal }), { code: 'unreachable' }, url);
  }
});
