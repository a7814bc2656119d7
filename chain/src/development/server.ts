import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '@assay/core/fault';
import {
  type DevelopmentChain,
  type DevelopmentChainOptions,
  openDevelopmentChain,
} from './development-chain.ts';
import type { DevelopmentLedger } from './development-ledger.ts';
import { formatJson } from './json.ts';
import { answerRpcText, type RpcMethods } from './json-rpc.ts';
import { webSocketServer, type WsServer, type WsSocket } from './ws.ts';

export interface StartOptions extends DevelopmentChainOptions {
  /** An address of this machine. The default is 127.0.0.1. */
  readonly host?: string;
  /**
   * The port of the JSON-RPC. The pubsub has the next port, where web3.js expects it. 0 takes two free ports.
   */
  readonly port: number;
}

/** A development chain that other programs on this machine can use. */
export interface StartedChain {
  /** `http://host:port`. */
  readonly rpc: string;
  /** `ws://host:port`. */
  readonly pubsub: string;
  readonly ledger: DevelopmentLedger;
  readonly chain: DevelopmentChain;
  close(): Promise<void>;
}

const LOOPBACK = /^(?:127(?:\.[0-9]{1,3}){3}|::1|localhost)$/;
/** The most bytes of a request. */
const MAX_BODY = 131_072;
const MAX_CONNECTIONS = 256;
/** The bytes that may wait for a client that does not read. Above that it is disconnected. */
const MAX_WAITING = 8_388_608;
const REQUEST_MS = 10_000;
/** How many pairs of ports are tried if any pair will do. */
const PORT_TRIES = 20;

/** A page in a browser may call from any origin, because everything here is play money. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-methods': 'POST, GET, OPTIONS',
};

/**
 * Opens a chain and serves it on loopback: JSON-RPC on `port`, and its pubsub on the next port. Throws what
 * `openDevelopmentChain` does, and the error of the system for a port that is in use.
 */
export async function startDevelopmentChain(options: StartOptions): Promise<StartedChain> {
  const { host = '127.0.0.1', port, ...rest } = options;
  if (!LOOPBACK.test(host)) {
    throw new Fault('refused', 'development chain', {
      expected: 'a loopback address',
      found: host,
    });
  }
  const chain = await openDevelopmentChain(rest);
  const rpc = rpcServer(chain.methods);
  const pubsub = createServer((_, response) => {
    response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
  });
  for (const server of [rpc, pubsub]) {
    server.maxConnections = MAX_CONNECTIONS;
    server.requestTimeout = REQUEST_MS;
    server.headersTimeout = REQUEST_MS;
  }
  let sockets: WsServer | undefined;
  const close = async (): Promise<void> => {
    for (const each of sockets?.clients ?? []) each.terminate();
    sockets?.close();
    await Promise.all([closed(rpc), closed(pubsub)]);
    chain.close();
  };
  try {
    const first = await listenPair(rpc, pubsub, host, port);
    sockets = await webSocketServer({
      server: pubsub,
      maxPayload: MAX_BODY,
      perMessageDeflate: false,
    });
    sockets.on('connection', (socket) => serveSocket(socket, chain));
    // If a connection cannot be accepted, only its client is affected.
    sockets.on('error', () => {});
    rpc.on('error', () => {});
    const shown = host.includes(':') ? `[${host}]` : host;
    return {
      rpc: `http://${shown}:${first}`,
      pubsub: `ws://${shown}:${first + 1}`,
      ledger: chain.ledger,
      chain,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Binds two consecutive ports and returns the first. */
async function listenPair(a: Server, b: Server, host: string, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const first = await listen(a, host, port);
    try {
      await listen(b, host, first + 1);
      return first;
    } catch (error) {
      await closed(a);
      if (port !== 0 || attempt === PORT_TRIES) throw error;
    }
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function rpcServer(methods: RpcMethods): Server {
  return createServer((request, response) => {
    reply(request, response, methods).catch(() => response.destroy());
  });
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  methods: RpcMethods,
): Promise<void> {
  if (request.method === 'OPTIONS') {
    response.writeHead(204, CORS).end();
    return;
  }
  if (request.method === 'GET' && request.url === '/health') {
    response.writeHead(200, { ...CORS, 'content-type': 'text/plain' }).end('ok');
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(405, { ...CORS, allow: 'POST' }).end();
    return;
  }
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { ...CORS, connection: 'close' }).end();
    return;
  }
  const text = answerRpcText(body, methods);
  if (text === undefined) {
    response.writeHead(204, CORS).end();
    return;
  }
  response.writeHead(200, { ...CORS, 'content-type': 'application/json' }).end(text);
}

/** Reads the body; `undefined` if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function serveSocket(socket: WsSocket, chain: DevelopmentChain): void {
  const send = (text: string): void => {
    if (socket.bufferedAmount > MAX_WAITING) socket.terminate();
    else socket.send(text);
  };
  const subscriber = chain.subscribe((notification) => send(formatJson(notification)));
  socket.on('message', (data) => {
    chain.ledger.advance();
    const answer = answerRpcText(Buffer.from(data).toString('utf8'), subscriber.methods);
    if (answer !== undefined) send(answer);
  });
  socket.on('close', () => subscriber.close());
  // The library closes a connection that breaks the protocol.
  socket.on('error', () => {});
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  const done = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await done;
}
