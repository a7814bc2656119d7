import type { PageMark } from '@assay/core/rule/paging';
import type { Paging, SourceRequest, Until } from '@assay/core/source/request';

/** A row of `vectors/paging/marks.json`. */
export interface MarkCase {
  readonly name: string;
  readonly paging: Paging;
  /** The bytes of the page. */
  readonly page: string;
  /** What the page shows, or the reason why it shows nothing. */
  readonly gives: PageMark | 'malformed' | 'too_large';
}

/** A row of `vectors/paging/lists.json`. */
export interface ListCase {
  readonly name: string;
  readonly paging: Paging;
  readonly pages: readonly string[];
  readonly gives: 'ok' | 'malformed' | 'too_large';
}

/** A row of `vectors/paging/requests.json`. */
export interface RequestCase {
  readonly name: string;
  readonly request: SourceRequest;
  /** How many pages there are already. */
  readonly count: number;
  /** What the newest of them has as its cursor. */
  readonly cursor: string | null;
  /** The next request; null where the bytes of the page do not show it. */
  readonly gives: { readonly url: string; readonly body: string | null } | 'malformed' | null;
}

type Of<K extends Paging['kind']> = Extract<Paging, { readonly kind: K }>;

const CURSOR: Of<'cursor'> = {
  kind: 'cursor',
  ptr: '/next',
  place: 'query',
  name: 'cursor',
  max_pages: 3,
  until: null,
  total: null,
};
const UNTIL: Until = { rows: '/rows', ptr: '/t', style: 'unix', before: '100' };
const ISO: Until = { ...UNTIL, style: 'iso_instant', before: '1791417600' };
const LINK: Of<'link'> = { kind: 'link', max_pages: 3, until: UNTIL };
const OFFSET: Of<'offset'> = {
  kind: 'offset',
  name: 'offset',
  step: 2,
  rows: '/rows',
  max_pages: 3,
  until: null,
  total: null,
};
const LAST_ITEM: Paging = { ...CURSOR, ptr: '/rows/-/id' };
const COUNTED: Paging = { ...CURSOR, total: { rows: '/rows', ptr: '/all' } };
const TIMED: Paging = { ...CURSOR, until: UNTIL };

const mark = (name: string, paging: Paging, page: string, gives: MarkCase['gives']): MarkCase => ({
  name,
  paging,
  page,
  gives,
});
const ends = (cursor: string | null = null): PageMark => ({ last: true, cursor });
const goes = (cursor: string | null = null): PageMark => ({ last: false, cursor });

const CURSORS: readonly MarkCase[] = [
  mark('one page, whatever it is', { kind: 'none' }, '<html>', ends()),
  mark('a cursor', CURSOR, '{"next":"abc"}', goes('abc')),
  mark('a byte order mark before it', CURSOR, '\uFEFF{"next":"abc"}', goes('abc')),
  mark('a number is taken as it is written', CURSOR, '{"next":12.50}', goes('12.50')),
  mark('null ends the list', CURSOR, '{"next":null}', ends()),
  mark('the empty text ends it', CURSOR, '{"next":""}', ends()),
  mark('a cursor that is absent does not', CURSOR, '{}', 'malformed'),
  mark('with a total it does', COUNTED, '{"all":0,"rows":[]}', ends()),
  mark(
    'with a total, and what holds it is absent',
    { ...COUNTED, ptr: '/a/next' },
    '{"all":0,"rows":[]}',
    'malformed',
  ),
  mark('a renamed member', CURSOR, '{"Next":"abc"}', 'malformed'),
  mark('an object', CURSOR, '{"next":{"a":1}}', 'malformed'),
  mark('a truth value', CURSOR, '{"next":true}', 'malformed'),
  mark('4096 characters', CURSOR, `{"next":"${'x'.repeat(4096)}"}`, goes('x'.repeat(4096))),
  mark('4097 characters', CURSOR, `{"next":"${'x'.repeat(4097)}"}`, 'malformed'),
  mark('half of a surrogate pair', CURSOR, '{"next":"\\ud800"}', 'malformed'),
  mark('no JSON', CURSOR, '<html>', 'malformed'),
  mark('the last item', LAST_ITEM, '{"rows":[{"id":"a"},{"id":"b"}]}', goes('b')),
  mark('no item ends the list', LAST_ITEM, '{"rows":[]}', ends()),
  mark('the last item has none', LAST_ITEM, '{"rows":[{"id":"a"},{}]}', 'malformed'),
  mark('no array', LAST_ITEM, '{"rows":null}', 'malformed'),
  mark(
    'an item by its index',
    { ...CURSOR, ptr: '/rows/1/id' },
    '{"rows":[{"id":"a"},{"id":"b"}]}',
    goes('b'),
  ),
];

const TIMES: readonly MarkCase[] = [
  mark('a last row from before ends it', TIMED, '{"next":"a","rows":[{"t":99}]}', ends('a')),
  mark('a last row at that time does not', TIMED, '{"next":"a","rows":[{"t":100}]}', goes('a')),
  mark(
    'only the last row is looked at',
    TIMED,
    '{"next":"a","rows":[{"t":5},{"t":100}]}',
    goes('a'),
  ),
  mark('no row shows no time', TIMED, '{"next":"a","rows":[]}', goes('a')),
  mark('a list that ends before it is cut', TIMED, '{"next":null,"rows":[{"t":200}]}', 'malformed'),
  mark('the same without a row', TIMED, '{"next":null,"rows":[]}', 'malformed'),
  mark('both ends at once', TIMED, '{"next":null,"rows":[{"t":99}]}', ends()),
  mark('a link', LINK, '{"rows":[{"t":5},{"t":100}]}', goes()),
  mark('a link whose list ends', LINK, '{"rows":[{"t":500},{"t":"99.9"}]}', ends()),
  mark('a fraction is left off, not rounded', LINK, '{"rows":[{"t":"99.999999999"}]}', ends()),
  mark('an exponent', LINK, '{"rows":[{"t":"1e1"}]}', 'malformed'),
  mark('a time that is null', LINK, '{"rows":[{"t":null}]}', 'malformed'),
  mark('a row without a time', LINK, '{"rows":[{}]}', 'malformed'),
  mark('no rows', LINK, '{"error":"no"}', 'malformed'),
  ...(
    [
      ['2026-10-07T23:59:59.999999Z', ends()],
      ['2026-10-08T00:00:00Z', goes()],
      ['2026-10-08T00:00:00.000+00:00', goes()],
      ['2026-10-08', 'malformed'],
      ['2026-10-08T00:00:00', 'malformed'],
      ['2026-13-08T00:00:00Z', 'malformed'],
      ['2026-10-08T00:00:00+02:00', 'malformed'],
    ] as const
  ).map(([time, gives]) =>
    mark(`the instant ${time}`, { ...LINK, until: ISO }, `{"rows":[{"t":"${time}"}]}`, gives),
  ),
];

const OFFSETS: readonly MarkCase[] = [
  mark('a full page goes on', OFFSET, '{"rows":[1,2]}', goes()),
  mark('a page with fewer ends it', OFFSET, '{"rows":[1]}', ends()),
  mark('an empty page ends it', OFFSET, '{"rows":[]}', ends()),
  mark('a page with more', OFFSET, '{"rows":[1,2,3]}', 'malformed'),
  mark('an object for rows', OFFSET, '{"rows":{}}', 'malformed'),
  mark(
    'a full page from before',
    { ...OFFSET, until: UNTIL },
    '{"rows":[{"t":200},{"t":9}]}',
    ends(),
  ),
  mark(
    'a short page that is cut',
    { ...OFFSET, until: UNTIL },
    '{"rows":[{"t":200}]}',
    'malformed',
  ),
];

/** What single pages show of their lists. */
export const MARK_CASES: readonly MarkCase[] = [...CURSORS, ...TIMES, ...OFFSETS];

const list = (
  name: string,
  gives: ListCase['gives'],
  paging: Paging,
  ...pages: readonly string[]
): ListCase => ({ name, paging, pages, gives });
const next = (cursor: string | null): string => JSON.stringify({ next: cursor });
const at = (t: number): string => JSON.stringify({ rows: [{ t }] });
const counted = (cursor: string | null, rows: readonly number[], all: number | string): string =>
  JSON.stringify({ next: cursor, rows, all });

/** Whether pages are one whole list. */
export const LIST_CASES: readonly ListCase[] = [
  list('one page', 'ok', { kind: 'none' }, '1'),
  list('no page', 'malformed', { kind: 'none' }),
  list('two pages where one is asked for', 'malformed', { kind: 'none' }, '1', '2'),
  list('three pages by cursor', 'ok', CURSOR, next('a'), next('b'), next(null)),
  list('no page by cursor', 'malformed', CURSOR),
  list('the end is not there', 'malformed', CURSOR, next('a')),
  list('a page behind the end', 'malformed', CURSOR, next(null), next(null)),
  list('a cursor twice', 'malformed', CURSOR, next('a'), next('a'), next(null)),
  list(
    'the limit of pages kept it from going on',
    'too_large',
    CURSOR,
    next('a'),
    next('b'),
    next('c'),
  ),
  list(
    'more pages than the limit',
    'malformed',
    CURSOR,
    next('a'),
    next('b'),
    next('c'),
    next(null),
  ),
  list('by links, back to the time', 'ok', LINK, at(200), at(1)),
  list('by links, cut short', 'malformed', LINK, at(200)),
  list('by links, a page too many', 'malformed', LINK, at(1), at(1)),
  list('by links, too many', 'too_large', LINK, at(400), at(300), at(200)),
  list('by offset', 'ok', OFFSET, '{"rows":[1,2]}', '{"rows":[3,4]}', '{"rows":[]}'),
  list('by offset, cut short', 'malformed', OFFSET, '{"rows":[1,2]}'),
  list('by offset, a page too many', 'malformed', OFFSET, '{"rows":[1]}', '{"rows":[]}'),
  list('as many rows as it says', 'ok', COUNTED, counted('a', [1, 2], 3), counted(null, [3], '3')),
  list('none, and none', 'ok', COUNTED, counted('', [], 0)),
  list(
    'the last page leaves its cursor out',
    'ok',
    COUNTED,
    counted('a', [1, 2], 3),
    '{"rows":[3],"all":3}',
  ),
  list(
    'the first page leaves it out, and rows are missing',
    'malformed',
    COUNTED,
    '{"rows":[1,2],"all":3}',
  ),
  list('fewer rows than it says', 'malformed', COUNTED, counted(null, [1, 2], 3)),
  list('more rows than it says', 'malformed', COUNTED, counted(null, [1, 2], 1)),
  list(
    'two pages that say different totals',
    'malformed',
    COUNTED,
    counted('a', [1, 2], 4),
    counted(null, [3], 3),
  ),
  list('no total', 'malformed', COUNTED, '{"next":null,"rows":[1]}'),
  list('a total with a leading zero', 'malformed', COUNTED, counted(null, [1], '01')),
  list('a total of ten digits', 'malformed', COUNTED, counted(null, [1], '1000000000')),
  list('a total with a fraction', 'malformed', COUNTED, '{"next":null,"rows":[1],"all":1.0}'),
  list('a total below zero', 'malformed', COUNTED, counted(null, [], -1)),
];

const request = (parts: Partial<SourceRequest>): SourceRequest => ({
  method: 'GET',
  url: 'https://a.example/list?limit=2&key={secret:KEY}',
  headers: [],
  body: null,
  follow: [],
  paging: CURSOR,
  ...parts,
});
const BODY = { ...CURSOR, place: 'body', name: '/params/1/before' } as const;
const post = (name: string, body: string, cursor: string, gives: string | null): RequestCase => {
  const asked = request({ method: 'POST', url: 'https://a.example/rpc', body, paging: BODY });
  return {
    name,
    request: asked,
    count: 1,
    cursor,
    gives: gives === null ? 'malformed' : { url: asked.url, body: gives },
  };
};
const get = (
  name: string,
  parts: Partial<SourceRequest>,
  cursor: string | null,
  url: string | null,
  count = 1,
): RequestCase => ({
  name,
  request: request(parts),
  count,
  cursor,
  gives: url === null ? null : { url, body: null },
});

/** The request of the page that follows. */
export const REQUEST_CASES: readonly RequestCase[] = [
  get('no paging', { paging: { kind: 'none' } }, null, null),
  get('a link, which is in a header', { paging: LINK }, null, null),
  get('the list has ended', {}, null, null),
  get('a parameter', {}, 'n', 'https://a.example/list?limit=2&key={secret:KEY}&cursor=n'),
  get(
    'what a source puts into a cursor names nothing',
    {},
    'a b&c={secret:KEY}#',
    'https://a.example/list?limit=2&key={secret:KEY}&cursor=a%20b%26c%3D%7Bsecret%3AKEY%7D%23',
  ),
  get('a fragment is cut', { url: 'https://a.example/x#f' }, 'n', 'https://a.example/x?cursor=n'),
  get(
    'the parameter of that name is replaced, and put last',
    { url: 'https://a.example/x?cursor=old&cursors=1&limit' },
    'new',
    'https://a.example/x?cursors=1&limit&cursor=new',
  ),
  get(
    'an offset',
    { url: 'https://a.example/x?limit=2&offset=0', paging: OFFSET },
    null,
    'https://a.example/x?limit=2&offset=6',
    3,
  ),
  post(
    'a member of the body is added, and numbers stay as they are written',
    '{"id":1.50,"params":["{secret:KEY}",{"limit":1000}]}',
    'sig',
    '{"id":1.50,"params":["{secret:KEY}",{"limit":1000,"before":"sig"}]}',
  ),
  post(
    'a member of the body is replaced in its place, and braces are escaped',
    '{"params":[null,{"before":"x","b":[true,{}]}]}',
    '{secret:KEY}"',
    '{"params":[null,{"before":"\\u007bsecret:KEY}\\"","b":[true,{}]}]}',
  ),
  post('no place for it', '{"params":[]}', 'c', null),
  post('no object there', '{"params":[1,2]}', 'c', null),
  post('no JSON', 'a=1', 'c', null),
];
