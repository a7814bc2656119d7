import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { TestContext } from 'node:test';
import type { Net } from '@assay/node/webhook/guarded-https';

/** What came to a receiver. */
export interface Received {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (received: Received, response: ServerResponse) => void;

/** A receiver on loopback, which only a test's `Net` leads to. */
export class Receiver {
  readonly host: string;
  readonly got: Received[] = [];
  readonly port: number;
  handle: Handler;

  private constructor(host: string, port: number, handle: Handler) {
    this.host = host;
    this.port = port;
    this.handle = handle;
  }

  static async start(
    t: TestContext,
    host: string,
    handle: Handler = answersChallenges,
  ): Promise<Receiver> {
    const server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const received: Received = {
          method: incoming.method ?? '',
          url: new URL(incoming.url ?? '', `https://${host}`),
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        };
        receiver.got.push(received);
        receiver.handle(received, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    const receiver = new Receiver(host, (server.address() as AddressInfo).port, handle);
    return receiver;
  }

  get url(): string {
    return `https://${this.host}/hook`;
  }

  /** The deliveries, without challenges. */
  get posts(): readonly Received[] {
    return this.got.filter(({ method }) => method === 'POST');
  }
}

/** A good receiver: it repeats challenges and takes every message. */
export function answersChallenges({ method, url }: Received, response: ServerResponse): void {
  response.end(method === 'GET' ? (url.searchParams.get('challenge') ?? '') : 'ok');
}

/** Names of receivers, which seem to be on public addresses, and the connections to them without TLS. */
export function netOf(...receivers: readonly Receiver[]): Net & { readonly connected: string[] } {
  const connected: string[] = [];
  return {
    connected,
    resolve: (host) =>
      receivers.some((each) => each.host === host)
        ? Promise.resolve(['8.8.8.8'])
        : Promise.reject(new Error('no such name')),
    connect: (address, _port, host) => {
      connected.push(`${host} ${address}`);
      const receiver = receivers.find((each) => each.host === host);
      return new Promise((resolve, reject) => {
        const socket = connect(receiver?.port ?? 1, '127.0.0.1');
        socket.once('connect', () => {
          resolve(socket);
        });
        socket.once('error', reject);
      });
    },
  };
}
