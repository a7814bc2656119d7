import { faultCode } from '@assay/core/fault';
import { type PagedList, parseCursor } from '@assay/core/answer/page';
import { problem } from '../../http/problem.ts';
import type { ApiReply, Incoming } from '../../http/request.ts';

/** Where a page begins, and what the link to the next one repeats. */
export interface PageStart {
  /** The place after which it begins; undefined for the first page. */
  readonly after: string | undefined;
}

/** What a request for a page names. Days are `YYYY-MM-DD`. */
interface PageInput {
  readonly cursor?: string | undefined;
  readonly offset?: unknown;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Where the page begins that a request asks for by `cursor`, or the problem `bad_request` for what is no cursor of the list, for one
 * that comes with an `offset`, and for a last day before the first. `rows` is how many rows the list has, where a place counts them:
 * a cursor behind them is of another log.
 */
export function pageStart(
  request: Pick<Incoming, 'path'>,
  list: PagedList,
  { cursor, offset, from, to }: PageInput,
  rows: number = Number.POSITIVE_INFINITY,
): PageStart | ApiReply {
  if (from !== undefined && to !== undefined && to < from) {
    return refused(request, '/to', 'before the first day');
  }
  if (cursor === undefined) return { after: undefined };
  if (offset !== undefined) return refused(request, '/cursor', 'not together with offset');
  const after = placeOf(list, cursor);
  if (after === null || Number(after ?? -1) >= rows) {
    return refused(request, '/cursor', 'not a cursor of this list');
  }
  return { after };
}

/** The place in a cursor, undefined for an empty one; null for what is no cursor of the list. */
function placeOf(list: PagedList, cursor: string): string | undefined | null {
  try {
    return parseCursor(list, cursor);
  } catch (error) {
    if (faultCode(error) !== 'malformed') throw error;
    return null;
  }
}

function refused(request: Pick<Incoming, 'path'>, pointer: string, detail: string): ApiReply {
  const errors = [{ pointer, detail }];
  return problem(request, 'bad_request', { detail: `${pointer}: ${detail}`, members: { errors } });
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
