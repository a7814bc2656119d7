import type { ApiReply, ApiRequest, ReadableHeader } from '../http/request.ts';
import type { RouteTable } from '../http/route.ts';
import { type ApiAnswer, type ApiCall, type ApiCaller, MAX_ANSWER } from './api-caller.ts';

const encoder = new TextEncoder();

/**
 * Answers calls by the routes of this process, for whoever sent `from`: limits that a route has of its own count its
 * client. Nothing is compressed and nothing is answered from a cache of the client.
 */
export function routeCaller(table: RouteTable, from: ApiRequest, base: string): ApiCaller {
  const call = async ({
    method,
    target,
    body,
    idempotencyKey,
    signal = from.signal,
  }: ApiCall): Promise<ApiAnswer> => {
    const [path = '', query = ''] = target.split('?', 2);
    const match = table.match(path);
    const route = match.kind === 'found' ? match.endpoint.routes.get(method) : undefined;
    if (route === undefined) return { status: 404, body: new Uint8Array() };
    const headers: Partial<Record<ReadableHeader, string>> = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const bytes = encoder.encode(body === undefined ? '' : JSON.stringify(body));
    const reply = await route.handle({
      method,
      path,
      query,
      params: match.params,
      client: from.client,
      signal,
      header: (name) => headers[name],
      body: () => Promise.resolve(bytes),
    });
    const retryAfter = reply.headers.find(([name]) => name === 'retry-after')?.[1];
    return { status: reply.status, body: await bytesOf(reply), retryAfter };
  };
  return { base, call };
}

/** The whole body of a reply. Throws RangeError above `MAX_ANSWER`. */
async function bytesOf(reply: ApiReply): Promise<Uint8Array> {
  if (reply.kind === 'whole') {
    return typeof reply.body === 'string' ? encoder.encode(reply.body) : reply.body;
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.chunks) {
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
    size += bytes.length;
    if (size > MAX_ANSWER) throw new RangeError('an answer is too large for a tool');
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}
