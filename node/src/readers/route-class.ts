/**
 * Who answers a route where readers follow the log.
 *
 *     log     a reader, from the log that it follows
 *     own     a reader, by itself: what every process of the service has, and the pages, which ask the other routes
 *     joined  a reader, from its own view and what the publisher says of itself
 *     asked   the publisher, whom a reader asks at most once a second: the answer is the same for everybody
 *     passed  the publisher, for each request: what only one process may decide or know
 */
export type RouteClass = 'log' | 'own' | 'joined' | 'asked' | 'passed';

const BY_CLASS: Readonly<Record<RouteClass, string>> = {
  log: `
    GET /indices
    GET /indices/:ticker
    GET /indices/:ticker/rule
    GET /indices/:ticker/report
    GET /indices/:ticker/history.csv
    GET /indices/:ticker/settlement.csv
    GET /indices/:ticker/recount
    GET /indices/:ticker/listing.json
    GET /indices/:ticker/periods
    GET /indices/close
    GET /.well-known/assay-signer.json
    GET /settlement/latest.json
    GET /settlement/*
    GET /index
    GET /index/:report
    GET /anchors
    GET /proof/:digest
    GET /receipts
    GET /receipts/dataset
    GET /receipts/proof
    GET /arena/rounds/:round
    GET /events
    GET /questions
    GET /questions/:id
    GET /checkpoint
    GET /closing-head/:number
    GET /tile/*
    GET /blob/:hash
    GET /pack/*
    GET /record/figures.json`,
  own: `
    GET /problems
    GET /problems/:code
    GET /healthz
    GET /readyz
    POST /mcp
    GET /openapi.json
    GET /asyncapi.json
    GET /docs
    GET /llms.txt
    GET /
    GET /i/:slug
    GET /a/:symbol
    GET /referee
    GET /log
    GET /log/:seq
    GET /record
    GET /verify
    GET /assets/:hash/:name
    GET /live
    GET /badge/:file
    GET /card/:file
    GET /card.png
    GET /sitemap.xml
    GET /robots.txt`,
  joined: `
    GET /status`,
  asked: `
    GET /board
    GET /asset/:symbol
    GET /base-rate/:symbol
    GET /base-rates
    GET /changelog
    GET /changelog.atom
    GET /arena
    GET /arena/rounds
    GET /arena/handles/:handle
    GET /.well-known/x402
    GET /.well-known/did.json`,
  passed: `
    POST /arena/forecast
    POST /questions/:id/answer
    POST /webhooks/subscribe
    GET /webhooks/confirm
    GET /webhooks/subscription
    POST /webhooks/subscription/change
    POST /webhooks/subscription/test
    POST /webhooks/subscription/pause
    POST /webhooks/subscription/resume
    POST /webhooks/subscription/replay
    POST /webhooks/subscription/rotate
    POST /webhooks/subscription/unsubscribe
    GET /statements
    POST /statements
    GET /history/:symbol
    GET /board/at
    GET /receipts/full
    GET /metrics`,
};

/** The class of every route, by its method and its pattern. A route that is not here stops the start of a reader. */
export const ROUTE_CLASSES: ReadonlyMap<string, RouteClass> = new Map(
  Object.entries(BY_CLASS).flatMap(([of, names]) =>
    names
      .trim()
      .split(/\n\s*/)
      .map((name) => [name, of as RouteClass] as const),
  ),
);

/** The class of a route. Throws a TypeError for one that the table does not have. */
export function routeClass({
  method,
  path,
}: {
  readonly method: string;
  readonly path: string;
}): RouteClass {
  const found = ROUTE_CLASSES.get(`${method} ${path}`);
  if (found === undefined) throw new TypeError(`no class for the route ${method} ${path}`);
  return found;
}
