import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex } from '@assay/core/bytes/hex';
import type { Attestation } from '@assay/core/ots/attestation';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { formatTimestamp, type Item, type Timestamp } from '@assay/core/ots/timestamp';
import {
  CalendarClient,
  type CalendarOptions,
  withoutSlash,
} from '@assay/node/bitcoin/calendar-client';
import { calendarFetch, type CalendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import fc from 'fast-check';
import { BROKEN_HOSTS, closedHost, localHost } from './local-host.ts';

const DIGEST = nodeSha256(Uint8Array.of(1));
const ALICE = 'https://alice.example';
const POOL = 'https://pool.example/a';
const HASHES = otsHashes(nodeSha256);

const pending = (uri: string): Item => ({ attestation: { kind: 'pending', uri } });
const bitcoin = (height: number): Item => ({ attestation: { kind: 'bitcoin', height } });
const unknown: Item = {
  attestation: { kind: 'unknown', tag: '0102030405060708', payload: Uint8Array.of(1) },
};

/** A tree of one step to `items`. */
function tree(...items: readonly Item[]): Timestamp {
  const argument = Uint8Array.of(7);
  return { items: [{ operation: { op: 'append', argument }, next: { items } }] };
}

function answering(status: number, body: Uint8Array | string): CalendarFetch {
  return async () => ({ status, body: Buffer.from(body) });
}

function client(fetch: CalendarFetch, change: Partial<CalendarOptions> = {}): CalendarClient {
  return new CalendarClient({
    fetch,
    pool: [POOL],
    attestors: [ALICE],
    timeoutMs: 60_000,
    sha256: nodeSha256,
    ...change,
  });
}

function attestationsOf(timestamp: Timestamp): readonly Attestation[] {
  return evaluate(timestamp, DIGEST, HASHES).map(({ attestation }) => attestation);
}

test('calendar client: a digest goes to the whole pool, each address once', async () => {
  const asked: unknown[] = [];
  const body = formatTimestamp(tree(pending(ALICE)));
  const calendars = client(
    async (request) => {
      asked.push([request.method, request.url, formatHex(request.body ?? new Uint8Array(0))]);
      return { status: 200, body };
    },
    { pool: [POOL, 'http://b.example:81/', `${POOL}/`] },
  );
  const { answers, failures } = await calendars.submit(DIGEST);
  assert.deepEqual(asked, [
    ['POST', `${POOL}/digest`, formatHex(DIGEST)],
    ['POST', 'http://b.example:81/digest', formatHex(DIGEST)],
  ]);
  assert.deepEqual(failures, []);
  assert.deepEqual(
    answers.map(({ calendar }) => calendar),
    [POOL, 'http://b.example:81'],
  );
  for (const { timestamp } of answers) assert.deepEqual(formatTimestamp(timestamp), body);
  await assert.rejects(calendars.submit(DIGEST.subarray(1)), { code: 'bad_length' });
});

test('calendar client: an answer to a digest is pending at known calendars, or a failure', async () => {
  const slash = client(answering(200, formatTimestamp(tree(pending(`${ALICE}/`)))));
  assert.equal((await slash.submit(DIGEST)).answers.length, 1);
  const lies: readonly (readonly [string, number, Uint8Array | string])[] = [
    ['refused', 200, formatTimestamp(tree(pending('https://mallory.example')))],
    ['refused', 200, formatTimestamp(tree(pending(ALICE), pending('https://mallory.example')))],
    ['refused', 200, formatTimestamp(tree(pending('https://ALICE.example')))],
    ['refused', 200, formatTimestamp(tree(pending('http://alice.example')))],
    ['refused', 200, formatTimestamp(tree(pending('https://alice.example:443')))],
    ['refused', 200, formatTimestamp(tree(pending('https://alice.example//')))],
    ['refused', 200, formatTimestamp(tree(pending('https://alice.example.mallory.example')))],
    ['refused', 200, formatTimestamp(tree(bitcoin(1)))],
    ['refused', 200, formatTimestamp(tree(bitcoin(1), pending(ALICE)))],
    ['refused', 200, formatTimestamp(tree(unknown, pending(ALICE)))],
    ['bad_proof', 200, '<!doctype html><p>Welcome</p>'],
    ['bad_proof', 200, ''],
    ['bad_proof', 200, concatBytes(formatTimestamp(tree(pending(ALICE))), Uint8Array.of(0))],
    ['bad_proof', 200, formatTimestamp(tree(pending(ALICE))).subarray(0, -1)],
    ['bad_proof', 200, new Uint8Array(9999).fill(0x08)],
    ['too_large', 200, new Uint8Array(10_001)],
    ['refused', 201, formatTimestamp(tree(pending(ALICE)))],
    ['refused', 503, 'busy'],
  ];
  for (const [code, status, body] of lies) {
    const { answers, failures } = await client(answering(status, body)).submit(DIGEST);
    const words = JSON.stringify(failures);
    assert.equal(answers.length, 0, words);
    assert.deepEqual([failures[0]?.calendar, failures[0]?.code], [POOL, code], words);
    assert.ok(!words.includes('mallory'), words);
  }
});

test('calendar client: whoever answers speaks for the calendar behind his address, and no other', async () => {
  const bob = 'https://bob.example';
  const other = 'https://pool.example/b';
  const options = { pool: [POOL, `${other}/`, bob], attestors: [ALICE, bob] };
  const holders = new Map([
    [POOL, `${ALICE}/`],
    [other, bob],
  ]);
  const promise = (uri: string) => answering(200, formatTimestamp(tree(pending(uri))));
  const reportsStatedBy = async (uri: string) =>
    (await client(promise(uri), { ...options, holders }).submit(DIGEST)).answers.map(
      ({ calendar }) => calendar,
    );
  // The third is bound to none.
  assert.deepEqual(await reportsStatedBy(ALICE), [POOL, bob]);
  assert.deepEqual(await reportsStatedBy(`${ALICE}/`), [POOL, bob]);
  assert.deepEqual(await reportsStatedBy(bob), [other, bob]);
});

test('calendar client: an address with a password or a token is refused without quoting it', () => {
  for (const address of [
    'https://user:hunter2@a.example',
    'https://hunter2@a.example',
    'https://a.example/?key=hunter2',
    'https://a.example/#hunter2',
  ]) {
    for (const change of [{ pool: [address] }, { attestors: [address] }]) {
      assert.throws(
        () => client(answering(200, ''), change),
        (error: unknown) => {
          assert.equal((error as { code?: string }).code, 'bad_config');
          assert.doesNotMatch((error as Error).message, /hunter2/);
          return true;
        },
      );
    }
  }
});

test('calendar client: no bytes of a calendar make it throw', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(600), async (body, status) => {
      const calendars = client(answering(status, body));
      const { answers, failures } = await calendars.submit(DIGEST);
      assert.equal(answers.length + failures.length, 1);
      assert.ok(['pending', 'failed'].includes((await calendars.upgrade(ALICE, DIGEST)).kind));
    }),
  );
});

test('calendar client: broken hosts do not stop the others', async (t) => {
  const good = await localHost(t, (_, response) =>
    response.end(formatTimestamp(tree(pending(ALICE)))),
  );
  const broken = await Promise.all(BROKEN_HOSTS.map(([, listener]) => localHost(t, listener)));
  const codes = BROKEN_HOSTS.map(([code]) => code);
  const pool = [...broken, await closedHost(), good];
  const { answers, failures } = await client(calendarFetch, { pool, timeoutMs: 1500 }).submit(
    DIGEST,
  );
  assert.deepEqual(
    answers.map(({ calendar }) => calendar),
    [good],
  );
  assert.deepEqual(
    failures.map(({ calendar, code }) => [calendar, code]),
    [...codes, 'unreachable'].map((code, i) => [pool[i], code]),
  );
  for (const uri of broken) {
    const attestors = [uri];
    const upgraded = await client(calendarFetch, { attestors, timeoutMs: 60 }).upgrade(uri, DIGEST);
    assert.equal(upgraded.kind, 'failed', JSON.stringify(upgraded));
  }
});

test('calendar client: a fetch that throws anything, or never ends, is a failure', async () => {
  const throwing = client(() => {
    throw new RangeError('https://secret.example');
  });
  const { failures } = await throwing.submit(DIGEST);
  assert.deepEqual(failures, [
    { calendar: POOL, code: 'unreachable', reason: 'calendar: no answer' },
  ]);
  const silent = client(() => new Promise<never>(() => undefined), { timeoutMs: 5 });
  assert.equal((await silent.submit(DIGEST)).failures[0]?.code, 'timeout');
  assert.equal((await silent.upgrade(ALICE, DIGEST)).kind, 'failed');
});

test('calendar client: upgrade gives what Bitcoin attests, and drops other kinds', async () => {
  const asked: string[] = [];
  const body = formatTimestamp(tree(bitcoin(7), pending(ALICE), unknown));
  const calendars = client(async ({ method, url }) => {
    asked.push(`${method} ${url}`);
    return { status: 200, body };
  });
  const upgraded = await calendars.upgrade(`${ALICE}/`, DIGEST);
  assert.deepEqual(asked, [`GET ${ALICE}/timestamp/${formatHex(DIGEST)}`]);
  assert.equal(upgraded.kind, 'attested');
  const { timestamp } = upgraded as Extract<typeof upgraded, { kind: 'attested' }>;
  assert.deepEqual(attestationsOf(timestamp), [{ kind: 'bitcoin', height: 7 }]);
});

test('calendar client: upgrade tells pending from failed', async () => {
  const cases: readonly (readonly [string, number, Uint8Array | string])[] = [
    [
      'pending Pending confirmation in Bitcoin blockchain',
      404,
      'Pending confirmation in Bitcoin blockchain',
    ],
    [
      'pending Timestamped by transaction 00; waiting for 6 confirmations',
      404,
      'Timestamped by transaction 00; waiting for 6 confirmations',
    ],
    ['pending Pending _b_now__b___', 404, 'Pending <b>now</b>\n\u0007'],
    ['not_found status 404: Commitment not found', 404, 'Commitment not found'],
    ['not_found status 404', 404, ''],
    ['not_found status 404: _html_Not found__html_', 404, '<html>Not found</html>'],
    [
      'refused calendar: expected a Bitcoin attestation, found none',
      200,
      formatTimestamp(tree(pending(ALICE))),
    ],
    [
      'refused calendar, found a pending attestation by another calendar',
      200,
      formatTimestamp(tree(bitcoin(7), pending('https://mallory.example'))),
    ],
    ['refused calendar, found status 400', 400, 'bad'],
  ];
  for (const [expected, status, body] of cases) {
    const upgraded = await client(answering(status, body)).upgrade(ALICE, DIGEST);
    const { kind } = upgraded;
    const found =
      kind === 'attested' ? kind : `${kind === 'failed' ? upgraded.code : kind} ${upgraded.reason}`;
    assert.equal(found, expected);
  }
  const long = await client(answering(404, `Pending ${'x'.repeat(9000)}`)).upgrade(ALICE, DIGEST);
  assert.equal(long.kind === 'pending' && long.reason.length, 160);
});

test('calendar client: contacts what it was given and nothing else', async () => {
  const asked: string[] = [];
  const hostile = formatTimestamp(tree(pending('https://mallory.example')));
  const calendars = client(async ({ url }) => {
    asked.push(url);
    return { status: 200, body: hostile };
  });
  await calendars.submit(DIGEST);
  const others = ['https://mallory.example', POOL, 'https://ALICE.example', 'http://alice.example'];
  for (const uri of [
    ...others,
    `${ALICE}//`,
    `${ALICE}/x`,
    `${ALICE}:443`,
    `${ALICE}@mallory`,
    '',
  ]) {
    const upgraded = await calendars.upgrade(uri, DIGEST);
    assert.deepEqual([upgraded.kind, calendars.isAttestor(uri)], ['failed', false], uri);
  }
  assert.deepEqual(asked, [`${POOL}/digest`]);
});

test('calendar client: a caller leaves calendars out, and may give up', async () => {
  const asked: string[] = [];
  const calendars = client(
    ({ url }) => {
      asked.push(url);
      return new Promise<never>(() => undefined);
    },
    { pool: [POOL, 'https://b.example/'] },
  );
  const controller = new AbortController();
  const { signal } = controller;
  const submission = calendars.submit(DIGEST, { except: new Set([POOL]), signal });
  const upgrade = calendars.upgrade(ALICE, DIGEST, signal);
  controller.abort();
  const { answers, failures } = await submission;
  assert.deepEqual(
    [answers, failures],
    [
      [],
      [{ calendar: 'https://b.example', code: 'unreachable', reason: 'calendar, found given up' }],
    ],
  );
  assert.equal((await upgrade).kind, 'failed');
  assert.deepEqual(asked, ['https://b.example/digest', `${ALICE}/timestamp/${formatHex(DIGEST)}`]);
});

test('calendar client: an address that is none is a mistake of the config', () => {
  const bad = ['', 'alice.example', 'ftp://alice.example', 'https://a:b@alice.example'];
  const worse = ['https://alice.example/?x', 'https://alice.example/#x', 'https://alice.example//'];
  for (const address of [...bad, ...worse, 'https://alice.example/a b', 'https://a:99999']) {
    for (const change of [{ pool: [address] }, { attestors: [address] }]) {
      assert.throws(() => client(answering(200, ''), change), { code: 'bad_config' }, address);
    }
  }
  assert.equal(withoutSlash('https://a/'), 'https://a');
  assert.equal(withoutSlash('https://a//'), 'https://a/');
});

test('calendar client: an address of the pool is left out where the caller says so', async () => {
  const asked: string[] = [];
  const fetch: CalendarFetch = async ({ url }) => {
    asked.push(url);
    return { status: 200, body: formatTimestamp(tree(pending(ALICE))) };
  };
  const calendars = client(fetch, { pool: [POOL, ALICE] });
  const { answers } = await calendars.submit(DIGEST, { except: new Set([POOL]) });
  assert.deepEqual(asked, [`${ALICE}/digest`]);
  assert.equal(answers.length, 1);
});

test('calendar client: what is under way is given up by the caller’s signal', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const calendars = client(() => new Promise(() => undefined));
  const submission = calendars.submit(DIGEST, { signal });
  const upgrade = calendars.upgrade(ALICE, DIGEST, signal);
  controller.abort();
  const { answers, failures } = await submission;
  assert.deepEqual([answers.length, failures[0]?.code], [0, 'unreachable']);
  assert.equal((await upgrade).kind, 'failed');
});
