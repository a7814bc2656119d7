import { faultCode } from '@assay/core/fault';
import { type PagedList, parseCursor } from '@assay/core/answer/page';
import { problem } from '../../http/problem.ts';
import type { ApiReply, Incoming } from '../../http/request.ts';

/** Where a page begins, and what the link to the next one repeats. */
export interface PageStart {
  /** The place after which it begins; undefined for the first page. */
  readonly after: string | undefined;
}

/**
 * Where the page begins that a request asks for by `cursor`, or the problem `bad_request` for what is no cursor of the list, and for
 * one that comes with an `offset`.
 */
export function pageStart(
  request: Pick<Incoming, 'path'>,
  list: PagedList,
  { cursor, offset }: { readonly cursor?: string | undefined; readonly offset?: unknown },
): PageStart | ApiReply {
  if (cursor === undefined) return { after: undefined };
  if (offset !== undefined) return refused(request, 'not together with offset');
  try {
    return { after: parseCursor(list, cursor) };
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    return refused(request, 'not a cursor of this list');
  }
}

function refused(request: Pick<Incoming, 'path'>, detail: string): ApiReply {
  const errors = [{ pointer: '/cursor', detail }];
  return problem(request, 'bad_request', { detail: `/cursor: ${detail}`, members: { errors } });
}

/** The query of the page that follows: the same parameters with its cursor; undefined where there is none. */
export function nextQuery(
  input: Readonly<Record<string, string | number | undefined>>,
  next: string | null,
): string | undefined {
  if (next === null) return undefined;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value !== undefined && name !== 'cursor') query.set(name, String(value));
  }
  query.set('cursor', next);
  return query.toString();
}
