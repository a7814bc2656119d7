import type { z } from 'zod';
import { type Deprecation, deprecationBlock } from './deprecation.ts';
import type { HeaderBlock } from './header.ts';
import { checkedInput } from './input.ts';
import type { Operation, QuerySchema } from './operation.ts';
import type { ApiReply, ApiRequest, Method } from './request.ts';

/** The names in a pattern: `:ticker` in its own segment, and a last `*` for everything that follows. */
export type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParamsOf<Head> | ParamsOf<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : Path extends '*'
      ? '*'
      : never;

/**
 * Whose requests count together: those for the log's own parts, of which a verifier or a mirror needs
 * thousands, those of a monitor, which must be answered whoever else asks from the same address, and all others.
 */
export type BudgetName = 'default' | 'log' | 'monitor';

/** `none` is for what costs almost nothing and must be answered whoever else asks from the same address. */
export type RouteBudget = BudgetName | 'none';

export interface RouteOptions {
  /** Answers without /v1 only: the paths that another document fixes (C2SP, RFC 8615). */
  readonly unversioned?: boolean;
  /** The default is `default`. All routes of a path share one. */
  readonly budget?: RouteBudget;
  /** Set if the path will be retired. It is the same for all routes of a path. */
  readonly deprecation?: Deprecation;
  /** Of a page that people look at, or what it loads. The OpenAPI document leaves it out. */
  readonly isPage?: boolean;
  /** What a call costs, for the OpenAPI document (`x-payment-info`). */
  readonly payment?: object;
}

export interface DescribedOptions<Query extends QuerySchema> extends RouteOptions {
  /** Its part of the OpenAPI document. Requests are checked against it before the handler runs. */
  readonly operation?: Operation<Query>;
}

export interface Route extends RouteOptions {
  readonly operation?: Operation;
  /** HEAD and OPTIONS are added automatically. */
  readonly method: Exclude<Method, 'HEAD' | 'OPTIONS'>;
  readonly path: string;
  readonly handle: (request: ApiRequest) => ApiReply | Promise<ApiReply>;
}

/** A route whose handler knows the names in its path and the parameters of its query. */
export function route<Path extends string, Query extends QuerySchema = QuerySchema>(
  method: Route['method'],
  path: Path,
  handle: (
    request: ApiRequest<ParamsOf<Path>>,
    query: z.output<Query>,
  ) => ApiReply | Promise<ApiReply>,
  options: DescribedOptions<Query> = {},
): Route {
  const { operation, ...rest } = options;
  if (operation === undefined) {
    return { method, path, handle: (request) => handle(request, {} as z.output<Query>), ...rest };
  }
  return { method, path, handle: checkedInput(operation, handle), operation, ...rest };
}

/** One path with everything that it answers. */
export interface Endpoint {
  /** The pattern, without a version. */
  readonly path: string;
  readonly names: readonly string[];
  readonly routes: ReadonlyMap<string, Route>;
  readonly allow: string;
  /** Whether pages of other sites may read it, which is the case if there is a GET. */
  readonly readable: boolean;
  readonly budget: RouteBudget;
  readonly deprecation: HeaderBlock | undefined;
}

export type Params = Readonly<Record<string, string>>;

export type Match =
  | { readonly kind: 'found'; readonly endpoint: Endpoint; readonly params: Params }
  | { readonly kind: 'malformed'; readonly endpoint: Endpoint; readonly params: Params }
  | { readonly kind: 'none'; readonly endpoint?: undefined; readonly params: Params };

interface Branch {
  readonly literal: Map<string, Branch>;
  param: Branch | undefined;
  leaf: Endpoint | undefined;
  rest: Endpoint | undefined;
}

export interface RouteTable {
  readonly endpoints: readonly Endpoint[];
  match(path: string): Match;
}

const NO_PARAMS: Params = Object.freeze({});
const NONE: Match = { kind: 'none', params: NO_PARAMS };
const VERSION = '/v1';
const PATTERN = /^\/(?:(?::[a-z_]+|[\w.~-]+)(?:\/(?::[a-z_]+|[\w.~-]+))*(?:\/\*)?|\*)?$/;

function branch(): Branch {
  return { literal: new Map(), param: undefined, leaf: undefined, rest: undefined };
}

function segmentsOf(pattern: string): readonly string[] {
  return pattern.slice(1).split('/');
}

function endpointOf(path: string, routes: readonly Route[]): Endpoint {
  if (!PATTERN.test(path)) throw new TypeError(`not a route pattern: ${path}`);
  const names = segmentsOf(path)
    .filter((segment) => segment.startsWith(':') || segment === '*')
    .map((segment) => segment.replace(':', ''));
  if (new Set(names).size !== names.length) throw new TypeError(`a name comes twice: ${path}`);
  const byMethod = new Map<string, Route>();
  const { budget = 'default', deprecation } = routes[0] ?? {};
  for (const each of routes) {
    if ((each.budget ?? 'default') !== budget || each.deprecation !== deprecation) {
      throw new TypeError(`the routes of ${path} disagree about its budget or its end`);
    }
    if (byMethod.has(each.method)) throw new TypeError(`two routes for ${each.method} ${path}`);
    byMethod.set(each.method, each);
    if (each.method === 'GET') byMethod.set('HEAD', each);
  }
  return {
    path,
    names,
    routes: byMethod,
    allow: [...byMethod.keys(), 'OPTIONS'].join(', '),
    readable: byMethod.has('GET'),
    budget,
    deprecation: deprecation === undefined ? undefined : deprecationBlock(deprecation),
  };
}

function insert(root: Branch, pattern: string, endpoint: Endpoint): void {
  let at = root;
  for (const segment of segmentsOf(pattern)) {
    if (segment === '*') {
      if (at.rest !== undefined) throw new TypeError(`two patterns mean ${pattern}`);
      at.rest = endpoint;
      return;
    }
    if (segment.startsWith(':')) {
      at.param ??= branch();
      at = at.param;
      continue;
    }
    let next = at.literal.get(segment);
    if (next === undefined) {
      next = branch();
      at.literal.set(segment, next);
    }
    at = next;
  }
  if (at.leaf !== undefined) throw new TypeError(`two patterns mean ${pattern}`);
  at.leaf = endpoint;
}

/**
 * The endpoint for `segments`, and in `values` what its names match. A literal comes before a name and a name
 * before `*`, with backtracking if the first choice leads nowhere.
 */
function search(
  at: Branch,
  segments: readonly string[],
  index: number,
  values: string[],
): Endpoint | undefined {
  const segment = segments[index];
  if (segment === undefined) return at.leaf;
  const next = at.literal.get(segment);
  const literal = next === undefined ? undefined : search(next, segments, index + 1, values);
  if (literal !== undefined) return literal;
  if (at.param !== undefined && segment !== '') {
    values.push(segment);
    const named = search(at.param, segments, index + 1, values);
    if (named !== undefined) return named;
    values.pop();
  }
  const rest = at.rest === undefined ? '' : segments.slice(index).join('/');
  if (rest === '') return undefined;
  values.push(rest);
  return at.rest;
}

const PLAIN = /^[!-$&-~]*$/; // what a URI may hold, but for %
const ENCODED = /^[!-~]*$/;

/** The decoded value, or `undefined` for broken percent-encoding or what no URI may contain. */
function decode(value: string): string | undefined {
  if (PLAIN.test(value)) return value;
  if (!ENCODED.test(value)) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

const RECENT_PATHS = 1000;
const RECENT_LENGTH = 128;

/** The table of `routes`. Throws a TypeError if two of them match the same paths or one cannot be parsed. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const byPath = new Map<string, Route[]>();
  for (const each of routes) {
    const same = byPath.get(each.path) ?? [];
    same.push(each);
    byPath.set(each.path, same);
  }
  const endpoints: Endpoint[] = [];
  const root = branch();
  // A path without names is looked up as a whole, and its match is made once.
  const plain = new Map<string, Match>();
  for (const [path, same] of byPath) {
    const endpoint = endpointOf(path, same);
    endpoints.push(endpoint);
    const unversioned = same[0]?.unversioned === true;
    if (same.some((each) => (each.unversioned === true) !== unversioned)) {
      throw new TypeError(`the routes of ${path} disagree about the version`);
    }
    const versioned = path === '/' ? [VERSION, `${VERSION}/`] : [VERSION + path];
    const patterns = unversioned ? [path] : [path, ...versioned];
    for (const pattern of patterns) {
      insert(root, pattern, endpoint);
      if (endpoint.names.length === 0) {
        plain.set(pattern, { kind: 'found', endpoint, params: NO_PARAMS });
      }
    }
  }

  function look(path: string): Match {
    const values: string[] = [];
    const endpoint = search(root, segmentsOf(path), 0, values);
    if (endpoint === undefined) return NONE;
    const params: Record<string, string> = {};
    for (const [index, name] of endpoint.names.entries()) {
      const value = decode(values[index] ?? '');
      if (value === undefined) return { kind: 'malformed', endpoint, params: NO_PARAMS };
      params[name] = value;
    }
    return { kind: 'found', endpoint, params: Object.freeze(params) };
  }

  // Paths that are requested again and again cost one lookup, and so does each of a flood of other paths.
  const recent = new Map<string, Match>();

  function match(path: string): Match {
    const known = plain.get(path) ?? recent.get(path);
    if (known !== undefined) return known;
    if (!path.startsWith('/')) return NONE;
    const found = look(path);
    if (found.kind === 'found' && path.length <= RECENT_LENGTH) {
      if (recent.size >= RECENT_PATHS) recent.clear();
      recent.set(path, found);
    }
    return found;
  }

  return { endpoints, match };
}
