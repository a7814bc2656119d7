import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Signups, type SignupsParts, TOKEN_MS } from '@assay/node/webhook/signups';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { answersChallenges, netOf, Receiver } from './receiver.ts';

const FILTER = { types: ['print'] as const, tickers: null, symbols: null };

async function world(
  t: TestContext,
  receivers: readonly Receiver[],
  change: Partial<SignupsParts> = {},
): Promise<{
  signups: Signups;
  store: SubscriptionStore;
  clock: { now: number };
  errors: unknown[];
}> {
  const clock = { now: 1_800_000_000_000 };
  const errors: unknown[] = [];
  const store = await SubscriptionStore.open(await temporaryFolder(t), {
    cipher: new SubscriptionCipher(new Uint8Array(32)),
    sync: false,
    maxSubscriptions: 3,
  });
  t.after(() => store.close());
  const signups = new Signups({
    store,
    size: () => 42,
    nowMs: () => clock.now,
    onError: (error) => errors.push(error),
    net: netOf(...receivers),
    challengeTimeoutMs: 300,
    ...change,
  });
  return { signups, store, clock, errors };
}

const applicant = ({ url }: Receiver, email = 'a@venue.com') => ({ email, url, filter: FILTER });

test('signups: who answers the challenge gets a secret, and begins where the log ends', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { signups, store } = await world(t, [receiver]);
  const answer = await signups.subscribe({ ...applicant(receiver), url: `${receiver.url}?team=7` });
  assert.equal(answer.kind, 'confirmed');
  assert.match(answer.kind === 'confirmed' ? (answer.secret ?? '') : '', /^[0-9a-f]{64}$/);
  const [got] = receiver.got;
  assert.equal(got?.method, 'GET');
  assert.equal(got?.url.searchParams.get('team'), '7');
  assert.match(got?.url.searchParams.get('challenge') ?? '', /^[\w-]{43}$/);
  assert.deepEqual([...store.all()][0]?.progress.cursor, { seq: 42, ordinal: 0 });
});

test('signups: an e-mail on file is challenged too, gets no secret, and keeps what it had', async (t) => {
  const [mine, theirs] = [
    await Receiver.start(t, 'a.venue.com'),
    await Receiver.start(t, 'b.venue.com'),
  ];
  const { signups, store } = await world(t, [mine, theirs]);
  await signups.subscribe(applicant(mine));
  const [before] = [...store.all()];
  const began = performance.now();
  assert.deepEqual(await signups.subscribe(applicant(theirs)), { kind: 'confirmed' });
  assert.equal(theirs.got.length, 1);
  assert.equal([...store.all()][0], before);
  // The answer comes at a step of a quarter of a second, whatever was written.
  assert.ok(performance.now() - began >= 249);
});

test('signups: every other answer to a challenge has its reason, and a token to try again', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => response.end('hello'));
  const { signups, store } = await world(t, [receiver]);
  const first = await signups.subscribe(applicant(receiver));
  assert.ok(first.kind === 'challenge_failed' && first.again !== null);
  assert.equal(first.reason, 'other_body');
  receiver.handle = (received, response) => {
    response.statusCode = 403;
    answersChallenges(received, response);
  };
  const second = await signups.confirm(first.again.token);
  assert.equal(second.kind === 'challenge_failed' ? second.reason : '', '403');
  receiver.handle = (_, response) => {
    response.writeHead(302, { location: receiver.url }).end();
  };
  const third = await signups.confirm(first.again.token);
  assert.equal(third.kind === 'challenge_failed' ? third.reason : '', '302');
  receiver.handle = () => {};
  const fourth = await signups.confirm(first.again.token);
  assert.equal(fourth.kind === 'challenge_failed' ? fourth.reason : '', 'timeout');
  assert.equal(store.size, 0);
  receiver.handle = answersChallenges;
  const last = await signups.confirm(first.again.token);
  assert.ok(last.kind === 'confirmed' && last.secret !== undefined);
  // A token is used up by success: the secret is handed over once.
  assert.deepEqual(await signups.confirm(first.again.token), { kind: 'not_found' });
  assert.equal(
    new Set(receiver.got.map(({ url }) => url.search)).size,
    5,
    'each challenge is another',
  );
});

test('signups: a token ends with its time, and after five tries', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => response.end('no'));
  const { signups, clock } = await world(t, [receiver]);
  const late = await signups.subscribe(applicant(receiver));
  assert.ok(late.kind === 'challenge_failed' && late.again !== null);
  assert.equal(late.again.untilMs, clock.now + TOKEN_MS);
  clock.now += TOKEN_MS;
  assert.deepEqual(await signups.confirm(late.again.token), { kind: 'not_found' });
  const often = await signups.subscribe(applicant(receiver));
  assert.ok(often.kind === 'challenge_failed' && often.again !== null);
  for (let i = 0; i < 4; i += 1) {
    const again = await signups.confirm(often.again.token);
    // No token is given that is good for nothing.
    assert.ok(again.kind === 'challenge_failed' && (again.again === null) === (i === 3));
  }
  assert.deepEqual(await signups.confirm(often.again.token), { kind: 'not_found' });
  assert.deepEqual(await signups.confirm('another token'), { kind: 'not_found' });
});

test('signups: what cannot be stored is said, can be tried again, and a full service calls nobody', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com');
  const { signups, store, errors } = await world(t, [receiver]);
  const add = t.mock.method(store, 'add', () => Promise.reject(new Error('no space')));
  assert.deepEqual(await signups.subscribe(applicant(receiver)), { kind: 'unsaved' });
  assert.equal(errors.length, 1);
  add.mock.restore();
  for (const name of ['a', 'b', 'c'])
    await signups.subscribe(applicant(receiver, `${name}@venue.com`));
  const calls = receiver.got.length;
  assert.deepEqual(await signups.subscribe(applicant(receiver, 'd@venue.com')), { kind: 'full' });
  assert.equal(receiver.got.length, calls);
});

test('signups: a token outlives a service that is full, and the query of an address keeps its bytes', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => response.end('no'));
  const { signups, store } = await world(t, [receiver]);
  const url = `${receiver.url}?sig=a%2Fb%20c~&sp=/x`;
  const first = await signups.subscribe({ ...applicant(receiver), url });
  assert.ok(first.kind === 'challenge_failed' && first.again !== null);
  const query = receiver.got[0]?.url.search ?? '';
  assert.ok(query.startsWith('?sig=a%2Fb%20c~&sp=/x&challenge='), query);
  receiver.handle = answersChallenges;
  for (const name of ['a', 'b', 'c'])
    await signups.subscribe(applicant(receiver, `${name}2@venue.com`));
  assert.deepEqual(await signups.confirm(first.again.token), { kind: 'full' });
  await store.remove([...store.all()][0]?.id ?? '');
  assert.equal((await signups.confirm(first.again.token)).kind, 'confirmed');
});

test('signups: no more challenges at once than the service has room for', async (t) => {
  const receiver = await Receiver.start(t, 'a.venue.com', () => {});
  const { signups } = await world(t, [receiver]);
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => signups.subscribe(applicant(receiver))),
  );
  assert.equal(answers.filter(({ kind }) => kind === 'busy').length, 8);
  assert.equal(receiver.got.length, 32);
});
