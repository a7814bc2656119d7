import {
  array,
  integer,
  isObject,
  literal,
  nullable,
  object,
  oneOf,
  type Parse,
  string,
} from '../wire/schema.ts';

/**
 * The request of a rule to a source, or that of a node once the variables are filled in. Secrets stay `{secret:NAME}`
 * in every stored form; they are filled in only on the way to the socket.
 */
export interface SourceRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: readonly SourceHeader[];
  readonly body: string | null;
  /** Hosts that a redirect may lead to; if it is empty, no redirect is followed. */
  readonly follow: readonly string[];
  readonly paging: Paging;
}

/** How a source divides an answer into pages. */
export type Paging =
  | { readonly kind: 'none' }
  | {
      /** Each page names the next. A null or empty cursor ends the list. */
      readonly kind: 'cursor';
      /** Where a page holds the cursor; `-` means the last item of an array. */
      readonly ptr: string;
      /** Where the next request has it: in a query parameter, or at a place in a JSON body. */
      readonly place: 'query' | 'body';
      /** The parameter's name, or a pointer into the body. */
      readonly name: string;
      readonly max_pages: number;
      readonly until: Until | null;
      readonly total: Total | null;
    }
  | {
      /**
       * The Link header of a page names the next (RFC 8288). The bytes do not show it; `until` shows where the list
       * ends.
       */
      readonly kind: 'link';
      readonly max_pages: number;
      readonly until: Until;
    }
  | {
      /** A page with fewer than `step` rows is the last. */
      readonly kind: 'offset';
      readonly name: string;
      readonly step: number;
      readonly rows: string;
      readonly max_pages: number;
      readonly until: Until | null;
      readonly total: Total | null;
    };

/**
 * The end of a list that goes back in time: the page whose last row is from before a time. A list that ends sooner is
 * incomplete, because every source has something from before the period.
 */
export interface Until {
  readonly rows: string;
  /** The row's time. */
  readonly ptr: string;
  readonly style: 'unix' | 'iso_instant';
  /** Unix seconds, or a variable that is replaced by them. */
  readonly before: string;
}

/** Each page states how many rows the whole list has. */
export interface Total {
  /** The rows of a page. */
  readonly rows: string;
  /** The number of all rows. */
  readonly ptr: string;
}

const pointer = string(0, 256, /^(\/([^/~]|~[01])*)*$/);
const maxPages = integer(1, 10_000);
const parseUntil: Parse<Until> = object<Until>({
  rows: pointer,
  ptr: pointer,
  style: oneOf(['unix', 'iso_instant']),
  before: string(1, 64, /^(?:[0-9]{1,12}|\{(?:period|release)[^{}]*:unix\})$/),
});
const parseTotal: Parse<Total> = object<Total>({ rows: pointer, ptr: pointer });
type PagingOf<K extends Paging['kind']> = Extract<Paging, { readonly kind: K }>;
const PAGINGS: { readonly [K in Paging['kind']]: Parse<PagingOf<K>> } = {
  none: object<PagingOf<'none'>>({ kind: literal('none') }),
  cursor: object<PagingOf<'cursor'>>({
    kind: literal('cursor'),
    ptr: pointer,
    place: oneOf(['query', 'body']),
    name: string(1, 256),
    max_pages: maxPages,
    until: nullable(parseUntil),
    total: nullable(parseTotal),
  }),
  link: object<PagingOf<'link'>>({
    kind: literal('link'),
    max_pages: maxPages,
    until: parseUntil,
  }),
  offset: object<PagingOf<'offset'>>({
    kind: literal('offset'),
    name: string(1, 64),
    step: integer(1, 100_000),
    rows: pointer,
    max_pages: maxPages,
    until: nullable(parseUntil),
    total: nullable(parseTotal),
  }),
};
const PAGING_KINDS = ['none', 'cursor', 'link', 'offset'] as const;
const parsePagingKind = oneOf(PAGING_KINDS);
const parsePaging: Parse<Paging> = (value, at) => {
  const kind = isObject(value) ? (value['kind'] ?? null) : value;
  return PAGINGS[parsePagingKind(kind, `${at}.kind`)](value, at);
};

export interface SourceHeader {
  readonly name: string;
  readonly value: string;
}

export const parseSourceRequest: Parse<SourceRequest> = object<SourceRequest>({
  method: oneOf(['GET', 'POST']),
  url: string(8, 2048, /^https?:\/\/[^\s]+$/),
  headers: array(
    object<SourceHeader>({
      name: string(1, 64, /^[a-z0-9-]+$/),
      value: string(0, 1024, /^[\u0020-\u007e]*$/),
    }),
    0,
    16,
  ),
  body: nullable(string(0, 16_384)),
  follow: array(string(1, 253, /^[a-z0-9.-]+(:[0-9]+)?$/), 0, 8),
  paging: parsePaging,
});
