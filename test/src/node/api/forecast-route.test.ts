import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { NO_ARENA_BOOK } from '@assay/node/arena/arena-answer';
import type { ForecastAnswer } from '@assay/node/arena/forecast-intake';
import { ArenaWorld, CLOSE, ROUND } from '../arena/arena-world.ts';
import { Judge } from './judge.ts';
import { noTransport, serveWorld, TRANSPORTS } from './world-service.ts';

type Headers = Readonly<Record<string, string>>;

interface Heard {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly retry: string | null;
}

const JSON_TYPE: Headers = { 'content-type': 'application/json' };

/** Sends to a service; each answer is held against the OpenAPI document. */
async function serving(
  t: TestContext,
  world: ArenaWorld,
  transport: (typeof TRANSPORTS)[number],
  forecasts?: { submit: () => Promise<ForecastAnswer> } | ArenaWorld['intake'],
): Promise<(body: object | string, headers?: Headers) => Promise<Heard>> {
  const { ledger } = world;
  const closeParts = { now: () => world.at.clock.now } as never;
  const parts = { ledger, blobs: world.at.blobs, closeParts };
  const given = forecasts === undefined ? {} : { arena: { book: NO_ARENA_BOOK, forecasts } };
  const { base } = await serveWorld(t, parts, transport, given);
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
  const judge = new Judge(document);
  const operation = document.paths['/arena/forecast']?.post;
  assert.ok(operation !== undefined);
  return async (body, headers = {}) => {
    const response = await fetch(`${base}/v1/arena/forecast`, {
      method: 'POST',
      headers: { ...JSON_TYPE, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ question: ROUND, ...body }),
    });
    const text = await response.text();
    const { status } = response;
    const header = (name: string): string | null => response.headers.get(name);
    judge.check(operation, { status, text, header }, 'post');
    assert.equal(header('access-control-allow-origin'), null);
    assert.equal(header('cache-control'), 'no-store');
    return { status, body: JSON.parse(text) as Heard['body'], retry: header('retry-after') };
  };
}

const codeOf = ({ status, body }: Heard): string => `${status} ${String(body['error'])}`;

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `forecast over ${transport}: it is accepted, and the same key gets the same again`,
    {
      skip,
    },
    async (t) => {
      const world = await ArenaWorld.begin(t);
      await world.openRounds();
      const post = await serving(t, world, transport, world.intake);
      const first = await post(
        { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) },
        { 'idempotency-key': 'f3b1c6de-5a1c-4a6e' },
      );
      assert.equal(first.status, 201);
      const { secret, handle_id, receipt, salt, accepted } = first.body;
      assert.equal(accepted, true);
      assert.match(`${String(secret)} ${String(salt)}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
      assert.match(String(handle_id), /^[0-9a-f]{32}$/);
      assert.equal((receipt as { subject: string }).subject, ROUND);
      const again = await post(
        { handle: 'ada', value: 231_000, nonce: '0d'.repeat(32) },
        { 'idempotency-key': 'f3b1c6de-5a1c-4a6e' },
      );
      assert.deepEqual(again, first);
      const second = await post({ handle: 'ada', value: 232_000, secret });
      assert.equal(second.status, 201);
      assert.equal('secret' in second.body, false);
    },
  );

  test(
    `forecast over ${transport}: every refusal, in the order of the checks`,
    {
      skip,
    },
    async (t) => {
      const world = await ArenaWorld.begin(t);
      await world.openRounds();
      const post = await serving(t, world, transport, world.intake);
      const { secret } = (await post({ handle: 'ada', value: 1 })).body;
      await post(world.signed(9, 1, 5n));
      const key = { 'idempotency-key': 'f3b1c6de-5a1c-4a6e' };
      await post({ handle: 'eve', value: 1 }, key);
      const other = { 'sec-fetch-site': 'cross-site' };
      const old = { handle: 'ada', value: 1, secret, question: 'layoffs-2020-01-01' };
      const cases: readonly (readonly [string, object | string, Headers?])[] = [
        ['415 not_json', '{', { ...other, 'content-type': 'text/plain' }],
        ['403 cross_site', '{', other],
        ['400 invalid_json', '{'],
        ['400 invalid_forecast', '[]'],
        ['400 invalid_forecast', { handle: 'ada', value: 1, more: 1, question: 'x' }],
        ['404 not_found', old],
        ['400 invalid_forecast', { handle: 'ada', value: 0.5, secret: '00'.repeat(32) }],
        ['422 idempotency_reused', { handle: 'eve', value: 2 }, key],
        ['403 bad_secret', { handle: 'ada', value: 1, secret: '00'.repeat(32) }],
        ['403 bad_signature', world.signed(9, 2, 5n, { counter: 3 })],
        ['409 handle_taken', { handle: 'ada', value: 1 }],
        ['409 counter_used', world.signed(9, 1, 5n)],
      ];
      for (const [code, body, headers] of cases) {
        assert.equal(codeOf(await post(body, headers)), code, JSON.stringify(body));
      }
      const fault = await post({ handle: 'ada', value: '1e3' });
      assert.equal(fault.body['at'], 'value');
      world.time(CLOSE);
      assert.equal(codeOf(await post({ handle: 'zoe', value: 1 })), '410 closed');
    },
  );

  test(
    `forecast over ${transport}: how long to wait, and a service that takes none`,
    {
      skip,
    },
    async (t) => {
      const world = await ArenaWorld.begin(t, { perMinute: 1 });
      await world.openRounds();
      const post = await serving(t, world, transport, world.intake);
      await post({ handle: 'ada', value: 1 });
      const limited = await post({ handle: 'bob', value: 1 });
      assert.equal(codeOf(limited), '429 rate_limited');
      assert.equal(limited.retry, '60');
      assert.deepEqual(limited.body['violated-policies'], ['forecasts']);
      const none = await serving(t, world, transport);
      assert.equal(codeOf(await none({ handle: 'ada', value: 1 })), '503 halted');
      assert.equal(codeOf(await none({ handle: 'ada' })), '400 invalid_forecast');
    },
  );
}
