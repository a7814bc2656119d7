import type { Operation } from '../../http/operation.ts';
import type { Route } from '../../http/route.ts';
import type { JsonSchema } from './json-schema.ts';

/** A header object of the document, or a reference to one. */
export interface OpenApiHeader {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
  readonly example?: string;
}

const text: JsonSchema = { type: 'string' };

/** Headers by the name that a client sees; `required` where each answer that lists it has it. */
const HEADERS: Readonly<Record<string, OpenApiHeader>> = {
  'X-Request-Id': {
    description: 'Names this request in the logs of the service. Quote it when something is wrong.',
    required: true,
    schema: text,
    example: 'q3Fv0yVtB1Xw.2k',
  },
  'RateLimit-Policy': {
    description:
      'The quota (draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds for each client address (IPv6: each /64). `/checkpoint`, `/tile/`, `/blob/`, `/settlement/`, `/proof/` and `/anchors` share a larger one, `log`.',
    required: true,
    schema: text,
    example: '"default";q=120;w=60',
  },
  RateLimit: {
    description:
      'What is left of it: `r` requests, and `t` seconds until it is whole again. Absent where a shared cache answers.',
    schema: text,
    example: '"default";r=119;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: text,
    example: '12',
  },
  ETag: {
    description: 'Strong. Send it back as `If-None-Match` to get 304 while nothing has changed.',
    required: true,
    schema: text,
    example: '"Sn1H2cA9oTRmVxkqj0bE4w"',
  },
  'Cache-Control': {
    description: 'How long the answer holds.',
    required: true,
    schema: text,
    example: 'public, no-cache',
  },
  Deprecation: {
    description: 'Since when the route should not be used any more (RFC 9745).',
    required: true,
    schema: text,
    example: '@1798761600',
  },
  Sunset: {
    description: 'From when it may be gone (RFC 8594).',
    required: true,
    schema: text,
    example: 'Fri, 02 Apr 2027 00:00:00 GMT',
  },
  Link: {
    description: 'What takes its place, and the page that says why.',
    required: true,
    schema: text,
    example: '</v2/indices>; rel="successor-version", </docs>; rel="deprecation"; type="text/html"',
  },
  'Assay-Log-Size': {
    description: 'The number of log entries that the folded answer is derived from.',
    required: true,
    schema: text,
    example: '165',
  },
};

export function headerRefs(names: readonly string[]): Record<string, OpenApiHeader> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` } as const]),
  );
}

const RETIRED = ['Deprecation', 'Sunset', 'Link'] as const;

/** The headers that the document has need of: those of retirement where a route is to be retired. */
export function documentHeaders(
  routes: readonly Pick<Route, 'deprecation'>[],
): Readonly<Record<string, OpenApiHeader>> {
  const isRetired = routes.some(({ deprecation }) => deprecation !== undefined);
  const unused: readonly string[] = isRetired ? [] : RETIRED;
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => !unused.includes(name)));
}

/** Names of the headers of every answer of a route: none of a limit where its requests are not counted. */
export function everyHeader({
  deprecation,
  budget,
}: Pick<Route, 'deprecation' | 'budget'>): readonly string[] {
  const limits = budget === 'none' ? [] : ['RateLimit-Policy', 'RateLimit'];
  const common = ['X-Request-Id', ...limits, 'Cache-Control'];
  return deprecation === undefined ? common : [...common, ...RETIRED];
}

/** The headers of the success answers of an operation, beside those of every answer of its route. */
export function successHeaders({ basis, freshness, headers = [] }: Operation): object {
  const own = headers.map(({ name, description, example, always }) => [
    name,
    { description, required: always, schema: text, example },
  ]);
  return {
    ...headerRefs([
      ...(freshness === 'etag' ? ['ETag'] : []),
      ...(basis === 'folded' && freshness === 'etag' ? ['Assay-Log-Size'] : []),
    ]),
    ...Object.fromEntries(own),
  };
}
