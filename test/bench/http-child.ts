// A server in a process of its own: `assay` and what it serves, or a peer with the one answer that it
// gets from its parent. It tells its port, and when asked its memory.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { foldedRoutes } from '@assay/node/api/folded-routes';
import { logRoutes } from '@assay/node/api/log-routes';
import { Publication } from '@assay/node/api/publication';
import { limiter } from '@assay/node/http/limiter';
import { pipeline } from '@assay/node/http/pipeline';
import { requestIds } from '@assay/node/http/request-id';
import { httpServer } from '@assay/node/http/server';
import { loadUws, type UwsListenToken } from '@assay/node/http/uws';
import { Metrics } from '@assay/node/metrics';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { claimsLog } from './claims-log.ts';

/** An answer that every server of a comparison gives. */
export interface Served {
  readonly path: string;
  readonly contentType: string;
  /** Base64. */
  readonly body: string;
}

/** What a parent says to a server: give this answer, or tell your memory, or your processor time. */
export type Order = { readonly serve: Served } | { readonly memory: true } | { readonly cpu: true };

/** What a server says: where it listens, or bytes of resident memory, or microseconds of processor time. */
export type Word =
  | { readonly port: number }
  | { readonly memory: number }
  | { readonly cpu: number };

/** A load test is to measure answers, not refusals. */
const QUOTA = 1_000_000_000;
const HOST = '127.0.0.1';

function say(word: Word): void {
  process.send?.(word);
}

/** The routes and the pipeline as a node sets them up, metrics included. */
async function serveAssay(): Promise<void> {
  const { ledger, blobs } = await claimsLog(0);
  const publication = new Publication(ledger, nodeSha256);
  const metrics = new Metrics();
  const served = pipeline(
    [
      ...foldedRoutes(ledger, publication, ['indices', 'log']),
      ...logRoutes(ledger, blobs),
      metrics.route(),
    ],
    {
      ...requestIds(randomBytes),
      admit: limiter({ default: QUOTA, log: QUOTA }, randomBytes).admit,
      now: () => performance.now() / 1000,
      onError: (error) => {
        throw error;
      },
      onRequest: (line) => metrics.request(line),
    },
  );
  const server = await httpServer('uws', served);
  const { port } = await server.listen({ host: HOST, port: 0 });
  say({ port });
}

async function serveRaw({ contentType }: Served, body: Uint8Array): Promise<void> {
  const uws = await loadUws();
  if (uws === undefined) throw new Error('uWebSockets.js is not installed');
  const app = uws.App().any('/*', (response) => {
    response.writeHeader('content-type', contentType);
    response.end(body, false);
  });
  app.listen(HOST, 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (token: UwsListenToken | false) => {
    if (token === false) throw new Error('no port');
    say({ port: uws.us_socket_local_port(token) });
  });
}

function serveNode({ contentType }: Served, body: Uint8Array): void {
  const headers = { 'content-type': contentType, 'content-length': body.length };
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, HOST, () => {
    say({ port: (server.address() as AddressInfo).port });
  });
}

/** As much of Fastify as is used here; it is not in the tree. */
interface Fastify {
  get(path: string, handler: (request: unknown, reply: FastifyReply) => FastifyReply): void;
  listen(address: { readonly host: string; readonly port: number }): Promise<string>;
}
interface FastifyReply {
  type(contentType: string): FastifyReply;
  send(body: Uint8Array): FastifyReply;
}

async function serveFastify({ path, contentType }: Served, body: Uint8Array): Promise<void> {
  const name: string = 'fastify';
  const { default: fastify } = (await import(name)) as { readonly default: () => Fastify };
  const app = fastify();
  app.get(path, (_request, reply) => reply.type(contentType).send(body));
  const address = await app.listen({ host: HOST, port: 0 });
  say({ port: Number(new URL(address).port) });
}

const PEERS: Readonly<Record<string, (served: Served, body: Uint8Array) => unknown>> = {
  raw: serveRaw,
  'node:http': serveNode,
  fastify: serveFastify,
};

process.on('disconnect', () => process.exit(0));
const peer = PEERS[process.argv[2] ?? ''];
process.on('message', (order: Order) => {
  if ('memory' in order) {
    globalThis.gc?.();
    say({ memory: process.memoryUsage().rss });
  } else if ('cpu' in order) {
    const { user, system } = process.cpuUsage();
    say({ cpu: user + system });
  } else void peer?.(order.serve, Buffer.from(order.serve.body, 'base64'));
});
if (peer === undefined) await serveAssay();
