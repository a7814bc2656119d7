import { JSON_TYPE, NO_STORE, whole } from '../http/reply.ts';
import { problem } from '../http/problem.ts';
import { headerBlock } from '../http/header.ts';
import { prepareCoding, represent } from '../http/representation.ts';
import type { PipelineOptions } from '../http/pipeline.ts';
import type { ApiReply, ApiRequest, Incoming } from '../http/request.ts';
import { type Params, route, type Route, type RouteTable, routeTable } from '../http/route.ts';
import { prefersHtml } from './negotiation.ts';
import type { Page } from './page.ts';
import { PageServer, type PageServerParts } from './page-server.ts';
import { shareRoutes } from './share-routes.ts';

/** The answer differs by what the client accepts, at the paths that a page and a JSON route share. */
const VARY_ACCEPT = headerBlock([['vary', 'accept']]);
const VERSION = '/v1/';

/** Routes with pages among them. */
export interface PagedRoutes {
  readonly routes: readonly Route[];
  /** The page that says that there is none, for clients that prefer HTML. */
  readonly lost: NonNullable<PipelineOptions['lost']>;
}

const LOST: Page = {
  path: '',
  make: () => Promise.resolve({ missing: 'Nothing here has this address.' }),
};

function lostReply(server: PageServer, request: Incoming): Promise<ApiReply> | undefined {
  const { path } = request;
  if (path.startsWith(VERSION) || !prefersHtml(request.header('accept'))) return undefined;
  return server.answer(LOST, requestOf(request, {}), true);
}

/**
 * `routes` with the pages. A page at the path of a JSON route is shown to clients that prefer HTML, and only without
 * `/v1`: programs name the version, and always get JSON. With the pages come the files that they load, and `/live`, which
 * answers the changing texts of a page as JSON.
 */
export function withPages(
  routes: readonly Route[],
  pages: readonly Page[],
  parts: Omit<PageServerParts, 'table'>,
): PagedRoutes {
  const asking = { ...parts, table: routeTable(routes) };
  const server = new PageServer(asking);
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const shared = new Set<string>();
  const joined = routes.map((json) => {
    const page = json.method === 'GET' ? byPath.get(json.path) : undefined;
    if (page === undefined || json.unversioned === true) return json;
    shared.add(json.path);
    return { ...json, handle: eitherOf(json.handle, server, page) };
  });
  const own = pages.filter(({ path }) => !shared.has(path));
  const all = [
    ...joined,
    ...own.map((page) =>
      route('GET', page.path, (request) => server.answer(page, request, false), {
        unversioned: true,
        isPage: true,
      }),
    ),
    assetRoute(parts),
    liveRoute(server, pages),
    ...shareRoutes(asking, pages),
  ];
  return { routes: all, lost: (request) => lostReply(server, request) };
}

function eitherOf(json: Route['handle'], server: PageServer, page: Page): Route['handle'] {
  // An answer that was asked of a publisher may say so already.
  const varied = (reply: ApiReply): ApiReply =>
    reply.blocks.some(({ list }) => list.some(isVaried)) || reply.headers.some(isVaried)
      ? reply
      : { ...reply, blocks: [...reply.blocks, VARY_ACCEPT] };
  return (request) => {
    if (request.path.startsWith(VERSION)) return json(request);
    if (prefersHtml(request.header('accept'))) return server.answer(page, request, true);
    const reply = json(request);
    return reply instanceof Promise ? reply.then(varied) : varied(reply);
  };
}

function isVaried([name, value]: readonly [string, string]): boolean {
  return name === 'vary' && value === 'accept';
}

function assetRoute({ assets }: Pick<PageServerParts, 'assets'>): Route {
  return route(
    'GET',
    '/assets/:hash/:name',
    async (request) => {
      const asset = assets.at(request.params.hash, request.params.name);
      if (asset === undefined) return problem(request, 'not_found');
      await prepareCoding(asset.representation, request);
      return represent(request, asset.representation);
    },
    { unversioned: true, budget: 'none', isPage: true },
  );
}

/** `/live?page=PATH`: what the script of a page puts in place of its changing texts. */
function liveRoute(server: PageServer, pages: readonly Page[]): Route {
  const table: RouteTable = routeTable(
    pages.map(({ path }) => route('GET', path, () => whole(JSON_TYPE, ''), { unversioned: true })),
  );
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const handle = async (request: ApiRequest): Promise<ApiReply> => {
    const target = new URLSearchParams(request.query).get('page') ?? '';
    const [path = '', query = ''] = target.split('?', 2);
    const match = table.match(path);
    const page = match.kind === 'found' ? byPath.get(match.endpoint.path) : undefined;
    if (page === undefined) {
      return problem(request, 'not_found', { detail: 'No page has that path.' });
    }
    const params: Params = match.params;
    const texts = await server.live(page, { ...requestOf(request, params), path, query });
    if (texts === undefined) {
      return problem(request, 'unavailable', { detail: 'The page cannot be made now.' });
    }
    return whole(JSON_TYPE, JSON.stringify(texts), { cacheControl: NO_STORE });
  };
  return route('GET', '/live', handle, { unversioned: true, isPage: true });
}

/** A request that can be copied: those of the transports have their methods on a prototype. */
function requestOf(request: Omit<ApiRequest, 'method'>, params: Params): ApiRequest {
  return {
    method: 'GET',
    path: request.path,
    query: request.query,
    params,
    client: request.client,
    signal: request.signal,
    header: (name) => request.header(name),
    body: () => request.body(),
  };
}
