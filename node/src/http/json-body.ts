import { type ProblemCode, problem, type ProblemOptions } from './problem.ts';
import type { ApiReply, ApiRequest } from './request.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Wraps a handler of JSON that a page of this service, or a program, may send. Another media type is `not_json`, and a page
 * of another site gets `cross_site`, before the body is read. The media type is required because a form of any site could
 * send JSON under another one without asking first (Fetch, CORS-safelisted types).
 */
export function jsonBody<Name extends string>(
  handle: (request: ApiRequest<Name>, body: unknown) => ApiReply | Promise<ApiReply>,
): (request: ApiRequest<Name>) => ApiReply | Promise<ApiReply> {
  return (request) => {
    const refuse = (code: ProblemCode, options?: ProblemOptions): ApiReply =>
      problem(request, code, options);
    const [type = ''] = (request.header('content-type') ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== 'application/json') return refuse('not_json');
    if (isCrossSite(request)) return refuse('cross_site');
    return request.body().then((bytes) => {
      const parsed = parse(bytes);
      return parsed === undefined ? refuse('invalid_json') : handle(request, parsed.value);
    });
  };
}

/**
 * Whether a browser sends it for a page of another site. Browsers say so in Sec-Fetch-Site (Fetch Metadata). An older one
 * sends the origin of the page alone, which then has to be this host. Other programs send neither.
 */
function isCrossSite(request: ApiRequest): boolean {
  const site = request.header('sec-fetch-site');
  if (site !== undefined) return site === 'cross-site';
  const origin = request.header('origin');
  return origin !== undefined && hostOf(origin) !== request.header('host')?.toLowerCase();
}

/** The host in an origin, with a port that is not the usual one; undefined for `null` and whatever is no origin. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([^/?#@\s]+)$/.exec(origin.toLowerCase())?.[1];
}

function parse(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(decoder.decode(bytes)) as unknown };
  } catch {
    return undefined;
  }
}
