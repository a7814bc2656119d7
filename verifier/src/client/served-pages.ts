import { Fault } from '@assay/core/fault';
import { isObject } from '@assay/core/wire/schema';
import type { WireObject, WireValue } from '@assay/core/wire/wire';
import type { LogReader } from '../reader/log-reader.ts';
import { parseJson } from './log-answer.ts';
import type { ServedRows } from './served-rows.ts';

/** A list that is read in pages. */
export type ServedList = keyof ServedRows;

/** What a list is restricted to. */
export interface PageQuery {
  /** The index, by its ticker or slug: of `periods` alone, which needs it. */
  readonly index?: string;
  readonly symbol?: string;
  /** The first day, YYYY-MM-DD. */
  readonly from?: string;
  /** The last day, YYYY-MM-DD. */
  readonly to?: string;
  /** Rows of a page, which decides only how many requests there are. */
  readonly limit?: number;
}

/** Where each list is, and the member of its answer that holds the rows. */
const LISTS: Readonly<Record<ServedList, readonly [path: string, rows: string]>> = {
  receipts: ['/receipts', 'events'],
  dataset: ['/receipts/dataset', 'rows'],
  questions: ['/questions', 'questions'],
  rounds: ['/arena/rounds', 'rounds'],
  periods: ['/indices/:index/periods', 'periods'],
};

/**
 * The rows of a list as the server has them, page by page. Nothing of them is proven, and their shape is what the
 * service promises. Throws `refused` with the server's reason, `malformed` for an answer that is no page and for a list
 * that does not end, and `unreachable` or `timeout`.
 */
export async function* servedRows<List extends ServedList>(
  server: LogReader,
  list: List,
  { index, ...query }: PageQuery,
): AsyncGenerator<ServedRows[List]> {
  const [pattern, member] = LISTS[list];
  if ((index !== undefined) !== pattern.includes(':index')) {
    const expected = index === undefined ? 'an index' : 'no index';
    throw new Fault('malformed', `query of ${list}`, { at: 'index', expected });
  }
  const path = pattern.replace(':index', encodeURIComponent(index ?? ''));
  const restricted = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`);
  const seen = new Set<string>();
  for (let cursor = ''; ;) {
    const url = `${path}?cursor=${encodeURIComponent(cursor)}${restricted.join('')}`;
    const page = await pageOf(server, url);
    const rows = page[member];
    if (!Array.isArray(rows)) {
      throw new Fault('malformed', 'page', { at: url, expected: `rows in ${member}` });
    }
    yield* rows as ServedRows[List][];
    const next: WireValue = page['next_cursor'] ?? null;
    if (next === null) return;
    if (typeof next !== 'string' || next === '' || seen.has(next)) {
      throw new Fault('malformed', 'page', { at: url, expected: 'the cursor of another page' });
    }
    seen.add(next);
    cursor = next;
  }
}

async function pageOf(server: LogReader, path: string): Promise<WireObject> {
  const { status, body } = await server.get(path);
  const value = parseJson(body, path);
  const page = isObject(value) ? value : {};
  if (status === 200) return page;
  const { detail } = page;
  const found = typeof detail === 'string' ? detail : `status ${status}`;
  throw new Fault('refused', 'page', { at: path, expected: 'a page', found });
}
