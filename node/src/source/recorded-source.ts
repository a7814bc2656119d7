import type { SourceRequest } from '@assay/core/source/request';
import type { Clock } from '../platform/clock.ts';
import type { Source, SourceAnswer } from './source.ts';

/** The answer of a source to one request from some time on, until a later recording of the same request. */
export interface Recording {
  readonly request: Pick<SourceRequest, 'method' | 'url' | 'body'>;
  /** Unix seconds. */
  readonly from: number;
  readonly answer: SourceAnswer;
}

const NOTHING: SourceAnswer = {
  kind: 'pages',
  pages: [{ status: 404, contentType: null, bytes: new Uint8Array(0) }],
};

/**
 * A source that gives recorded answers, for samples, replays and tests. A request is identified by method, URL
 * and body, without its secrets. One that was not recorded by `now` gets a 404 with no bytes.
 */
export function recordedSource(recordings: readonly Recording[], now: Clock): Source {
  const byRequest = new Map<string, Recording[]>();
  for (const recording of recordings) {
    const key = keyOf(recording.request);
    const same = byRequest.get(key) ?? [];
    if (same.some(({ from }) => from === recording.from)) {
      throw new TypeError(`two recordings of ${recording.request.url} from ${recording.from}`);
    }
    same.push(recording);
    byRequest.set(key, same);
  }
  for (const same of byRequest.values()) same.sort((a, b) => a.from - b.from);
  return {
    read: async (request, { signal } = {}) => {
      signal?.throwIfAborted();
      const time = now();
      const found = byRequest.get(keyOf(request))?.findLast(({ from }) => from <= time);
      return copyOf(found?.answer ?? NOTHING);
    },
  };
}

function keyOf({ method, url, body }: Recording['request']): string {
  return JSON.stringify([method, url, body]);
}

function copyOf(answer: SourceAnswer): SourceAnswer {
  if (answer.kind === 'failed') return answer;
  return {
    kind: 'pages',
    pages: answer.pages.map((page) => ({ ...page, bytes: page.bytes.slice() })),
  };
}
