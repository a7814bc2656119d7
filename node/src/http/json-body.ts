import { type ProblemCode, problem, type ProblemOptions } from './problem.ts';
import type { ApiReply, ApiRequest } from './request.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Wraps a handler of JSON that a page of this service, or a program, may send. The answer to a page of another
 * site is `cross_site`, before its body is read. The media type is required because a form of any site could
 * send JSON under another one without asking first (Fetch, CORS-safelisted types).
 */
export function jsonBody<Name extends string>(
  handle: (request: ApiRequest<Name>, body: unknown) => ApiReply | Promise<ApiReply>,
): (request: ApiRequest<Name>) => ApiReply | Promise<ApiReply> {
  return (request) => {
    const refuse = (code: ProblemCode, options?: ProblemOptions): ApiReply =>
      problem(request, code, options);
    if (request.header('sec-fetch-site') === 'cross-site') return refuse('cross_site');
    const [type = ''] = (request.header('content-type') ?? '').split(';', 1);
    if (type.trim().toLowerCase() !== 'application/json') return refuse('not_json');
    return request.body().then((bytes) => {
      const parsed = parse(bytes);
      return parsed === undefined ? refuse('invalid_json') : handle(request, parsed.value);
    });
  };
}

function parse(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(decoder.decode(bytes)) as unknown };
  } catch {
    return undefined;
  }
}
