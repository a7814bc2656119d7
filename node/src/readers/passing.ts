import type { HeaderList } from '../http/header.ts';
import { problem } from '../http/problem.ts';
import { stream, whole } from '../http/reply.ts';
import {
  type ApiReply,
  type ApiRequest,
  BodyRefused,
  READABLE_HEADERS,
  type WholeReply,
} from '../http/request.ts';
import { addressOfKey, READER_HEADER } from './reader-gate.ts';
import { bodyOf, type WriterAnswer, type WriterClient } from './writer-client.ts';

/** Seconds after which to ask again for what only the publisher can answer. */
const AWAY_RETRY_S = 5;

/** Answers up to this many bytes are read before they are sent. */
const MOST_WHOLE = 1024 * 1024;

/** What each process adds to its own answers, and what belongs to one connection. */
const DROPPED = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cache-control',
  'date',
  'deprecation',
  'keep-alive',
  'ratelimit',
  'ratelimit-policy',
  'sunset',
  'transfer-encoding',
  'uwebsockets',
  'x-content-type-options',
  'x-request-id',
]);

/** The problem of what only the publisher can answer, while it cannot be reached. */
export function writerAway(request: Pick<ApiRequest, 'path'>): WholeReply {
  return problem(request, 'writer_away', { headers: [['retry-after', String(AWAY_RETRY_S)]] });
}

/** The headers of a publisher's answer that belong to the answer, but for its type and how long it is valid. */
export function keptHeaders({ headers }: WriterAnswer): HeaderList {
  return headers.filter(([name]) => !DROPPED.has(name));
}

/** The value of a header of an answer; undefined where it has none. */
export function headerOf({ headers }: WriterAnswer, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1];
}

/**
 * Passes a request on to the publisher, for the client that sent it, and its answer back. Nothing of either is changed
 * but what belongs to a connection or to this process.
 */
export async function passOn(client: WriterClient, request: ApiRequest): Promise<ApiReply> {
  const body = await request.body();
  let answer: WriterAnswer;
  try {
    answer = await client.send({
      method: request.method,
      target: request.query === '' ? request.path : `${request.path}?${request.query}`,
      headers: sentHeaders(request, client.place.token !== undefined),
      ...(body.length === 0 ? {} : { body }),
      client: addressOfKey(request.client),
      isPassed: true,
      signal: request.signal,
    });
  } catch (error) {
    if (request.signal.aborted) throw new BodyRefused('gone');
    if (error instanceof Error) return writerAway(request);
    throw error;
  }
  return request.method === 'HEAD' ? headReply(answer) : replyOf(request, answer);
}

async function replyOf(request: ApiRequest, answer: WriterAnswer): Promise<ApiReply> {
  const { size, status } = answer;
  const type = headerOf(answer, 'content-type') ?? 'application/octet-stream';
  const cacheControl = headerOf(answer, 'cache-control') ?? 'no-store';
  const options = { status, cacheControl, headers: keptHeaders(answer) };
  if (size === undefined || size > MOST_WHOLE) {
    return stream(type, answer.chunks(), { ...options, ...(size === undefined ? {} : { size }) });
  }
  try {
    const body = await bodyOf(answer, MOST_WHOLE);
    return whole(type, body, options);
  } catch {
    return writerAway(request);
  }
}

function headReply(answer: WriterAnswer): ApiReply {
  const { size, status } = answer;
  const type = headerOf(answer, 'content-type') ?? 'application/octet-stream';
  const cacheControl = headerOf(answer, 'cache-control') ?? 'no-store';
  return stream(type, answer.chunks(), {
    status,
    cacheControl,
    headers: keptHeaders(answer),
    ...(size === undefined ? {} : { size }),
  });
}

/** The headers that a route may read, as they came. Where the publisher is asked as anybody, it has its own host name. */
function sentHeaders(request: ApiRequest, isInside: boolean): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of READABLE_HEADERS) {
    if (name === READER_HEADER || name === 'content-length' || name === 'accept-encoding') continue;
    if (name === 'host' && !isInside) continue;
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}
