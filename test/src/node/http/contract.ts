import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { trustedProxies } from '@assay/node/http/address';
import { headerBlock } from '@assay/node/http/header';
import { jsonBody } from '@assay/node/http/json-body';
import { limiter } from '@assay/node/http/limiter';
import {
  type Pipeline,
  pipeline,
  type PipelineOptions,
  type RequestLine,
} from '@assay/node/http/pipeline';
import { problem } from '@assay/node/http/problem';
import { BYTES_TYPE, IMMUTABLE, JSON_TYPE, stream, TEXT_TYPE, whole } from '@assay/node/http/reply';
import { represent, representation } from '@assay/node/http/representation';
import type { ApiReply } from '@assay/node/http/request';
import { requestIds } from '@assay/node/http/request-id';
import { type Route, route } from '@assay/node/http/route';
import type { HttpServer, Listening, ServerOptions } from '@assay/node/http/transport';
import { RawClient, type RawReply } from './raw-client.ts';

export type MakeServer = (served: Pipeline, options: ServerOptions) => HttpServer;

const FIXED = representation({
  contentType: JSON_TYPE,
  body: '{"fixed":true}',
  cacheControl: 'public, max-age=5',
});
const SIZE = headerBlock([['assay-log-size', '42']]);
const TILE = Uint8Array.from({ length: 256 }, (_, index) => index);
const BIG = Buffer.alloc(4 * 1024 * 1024, 'assay ');
const PAGE = Buffer.alloc(16 * 1024, 'page ');
const CHUNK = 'y'.repeat(16 * 1024);

/** Everything that a test can see of one running server. */
class World {
  readonly lines: RequestLine[] = [];
  readonly errors: unknown[] = [];
  readonly bodies: string[] = [];
  readonly gates: (() => void)[] = [];
  aborted = 0;
  produced = 0;
  released = 0;

  /** What the handlers of `/late` wait for. */
  async arrived(count: number): Promise<void> {
    await eventually(() => this.gates.length >= count);
  }

  open(): void {
    for (const gate of this.gates.splice(0)) gate();
  }
}

async function eventually(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !holds(); i += 1) await sleep(10);
  assert.ok(holds(), 'waited five seconds');
}

function json(value: unknown): ApiReply {
  return whole(JSON_TYPE, JSON.stringify(value));
}

async function* broken(): AsyncGenerator<string> {
  yield 'the first part';
  await sleep(1);
  throw new Error('the secret of a stream');
}

async function* drops(): AsyncGenerator<string> {
  for (let i = 0; i < 20; i += 1) {
    await sleep(3);
    yield '.';
  }
}

async function* piecesOf(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) {
    await sleep(0);
    yield new Uint8Array(i % 3 === 0 ? 0 : 100_000).fill(i);
  }
}

function* counted(): Generator<string | Uint8Array> {
  for (let i = 0; i < 2000; i += 1) {
    yield `${i},`.padEnd(1000, '.');
    if (i % 100 === 0) yield new Uint8Array();
  }
}

function routesOf(world: World): readonly Route[] {
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) {
        world.produced += 1;
        yield CHUNK;
      }
    } finally {
      world.released += 1;
    }
  }
  return [
    route('GET', '/fixed', (request) => represent(request, FIXED, SIZE)),
    route('GET', '/indices/:ticker', ({ params }) => json({ ticker: params.ticker })),
    route('GET', '/indices/close', () => json({ close: true })),
    route('GET', '/indices/:ticker/history.csv', ({ params }) => json({ history: params.ticker })),
    route('GET', '/query', ({ query }) => json({ query })),
    route('GET', '/who', ({ client }) => json({ client })),
    route('GET', '/tile/*', () => whole(BYTES_TYPE, TILE, { cacheControl: IMMUTABLE }), {
      unversioned: true,
      budget: 'log',
    }),
    route('GET', '/late', async (request) => {
      request.signal.addEventListener('abort', () => {
        world.aborted += 1;
      });
      await new Promise<void>((resolve) => {
        world.gates.push(resolve);
      });
      const { query, client } = request;
      return json({ agent: request.header('user-agent') ?? null, query, client });
    }),
    route('GET', '/soon', async () => {
      await sleep(50);
      return json({ soon: true });
    }),
    route('GET', '/resolved', async () => {
      await Promise.resolve();
      return json({ resolved: true });
    }),
    route('GET', '/boom', () => {
      throw new Error('a secret');
    }),
    route('GET', '/boom-later', async () => {
      await sleep(1);
      throw new Error('a later secret');
    }),
    route('GET', '/split', ({ query }) =>
      whole(TEXT_TYPE, '', { headers: [['x-split', decodeURIComponent(query)]] }),
    ),
    route('GET', '/stream', (request) => stream(TEXT_TYPE, counted(), streamed(request.query))),
    route('GET', '/endless', () => stream(TEXT_TYPE, endless())),
    route('GET', '/open-ended', () => stream(TEXT_TYPE, endless(), { filler: ':\n\n' })),
    route('GET', '/sized', ({ query }) => {
      const [size, pieces] = query.split(',').map(Number);
      return stream(BYTES_TYPE, piecesOf(pieces ?? 0), { size: size ?? 0 });
    }),
    route('GET', '/drops', () => stream(BYTES_TYPE, drops(), { size: 20 })),
    route('GET', '/broken', () => stream(TEXT_TYPE, broken())),
    route('GET', '/page', () => whole(BYTES_TYPE, PAGE)),
    route('GET', '/big', () => whole(BYTES_TYPE, BIG)),
    route('POST', '/echo', async (request) => {
      try {
        const body = await request.body();
        world.bodies.push(Buffer.from(body).toString());
        return json({ length: body.length });
      } catch (error) {
        world.bodies.push(String(error));
        throw error;
      }
    }),
    route('POST', '/ignore', async () => {
      await sleep(1);
      return json({ ignored: true });
    }),
    route(
      'POST',
      '/json',
      jsonBody((_request, body) => json(body)),
    ),
    route('GET', '/halted', (request) => problem(request, 'halted')),
    route('GET', '/retired/:name', ({ params }) => json({ name: params.name }), {
      deprecation: {
        at: '2026-01-01T00:00:00Z',
        sunset: '2026-06-01T00:00:00Z',
        successor: '/v2/new',
        document: '/docs',
      },
    }),
    route('POST', '/at-once', () => json({ atOnce: true })),
    route('GET', '/both', () => json({ read: true })),
    route('POST', '/both', () => json({ written: true })),
  ];
}

function streamed(query: string): { status?: number } {
  return query === '' ? {} : { status: Number(query) };
}

function problemOf(reply: RawReply | undefined, status: number): Record<string, unknown> {
  assert.equal(reply?.status, status);
  assert.equal(reply?.headers.get('content-type'), 'application/problem+json');
  return JSON.parse(reply.body.toString()) as Record<string, unknown>;
}

const JSON_BODY = ['Content-Type: application/json'] as const;

/** Every transport of the API passes these. */
export function httpContract(name: string, serverOf: MakeServer): void {
  interface Running {
    readonly world: World;
    readonly listening: Listening;
    readonly base: string;
    readonly client: () => Promise<RawClient>;
  }

  /** Those that a test has closed, so that nobody asks them afterwards. */
  const closedByTest = new WeakSet<Listening>();

  async function run(
    work: (running: Running) => Promise<void>,
    options: ServerOptions = {},
    more: Partial<PipelineOptions> = {},
    host = '127.0.0.1',
  ): Promise<void> {
    const world = new World();
    let ids = 0;
    const served = pipeline(routesOf(world), {
      requestId: () => {
        ids += 1;
        return `test-${ids}`;
      },
      now: () => performance.now() / 1000,
      onError: (error) => {
        world.errors.push(error);
      },
      onRequest: (line) => {
        world.lines.push(line);
      },
      ...more,
    });
    const server = serverOf(served, { drainMs: 1000, ...options });
    const listening = await server.listen({ host, port: 0 });
    assert.equal(listening.transport, server.transport);
    const clients: RawClient[] = [];
    try {
      await work({
        world,
        listening,
        base: `http://127.0.0.1:${listening.port}`,
        client: async () => {
          const client = await RawClient.connect(listening.port);
          clients.push(client);
          return client;
        },
      });
      // Whatever a test sent, the next request is answered.
      if (!closedByTest.has(listening)) {
        const after = await fetch(`http://127.0.0.1:${listening.port}/fixed`);
        assert.equal(await after.text(), '{"fixed":true}');
      }
    } finally {
      world.open();
      for (const client of clients) client.close();
      await listening.close();
    }
  }

  void suite(`HTTP contract: ${name}`, () => {
    void test('a representation comes with its validators and the common headers', () =>
      run(async ({ base, world }) => {
        const reply = await fetch(`${base}/fixed`);
        assert.equal(reply.status, 200);
        assert.equal(await reply.text(), '{"fixed":true}');
        assert.equal(reply.headers.get('content-type'), JSON_TYPE);
        assert.equal(reply.headers.get('content-length'), '14');
        assert.equal(reply.headers.get('etag'), FIXED.etag);
        assert.equal(reply.headers.get('cache-control'), 'public, max-age=5');
        assert.equal(reply.headers.get('assay-log-size'), '42');
        assert.equal(reply.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(reply.headers.get('access-control-allow-origin'), '*');
        assert.equal(reply.headers.get('access-control-expose-headers'), '*');
        assert.equal(reply.headers.get('x-request-id'), 'test-1');
        assert.ok(reply.headers.has('date'));
        const [line] = world.lines;
        assert.ok(line !== undefined && line.seconds >= 0 && line.seconds < 5);
        const { seconds: _, ...rest } = line;
        assert.deepEqual(rest, {
          requestId: 'test-1',
          method: 'GET',
          pattern: '/fixed',
          status: 200,
        });
      }));

    void test('an answer and its line have the whole id, and each request another', () =>
      run(
        async ({ base, world }) => {
          const ids: string[] = [];
          for (const path of ['/fixed', '/nothing/there', '/fixed', '/soon']) {
            const reply = await fetch(base + path);
            await reply.text();
            const id = reply.headers.get('x-request-id') ?? '';
            assert.match(id, /^[\w-]{12}\.[0-9a-z]+$/);
            ids.push(id);
          }
          assert.equal(new Set(ids).size, ids.length);
          assert.deepEqual(
            world.lines.map(({ requestId }) => requestId),
            ids,
          );
        },
        {},
        requestIds(randomBytes),
      ));

    void test('If-None-Match is answered 304 without a body, and pipelining stays in step', () =>
      run(async ({ client }) => {
        const raw = await client();
        for (const known of [FIXED.etag, `W/${FIXED.etag}`, `"x", W/${FIXED.etag}`, '*']) {
          raw.ask('GET', '/v1/fixed', [`If-None-Match: ${known}`]);
        }
        raw.ask('GET', '/fixed', ['If-None-Match: "x"', `If-None-Match: ${FIXED.etag}`]);
        raw.ask('GET', '/fixed', ['If-None-Match: "other"']);
        for (let i = 0; i < 5; i += 1) {
          const reply = await raw.reply();
          assert.equal(reply?.status, 304);
          assert.equal(reply?.headers.get('etag'), FIXED.etag);
          assert.equal(reply?.headers.get('assay-log-size'), '42');
          assert.equal(reply?.headers.has('content-type'), false);
        }
        assert.equal((await raw.reply())?.status, 200);
      }));

    void test('HEAD has the length and no body, and pipelining stays in step', () =>
      run(async ({ client }) => {
        const raw = await client();
        const asked = ['/fixed', '/nothing', '/indices/%ZZ', '/stream', '/big', '/tile/1'];
        raw.ask('HEAD', '/fixed', [`If-None-Match: ${FIXED.etag}`]);
        for (const path of asked) raw.ask('HEAD', path);
        raw.ask('GET', '/indices/last');
        const known = await raw.reply('HEAD');
        assert.equal(known?.status, 304);
        assert.notEqual(known?.headers.get('content-length'), '0');
        const replies: (RawReply | undefined)[] = [];
        for (const _ of asked) replies.push(await raw.reply('HEAD'));
        assert.deepEqual(
          replies.map((reply) => reply?.status),
          [200, 404, 400, 200, 200, 200],
        );
        const lengths = replies.map((reply) => reply?.headers.get('content-length'));
        assert.equal(lengths[0], '14');
        assert.ok(Number(lengths[1]) > 50);
        assert.equal(lengths[3], undefined);
        assert.equal(lengths[4], String(BIG.length));
        assert.equal(lengths[5], '256');
        assert.equal((await raw.reply())?.body.toString(), '{"ticker":"last"}');
      }));

    void test('a path answers with and without its version, and no other path does', () =>
      run(async ({ base }) => {
        const statusOf = async (path: string): Promise<number> => {
          const reply = await fetch(base + path);
          await reply.arrayBuffer();
          return reply.status;
        };
        assert.equal(await statusOf('/fixed'), 200);
        assert.equal(await statusOf('/v1/fixed'), 200);
        assert.equal(await statusOf('/v2/fixed'), 404);
        assert.equal(await statusOf('/v1/v1/fixed'), 404);
        assert.equal(await statusOf('/fixed/'), 404);
        assert.equal(await statusOf('//fixed'), 404);
        assert.equal(await statusOf('/Fixed'), 404);
        assert.equal(await statusOf('/indices/'), 404);
        assert.equal(await statusOf('/'), 404);
        assert.equal(await statusOf('/tile/0/x001/234.p/5'), 200);
        assert.equal(await statusOf('/v1/tile/0/x001/234.p/5'), 404);
        assert.equal(await statusOf('/tile/'), 404);
      }));

    void test('a literal path wins over a name', () =>
      run(async ({ base }) => {
        const textOf = async (path: string): Promise<string> => (await fetch(base + path)).text();
        assert.equal(await textOf('/indices/close'), '{"close":true}');
        assert.equal(await textOf('/v1/indices/CLOSE'), '{"ticker":"CLOSE"}');
        assert.equal(await textOf('/indices/close/history.csv'), '{"history":"close"}');
      }));

    void test('an unknown path is a problem that any page may read', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        raw.ask('GET', '/v1/nothing?x=1');
        const reply = await raw.reply();
        const body = problemOf(reply, 404);
        assert.equal(body['error'], 'not_found');
        assert.equal(body['instance'], '/v1/nothing');
        assert.equal(reply?.headers.get('access-control-allow-origin'), '*');
        assert.equal(reply?.headers.get('cache-control'), 'no-store');
        assert.equal(world.lines[0]?.pattern, undefined);
      }));

    void test('another method is answered 405 with what is allowed', () =>
      run(async ({ base, client, world }) => {
        for (const method of ['DELETE', 'PATCH', 'PUT']) {
          const reply = await fetch(`${base}/fixed`, { method });
          assert.equal(reply.status, 405);
          assert.equal(reply.headers.get('allow'), 'GET, HEAD, OPTIONS');
          assert.equal(((await reply.json()) as { error: string }).error, 'method_not_allowed');
        }
        assert.equal((await fetch(`${base}/echo`)).status, 405);
        const raw = await client();
        raw.ask('MKCOL', '/fixed');
        assert.equal((await raw.reply())?.status, 405);
        assert.equal(world.lines.at(-1)?.method, 'OTHER');
        raw.ask('FOO', '/fixed'); // a parser may know no such method
        assert.match(String((await raw.reply())?.status), /^40[05]$/);
      }));

    void test('OPTIONS opens reads to other pages, and writes to none', () =>
      run(async ({ base }) => {
        const read = await fetch(`${base}/v1/fixed`, { method: 'OPTIONS' });
        assert.equal(read.status, 204);
        assert.equal(read.headers.get('allow'), 'GET, HEAD, OPTIONS');
        assert.equal(read.headers.get('cache-control'), 'no-store');
        assert.equal(read.headers.get('access-control-allow-origin'), '*');
        assert.equal(read.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS');
        assert.equal(read.headers.get('access-control-allow-headers'), '*');
        assert.equal(read.headers.get('access-control-max-age'), '86400');
        const write = await fetch(`${base}/echo`, { method: 'OPTIONS' });
        assert.equal(write.status, 204);
        assert.equal(write.headers.get('allow'), 'POST, OPTIONS');
        assert.equal(write.headers.get('access-control-allow-origin'), null);
        assert.equal(write.headers.get('access-control-allow-methods'), null);
        const both = await fetch(`${base}/both`, { method: 'OPTIONS' });
        assert.equal(both.headers.get('allow'), 'GET, HEAD, POST, OPTIONS');
        assert.equal(both.headers.get('access-control-allow-methods'), 'GET, HEAD, OPTIONS');
        const posted = await fetch(`${base}/both`, { method: 'POST' });
        assert.equal(await posted.text(), '{"written":true}');
        assert.equal(posted.headers.get('access-control-allow-origin'), null);
      }));

    void test('names in a path are decoded, and what cannot be is 400', () =>
      run(async ({ client }) => {
        const raw = await client();
        raw.ask('GET', '/indices/%C3%A9%2Fx%20y');
        assert.equal((await raw.reply())?.body.toString(), '{"ticker":"é/x y"}');
        for (const bad of ['%', '%ZZ', '%E9', '%C3', 'a%2']) {
          raw.ask('GET', `/indices/${bad}`);
          assert.equal(problemOf(await raw.reply(), 400)['error'], 'bad_request', bad);
        }
      }));

    void test('the query is what was sent', () =>
      run(async ({ client }) => {
        const raw = await client();
        for (const [target, query] of [
          ['/query', ''],
          ['/query?', ''],
          ['/query?a=%20&b', 'a=%20&b'],
          ['/query?a?b', 'a?b'],
        ] as const) {
          raw.ask('GET', target);
          assert.equal((await raw.reply())?.body.toString(), JSON.stringify({ query }));
        }
      }));

    void test('a target in absolute form is answered or refused, and no other host is asked', () =>
      run(async ({ client }) => {
        const raw = await client();
        raw.ask('GET', 'http://elsewhere.invalid/indices/A?b=1');
        const reply = await raw.reply();
        assert.match(String(reply?.status), /^(200|505)$/);
        if (reply?.status === 200) assert.equal(reply.body.toString(), '{"ticker":"A"}');
      }));

    void test('what a handler throws is on record and is not shown', () =>
      run(async ({ base, world }) => {
        for (const path of ['/boom', '/boom-later']) {
          const reply = await fetch(base + path);
          const text = await reply.text();
          assert.equal(reply.status, 500);
          assert.doesNotMatch(text, /secret/);
          const body = JSON.parse(text) as Record<string, unknown>;
          assert.equal(body['error'], 'internal');
          assert.match(
            String(body['detail']),
            new RegExp(reply.headers.get('x-request-id') ?? '-'),
          );
        }
        assert.deepEqual(world.errors.map(String), ['Error: a secret', 'Error: a later secret']);
      }));

    void test('no value can add a header line', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        raw.ask('GET', '/split?ok');
        assert.equal((await raw.reply())?.headers.get('x-split'), 'ok');
        for (const value of ['a%0D%0Ax-added:%20b', 'a%0Ab', '%C3%A9', 'a%00']) {
          raw.ask('GET', `/split?${value}`);
          const reply = await raw.reply();
          assert.equal(reply?.status, 500, value);
          assert.equal(reply?.headers.has('x-added'), false);
        }
        assert.equal(world.errors.length, 4);
      }));

    void test('a handler may read its request after it has waited', () =>
      run(async ({ base, client, world }) => {
        const pending = fetch(`${base}/late?a=1`, { headers: { 'user-agent': 'tester' } });
        await world.arrived(1);
        // Others come and go meanwhile, and reuse what the transport may reuse.
        const raw = await client();
        raw.ask('GET', '/query?other=2', ['User-Agent: other']);
        await raw.reply();
        world.open();
        const reply = await pending;
        assert.deepEqual(await reply.json(), {
          agent: 'tester',
          query: 'a=1',
          client: '127.0.0.1',
        });
      }));

    void test('bodies arrive whole, of every framing, read or not', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        const post = (path: string, body: string): void => {
          raw.ask('POST', path, [...JSON_BODY, `Content-Length: ${Buffer.byteLength(body)}`]);
          raw.send(body);
        };
        post('/echo', '{"a":1}');
        assert.equal((await raw.reply())?.body.toString(), '{"length":7}');
        post('/echo', '');
        assert.equal((await raw.reply())?.body.toString(), '{"length":0}');
        raw.ask('POST', '/echo', ['Content-Length: 7']);
        for (const byte of '{"b":2}') {
          raw.send(byte);
          await sleep(2);
        }
        assert.equal((await raw.reply())?.body.toString(), '{"length":7}');
        raw.ask('POST', '/echo', ['Transfer-Encoding: chunked']);
        raw.send('3\r\nabc\r\n');
        await sleep(2);
        raw.send('2\r\nde\r\n0\r\n\r\n');
        assert.equal((await raw.reply())?.body.toString(), '{"length":5}');
        raw.ask('POST', '/echo');
        assert.equal((await raw.reply())?.body.toString(), '{"length":0}');
        assert.deepEqual(world.bodies, ['{"a":1}', '', '{"b":2}', 'abcde', '']);
        for (const path of ['/ignore', '/at-once', '/fixed', '/nothing']) {
          post(path, '{"unread":true}');
          assert.ok(await raw.reply(), path);
        }
        raw.ask('GET', '/fixed', ['Content-Length: 5']);
        raw.send('12345');
        raw.ask('GET', '/indices/last');
        assert.equal((await raw.reply())?.status, 200);
        assert.equal((await raw.reply())?.body.toString(), '{"ticker":"last"}');
      }));

    void test('100-continue is answered', () =>
      run(async ({ client }) => {
        const raw = await client();
        raw.ask('POST', '/echo', ['Expect: 100-continue', 'Content-Length: 2']);
        const interim = await raw.reply('HEAD');
        assert.equal(interim?.status, 100);
        raw.send('{}');
        assert.equal((await raw.reply())?.body.toString(), '{"length":2}');
      }));

    void test('a body over the cap is refused by its length, and its sender sees it', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        const size = 10 * 1024 * 1024;
        raw.ask('POST', '/echo', [`Content-Length: ${size}`]);
        const sent = new Promise((resolve) => {
          raw.socket.write(Buffer.alloc(size, 'x'), resolve);
        });
        assert.equal(problemOf(await raw.reply(), 413)['error'], 'content_too_large');
        await sent;
        assert.equal(raw.failure, undefined);
        assert.deepEqual(world.bodies, []); // no handler is asked
        assert.equal(world.errors.length, 0);
      }));

    void test('a body over the cap is refused while it comes where no length was declared', () =>
      run(
        async ({ client }) => {
          const raw = await client();
          raw.ask('POST', '/echo', ['Transfer-Encoding: chunked']);
          const part = `400\r\n${'z'.repeat(1024)}\r\n`;
          raw.send(`${part}${part}0\r\n\r\n`);
          assert.equal(problemOf(await raw.reply(), 413)['error'], 'content_too_large');
          assert.ok(await raw.ends());
          const exact = await client();
          exact.ask('POST', '/echo', ['Content-Length: 1500']);
          exact.send('e'.repeat(1500));
          assert.equal((await exact.reply())?.body.toString(), '{"length":1500}');
          exact.ask('POST', '/echo', ['Content-Length: 1501']);
          exact.send('e'.repeat(1501));
          assert.equal((await exact.reply())?.status, 413);
        },
        { maxBody: 1500 },
      ));

    void test('a sender of far too much is cut off', () =>
      run(
        async ({ client }) => {
          const raw = await client();
          raw.ask('POST', '/echo', ['Content-Length: 100000000000']);
          raw.send('x'.repeat(1000));
          assert.equal((await raw.reply())?.status, 413);
          assert.ok(await raw.ends());
        },
        { maxBody: 1000, maxDiscard: 1_000_000 },
      ));

    void test('a body is bounded where nobody reads it', async (t) => {
      for (const [method, path] of [
        ['GET', '/fixed'],
        ['GET', '/indices/late'],
        ['HEAD', '/fixed'],
        ['OPTIONS', '/fixed'],
        ['DELETE', '/fixed'],
        ['GET', '/nothing'],
        ['POST', '/at-once'],
        ['POST', '/ignore'],
        ['POST', '/json'],
      ] as const) {
        await t.test(`${method} ${path}`, () =>
          run(async ({ client, listening, world }) => {
            const said = await client();
            said.ask(method, path, ['Content-Length: 100000000']);
            assert.equal((await said.reply(method))?.status, 413);
            assert.ok(await said.ends());
            assert.deepEqual([world.lines[0]?.status, world.lines[0]?.method], [413, method]);
            const unsaid = await client();
            unsaid.ask(method, path, ['Transfer-Encoding: chunked']);
            const chunk = Buffer.from(`10000\r\n${'z'.repeat(65_536)}\r\n`);
            let taken = 0;
            while (taken < 1000 && !unsaid.socket.destroyed) {
              await new Promise((resolve) => {
                unsaid.socket.write(chunk, resolve);
              });
              taken += 1;
            }
            assert.ok(taken < 500, 'it is swallowed');
            assert.equal(world.lines[1]?.status, 413);
            const small = await client();
            small.ask(method, path, ['Transfer-Encoding: chunked']);
            small.send('3\r\nabc\r\n0\r\n\r\n');
            assert.notEqual((await small.reply(method))?.status, 413);
            small.ask('GET', '/indices/next');
            assert.equal((await small.reply())?.body.toString(), '{"ticker":"next"}');
            await eventually(() => listening.inFlight() === 0);
          }),
        );
      }
    });

    void test('a body that drips is given up', () =>
      run(
        async ({ client, world, listening }) => {
          const raw = await client();
          raw.ask('POST', '/echo', ['Content-Length: 100']);
          const drip = setInterval(() => {
            raw.send('x');
          }, 20);
          try {
            assert.equal(problemOf(await raw.reply(), 408)['error'], 'request_timeout');
            assert.ok(await raw.ends());
          } finally {
            clearInterval(drip);
          }
          assert.match(world.bodies.join(), /request_timeout/);
          await eventually(() => listening.inFlight() === 0);
        },
        { bodyMs: 150 },
      ));

    void test('a length that can be read in two ways is 400, and nothing behind it is served', () =>
      run(async ({ client, world }) => {
        const smuggled = 'GET /indices/smuggled HTTP/1.1\r\nHost: test\r\n\r\n';
        const chunk = '0\r\n\r\n';
        for (const [method, path, headers, body] of [
          ['POST', '/echo', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], ''],
          ['POST', '/echo', ['Content-Length: 3', 'Content-Length: 3'], 'abc'],
          ['GET', '/fixed', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], ''],
          ['HEAD', '/fixed', ['Content-Length: 0', `Content-Length: ${smuggled.length}`], ''],
          ['POST', '/echo', ['Content-Length: 3, 3'], 'abc'],
          ['POST', '/echo', ['Content-Length: -1'], ''],
          ['POST', '/echo', ['Content-Length: 5', 'Transfer-Encoding: chunked'], chunk],
          ['POST', '/echo', ['Transfer-Encoding: xchunked'], chunk],
          ['POST', '/echo', ['Transfer-Encoding: identity'], ''],
        ] as const) {
          const alone = await client();
          alone.ask(method, path, headers);
          assert.equal((await alone.reply(method))?.status, 400, headers.join());
          alone.send(body + smuggled);
          assert.ok(await alone.ends(), headers.join());
          const together = await client();
          together.socket.cork();
          together.ask(method, path, headers);
          together.send(body + smuggled);
          together.socket.uncork();
          // Where the rest came with it, a transport may cut before it answers.
          const reply = await together.reply(method);
          assert.equal(reply?.status ?? 400, 400, headers.join());
          assert.ok(await together.ends(), headers.join());
          assert.equal(await together.reply(), undefined, headers.join());
        }
        assert.equal(
          world.lines.some(({ status }) => status < 400),
          false,
        );
      }));

    void test('what is not HTTP/1.1 is refused and hurts nobody', () =>
      run(async ({ client }) => {
        const old = await client();
        old.send('GET /fixed HTTP/1.0\r\nHost: test\r\n\r\n');
        assert.match(String((await old.reply())?.status), /^(200|505)$/);
        assert.ok(await old.ends());
        const hostless = await client();
        hostless.send('GET /fixed HTTP/1.1\r\n\r\n');
        assert.equal((await hostless.reply())?.status, 400);
        const tls = await client();
        tls.send(Buffer.from('160301020001000001fc0303', 'hex'));
        tls.send('\r\n\r\n\r\n');
        assert.ok(await tls.ends());
        const folded = await client();
        folded.ask('GET', '/fixed', ['X-A: b', ' c: d']);
        assert.equal((await folded.reply())?.status, 400);
      }));

    void test('a head that is too large is refused', () =>
      run(async ({ client }) => {
        for (const headers of [
          [`X-Long: ${'a'.repeat(70_000)}`],
          Array.from({ length: 3000 }, (_, index) => `X-${index}: ${'b'.repeat(20)}`),
        ]) {
          const raw = await client();
          raw.ask('GET', '/fixed', headers);
          assert.equal((await raw.reply())?.status, 431);
          assert.ok(await raw.ends());
        }
        const target = await client();
        target.ask('GET', `/indices/${'a'.repeat(70_000)}`);
        assert.match(String((await target.reply())?.status), /^4(14|31)$/);
      }));

    void test('a long target and a long head have the same answer on each transport, in one packet or several', () =>
      run(async ({ client }) => {
        const long = 'a'.repeat(8200);
        for (const [target, header, status] of [
          [`/nothing/${long}`, 'b', 404],
          [`/query?${long}`, 'b', 200],
          ['/fixed', 'b'.repeat(12_000), 200],
          ['/fixed', 'b'.repeat(20_000), 431],
        ] as const) {
          for (const pause of [0, 30]) {
            const raw = await client();
            const head = `GET ${target} HTTP/1.1\r\nHost: test\r\nX-Long: ${header}\r\n\r\n`;
            raw.send(head.slice(0, 3000));
            if (pause > 0) await sleep(pause);
            raw.send(head.slice(3000));
            const reply = await raw.reply();
            assert.equal(reply?.status, status, `${target.slice(0, 9)} ${header.length} ${pause}`);
            if (status === 404) problemOf(reply, 404);
          }
        }
      }));

    void test('a client that leaves a waiting handler is noticed', () =>
      run(async ({ client, world, listening }) => {
        const raw = await client();
        raw.ask('GET', '/late');
        await world.arrived(1);
        assert.equal(listening.inFlight(), 1);
        raw.close();
        await eventually(() => world.aborted === 1);
        world.open(); // its answer has nowhere to go
        await eventually(() => listening.inFlight() === 0);
        assert.deepEqual(world.errors, []);
      }));

    void test('a client that leaves its own body is noticed', () =>
      run(async ({ client, world, listening }) => {
        const raw = await client();
        raw.ask('POST', '/echo', ['Content-Length: 100']);
        raw.send('half');
        await eventually(() => listening.inFlight() === 1);
        raw.close();
        await eventually(() => world.bodies.length === 1);
        assert.match(world.bodies.join(), /gone/);
        await eventually(() => world.lines.some(({ status }) => status === 499));
        await eventually(() => listening.inFlight() === 0);
        assert.deepEqual(world.errors, []);
      }));

    void test('requests behind one that waits are answered in order or not at all', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        raw.ask('GET', '/late?first');
        raw.ask('GET', '/indices/second');
        await world.arrived(1);
        await sleep(20);
        world.open();
        const first = await raw.reply();
        if (first === undefined) return; // cut: neither was answered
        assert.match(first.body.toString(), /first/);
        assert.equal((await raw.reply())?.body.toString(), '{"ticker":"second"}');
      }));

    void test('a stream arrives whole, and the connection goes on', () =>
      run(async ({ client, listening }) => {
        const raw = await client();
        raw.ask('GET', '/stream');
        const reply = await raw.reply();
        assert.equal(reply?.headers.get('transfer-encoding'), 'chunked');
        assert.equal(reply?.body.length, 2_000_000);
        assert.match(reply.body.toString('latin1', 1_999_000), /^1999,/);
        raw.ask('GET', '/indices/next');
        assert.equal((await raw.reply())?.body.toString(), '{"ticker":"next"}');
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('a stream that breaks is cut, not ended', () =>
      run(async ({ client, world, listening }) => {
        const raw = await client();
        raw.ask('GET', '/broken');
        assert.equal(await raw.reply(), undefined);
        assert.ok(await raw.ends());
        assert.deepEqual(world.errors.map(String), ['Error: the secret of a stream']);
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('a reader that stalls stops the producer, and releases it when it leaves', () =>
      run(async ({ client, world, listening }) => {
        const raw = await client();
        raw.socket.pause();
        raw.ask('GET', '/endless');
        let before = -1;
        await eventually(() => {
          const still = world.produced > 0 && world.produced === before;
          before = world.produced;
          return still;
        });
        await sleep(50);
        assert.equal(world.produced, before);
        assert.ok(before * CHUNK.length < 64 * 1024 * 1024, `${before} chunks`);
        raw.socket.resume();
        await eventually(() => world.produced > before + 100);
        raw.close();
        await eventually(() => world.released === 1);
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('a large body goes at the pace of its reader and is held once', () =>
      run(async ({ client, listening }) => {
        const readers: RawClient[] = [];
        const before = process.memoryUsage().rss;
        for (let i = 0; i < 30; i += 1) {
          const raw = await client();
          raw.socket.pause();
          raw.ask('GET', '/big');
          readers.push(raw);
        }
        await eventually(() => listening.inFlight() === 30);
        const grown = (process.memoryUsage().rss - before) / (1024 * 1024);
        assert.ok(grown < 60, `30 readers of 4 MiB hold ${grown.toFixed(0)} MiB`);
        for (const raw of readers.splice(3)) raw.close();
        for (const raw of readers) {
          raw.socket.resume();
          const reply = await raw.reply();
          assert.ok(reply?.body.equals(BIG));
          raw.ask('GET', '/indices/next');
          assert.equal((await raw.reply())?.body.toString(), '{"ticker":"next"}');
        }
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('answers do not pile up for a client that pipelines and never reads', async (t) => {
      const spent = limiter({ default: 1, log: 1 }, randomBytes).admit;
      const ample = limiter({ default: 1e9, log: 1e9 }, randomBytes).admit;
      for (const asked of ['GET /page', 'GET /fixed?spent', 'HEAD /fixed?spent']) {
        await t.test(asked, () =>
          run(
            async ({ client, listening }) => {
              const raw = await client();
              raw.socket.pause();
              const many = `${asked} HTTP/1.1\r\nHost: test\r\n\r\n`.repeat(500);
              const before = process.memoryUsage().rss;
              let isTaking = true;
              for (let i = 0; i < 600 && isTaking && raw.failure === undefined; i += 1) {
                const taken = new Promise<boolean>((resolve) => {
                  raw.socket.write(many, (error) => {
                    resolve(!(error instanceof Error));
                  });
                });
                isTaking = await Promise.race([taken, sleep(300, false)]);
              }
              const grown = (process.memoryUsage().rss - before) / (1024 * 1024);
              assert.ok(grown < 60, `grown by ${grown.toFixed(0)} MiB`);
              raw.close();
              await eventually(() => listening.inFlight() === 0);
            },
            {},
            {
              admit: (request, endpoint, now) =>
                (request.query === 'spent' ? spent : ample)(request, endpoint, now),
              onRequest: () => {},
            },
          ),
        );
      }
    });

    void test('what is pipelined behind a pending answer is answered in turn', () =>
      run(async ({ client, listening }) => {
        for (const path of ['/soon', '/drops']) {
          const raw = await client();
          for (let i = 0; i < 3; i += 1) {
            raw.ask('GET', path);
            await eventually(() => listening.inFlight() === 1);
            raw.ask('GET', '/indices/next');
            assert.equal((await raw.reply())?.status, 200, path);
            assert.equal((await raw.reply())?.body.toString(), '{"ticker":"next"}');
          }
        }
        const together = await client();
        together.socket.cork();
        for (const path of ['/resolved', '/indices/next', '/resolved']) together.ask('GET', path);
        together.socket.uncork();
        for (const body of ['{"resolved":true}', '{"ticker":"next"}', '{"resolved":true}']) {
          assert.equal((await together.reply())?.body.toString(), body);
        }
        const gone = await client();
        gone.ask('GET', '/soon');
        await eventually(() => listening.inFlight() === 1);
        gone.close();
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('a stream of known length has it, and is whole or cut', () =>
      run(async ({ client, world, listening }) => {
        const raw = await client();
        raw.socket.pause();
        raw.ask('GET', '/sized?13300000,200');
        await sleep(100);
        raw.socket.resume();
        const reply = await raw.reply();
        assert.equal(reply?.headers.get('content-length'), '13300000');
        const parts: Uint8Array[] = [];
        for await (const part of piecesOf(200)) parts.push(part);
        assert.ok(reply?.body.equals(Buffer.concat(parts)));
        raw.ask('GET', '/sized?0,1');
        assert.equal((await raw.reply())?.headers.get('content-length'), '0');
        raw.ask('HEAD', '/sized?12,0');
        assert.equal((await raw.reply('HEAD'))?.headers.get('content-length'), '12');
        assert.deepEqual(world.errors, []);
        for (const [said, told] of [
          ['200001,3', 'shorter'],
          ['199999,3', 'longer'],
          ['5,0', 'shorter'],
        ]) {
          const cut = await client();
          cut.ask('GET', `/sized?${said}`);
          assert.equal(await cut.reply(), undefined, said);
          assert.match(String(world.errors.pop()), new RegExp(`a stream is ${told}`));
        }
        await eventually(() => listening.inFlight() === 0);
      }));

    void test('a reader that takes nothing is cut off in the end', () =>
      run(
        async ({ client, world, listening }) => {
          for (const path of ['/endless', '/big']) {
            const raw = await client();
            raw.socket.pause();
            raw.ask('GET', path);
          }
          await eventually(() => listening.inFlight() === 2);
          await eventually(() => listening.inFlight() === 0);
          assert.equal(world.released, 1);
          assert.deepEqual(world.errors, []);
        },
        { stallMs: 100 },
      ));

    void test('a closing server answers what it has begun and takes nothing new', () =>
      run(async ({ client, world, listening }) => {
        closedByTest.add(listening);
        const waiting = await client();
        const idle = await client();
        idle.ask('GET', '/fixed');
        await idle.reply();
        waiting.ask('GET', '/late?begun');
        await world.arrived(1);
        const closing = listening.close();
        assert.equal(listening.close(), closing);
        await assert.rejects(RawClient.connect(listening.port));
        assert.equal(listening.inFlight(), 1);
        world.open();
        const reply = await waiting.reply();
        assert.match(reply?.body.toString() ?? '', /begun/);
        assert.equal(reply?.headers.get('connection'), 'close');
        await closing;
        assert.equal(listening.inFlight(), 0);
        assert.ok(await idle.ends());
        assert.ok(await waiting.ends());
        await listening.close();
      }));

    void test('a closing server does not wait for ever', () =>
      run(
        async ({ client, world, listening }) => {
          closedByTest.add(listening);
          const stuck = await client();
          const reader = await client();
          stuck.ask('GET', '/late');
          reader.ask('GET', '/endless');
          await world.arrived(1);
          await eventually(() => world.produced > 0);
          const began = performance.now();
          await listening.close();
          assert.ok(performance.now() - began < 2000);
          assert.ok(await stuck.ends());
          assert.ok(await reader.ends());
          await eventually(() => world.aborted === 1 && world.released === 1);
          world.open();
          await eventually(() => listening.inFlight() === 0);
        },
        { drainMs: 100 },
      ));

    void test('a closing server does not wait for a reader that takes nothing of a stream without an end', () =>
      run(
        async ({ client, world, listening }) => {
          closedByTest.add(listening);
          for (let i = 0; i < 2; i += 1) {
            const raw = await client();
            raw.socket.pause();
            raw.ask('GET', '/open-ended');
          }
          await eventually(() => listening.inFlight() === 2);
          let before = -1;
          await eventually(() => {
            const still = world.produced > 0 && world.produced === before;
            before = world.produced;
            return still;
          });
          const late = sleep(5000, 'late', { ref: false });
          assert.notEqual(await Promise.race([listening.close(), late]), 'late');
          await eventually(() => world.released === 2 && listening.inFlight() === 0);
          assert.deepEqual(world.errors, []);
        },
        // uWebSockets.js itself ends such a connection after 10 s.
        { drainMs: 600_000, stallMs: 600_000 },
      ));

    void test('an address that cannot be had is a fault', () =>
      run(async ({ listening }) => {
        const none = pipeline([], { requestId: () => 'none', now: () => 0, onError: () => {} });
        const server = serverOf(none, {});
        for (const address of [
          { host: '127.0.0.1', port: listening.port },
          { host: '192.0.2.1', port: 0 },
        ]) {
          await assert.rejects(server.listen(address), { name: 'Fault', code: 'bad_config' });
        }
      }));

    void test('the client is its peer, whatever it claims to be', () =>
      run(async ({ client }) => {
        const raw = await client();
        raw.ask('GET', '/who', ['X-Forwarded-For: 9.9.9.9', 'Forwarded: for=9.9.9.9']);
        assert.equal((await raw.reply())?.body.toString(), '{"client":"127.0.0.1"}');
      }));

    void test('clients of two addresses are two', async (t) => {
      if (process.platform !== 'linux') return t.skip('only Linux has all of 127.0.0.0/8');
      return run(async ({ listening }) => {
        for (const address of ['127.0.0.1', '127.0.0.2', '127.9.8.7', '127.0.0.2']) {
          const raw = await RawClient.connect(listening.port, address);
          raw.ask('GET', '/who');
          assert.equal((await raw.reply())?.body.toString(), `{"client":"${address}"}`);
          raw.close();
        }
      });
    });

    void test('behind a trusted proxy the client is the right-most untrusted hop', () =>
      run(
        async ({ client }) => {
          const raw = await client();
          for (const [headers, key] of [
            [[], '127.0.0.1'],
            [['X-Forwarded-For: 9.9.9.9'], '9.9.9.9'],
            [['X-Forwarded-For: 1.1.1.1, 9.9.9.9, 10.1.2.3'], '9.9.9.9'],
            [['X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 8.8.8.8'], '8.8.8.8'],
            [['X-Forwarded-For: 2001:db8:1:2:3::4'], '2001:0db8:0001:0002::/64'],
            [['X-Forwarded-For: 1.1.1.1, nonsense'], '127.0.0.1'],
          ] as const) {
            raw.ask('GET', '/who', headers);
            const reply = await raw.reply();
            assert.equal(reply?.body.toString(), JSON.stringify({ client: key }), headers.join());
          }
        },
        { trustedProxies: trustedProxies(['127.0.0.1', '10.0.0.0/8']) },
      ));

    void test('the limit is on every answer, and what is left of it on those that no cache shares', () =>
      run(
        async ({ client, world }) => {
          const asked: readonly (readonly [
            status: number,
            method: string,
            path: string,
            more?: string,
          ])[] = [
            [200, 'GET', '/query'],
            [200, 'HEAD', '/query'],
            [200, 'GET', '/stream'],
            [204, 'OPTIONS', '/query'],
            [404, 'GET', '/nothing'],
            [405, 'DELETE', '/query'],
            [400, 'GET', '/indices/%ZZ'],
            [500, 'GET', '/boom'],
            [500, 'GET', '/boom-later'],
            [503, 'GET', '/halted'],
            [413, 'POST', '/echo', 'Content-Length: 100000'],
            [400, 'POST', '/echo', 'Content-Length: 1\r\nContent-Length: 2'],
          ];
          let left = 50;
          for (const [status, method, path, more] of asked) {
            const raw = await client();
            raw.ask(method, path, more === undefined ? [] : [more]);
            const reply = await raw.reply(method);
            left -= 1;
            assert.equal(reply?.status, status, path);
            if (reply.headers.get('x-request-id') === undefined) continue; // not even read as HTTP
            assert.equal(reply.headers.get('ratelimit-policy'), '"default";q=50;w=60', path);
            assert.equal(reply.headers.get('ratelimit'), `"default";r=${left};t=60`, path);
          }
          assert.equal(world.errors.length, 2);
          const raw = await client();
          for (const [path, budget, headers] of [
            ['/tile/1', 'log', []],
            ['/fixed', 'default', []],
            ['/fixed', 'default', ['If-None-Match: *']],
          ] as const) {
            raw.ask('GET', path, headers);
            const shared = await raw.reply();
            assert.equal(shared?.headers.get('ratelimit-policy'), `"${budget}";q=50;w=60`);
            assert.equal(shared?.headers.has('ratelimit'), false, path);
          }
        },
        {},
        { admit: limiter({ default: 50, log: 50 }, randomBytes).admit, now: () => 7 },
      ));

    void test('requests of every method count, and one too many is answered with when to come back', () => {
      let now = 1000;
      return run(
        async ({ client, world }) => {
          const raw = await client();
          const statusOf = async (method: string, path: string): Promise<number | undefined> => {
            raw.ask(method, path);
            return (await raw.reply(method))?.status;
          };
          assert.equal(await statusOf('GET', '/query'), 200);
          assert.equal(await statusOf('HEAD', '/query'), 200);
          assert.equal(await statusOf('OPTIONS', '/query'), 204);
          assert.equal(await statusOf('DELETE', '/query'), 405);
          assert.equal(await statusOf('GET', '/nothing'), 404);
          now += 12.5;
          raw.ask('GET', '/query');
          const refused = await raw.reply();
          const body = problemOf(refused, 429);
          assert.equal(body['error'], 'rate_limited');
          assert.equal(
            body['type'],
            'https://iana.org/assignments/http-problem-types#quota-exceeded',
          );
          assert.deepEqual(body['violated-policies'], ['default']);
          assert.equal(refused?.headers.get('retry-after'), '48');
          assert.equal(refused?.headers.get('ratelimit'), '"default";r=0;t=48');
          assert.equal(refused?.headers.get('access-control-allow-origin'), '*');
          for (const method of ['OPTIONS', 'DELETE']) {
            assert.equal(await statusOf(method, '/query'), 429);
          }
          const other = await client();
          other.ask('HEAD', '/query');
          const head = await other.reply('HEAD');
          assert.equal(head?.status, 429);
          assert.equal(head?.headers.get('content-length'), String(refused?.body.length));
          assert.equal(head?.headers.get('retry-after'), '48');
          const before = world.bodies.length;
          raw.ask('POST', '/echo', ['Content-Length: 2']);
          raw.send('{}');
          assert.equal((await raw.reply())?.status, 429);
          assert.equal(world.bodies.length, before); // no handler ran
          for (let i = 0; i < 5; i += 1) assert.equal(await statusOf('GET', '/tile/1'), 200);
          raw.ask('GET', '/tile/1');
          const tile = await raw.reply();
          assert.deepEqual(problemOf(tile, 429)['violated-policies'], ['log']);
          now += 47.5;
          assert.equal(await statusOf('GET', '/query'), 200);
        },
        {},
        { admit: limiter({ default: 5, log: 5 }, randomBytes).admit, now: () => now },
      );
    });

    void test('behind a trusted proxy each client has its own limit', () =>
      run(
        async ({ client }) => {
          const raw = await client();
          const statusOf = async (hop: string): Promise<number | undefined> => {
            raw.ask('GET', '/query', [`X-Forwarded-For: ${hop}`]);
            return (await raw.reply())?.status;
          };
          for (const [hop, status] of [
            ['192.0.2.1', 200],
            ['::ffff:192.0.2.1', 429],
            ['192.0.2.2', 200],
            ['2001:db8::1', 200],
            ['2001:db8::2', 429],
            ['2001:db8:0:1::1', 200],
          ] as const) {
            assert.equal(await statusOf(hop), status, hop);
          }
        },
        { trustedProxies: trustedProxies(['127.0.0.1']) },
        { admit: limiter({ default: 1, log: 1 }, randomBytes).admit },
      ));

    void test('what JSON routes refuse, and a record that cannot be read', () =>
      run(async ({ client, world }) => {
        const raw = await client();
        for (const [status, error, headers, body] of [
          [403, 'cross_site', [...JSON_BODY, 'Sec-Fetch-Site: cross-site'], '{}'],
          [415, 'not_json', ['Content-Type: text/plain'], '{}'],
          [415, 'not_json', [], '{}'],
          [400, 'invalid_json', JSON_BODY, '{'],
        ] as const) {
          raw.ask('POST', '/json', [...headers, `Content-Length: ${body.length}`]);
          raw.send(body);
          const reply = await raw.reply();
          assert.equal(problemOf(reply, status)['error'], error);
          assert.equal(reply?.headers.has('access-control-allow-origin'), false);
          assert.equal(reply?.headers.get('cache-control'), 'no-store');
        }
        raw.ask('POST', '/json', [
          ...JSON_BODY,
          'Sec-Fetch-Site: same-origin',
          'Content-Length: 7',
        ]);
        raw.send('{"a":1}');
        assert.equal((await raw.reply())?.body.toString(), '{"a":1}');
        raw.ask('GET', '/halted');
        const halted = await raw.reply();
        assert.equal(problemOf(halted, 503)['error'], 'halted');
        assert.equal(halted?.headers.get('access-control-allow-origin'), '*');
        assert.deepEqual(world.errors, []);
      }));

    void test('a path that is to be retired says so on every answer, and no other does', () =>
      run(async ({ client }) => {
        const raw = await client();
        for (const [method, path, status] of [
          ['GET', '/retired/a', 200],
          ['HEAD', '/v1/retired/a', 200],
          ['OPTIONS', '/retired/a', 204],
          ['PUT', '/retired/a', 405],
          ['GET', '/retired/%', 400],
        ] as const) {
          raw.ask(method, path);
          const reply = await raw.reply(method);
          assert.equal(reply?.status, status);
          assert.equal(reply.headers.get('deprecation'), '@1767225600');
          assert.equal(reply.headers.get('sunset'), 'Mon, 01 Jun 2026 00:00:00 GMT');
          assert.equal(
            reply.headers.get('link'),
            '</v2/new>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
          );
          assert.equal(
            reply.headers.get('access-control-allow-origin'),
            method === 'PUT' ? undefined : '*',
          );
        }
        raw.ask('GET', '/query');
        const other = await raw.reply();
        assert.equal(other?.headers.has('deprecation'), false);
        assert.equal(other?.headers.has('sunset'), false);
      }));

    void test('an IPv4 client of a dual-stack listener keeps its key', async (t) => {
      const hasIpv6 = Object.values(networkInterfaces())
        .flat()
        .some((each) => each?.family === 'IPv6');
      if (!hasIpv6) {
        t.skip('this machine has no IPv6');
        return;
      }
      await run(
        async ({ client }) => {
          const raw = await client();
          raw.ask('GET', '/who');
          assert.equal((await raw.reply())?.body.toString(), '{"client":"127.0.0.1"}');
        },
        {},
        {},
        '::',
      );
    });

    void test('clients that only connect are no burden to a closing server', () =>
      run(async ({ listening }) => {
        closedByTest.add(listening);
        const silent = connect({ port: listening.port, host: '127.0.0.1' });
        await new Promise((resolve) => {
          silent.once('connect', resolve);
        });
        const ended = new Promise((resolve) => {
          silent.once('close', resolve);
        });
        silent.on('error', () => {});
        silent.resume();
        await listening.close();
        await ended;
      }));
  });
}
