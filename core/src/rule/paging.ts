import { Fault } from '../fault.ts';
import type { Paging, SourceRequest, Total, Until } from '../source/request.ts';
import { resolve, scalarText } from './pointer.ts';
import { isSourceNumber, parseSourceJson, type SourceJson } from '../source/source-json.ts';
import { parseTime } from '../time/time.ts';
import { NO_LIMIT, type WorkBudget } from '../work-budget.ts';
import { isWellFormed, parseUtf8 } from '../bytes/utf8.ts';

/** What one page shows about the list that it belongs to. */
export interface PageMark {
  /** Whether the list ends here, as far as the bytes show it. */
  readonly last: boolean;
  /** What the request of the next page must contain; null where pages are not named. */
  readonly cursor: string | null;
}

/** The most characters of a cursor. */
const MAX_CURSOR = 4096;

/** Throws `malformed` for a page that does not show its place in the list, and `too_large` as its JSON does. */
export function readMark(paging: Paging, bytes: Uint8Array, work: WorkBudget = NO_LIMIT): PageMark {
  return readPage(paging, bytes, work).mark;
}

/** A page's mark, and what it counts where its list has a total. */
function readPage(
  paging: Paging,
  bytes: Uint8Array,
  work: WorkBudget,
): { readonly mark: PageMark; readonly counted: Counted | null } {
  if (paging.kind === 'none') return { mark: { last: true, cursor: null }, counted: null };
  const root = parseSourceJson(parseUtf8(bytes).replace(/^\uFEFF/, ''), work);
  const past = paging.until !== null && isPast(root, paging.until);
  if (paging.kind === 'link') return { mark: { last: past, cursor: null }, counted: null };
  const cursor =
    paging.kind === 'cursor' ? cursorOf(root, paging.ptr, paging.total !== null) : null;
  const ends = paging.kind === 'cursor' ? cursor === null : isShort(root, paging);
  if (ends && !past && paging.until !== null) {
    throw wrong(`a list that goes back beyond ${paging.until.before}`, 'its end');
  }
  const counted = paging.total && countedOf(root, paging.total);
  return { mark: { last: past || ends, cursor }, counted };
}

interface Counted {
  readonly rows: number;
  /** How many rows the list has, according to the page. */
  readonly all: number;
}

function countedOf(root: SourceJson, { rows, ptr }: Total): Counted {
  const text = scalarText(resolve(root, ptr), `the total at ${ptr}`);
  if (!/^(?:0|[1-9][0-9]{0,8})$/.test(text)) throw wrong('a whole number', text.slice(0, 80));
  return { rows: rowsOf(root, rows).length, all: Number(text) };
}

/** Whether a page of a list by offset has fewer rows than it could. */
function isShort(
  root: SourceJson,
  { rows, step }: { readonly rows: string; readonly step: number },
): boolean {
  const { length } = rowsOf(root, rows);
  if (length > step) throw wrong(`at most ${step} rows on a page`, String(length));
  return length < step;
}

/**
 * Throws unless the pages are one whole list: each page but the last continues, the last does not, and there are as
 * many rows as each of them states. Throws `too_large` where only `max_pages` ended the list, otherwise `malformed`.
 */
export function requireWhole(
  paging: Paging,
  pages: readonly Uint8Array[],
  work: WorkBudget = NO_LIMIT,
): void {
  const most = paging.kind === 'none' ? 1 : paging.max_pages;
  if (pages.length === 0 || pages.length > most) {
    throw wrong(`1 to ${most} pages`, String(pages.length));
  }
  const seen = new Set<string>();
  const totals: Counted[] = [];
  for (const [i, bytes] of pages.entries()) {
    const { mark, counted } = readPage(paging, bytes, work);
    const { last, cursor } = mark;
    if (counted !== null) totals.push(counted);
    if (last !== (i === pages.length - 1)) {
      if (last) throw wrong(`page ${i} to be the last`, `${pages.length} pages`);
      if (pages.length === most)
        throw new Fault('too_large', 'list', { expected: `${most} pages` });
      throw wrong('the pages up to the end', `${pages.length}`);
    }
    if (last || cursor === null) continue;
    if (seen.has(cursor)) throw wrong('each cursor once', cursor.slice(0, 80));
    seen.add(cursor);
  }
  const rows = totals.reduce((sum, counted) => sum + counted.rows, 0);
  const other = totals.find(({ all }) => all !== rows);
  if (other !== undefined) throw wrong(`${other.all} rows, as a page says`, String(rows));
}

/**
 * The request of the page after the first `count`, by what the newest of them shows. Undefined where its bytes do not
 * show the address, because a Link header does. What a source put into a cursor is taken literally, so it can name no
 * secret.
 */
export function nextRequest(
  request: SourceRequest,
  count: number,
  { cursor }: PageMark,
): SourceRequest | undefined {
  const { paging } = request;
  switch (paging.kind) {
    case 'none':
    case 'link':
      return undefined;
    case 'offset':
      return { ...request, url: withParameter(request.url, paging.name, `${count * paging.step}`) };
    case 'cursor':
      if (cursor === null) return undefined;
      return paging.place === 'query'
        ? { ...request, url: withParameter(request.url, paging.name, cursor) }
        : { ...request, body: withMember(request.body ?? '', paging.name, cursor) };
  }
}

/** Whether a filled-in request can continue in the way that its paging describes. */
export function canPage(request: SourceRequest): boolean {
  const { method, paging } = request;
  if (paging.kind === 'link') return method === 'GET';
  if (paging.kind !== 'cursor' || paging.place === 'query') return true;
  try {
    return method === 'POST' && nextRequest(request, 1, { last: false, cursor: 'a' }) !== undefined;
  } catch {
    return false;
  }
}

function wrong(expected: string, found: string): Fault {
  return new Fault('malformed', 'list', { expected, found });
}

function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The cursor at a pointer; null where the list ends. The cursor must exist, unless it is a member of an item and there
 * is no item, or the list is counted, in which case a last page may leave it out.
 */
function cursorOf(root: SourceJson, pointer: string, counted: boolean): string | null {
  let node: SourceJson = root;
  const parts = partsOf(pointer);
  for (const [i, part] of parts.entries()) {
    let next: SourceJson | undefined;
    if (node instanceof Map) {
      next = node.get(part) as SourceJson | undefined;
      if (next === undefined && counted && i === parts.length - 1) return null;
    } else if (Array.isArray(node)) {
      if (part === '-' && node.length === 0) return null;
      next = (part === '-' ? node.at(-1) : resolve(node, `/${part}`)) as SourceJson | undefined;
    }
    if (next === undefined) throw wrong(`a cursor at ${pointer}`, 'none');
    node = next;
  }
  if (node === null || node === '') return null;
  const text = scalarText(node, `the cursor at ${pointer}`);
  if (text.length > MAX_CURSOR || !isWellFormed(text)) {
    throw wrong(`a cursor of at most ${MAX_CURSOR} characters`, `${text.length}`);
  }
  return text;
}

function rowsOf(root: SourceJson, pointer: string): readonly SourceJson[] {
  const rows = resolve(root, pointer);
  if (!Array.isArray(rows)) throw wrong(`an array at ${JSON.stringify(pointer)}`, 'none');
  return rows as readonly SourceJson[];
}

/** Whether the last row of a page is from before the time at which its list may end. */
function isPast(root: SourceJson, { rows, ptr, style, before }: Until): boolean {
  const last = rowsOf(root, rows).at(-1);
  if (last === undefined) return false;
  const text = scalarText(resolve(last, ptr), `the time at ${ptr}`);
  return (style === 'unix' ? unixOf(text) : instantOf(text)) < Number(before);
}

/** A time in whole seconds. Fractions are cut off in the text, because a double would round them up. */
function unixOf(text: string): number {
  const match = /^(0|[1-9][0-9]{0,11})(?:\.[0-9]{1,9})?$/.exec(text);
  if (match === null) throw wrong('unix seconds', text);
  return Number(match[1]);
}

function instantOf(text: string): number {
  const match = /^([0-9-]{10}T[0-9:]{8})(?:\.[0-9]{1,9})?(?:Z|\+00:00)$/.exec(text);
  if (match === null) throw wrong('a time like 2026-10-08T14:00:00.000Z', text.slice(0, 80));
  return parseTime(`${match[1]}Z`);
}

/** A URL with one query parameter set. It is edited as text, because a URL parser would encode `{secret:NAME}`. */
function withParameter(url: string, name: string, value: string): string {
  const [address = ''] = url.split('#', 1);
  const cut = address.indexOf('?');
  const path = cut < 0 ? address : address.slice(0, cut);
  const own = encodeURIComponent(name);
  const others = (cut < 0 ? '' : address.slice(cut + 1))
    .split('&')
    .filter((each) => each !== '' && ![own, name].includes(each.split('=', 1)[0] ?? ''));
  return `${path}?${[...others, `${own}=${encodeURIComponent(value)}`].join('&')}`;
}

/** A JSON text with the member at a pointer set. Throws `malformed`. */
function withMember(body: string, pointer: string, value: string): string {
  const parts = partsOf(pointer);
  const last = parts.pop();
  const set = (node: SourceJson | undefined, depth: number): string => {
    const part = parts[depth];
    if (node instanceof Map) {
      const members = new Map<string, string>();
      for (const [key, each] of node as ReadonlyMap<string, SourceJson>) {
        members.set(key, key === part ? set(each, depth + 1) : writeJson(each));
      }
      if (part === undefined) members.set(last ?? '', braceless(value));
      else if (!members.has(part)) throw wrong(`a place at ${pointer}`, 'none');
      return `{${[...members].map(([key, each]) => `${JSON.stringify(key)}:${each}`).join(',')}}`;
    }
    if (Array.isArray(node) && part !== undefined && resolve(node, `/${part}`) !== undefined) {
      const items = (node as readonly SourceJson[]).map((each, i) =>
        String(i) === part ? set(each, depth + 1) : writeJson(each),
      );
      return `[${items.join(',')}]`;
    }
    throw wrong(`an object at ${pointer}`, 'none');
  };
  if (last === undefined) throw wrong('a pointer to a member', pointer);
  return set(parseSourceJson(body, NO_LIMIT), 0);
}

/** A JSON string in which nothing looks like a variable or the name of a secret. */
function braceless(value: string): string {
  return JSON.stringify(value).replaceAll('{', '\\u007b');
}

function writeJson(value: SourceJson): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isSourceNumber(value)) return value.number;
  if (value instanceof Map) {
    const members = [...(value as ReadonlyMap<string, SourceJson>)];
    return `{${members.map(([key, each]) => `${JSON.stringify(key)}:${writeJson(each)}`).join(',')}}`;
  }
  return `[${(value as readonly SourceJson[]).map(writeJson).join(',')}]`;
}
