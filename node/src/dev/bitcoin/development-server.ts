import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { developmentCalendar, type DevelopmentCalendar } from './development-calendar.ts';
import type { DevelopmentChain } from './development-chain.ts';
import { type DevelopmentResponse, textResponse } from './development-request.ts';
import { developmentRpc } from './development-rpc.ts';

export interface DevelopmentServerOptions {
  readonly chain: DevelopmentChain;
  readonly now: Clock;
  /** The calendars, each with the port that it listens on; port 0 takes a free one. */
  readonly calendars: readonly { readonly name: string; readonly port: number }[];
}

export interface DevelopmentServer {
  /** The addresses of the calendars in the given order, which their pending attestations name. */
  readonly calendars: readonly string[];
  /** The address of the JSON-RPC, which each of the ports serves at `/`. */
  readonly rpc: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const MAX_BODY = 65_536;

/** Serves a development chain to other programs on this machine. */
export async function startDevelopmentServer(
  options: DevelopmentServerOptions,
): Promise<DevelopmentServer> {
  const { chain, now } = options;
  const rpc = developmentRpc({ chain, now });
  const servers: Server[] = [];
  const uris: string[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed));
  };
  try {
    for (const { name, port } of options.calendars) {
      let calendar: DevelopmentCalendar | undefined;
      const server = createServer((request, response) => {
        if (calendar === undefined) response.destroy();
        else void reply(request, response, calendar, rpc);
      });
      servers.push(server);
      server.listen(port, HOST);
      await once(server, 'listening');
      const uri = `http://${HOST}:${(server.address() as AddressInfo).port}`;
      calendar = developmentCalendar({ chain, name, uri, now });
      uris.push(uri);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = uris;
  if (first === undefined) throw new TypeError('startDevelopmentServer: no calendar');
  return { calendars: uris, rpc: `${first}/`, close };
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  calendar: DevelopmentCalendar,
  rpc: (body: Uint8Array) => DevelopmentResponse,
): Promise<void> {
  try {
    const body = await readBody(request);
    const { method = '', url: path = '' } = request;
    let answer: DevelopmentResponse;
    if (body === undefined) answer = textResponse(413, 'Too large');
    else if (method === 'POST' && path === '/') answer = rpc(body);
    else answer = calendar.answer({ method, path, body });
    response.writeHead(answer.status, {
      'content-type': answer.contentType,
      'content-length': answer.body.length,
      ...(body === undefined ? { connection: 'close' } : {}),
    });
    response.end(answer.body);
  } catch {
    response.destroy();
  }
}

/** `undefined` if it is too long. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > MAX_BODY) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

async function closed(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
