import type { ReadableHeader } from '../http/request.ts';
import { NO_STORE, stream, whole } from '../http/reply.ts';
import type { ApiReply, ApiRequest } from '../http/request.ts';

/** The headers of a request that the protocol reads. */
const READ: readonly ReadableHeader[] = [
  'accept',
  'content-type',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
];

/** Of a stream that has no end of its own: a comment. */
const FILLER = ':\n\n';

/** A request of this server as the Fetch standard has it, with the body that was read. */
export function webRequest(request: ApiRequest, base: string, body: Uint8Array): Request {
  const headers = new Headers();
  for (const name of READ) {
    const value = request.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return new Request(base + request.path, {
    method: 'POST',
    headers,
    body,
    signal: request.signal,
  });
}

/** A response of the Fetch standard as a reply of this server. A stream of events is sent as it comes. */
export async function webReply(response: Response): Promise<ApiReply> {
  const type = response.headers.get('content-type') ?? 'application/json';
  const { status } = response;
  if (response.body !== null && type.startsWith('text/event-stream')) {
    return stream(type, response.body as unknown as AsyncIterable<Uint8Array>, {
      status,
      cacheControl: NO_STORE,
      filler: FILLER,
      headers: [['x-accel-buffering', 'no']],
    });
  }
  const body = new Uint8Array(await response.arrayBuffer());
  return whole(type, body, { status, cacheControl: NO_STORE });
}
