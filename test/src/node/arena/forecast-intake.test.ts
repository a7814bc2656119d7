import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import { openPlain } from '@assay/core/arena/openings';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { hashHex } from '@assay/core/hash/hash';
import { submissionMessage } from '@assay/core/intake/submission-receipt';
import { forecastsOf, newestForecast } from '@assay/core/view/forecasts';
import { handleRow } from '@assay/core/view/handles';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';
import { Fault } from '@assay/core/fault';
import { failOnce } from '../intake/failing-file.ts';
import { findLeaks } from '../fixture/leak-search.ts';
import { ArenaWorld, CLOSE, ROUND } from './arena-world.ts';
import { testSigner } from '../ledger/ledger-fixture.ts';

const SALT = 'ab'.repeat(32);
const KEY = 'a key of sixteen and more'.replaceAll(' ', '-');

async function opened(...given: Parameters<typeof ArenaWorld.begin>): Promise<ArenaWorld> {
  const world = await ArenaWorld.begin(...given);
  await world.openRounds();
  return world;
}

test('forecast intake: the first forecast issues the secret, and the newest of a handle stands', async (t) => {
  const world = await opened(t);
  const first = await world.accepted({ handle: 'Ada', value: 231_000, nonce: '01'.repeat(32) });
  assert.match(first.secret ?? '', /^[0-9a-f]{64}$/);
  const row = newestForecast(world.ledger.tip, ROUND, first.handle_id);
  assert.equal(row?.body.ordinal, 0);
  assert.equal(row?.body.nonce, '01'.repeat(32));
  assert.equal(first.receipt.leaf, hashHex(forecastLeaf(nodeSha256, row?.body as never)));
  const { key, signature } = first.receipt;
  const message = submissionMessage(nodeSha256, first.receipt);
  assert.ok(nodeVerifySignature(parseHex(key), message, parseHex(signature)));
  const { salt, secret } = first;
  const opening = { ordinal: 0, salt: salt ?? '', value: '231000' };
  assert.equal(openPlain(nodeSha256, world.log, row as never, opening), 231_000n);

  const second = await world.accepted({ handle: 'ADA', value: 235_000, secret });
  assert.equal(second.secret, null);
  assert.equal(second.handle_id, first.handle_id);
  assert.equal(newestForecast(world.ledger.tip, ROUND, first.handle_id)?.body.ordinal, 1);
  assert.deepEqual(world.errors, []);
});

test('forecast intake: several at once are one write, in their order, each with its own leaf', async (t) => {
  const world = await opened(t);
  world.at.place.store.commits.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) => world.accepted({ handle: `many-${i}`, value: i })),
  );
  assert.deepEqual(world.at.place.store.commits, [300]);
  assert.deepEqual(
    answers.map(({ receipt }) => receipt.ordinal),
    answers.map((_, i) => i),
  );
  assert.equal(new Set(answers.map(({ receipt }) => receipt.leaf)).size, 300);
  assert.equal(new Set(answers.map(({ secret }) => secret)).size, 300);
});

test('forecast intake: two of one handle in one second both stand in the log, and the later counts', async (t) => {
  const world = await opened(t);
  const { secret, handle_id } = await world.accepted({ handle: 'ada', value: 1 });
  const [a, b] = await Promise.all([
    world.accepted({ handle: 'ada', value: 2, secret }),
    world.accepted({ handle: 'ada', value: 2, secret, nonce: '07'.repeat(32) }),
  ]);
  assert.deepEqual([a.receipt.ordinal, b.receipt.ordinal], [1, 2]);
  assert.equal(newestForecast(world.ledger.tip, ROUND, handle_id)?.body.nonce, '07'.repeat(32));
  // Two that take a new name at the same time: one of them has it.
  const both = await Promise.all([
    world.send({ handle: 'Bob', value: 1 }),
    world.send({ handle: 'bob', value: 2 }),
  ]);
  assert.deepEqual(
    both.map(({ kind }) => kind),
    ['accepted', 'handle_taken'],
  );
});

test('forecast intake: each refusal has its code, and leaves nothing behind', async (t) => {
  const world = await opened(t);
  const { secret } = await world.accepted({ handle: 'ada', value: 1 });
  await world.accepted(world.signed(9, 2, 5n));
  const before = world.ledger.nextSeq;
  const wrong = formatHex(testSigner(3).publicKey);
  const sealed = '55'.repeat(160);
  const cases: readonly (readonly [string, object])[] = [
    ['not_found', { handle: 'ada', value: 1, secret, question: 'layoffs-2026-07-09' }],
    ['invalid_forecast', { handle: 'ada', value: 1.5, secret }],
    ['invalid_forecast', { handle: 'ad', value: 1 }],
    ['handle_taken', { handle: 'ADA', value: 1 }],
    ['bad_secret', { handle: 'ada', value: 1, secret: wrong }],
    ['bad_secret', { handle: 'nobody-yet', value: 1, secret: wrong }],
    ['invalid_forecast', { handle: 'ada', value: 1, secret, handle_salt: SALT }],
    ['invalid_forecast', { handle: 'eve', sealed }],
    ['bad_signature', { handle: 'keyed-9', value: 1 }],
    ['counter_used', world.signed(9, 2, 6n)],
    ['counter_used', world.signed(9, 1, 6n)],
    ['bad_signature', world.signed(9, 3, 6n, { value: 7 })],
    ['bad_signature', world.signed(9, 3, 6n, { counter: 4 })],
    ['bad_signature', world.signed(9, 3, 6n, { nonce: '00'.repeat(32) })],
    ['handle_taken', world.signed(9, 3, 6n, { key: wrong })],
    ['handle_taken', world.signed(8, 1, 6n, { handle: 'ada' })],
    ['handle_taken', world.signed(9, 3, 6n, { handle: 'another' })],
    ['bad_signature', world.signed(8, 1, 6n, { key: wrong })],
    ['invalid_forecast', world.signed(8, 1, 6n, { key: null })],
  ];
  for (const [kind, json] of cases) {
    const answer = await world.send(json);
    assert.equal(answer.kind, kind, `${JSON.stringify(json)}: ${JSON.stringify(answer)}`);
  }
  assert.equal(world.ledger.nextSeq, before);
  await world.accepted(world.signed(9, 3, 6n, { key: null }));
  assert.deepEqual(world.errors, []);
});

test('forecast intake: a handle with a key shows it once, and its counter rises also within a group', async (t) => {
  const world = await opened(t);
  const answers = await Promise.all(
    [1, 2, 2, 3].map((counter) => world.send(world.signed(9, counter, BigInt(counter)))),
  );
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['accepted', 'accepted', 'counter_used', 'accepted'],
  );
  const forecasts = [...forecastsOf(world.ledger.tip, ROUND)];
  assert.deepEqual(
    forecasts.map(({ body }) => [body.key !== null, body.counter]),
    [
      [true, 1],
      [false, 2],
      [false, 3],
    ],
  );
  assert.equal(handleRow(world.ledger.tip, forecasts[0]?.body.handle ?? '')?.counter, 3);
});

test('forecast intake: after the close nothing is taken, also where it had come in time', async (t) => {
  const world = await opened(t);
  const { secret } = await world.accepted({ handle: 'ada', value: 1 });
  // It is in the queue before the close, and its group is written after it.
  const late = world.send({ handle: 'ada', value: 2, secret });
  world.time(CLOSE);
  assert.equal((await late).kind, 'closed');
  assert.equal((await world.send({ handle: 'ada', value: 2, secret })).kind, 'closed');
  assert.equal([...forecastsOf(world.ledger.tip, ROUND)].length, 1);
});

test('forecast intake: a name whose first forecast never came into the log is free', async (t) => {
  const world = await opened(t);
  world.at.place.store.fail = 'failed';
  world.at.place.guard.fail = 'failed';
  assert.equal((await world.send({ handle: 'ada', value: 1 })).kind, 'halted');
  assert.equal(world.errors.length, 1);
  world.at.place.store.fail = undefined;
  world.at.place.guard.fail = undefined;
  assert.ok(world.handles.named('ada') !== undefined);
  const again = await world.restart();
  const { secret } = await again.accepted({ handle: 'ada', value: 1 });
  assert.equal((await again.send({ handle: 'ada', value: 2, secret })).kind, 'accepted');
});

test('forecast intake: a forecast that the guard alone has keeps its name, and its request has its answer', async (t) => {
  const world = await opened(t);
  const json = { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) };
  world.at.place.store.fail = 'failed';
  assert.equal((await world.send(json, { key: KEY })).kind, 'halted');
  world.at.place.store.fail = undefined;
  await world.ledger.resume();
  assert.equal((await world.send({ handle: 'ada', value: 2 })).kind, 'handle_taken');
  const { secret, receipt } = await world.accepted(json, { key: KEY });
  assert.equal(receipt.ordinal, 0);
  assert.equal((await world.send({ handle: 'ada', value: 2, secret })).kind, 'accepted');
  const again = await world.restart();
  assert.equal((await again.accepted(json, { key: KEY })).secret, secret);
  assert.equal([...forecastsOf(again.ledger.tip, ROUND)].length, 2);
});

test('forecast intake: a request whose forecast never came into the log is a new one', async (t) => {
  const world = await opened(t);
  const json = { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) };
  const other = { handle: 'bob', value: 5, nonce: '0e'.repeat(32) };
  world.at.place.store.fail = 'failed';
  world.at.place.guard.fail = 'failed';
  const lost = await Promise.all([
    world.send(json, { key: KEY }),
    world.send(other, { key: `${KEY}2` }),
  ]);
  assert.deepEqual(
    lost.map(({ kind }) => kind),
    ['halted', 'halted'],
  );
  world.at.place.store.fail = undefined;
  world.at.place.guard.fail = undefined;
  await world.ledger.resume();
  // It has the ordinal that was the first one's.
  const second = await world.accepted(other, { key: `${KEY}2` });
  const first = await world.accepted(json, { key: KEY });
  assert.deepEqual([second.receipt.ordinal, first.receipt.ordinal], [0, 1]);
  assert.notEqual(first.handle_id, second.handle_id);
  assert.deepEqual(await world.accepted(json, { key: KEY }), first);
});

test('forecast intake: the same key and body have the same answer, also after a restart', async (t) => {
  const world = await opened(t);
  const json = { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) };
  const [first, twin] = await Promise.all([
    world.accepted(json, { key: KEY }),
    world.accepted(json, { key: KEY }),
  ]);
  assert.deepEqual(twin, first);
  assert.deepEqual(await world.accepted(json, { key: KEY }), first);
  const sealed = { ...json, handle: 'bob', handle_salt: SALT, sealed: '55'.repeat(160) };
  delete (sealed as { value?: number }).value;
  const second = await world.accepted(sealed, { key: KEY });
  assert.notEqual(second.handle_id, first.handle_id);
  const size = world.ledger.nextSeq;

  const again = await world.restart();
  assert.deepEqual(await again.accepted(json, { key: KEY }), first);
  assert.deepEqual(await again.accepted(sealed, { key: KEY }), second);
  assert.equal((await again.send({ ...json, value: 1 }, { key: KEY })).kind, 'idempotency_reused');
  assert.equal(again.ledger.nextSeq, size);
  assert.equal((await again.send(json, { key: `${KEY}2` })).kind, 'handle_taken');
  for (const key of ['short', 'with a space in the midst', 'x'.repeat(129)]) {
    assert.equal((await again.send(json, { key })).kind, 'invalid_forecast');
  }
});

test('forecast intake: a repeated request has its answer also after the close, for half an hour, and no longer', async (t) => {
  const world = await opened(t);
  const json = { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) };
  const first = await world.accepted(json, { key: KEY });
  world.time(CLOSE);
  assert.deepEqual(await world.accepted(json, { key: KEY }), first);
  await world.poll();
  assert.notEqual(world.round().freeze, null);
  world.time('2026-08-04T07:59:59Z');
  await world.poll();
  assert.deepEqual(await world.accepted(json, { key: KEY }), first);
  const again = await world.restart();
  assert.deepEqual(await again.accepted(json, { key: KEY }), first);
  // Another body, another key and a first request are what they were.
  assert.equal((await again.send({ ...json, value: 1 }, { key: KEY })).kind, 'idempotency_reused');
  assert.equal((await again.send(json, { key: `${KEY}2` })).kind, 'closed');
  again.time('2026-08-04T08:00:00Z');
  assert.equal((await again.send(json, { key: KEY })).kind, 'closed');
  await again.poll();
  assert.deepEqual(await again.rows.rounds(), []);
});

test('forecast intake: without a nonce of the client no secret is given again', async (t) => {
  const world = await opened(t);
  const json = { handle: 'ada', value: 231_000 };
  const [first, twin] = await Promise.all([
    world.accepted(json, { key: KEY }),
    world.accepted(json, { key: KEY }),
  ]);
  assert.match(first.secret ?? '', /^[0-9a-f]{64}$/);
  assert.deepEqual(twin, { ...first, secret: null });
  assert.deepEqual(await world.accepted(json, { key: KEY }), { ...first, secret: null });
  const again = await world.restart();
  assert.deepEqual(await again.accepted(json, { key: KEY }), { ...first, secret: null });
});

test('forecast intake: nobody can try out bodies for a key, nor keys in a back-up', async (t) => {
  const world = await opened(t, { perMinute: 5 });
  const json = { handle: 'ada', value: 231, nonce: '0d'.repeat(32) };
  const first = await world.accepted(json, { key: KEY });
  const other = { client: '198.51.100.1', key: KEY };
  const kinds: string[] = [];
  for (let value = 228; value < 236; value += 1) {
    kinds.push((await world.send({ ...json, value }, other)).kind);
  }
  assert.deepEqual(kinds, [
    ...Array<string>(3).fill('idempotency_reused'),
    'accepted',
    'idempotency_reused',
    ...Array<string>(3).fill('rate_limited'),
  ]);
  // A back-up has the rows without what they are keyed with: there the request is unknown.
  await rm(join(world.at.folder, 'forecasts', '.request-key'));
  const restored = await world.restart();
  assert.equal((await restored.send(json, { key: KEY })).kind, 'handle_taken');
  assert.equal((await restored.send({ ...json, secret: first.secret })).kind, 'accepted');
});

test('forecast intake: after a full disk it goes on, and says so until then', async (t) => {
  const world = await opened(t);
  const { secret } = await world.accepted({ handle: 'ada', value: 1 });
  await failOnce(t, 'appendFile');
  assert.equal((await world.send({ handle: 'ada', value: 2, secret })).kind, 'halted');
  assert.match(world.intake.concerns()[0]?.reason ?? '', /^No forecast could be stored/);
  await world.accepted({ handle: 'ada', value: 3, secret });
  assert.deepEqual(world.intake.concerns(), []);
  const again = await world.restart();
  again.time(CLOSE);
  await again.poll();
  assert.deepEqual(again.loop.concerns(), []);
});

test('forecast intake: a request that was refused may be made again with its key', async (t) => {
  const world = await opened(t);
  await world.accepted({ handle: 'ada', value: 1 });
  assert.equal((await world.send({ handle: 'ada', value: 2 }, { key: KEY })).kind, 'handle_taken');
  assert.equal((await world.send({ handle: 'ada', value: 3 }, { key: KEY })).kind, 'handle_taken');
});

test('forecast intake: guessing a secret is limited for its address, and others are not', async (t) => {
  const world = await opened(t, { perMinute: 5 });
  await world.accepted({ handle: 'ada', value: 1 });
  const guess = (i: number, client: string) =>
    world.send({ handle: 'ada', value: 1, secret: `${i}`.padStart(64, '0') }, { client });
  const kinds: string[] = [];
  for (let i = 0; i < 7; i += 1) kinds.push((await guess(i, '198.51.100.1')).kind);
  assert.deepEqual(kinds, [...Array<string>(5).fill('bad_secret'), 'rate_limited', 'rate_limited']);
  assert.equal((await guess(8, '198.51.100.2')).kind, 'bad_secret');
  world.at.clock.now += 60;
  assert.equal((await guess(9, '198.51.100.1')).kind, 'bad_secret');
});

test('forecast intake: no value, salt, name, secret or address is in an entry, a blob or an error', async (t) => {
  const world = await opened(t);
  const client = '203.0.113.77';
  const answer = await world.send(
    { handle: 'Somebody-Known', value: 231_977 },
    { client, key: KEY },
  );
  assert.ok(answer.kind === 'accepted');
  const row = world.handles.named('somebody-known');
  const texts = ['somebody-known', client, '231977', KEY, answer.secret, answer.salt, row?.salt];
  const forms = texts.flatMap((text) => {
    const hex = /^[0-9a-f]{64}$/.test(text ?? '') ? [Buffer.from(text ?? '', 'hex')] : [];
    return [Buffer.from(text ?? ''), Buffer.from((text ?? '').toUpperCase()), ...hex].map(
      (bytes) => ({ name: text ?? '', bytes }),
    );
  });
  const exhibits: { place: string; bytes: Uint8Array }[] = [];
  for await (const bytes of world.ledger.entries(0, world.ledger.nextSeq)) {
    exhibits.push({ place: `entry ${exhibits.length}`, bytes });
  }
  assert.ok(exhibits.length > 5);
  assert.deepEqual(findLeaks(exhibits, forms), []);
  // The freeze makes value and salt public, and nothing else.
  world.time(CLOSE);
  await world.poll();
  const blobs: { place: string; bytes: Uint8Array }[] = [];
  for await (const hash of world.at.blobs.list()) {
    blobs.push({ place: hash, bytes: (await world.at.blobs.get(hash)) ?? new Uint8Array() });
  }
  for await (const bytes of world.ledger.entries(0, world.ledger.nextSeq)) {
    blobs.push({ place: 'entry', bytes });
  }
  const shown = new Set(['231977', answer.salt]);
  const hidden = forms.filter(({ name }) => !shown.has(name));
  assert.ok(blobs.some(({ bytes }) => Buffer.from(bytes).includes('231977')));
  assert.deepEqual(findLeaks(blobs, hidden), []);
  // Of what is stored privately, the secret and the Idempotency-Key are nowhere, and no address is.
  const files = await readdir(world.at.folder, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    const text = await readFile(join(file.parentPath, file.name), 'utf8');
    for (const secret of [answer.secret, KEY, client]) {
      assert.ok(!text.includes(secret ?? ''), `${file.name} has ${secret}`);
    }
  }
});

test('forecast intake: what cannot be stored privately is not written', async (t) => {
  const world = await opened(t);
  const before = world.ledger.nextSeq;
  await world.handles.close();
  assert.equal((await world.send({ handle: 'ada', value: 1 })).kind, 'halted');
  assert.equal(world.ledger.nextSeq, before);
  assert.ok(world.errors[0] instanceof Fault);
});

test('forecast intake: a release that is moved to an earlier time ends the round with it', async (t) => {
  const world = await opened(t);
  await world.moveRelease('05:30');
  assert.equal(world.round().body.closes_at, CLOSE);
  world.time('2026-08-04T04:29:59Z');
  const { secret } = await world.accepted({ handle: 'ada', value: 1 });
  world.time('2026-08-04T04:30:00Z');
  assert.equal((await world.send({ handle: 'ada', value: 2, secret })).kind, 'closed');
});

test('forecast intake: a release that is postponed leaves the close where it was', async (t) => {
  const world = await opened(t);
  await world.moveRelease('16:30');
  world.time('2026-08-04T07:29:59Z');
  const { secret } = await world.accepted({ handle: 'ada', value: 1 });
  world.time(CLOSE);
  assert.equal((await world.send({ handle: 'ada', value: 2, secret })).kind, 'closed');
});

test('forecast intake: while the log takes nothing new, or after a stop, nothing is stored', async (t) => {
  const world = await opened(t);
  world.ledger.hold(new Fault('no_room', 'disk'));
  assert.equal((await world.send({ handle: 'ada', value: 1 })).kind, 'halted');
  world.ledger.hold(undefined);
  const taken = world.send({ handle: 'ada', value: 1 });
  await world.intake.close();
  assert.equal((await taken).kind, 'accepted');
  assert.equal((await world.send({ handle: 'bob', value: 1 })).kind, 'halted');
  assert.equal(world.handles.named('bob'), undefined);
  assert.deepEqual(world.errors, []);
});
