import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Fault } from '@assay/core/fault';

/** One request as it is sent. */
export interface SourceAsk {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array | null;
  /** Aborts the request, or the rest of the answer. */
  readonly signal: AbortSignal;
  /**
   * Resolves the host for the socket. The default is the system's resolver. A host that is an address is not
   * looked up.
   */
  readonly lookup?: LookupFunction;
}

export interface SourceResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Decoded; it fails if the answer breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a request, and resolves once the head of the answer has arrived. It follows no redirect. */
export type SendToSource = (ask: SourceAsk) => Promise<SourceResponse>;

/** Headers that belong to the connection and not to a rule (RFC 9110, section 7.6.1). */
const CONNECTION_HEADERS: readonly string[] = [
  'connection',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** How a body is decoded, by the name of its coding (RFC 9110, section 8.4.1). */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Sends over its own sockets, which stay open for the next request to the same host: a socket that others
 * opened may lead where a lookup here would not. Rejects with `unreachable` for a request or an answer that
 * cannot be sent or read, with the signal's reason, and with the failure of the socket or its lookup.
 */
export function sourceSender(): SendToSource {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  return async ({ method, url, headers, body, signal, lookup }) => {
    if (CONNECTION_HEADERS.some((name) => headers.has(name))) {
      throw new Fault('unreachable', 'a header that is the connection’s own');
    }
    const options = {
      method,
      headers: Object.fromEntries(headers),
      signal,
      ...(lookup === undefined ? {} : { lookup }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request =
        url.protocol === 'https:'
          ? httpsRequest(url, { ...options, agent: https }, resolve)
          : httpRequest(url, { ...options, agent: http }, resolve);
      // It stays, because a socket may also fail after the answer's head, and then the body fails.
      request.on('error', reject);
      request.end(body ?? undefined);
    });
    const received = headersOf(response);
    return {
      status: response.statusCode ?? 0,
      headers: received,
      body: decoded(response, received.get('content-encoding')),
    };
  };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  }
  return headers;
}

/** Whether `coding` is a list of codings that are decoded here. */
export function isKnownCoding(coding: string): boolean {
  return codingsOf(coding).every((each) => Object.hasOwn(DECODERS, each));
}

function codingsOf(coding: string | null): readonly string[] {
  const text = coding?.toLowerCase() ?? 'identity';
  return text === 'identity' ? [] : text.split(',').map((each) => each.trim());
}

/** The last coding was applied last. An unknown one is left as it is. */
function decoded(response: IncomingMessage, coding: string | null): AsyncIterable<Uint8Array> {
  let body: Readable = response;
  // Nobody may be reading it when its connection ends.
  body.on('error', () => undefined);
  if (coding === null || !isKnownCoding(coding)) return body;
  for (const each of [...codingsOf(coding)].reverse()) {
    const decoder = DECODERS[each]?.() as unknown as Readable & NodeJS.WritableStream;
    body = pipeline(body, decoder, () => undefined) as unknown as Readable;
  }
  return body;
}
