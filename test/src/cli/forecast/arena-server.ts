import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { arenaPayload, NO_ARENA_BOOK } from '@assay/node/arena/arena-answer';
import { arenaRoundPayload } from '@assay/core/answer/arena-round';
import { parseTilePath } from '@assay/core/log/tile';
import { signerPayload } from '@assay/core/answer/signer';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { ArenaWorld } from '../../node/arena/arena-world.ts';

/** What a server says instead of what it should, by path. */
export type Lies = Map<string, (answer: never) => unknown>;

/** Serves what the CLI asks of an Arena, until the test ends; the address. */
export async function arenaServer(
  t: TestContext,
  world: ArenaWorld,
  lies: Lies = new Map(),
): Promise<string> {
  const server = createServer((request, response) => {
    void answerTo(world, request).then(
      (answer) => send(response, answer, lies.get((request.url ?? '').split('?')[0] ?? '')),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function answerTo(world: ArenaWorld, request: IncomingMessage): Promise<Answer> {
  const { tip } = world.ledger;
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path === '/.well-known/assay-signer.json') {
    return { status: 200, body: signerPayload(tip, nodeSha256) };
  }
  if (path === '/checkpoint') {
    return { status: 200, body: world.ledger.published?.note ?? new Uint8Array() };
  }
  const tile = path.startsWith('/tile/') ? parseTilePath(path.slice(1)) : undefined;
  if (tile !== undefined) {
    return { status: 200, body: (await world.ledger.tile(tile)) ?? new Uint8Array() };
  }
  if (path === '/v1/arena') {
    const moment = { state: tip, sha256: nodeSha256, now: world.at.clock.now, book: NO_ARENA_BOOK };
    return { status: 200, body: arenaPayload(moment, { ticker: undefined, limit: 100 }) };
  }
  if (path === '/v1/arena/forecast' && request.method === 'POST') return posted(world, request);
  const place = /^place=(\d+)$/.exec(query)?.[1];
  const body = arenaRoundPayload(
    tip,
    nodeSha256,
    path.replace('/v1/arena/rounds/', ''),
    place === undefined ? undefined : Number(place),
  );
  return body === undefined ? { status: 404, body: { error: 'not_found' } } : { status: 200, body };
}

async function posted(world: ArenaWorld, request: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const key = request.headers['idempotency-key'];
  const answer = await world.send(JSON.parse(Buffer.concat(parts).toString()) as object, {
    key: String(key),
  });
  if (answer.kind !== 'accepted') {
    return { status: 409, body: { error: answer.kind, detail: answer.detail } };
  }
  const { receipt, salt, secret, handle_id } = answer;
  return { status: 201, body: { accepted: true, receipt, salt, secret, handle_id } };
}

function send(
  response: ServerResponse,
  { status, body }: Answer,
  lie: ((answer: never) => unknown) | undefined,
): void {
  if (body instanceof Uint8Array) {
    response.writeHead(status).end(body);
    return;
  }
  const told = lie === undefined ? body : lie(JSON.parse(JSON.stringify(body)) as never);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told));
}
