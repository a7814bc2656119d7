import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import type { Webhooks } from '@assay/node/api/webhook/subscription-routes';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { Deliveries } from '@assay/node/webhook/deliveries';
import { MessageReader } from '@assay/node/webhook/message-reader';
import { Signups } from '@assay/node/webhook/signups';
import { SubscriptionCipher } from '@assay/node/webhook/subscription-cipher';
import { SubscriptionStore } from '@assay/node/webhook/subscription-store';
import {
  filledLedger,
  memoryPlace,
  REPORT_SIGNER,
  temporaryFolder,
} from '../../ledger/ledger-fixture.ts';
import { answersChallenges, netOf, Receiver } from '../../webhook/receiver.ts';
import { Judge } from '../judge.ts';
import { noTransport, serveWorld, TRANSPORTS } from '../world-service.ts';

interface Heard {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly header: (name: string) => string | null;
}

interface Api {
  readonly post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Heard>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Heard>;
  /** The status of a HEAD request. */
  readonly head: (path: string) => Promise<number>;
  readonly store: SubscriptionStore;
}

/** A service with webhooks whose receivers are on loopback; each answer is held against the OpenAPI document. */
async function serving(
  t: TestContext,
  transport: (typeof TRANSPORTS)[number],
  receivers: readonly Receiver[],
  has = true,
): Promise<Api> {
  const ledger = await filledLedger(await memoryPlace(), 3);
  t.after(() => ledger.close());
  const store = await SubscriptionStore.open(await temporaryFolder(t), {
    cipher: new SubscriptionCipher(new Uint8Array(32)),
    sync: false,
  });
  const reader = new MessageReader(ledger, nodeSha256);
  const net = netOf(...receivers);
  const onError = (reason: unknown): void => assert.fail(String(reason));
  const common = { store, nowMs: Date.now, onError, net };
  const deliveries = new Deliveries({ ...common, reader, signer: REPORT_SIGNER });
  t.after(() => deliveries.stop());
  const signups = new Signups({ ...common, size: () => reader.size, challengeTimeoutMs: 300 });
  const webhooks: Webhooks = { store, deliveries, signups };
  const parts = { ledger, blobs: undefined as never, closeParts: { now: () => 0 } as never };
  const { base } = await serveWorld(t, parts, transport, has ? { webhooks } : {});
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  const ask = async (method: 'get' | 'post', path: string, init: RequestInit): Promise<Heard> => {
    const operation = document.paths[path.split('?')[0] ?? '']?.[method];
    assert.ok(operation !== undefined, path);
    const response = await fetch(`${base}/v1${path}`, { method: method.toUpperCase(), ...init });
    const text = await response.text();
    const header = (name: string): string | null => response.headers.get(name);
    judge.check(operation, { status: response.status, text, header }, method);
    assert.equal(header('cache-control'), 'no-store');
    return { status: response.status, body: JSON.parse(text) as Heard['body'], header };
  };
  return {
    store,
    head: async (path) => (await fetch(`${base}/v1${path}`, { method: 'HEAD' })).status,
    get: (path, headers = {}) => ask('get', path, { headers }),
    post: (path, body, headers = {}) =>
      ask('post', path, {
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
  };
}

const codeOf = ({ status, body }: Heard): string => `${status} ${String(body['error'])}`;
const bearer = (secret: unknown): Record<string, string> => ({
  authorization: `Bearer ${String(secret)}`,
});
const SUBSCRIBE = '/webhooks/subscribe';
const MINE = '/webhooks/subscription';

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `webhooks over ${transport}: every refusal of a signup, in the order of the checks`,
    { skip },
    async (t) => {
      const receiver = await Receiver.start(t, 'a.venue.com', (_, response) => response.end('no'));
      const { post, get, head } = await serving(t, transport, [receiver]);
      const good = { email: 'a@venue.com', url: receiver.url };
      assert.equal(
        codeOf(await post(SUBSCRIBE, good, { 'content-type': 'text/plain' })),
        '415 not_json',
      );
      assert.equal(
        codeOf(await post(SUBSCRIBE, good, { 'sec-fetch-site': 'cross-site' })),
        '403 cross_site',
      );
      assert.equal(codeOf(await post(SUBSCRIBE, '{"email":')), '400 invalid_json');
      for (const email of [
        '',
        'a',
        'a@b',
        '@venue.com',
        'a@venue..com',
        'a b@venue.com',
        'a@-venue.com',
        `${'a'.repeat(65)}@venue.com`,
        7,
        null,
      ]) {
        assert.equal(
          codeOf(await post(SUBSCRIBE, { ...good, email })),
          '400 invalid_email',
          String(email),
        );
      }
      for (const body of ['[]', '"a"', 'null', '{}']) {
        assert.equal(codeOf(await post(SUBSCRIBE, body)), '400 invalid_email', body);
      }
      for (const url of ['http://a.venue.com/', 'https://127.0.0.1/', 'https://[::1]/', 5, null]) {
        assert.equal(
          codeOf(await post(SUBSCRIBE, { ...good, url })),
          '400 invalid_url',
          String(url),
        );
      }
      for (const change of [
        { types: [] },
        { types: ['nothing'] },
        { types: 'print' },
        { tickers: [] },
        { tickers: [''] },
        { symbols: ['a'.repeat(17)] },
        { symbols: 'SOL' },
        { type: ['print'] },
      ]) {
        assert.equal(codeOf(await post(SUBSCRIBE, { ...good, ...change })), '400 invalid_filter');
      }
      // None of those counted as a signup, and nobody was called.
      assert.equal(receiver.got.length, 0);
      const failed = await post(SUBSCRIBE, good);
      assert.equal(codeOf(failed), '400 challenge_failed');
      assert.equal(failed.body['reason'], 'other_body');
      const token = String(failed.body['confirm_token']);
      assert.equal(codeOf(await get(`/webhooks/confirm?token=${token}`)), '400 challenge_failed');
      receiver.handle = answersChallenges;
      const calls = receiver.got.length;
      assert.equal(await head(`/webhooks/confirm?token=${token}`), 200);
      assert.equal(await head(`/webhooks/confirm?token=${'x'.repeat(43)}`), 404);
      assert.equal(receiver.got.length, calls, 'HEAD tries nothing, and uses up no token');
      const confirmed = await get(`/webhooks/confirm?token=${token}`);
      assert.equal(confirmed.status, 200);
      assert.match(String(confirmed.body['secret']), /^whsec_/);
      assert.equal(codeOf(await get(`/webhooks/confirm?token=${token}`)), '404 not_found');
      assert.equal(codeOf(await get(`/webhooks/confirm?token=${'x'.repeat(43)}`)), '404 not_found');
      assert.equal(codeOf(await get('/webhooks/confirm?token=short')), '400 bad_request');
      assert.equal(codeOf(await get('/webhooks/confirm')), '400 bad_request');
    },
  );

  test(
    `webhooks over ${transport}: a new e-mail has its secret once, and five signups are enough`,
    { skip },
    async (t) => {
      const receiver = await Receiver.start(t, 'a.venue.com');
      const { post, store } = await serving(t, transport, [receiver]);
      const first = await post(SUBSCRIBE, { email: 'a@venue.com', url: receiver.url });
      assert.deepEqual(Object.keys(first.body), ['ok', 'secret']);
      const second = await post(SUBSCRIBE, {
        email: 'A@Venue.com',
        url: receiver.url,
        types: ['print'],
      });
      assert.deepEqual(second.body, { ok: true });
      assert.equal(second.status, first.status);
      assert.deepEqual([...store.all()][0]?.filter.types, ['score_event', 'heat_event']);
      for (let i = 0; i < 3; i += 1)
        await post(SUBSCRIBE, { email: `${i}@venue.com`, url: receiver.url });
      const sixth = await post(SUBSCRIBE, { email: 'six@venue.com', url: receiver.url });
      assert.equal(codeOf(sixth), '429 rate_limited');
      const wait = Number(sixth.header('retry-after'));
      assert.ok(wait > 590 && wait <= 600, String(wait));
      assert.equal(store.size, 4);
    },
  );

  test(`webhooks over ${transport}: what the owner of a secret can do`, { skip }, async (t) => {
    const [receiver, other] = [
      await Receiver.start(t, 'a.venue.com'),
      await Receiver.start(t, 'b.venue.com'),
    ];
    const { post, get, store } = await serving(t, transport, [receiver, other]);
    const signup = {
      email: 'a@venue.com',
      url: receiver.url,
      types: ['print'],
      tickers: ['layoffs'],
    };
    const { secret } = (await post(SUBSCRIBE, signup)).body;
    const mine = bearer(secret);
    const { body } = await get(MINE, mine);
    assert.equal(body['email'], 'a@venue.com');
    assert.deepEqual(body['tickers'], ['LAYOFFS']);
    assert.equal(body['symbols'], null);
    assert.deepEqual(body['cursor'], { seq: 4, ordinal: 0 });
    assert.equal(body['state'], 'active');
    assert.equal(body['failing'], null);

    const tested = await post(`${MINE}/test`, undefined, mine);
    assert.equal(tested.body['outcome'], '200');
    assert.equal(((await get(MINE, mine)).body['deliveries'] as readonly unknown[]).length, 1);

    assert.equal((await post(`${MINE}/pause`, undefined, mine)).body['reason'], 'subscriber');
    assert.equal((await post(`${MINE}/resume`, undefined, mine)).body['state'], 'active');
    const replayed = await post(`${MINE}/replay`, { seq: 1 }, mine);
    assert.deepEqual(replayed.body['cursor'], { seq: 1, ordinal: 0 });
    for (const seq of [5, -1, 1.5, '1', null]) {
      assert.equal(codeOf(await post(`${MINE}/replay`, { seq }, mine)), '400 bad_request');
    }

    const changed = await post(
      `${MINE}/change`,
      { url: other.url, types: ['close'], tickers: null },
      mine,
    );
    assert.equal(changed.body['url'], other.url);
    assert.equal(changed.body['filter_version'], 1);
    assert.equal(other.got.length, 1, 'it was challenged');
    other.handle = (_, response) => response.end();
    const refused = await post(`${MINE}/change`, { url: `${other.url}/2` }, mine);
    assert.equal(codeOf(refused), '400 challenge_failed');
    assert.equal((await get(MINE, mine)).body['url'], other.url);
    assert.equal(
      codeOf(await post(`${MINE}/change`, { url: 'https://10.0.0.1/' }, mine)),
      '400 invalid_url',
    );
    assert.equal(
      codeOf(await post(`${MINE}/change`, { types: ['x'] }, mine)),
      '400 invalid_filter',
    );
    assert.equal(
      codeOf(await post(`${MINE}/change`, { email: 'b@venue.com' }, mine)),
      '400 invalid_filter',
    );

    const rotated = (await post(`${MINE}/rotate`, undefined, mine)).body;
    assert.notEqual(rotated['secret'], secret);
    // The one before is a key until the new one is used, for the answer may have been lost.
    assert.equal((await get(MINE, mine)).status, 200);
    const newest = bearer(rotated['secret']);
    assert.equal((await get(MINE, newest)).status, 200);
    assert.equal(codeOf(await post(`${MINE}/rotate`, undefined, mine)), '401 unauthorized');

    assert.deepEqual((await post(`${MINE}/unsubscribe`, undefined, newest)).body, {
      deleted: true,
    });
    for (const each of [mine, bearer(rotated['secret'])]) {
      assert.equal(codeOf(await get(MINE, each)), '401 unauthorized');
    }
    assert.equal(store.size, 0);
  });

  test(
    `webhooks over ${transport}: without the secret there is nothing to see`,
    { skip },
    async (t) => {
      const receiver = await Receiver.start(t, 'a.venue.com');
      const { post, get } = await serving(t, transport, [receiver]);
      await post(SUBSCRIBE, { email: 'a@venue.com', url: receiver.url });
      for (const headers of [
        {},
        bearer(''),
        bearer('whsec_'),
        bearer(`whsec_${Buffer.alloc(32).toString('base64')}`),
        { authorization: 'Basic YTpi' },
      ]) {
        const heard = await get(MINE, headers);
        assert.equal(codeOf(heard), '401 unauthorized');
        assert.equal(heard.header('www-authenticate'), 'Bearer');
      }
      for (const action of [
        'change',
        'test',
        'pause',
        'resume',
        'replay',
        'rotate',
        'unsubscribe',
      ]) {
        assert.equal(codeOf(await post(`${MINE}/${action}`, {})), '401 unauthorized', action);
      }
    },
  );

  test(
    `webhooks over ${transport}: a service without a key for them is unavailable`,
    { skip },
    async (t) => {
      const { post, get } = await serving(t, transport, [], false);
      const good = { email: 'a@venue.com', url: 'https://a.venue.com/' };
      assert.equal(codeOf(await post(SUBSCRIBE, good)), '503 unavailable');
      assert.equal(
        codeOf(await get(`/webhooks/confirm?token=${'x'.repeat(43)}`)),
        '503 unavailable',
      );
      assert.equal(codeOf(await get(MINE, bearer('whsec_x'))), '503 unavailable');
    },
  );
}
