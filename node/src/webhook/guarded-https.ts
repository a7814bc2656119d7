import { Resolver } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { errorCode } from '../platform/durable-file.ts';
import { isPublicAddress } from '../source/public-address.ts';
import { webhookUrlFault } from './webhook-url.ts';

/** How names are resolved and connections are made. The product has one, `INTERNET`. Tests pass another in. */
export interface Net {
  /** All addresses of a name, in the order in which they are to be tried. */
  resolve(host: string): Promise<readonly string[]>;
  /** A connection by TLS to an address, whose certificate is one of `host`. It resolves once the handshake is over. */
  connect(address: string, port: number, host: string, signal: AbortSignal): Promise<Duplex>;
}

export interface GuardedRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Milliseconds for everything: the name, the connection and the whole answer. */
  readonly timeoutMs: number;
  /** The most bytes that are read of the answer's body; what follows is not waited for. */
  readonly maxAnswer: number;
  readonly signal?: AbortSignal;
}

/** Why there is no answer. The codes never quote the address. */
export const NO_ANSWERS = [
  'url_refused',
  'unresolved',
  'address_refused',
  'unreachable',
  'tls',
  'timeout',
  'not_http',
  'stopped',
] as const;
export type NoAnswer = (typeof NO_ANSWERS)[number];

export type GuardedAnswer =
  | {
      readonly status: number;
      /** The body, cut at `maxAnswer` bytes. */
      readonly body: Uint8Array;
      readonly retryAfter: string | undefined;
      readonly error?: never;
    }
  | { readonly error: NoAnswer; readonly status?: never };

/** A failure with its code. */
class Refusal extends Error {
  readonly code: NoAnswer;

  constructor(code: NoAnswer) {
    super(code);
    this.code = code;
  }
}

/** The most addresses of a name that are tried. */
const MAX_ADDRESSES = 4;

/**
 * The addresses of a name, IPv4 first, by asking name servers itself (c-ares). `lookup` would ask in one of the few threads in which
 * the node also resolves its sources, so strangers whose name servers never answer could hold those up. Neither the hosts file nor
 * search domains count here.
 */
export async function resolveBy(resolver: Resolver, host: string): Promise<readonly string[]> {
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

const RESOLVER = new Resolver({ timeout: 2000, tries: 2 });

export const INTERNET: Net = {
  resolve: (host) => resolveBy(RESOLVER, host),
  connect(address, port, host, signal) {
    return new Promise((resolve, reject) => {
      const socket = connectTls({
        host: address,
        port,
        servername: host,
        ALPNProtocols: ['http/1.1'],
      });
      const leave = (): void => {
        socket.destroy(new Error('given up'));
      };
      signal.addEventListener('abort', leave, { once: true });
      socket.once('secureConnect', () => {
        signal.removeEventListener('abort', leave);
        resolve(socket);
      });
      socket.once('error', (error) => {
        signal.removeEventListener('abort', leave);
        reject(error);
      });
    });
  },
};

/**
 * Sends one request to an address that a stranger named, and cannot be led to a machine that is not public. The addresses of the name are
 * judged, all of them, and the connection is made to one that was judged: nothing is resolved twice. Each request has a connection of its own, a
 * redirect is an answer like any other, and the time and the bytes that it may cost are bounded. It never throws.
 */
export async function guardedRequest(
  text: string,
  request: GuardedRequest,
  net: Net = INTERNET,
): Promise<GuardedAnswer> {
  if (webhookUrlFault(text) !== undefined) return { error: 'url_refused' };
  const url = new URL(text);
  const end = new AbortController();
  const { signal } = end;
  const giveUp = (): void => end.abort();
  // Not by `AbortSignal.any`, which leaves something behind in a signal that lives as long as the process.
  const timer = setTimeout(giveUp, request.timeoutMs);
  request.signal?.addEventListener('abort', giveUp, { once: true });
  if (request.signal?.aborted === true) giveUp();
  let socket: Duplex | undefined;
  try {
    socket = await orAborted(connected(url, net, signal), signal);
    return await exchange(socket, url, request, signal);
  } catch (error) {
    if (request.signal?.aborted === true) return { error: 'stopped' };
    if (signal.aborted) return { error: 'timeout' };
    return { error: error instanceof Refusal ? error.code : 'not_http' };
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', giveUp);
    socket?.destroy();
  }
}

async function connected(url: URL, net: Net, signal: AbortSignal): Promise<Duplex> {
  const host = url.hostname.replace(/\.$/, '');
  const addresses = await net.resolve(host).catch(() => {
    throw new Refusal('unresolved');
  });
  if (addresses.length === 0) throw new Refusal('unresolved');
  // One that is not public among others is how a name is rebound.
  if (!addresses.every(isPublicAddress)) throw new Refusal('address_refused');
  let last: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES)) {
    if (signal.aborted) break;
    try {
      const socket = await net.connect(address, Number(url.port || 443), host, signal);
      // If the request was given up meanwhile, nobody else ends it.
      if (signal.aborted) socket.destroy();
      return socket;
    } catch (error) {
      last = error;
    }
  }
  throw new Refusal(isTlsError(last) ? 'tls' : 'unreachable');
}

/** Whether a peer was reached whose certificate, or whose handshake, is not to be trusted. */
function isTlsError(error: unknown): boolean {
  const code = errorCode(error) ?? '';
  return /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_)/.test(code);
}

/** Rejects when the signal is aborted, whatever becomes of `work`. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    leave = () => {
      reject(new Refusal('timeout'));
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (leave !== undefined) signal.removeEventListener('abort', leave);
    work.catch(() => {});
  }
}

function exchange(
  socket: Duplex,
  url: URL,
  { method, headers, body, maxAnswer }: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: url.host,
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': String(body.length) }),
      },
      // Without an agent there is no pool, from which a request could get a connection that was never judged.
      createConnection: () => socket as never,
      signal,
    });
    sent.on('response', (answer) => {
      readAnswer(answer, maxAnswer).then(resolve, reject);
    });
    // An upgrade and an interim answer are no answers.
    sent.on('upgrade', () => {
      reject(new Refusal('not_http'));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Once there is a status it counts, even if the rest of the answer is cut or does not come in time. */
async function readAnswer(answer: IncomingMessage, maxAnswer: number): Promise<GuardedAnswer> {
  const chunks: Uint8Array[] = [];
  let left = maxAnswer;
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) break;
    }
  } catch {
    // What has come is all that there is.
  }
  const { statusCode = 0, headers } = answer;
  const body = new Uint8Array(Buffer.concat(chunks));
  return { status: statusCode, body, retryAfter: headers['retry-after'] };
}
