import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A host on a free port of this machine, closed when the test ends; its address. */
export async function localHost(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The address of a port where nobody listens. */
export async function closedHost(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** Sends a byte now and then, and never ends. */
export const drip: RequestListener = (_, response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('0'), 5);
  response.on('close', () => {
    clearInterval(timer);
  });
};

/** Ways in which a host gives no answer, and the code of each. */
export const BROKEN_HOSTS: readonly (readonly [string, RequestListener])[] = [
  ['timeout', () => undefined],
  [
    'timeout',
    (_, response) => {
      response.writeHead(200, { 'content-length': 80 });
      response.flushHeaders();
    },
  ],
  ['timeout', drip],
  [
    'unreachable',
    (request) => {
      request.socket.resetAndDestroy();
    },
  ],
  [
    'unreachable',
    (_, response) => {
      response.writeHead(200, { 'content-length': 80 });
      response.write('0', () => response.socket?.resetAndDestroy());
    },
  ],
  [
    'redirect_refused',
    (_, response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' });
      response.end();
    },
  ],
  [
    'too_large',
    (_, response) => {
      response.on('error', () => undefined);
      response.end(Buffer.alloc(10_000_000, 0x30));
    },
  ],
];
