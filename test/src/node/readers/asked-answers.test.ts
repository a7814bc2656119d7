import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { ApiRequest } from '@assay/node/http/request';
import { AskedAnswers } from '@assay/node/readers/asked-answers';
import { WriterClient } from '@assay/node/readers/writer-client';

interface World {
  readonly answers: AskedAnswers;
  readonly asked: string[];
  /** Milliseconds of the clock of the answers. */
  clock: number;
  answer: RequestListener;
}

async function worldOf(t: TestContext): Promise<World> {
  const asked: string[] = [];
  const world: World = {
    asked,
    clock: 0,
    answer: (_, response) => {
      const body = `answer ${asked.length}`;
      response.writeHead(200, { 'content-type': 'text/plain', etag: '"x"', 'x-own': 'yes' });
      response.end(body);
    },
    answers: undefined as never,
  };
  const server = createServer((incoming, response) => {
    asked.push(`${incoming.url} ${incoming.headers.accept ?? ''}`);
    world.answer(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new WriterClient({ url: `http://127.0.0.1:${port}`, token: undefined });
  t.after(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(world, { answers: new AskedAnswers(client, () => world.clock) });
}

function request(path: string, accept?: string): ApiRequest {
  return {
    method: 'GET',
    path,
    query: '',
    params: {},
    client: '127.0.0.1',
    signal: new AbortController().signal,
    header: (name) => (name === 'accept' ? accept : undefined),
    body: () => Promise.resolve(new Uint8Array()),
  };
}

async function textOf(world: World, path: string, accept?: string): Promise<string> {
  const reply = await world.answers.answer(request(path, accept));
  assert.equal(reply.kind, 'whole');
  return reply.kind === 'whole' ? `${reply.status} ${Buffer.from(reply.body).toString()}` : '';
}

test('asked answers: whatever number of clients asks, the publisher is asked once a second for each answer', async (t) => {
  const world = await worldOf(t);
  const many = await Promise.all(Array.from({ length: 100 }, () => textOf(world, '/board')));
  assert.deepEqual(new Set(many), new Set(['200 answer 1']));
  await textOf(world, '/arena');
  await textOf(world, '/board', 'text/csv');
  assert.deepEqual(world.asked, ['/board ', '/arena ', '/board text/csv']);
  world.clock = 999;
  assert.equal(await textOf(world, '/board'), '200 answer 1');
  world.clock = 1000;
  assert.equal(await textOf(world, '/board'), '200 answer 4');
});

test('asked answers: what was said last is given for ten seconds where nobody answers, and then it is said', async (t) => {
  const world = await worldOf(t);
  await textOf(world, '/board');
  world.answer = (_, response) => response.destroy();
  for (const clock of [1000, 5000, 9999]) {
    world.clock = clock;
    assert.equal(await textOf(world, '/board'), '200 answer 1', `${clock}`);
  }
  world.clock = 10_000;
  assert.match(await textOf(world, '/board'), /^503 .*"error":"writer_away"/);
  assert.match(await textOf(world, '/arena'), /^503 .*"error":"writer_away"/);
  world.answer = (_, response) => {
    response.writeHead(404, { 'content-type': 'application/problem+json' });
    response.end('{}');
  };
  assert.equal(await textOf(world, '/arena'), '404 {}', 'it is back');
});

test('asked answers: an answer that is cut or too large is none', async (t) => {
  const world = await worldOf(t);
  world.answer = (_, response) => {
    response.writeHead(200, { 'content-length': '10' });
    response.write('half');
    setImmediate(() => response.destroy());
  };
  assert.match(await textOf(world, '/board'), /^503 /);
  world.answer = (_, response) => {
    response.end(Buffer.alloc(5 * 1024 * 1024));
  };
  assert.match(await textOf(world, '/board'), /^503 /);
});
