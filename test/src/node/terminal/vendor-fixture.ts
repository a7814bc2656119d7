import type { SourceRequest } from '@assay/core/source/request';
import type { Source, SourceAnswer } from '@assay/node/source/source';

/** A vendor in a test: it answers what it is given, and remembers what it was asked. */
export interface TestVendor extends Source {
  readonly asked: SourceRequest[];
}

/** Answers with a text, or with what a function says to a request. */
export function vendor(
  body: string | ((request: SourceRequest) => string | SourceAnswer),
): TestVendor {
  const asked: SourceRequest[] = [];
  return {
    asked,
    read(request, { signal } = {}) {
      signal?.throwIfAborted();
      asked.push(request);
      const said = typeof body === 'string' ? body : body(request);
      return Promise.resolve(typeof said === 'string' ? page(said) : said);
    },
  };
}

export function page(text: string, status = 200): SourceAnswer {
  const bytes = new TextEncoder().encode(text);
  return { kind: 'pages', pages: [{ status, contentType: 'application/json', bytes }] };
}

/** Answers that hold no price, each with the reason that a reader gives for every asset. */
export const NO_ANSWERS: readonly (readonly [SourceAnswer, string])[] = [
  [page('<!doctype html><title>Sorry</title>'), 'the answer is no JSON'],
  [page(''), 'the answer is no JSON'],
  [page('{"a":1,"a":2}'), 'the answer is no JSON'],
  [page('[]', 429), 'status 429'],
  [page('{}', 503), 'status 503'],
  [{ kind: 'pages', pages: [] }, 'status unknown'],
  [{ kind: 'failed', reason: 'timeout', detail: 'of a host' }, 'timeout'],
];

export const never: AbortSignal = new AbortController().signal;
