import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Content, Freshness, Operation } from '../http/operation.ts';
import { type ProblemCode, problem, PROBLEM_TYPE } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import {
  BASIS_MARK,
  exampleOf,
  innerSchemas,
  type JsonSchema,
  markBasis,
  type SchemaTable,
} from './json-schema.ts';
import { problemAnswer } from './schema/problem.ts';

/** The version of the interface that the document describes. */
export const API_VERSION = '1.3.0';

/** On an error response: the values that its `error` may have. */
export const ERRORS_MARK = 'x-assay-errors';

export interface OpenApiHeader {
  readonly $ref?: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: JsonSchema;
  readonly example?: string;
}

export interface OpenApiMedia {
  schema: JsonSchema;
  example?: unknown;
  examples?: Readonly<Record<string, { readonly value: unknown; readonly summary?: string }>>;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, OpenApiHeader>>;
  readonly content?: Readonly<Record<string, OpenApiMedia>>;
  readonly [ERRORS_MARK]?: readonly string[];
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly [BASIS_MARK]?: string;
  readonly parameters?: readonly OpenApiParameter[];
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiServer {
  readonly url: string;
  readonly description?: string;
}

export interface OpenApiPathItem {
  readonly servers?: readonly OpenApiServer[];
  readonly get?: OpenApiOperation;
  readonly post?: OpenApiOperation;
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly OpenApiServer[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, OpenApiPathItem>>;
  readonly components: {
    readonly schemas: SchemaTable;
    readonly headers: Readonly<Record<string, OpenApiHeader>>;
  };
}

const DESCRIPTION = `Assay publishes index numbers that money settles on, and lets anyone check every one of them. Reads need no key.

**Folded and live.** Each field is marked \`${BASIS_MARK}\`. \`folded\`: it follows from the public log alone, at the size in the header \`Assay-Log-Size\`, and \`assay verify\` recomputes it to the byte. \`live\`: it is this service's word at this moment.

**Numbers.** A number that money rests on has its exact decimal text beside it (\`value\` and \`value_decimal\`): settle on the text. A value that is not there is null.

**Times and dates.** Times are UTC, ISO 8601 with a Z. A period is named by one date: a week by its last Saturday, a day by itself, a month by its first day.

**Loose answers.** Members may be added to any answer in version 1; none goes away or changes its meaning. Ignore what you do not know.

**Requests.** HEAD and OPTIONS work on every path, and pages of any site may read. A query parameter that is not documented is refused with \`bad_request\`, for a misspelt one would silently get another answer; pages, the log's files and this document ignore the query.

**Errors** are RFC 9457 problem details; act on the short code in \`error\`.`;

const TAGS = [
  {
    name: 'indices',
    description:
      'Index numbers: their periods, rules, signed reports and daily Close, and markets on the next print.',
  },
  {
    name: 'log',
    description:
      'The log itself, as C2SP tlog-tiles lays it out, and what a verifier needs beside it. These paths have no version: their names are fixed elsewhere.',
  },
  { name: 'service', description: 'How the service does, and what it offers.' },
];

const V1 = { url: '/v1', description: 'Version 1: the stable path.' };
const ROOT = { url: '/', description: 'The same routes without the version segment.' };

const text: JsonSchema = { type: 'string' };

/** Headers by the name that a client sees; `always` is said where each such answer has one. */
const HEADERS: Readonly<Record<string, OpenApiHeader>> = {
  'X-Request-Id': {
    description: 'Names this request in the logs of the service. Quote it when something is wrong.',
    required: true,
    schema: text,
    example: '0b4f6f0e-6f0e-4b53-9d8b-8f4a6d1f2c11',
  },
  'RateLimit-Policy': {
    description:
      'The quota (draft-ietf-httpapi-ratelimit-headers): `q` requests in `w` seconds for each client address (IPv6: each /64). The log routes have a larger one of their own.',
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
  'Assay-Log-Size': {
    description: 'Entries of the log that the folded answer stands for.',
    required: true,
    schema: text,
    example: '165',
  },
};

function headerRefs(names: readonly string[]): Record<string, OpenApiHeader> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` } as const]),
  );
}

const EVERY = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit'] as const;

function successHeaders({ basis, freshness, headers = [] }: Operation): object {
  const validators: Readonly<Record<Freshness, readonly string[]>> = {
    etag: ['ETag', 'Cache-Control'],
    immutable: ['Cache-Control'],
    revalidate: ['Cache-Control'],
    none: ['Cache-Control'],
  };
  const own = headers.map(({ name, description, example, always }) => [
    name,
    { description, required: always, schema: text, example },
  ]);
  return {
    ...headerRefs([
      ...EVERY,
      ...validators[freshness],
      ...(basis === 'folded' && freshness === 'etag' ? ['Assay-Log-Size'] : []),
    ]),
    ...Object.fromEntries(own),
  };
}

/** Codes that any route may give, whatever it does. */
const ANY_ROUTE: readonly ProblemCode[] = ['bad_request', 'rate_limited', 'internal'];

interface Saying {
  readonly detail: string;
  readonly members?: Readonly<Record<string, never>>;
}

/** What a problem of an operation may say, for its example. */
function sayingOf(operation: Operation, code: ProblemCode): Saying | undefined {
  switch (code) {
    case 'bad_request': {
      if (operation.query === 'ignored') {
        return operation.params && { detail: 'The path is not valid percent-encoding.' };
      }
      const [name] = Object.keys(operation.query?.shape ?? {});
      const error =
        name === undefined
          ? { pointer: '/day', detail: 'no such parameter; none is taken here' }
          : { pointer: `/${name}`, detail: 'not a date YYYY-MM-DD' };
      return {
        detail: `${error.pointer}: ${error.detail}`,
        members: { errors: [error] as unknown as never },
      };
    }
    case 'no_report':
      return { detail: 'Nothing is signed for LAYOFFS 1999-01-02.' };
    case 'no_kit':
      return { detail: 'Its level is withheld.' };
    case 'rate_limited':
      return {
        detail: 'The quota of this address is used up.',
        members: { 'violated-policies': ['default'] as unknown as never },
      };
    case 'internal':
      return { detail: 'The failure is on record as 0b4f6f0e-6f0e-4b53-9d8b-8f4a6d1f2c11.' };
    case 'halted':
      return { detail: 'The record cannot be read now: /status says why.' };
    default:
      return undefined;
  }
}

interface ProblemExample {
  readonly status: number;
  readonly title: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function problemExample(operation: Operation, code: ProblemCode, path: string): ProblemExample {
  const reply = problem({ path }, code, sayingOf(operation, code));
  const value = JSON.parse(String(reply.body)) as { status: number; title: string };
  return { status: value.status, title: value.title, value: { ...value } };
}

function problemResponses(operation: Operation, path: string): ZodOpenApiResponsesObject {
  const byStatus = new Map<number, Map<ProblemCode, ProblemExample>>();
  for (const code of new Set([...operation.problems, ...ANY_ROUTE])) {
    const example = problemExample(operation, code, path);
    const same = byStatus.get(example.status) ?? new Map<ProblemCode, ProblemExample>();
    byStatus.set(example.status, same.set(code, example));
  }
  const responses: Record<string, ZodOpenApiResponseObject> = {};
  for (const [status, codes] of byStatus) {
    const schema = operation.problemSchemas?.[status];
    responses[String(status)] = {
      description: [...codes].map(([code, { title }]) => `\`${code}\`: ${title}.`).join(' '),
      headers: headerRefs([
        ...EVERY,
        'Cache-Control',
        ...(codes.has('rate_limited') ? ['Retry-After'] : []),
      ]) as never,
      content: {
        [PROBLEM_TYPE]: {
          schema: schema ?? problemAnswer,
          // A body of its own has an example made of its fields, below.
          ...(schema === undefined || status === 404
            ? {
                examples: Object.fromEntries(
                  [...codes].map(([code, { title, value }]) => [code, { summary: title, value }]),
                ),
              }
            : {}),
        },
      },
      [ERRORS_MARK]: [...codes.keys()],
    } as ZodOpenApiResponseObject;
  }
  return responses as ZodOpenApiResponsesObject;
}

function contentsOf({ content }: Operation): readonly Content[] {
  return 'schema' in content ? [content] : content;
}

function successMedia({ type, schema, example }: Content): ZodOpenApiMediaTypeObject {
  const given = example === undefined ? {} : { example };
  if (type !== 'text/csv') return { schema, ...given };
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined) throw new TypeError('a CSV row is a schema with a name');
  return {
    schema: {
      type: 'string',
      description: 'A row of column names, then the rows.',
      contentMediaType: type,
      contentSchema: { type: 'array', items: { $ref: `#/components/schemas/${id}` } },
    } as JsonSchema as never,
    ...given,
  };
}

/** The path in the document's own spelling: the rest of a path is a parameter named `path`. */
export function documentPath(pattern: string): string {
  return pattern.replaceAll(/:([a-z_]+)/g, '{$1}').replace('*', '{path}');
}

/** The path with an example in each place. */
function examplePath(pattern: string, params: z.ZodRawShape): string {
  return Object.entries(params).reduce((path, [name, schema]) => {
    const examples = z.globalRegistry.get(schema as z.ZodType)?.['examples'] as readonly string[];
    return path.replace(name === '*' ? '*' : `:${name}`, examples[0] ?? name);
  }, pattern);
}

function operationObject(route: Route, operation: Operation): ZodOpenApiOperationObject {
  const params = operation.params?.shape ?? {};
  const path = examplePath(route.path, params);
  const named = Object.fromEntries(
    Object.entries(params).map(([name, schema]) => [name === '*' ? 'path' : name, schema]),
  );
  const query = operation.query === 'ignored' ? undefined : operation.query;
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    [BASIS_MARK]: operation.basis,
    requestParams: {
      ...(operation.params === undefined ? {} : { path: z.object(named) }),
      ...(query === undefined ? {} : { query }),
    },
    responses: {
      200: {
        description: operation.success,
        headers: successHeaders(operation) as never,
        content: Object.fromEntries(
          contentsOf(operation).map((each) => [each.type, successMedia(each)]),
        ),
      },
      ...(operation.freshness === 'etag'
        ? {
            304: {
              description: 'Nothing has changed since the answer with that ETag.',
              headers: successHeaders({ ...operation, headers: [] }) as never,
            },
          }
        : {}),
      ...problemResponses(operation, path),
    },
  };
}

/**
 * The OpenAPI document of all routes. Throws TypeError where one has no operation. Marks and examples
 * are put on at the end: they follow from the operation and its fields, so that none can be forgotten.
 */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  const rows: Record<string, z.ZodType> = {};
  const operations = new Map<string, Operation>();
  const ids = new Set<string>();
  for (const route of routes) {
    const { operation } = route;
    const path = documentPath(route.path);
    if (operation === undefined) throw new TypeError(`no operation: ${route.method} ${path}`);
    if (ids.has(operation.id)) throw new TypeError(`two operations are ${operation.id}`);
    ids.add(operation.id);
    const method = route.method.toLowerCase();
    operations.set(`${method} ${path}`, operation);
    paths[path] = {
      ...paths[path],
      ...(route.unversioned === true ? { servers: [{ url: '/' }] } : {}),
      [method]: operationObject(route, operation),
    };
    for (const { type, schema } of contentsOf(operation)) {
      if (type === 'text/csv') rows[z.globalRegistry.get(schema)?.id ?? ''] = schema;
    }
  }
  const made = createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [V1, ROOT],
    security: [],
    tags: TAGS,
    paths,
    components: { schemas: rows, headers: HEADERS as never },
  });
  const document = JSON.parse(JSON.stringify(made)) as OpenApiDocument;
  finish(document, operations);
  return document;
}

function finish(document: OpenApiDocument, operations: ReadonlyMap<string, Operation>): void {
  const { schemas } = document.components;
  for (const schema of Object.values(schemas)) dropSafeBounds(schema);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'post'] as const) {
      const operation = item[method];
      const basis = operations.get(`${method} ${path}`)?.basis;
      if (operation === undefined || basis === undefined) continue;
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const media of Object.values(content)) {
          const body = media.schema.contentSchema ?? media.schema;
          markBasis(schemas, body, status === '200' ? basis : 'live');
          if (media.example === undefined && media.examples === undefined) {
            media.example = mediaExample(schemas, media);
          }
        }
      }
    }
  }
}

/** The bounds of a double's whole numbers say nothing of an answer. */
function dropSafeBounds(schema: JsonSchema): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  for (const inner of innerSchemas(schema)) dropSafeBounds(inner);
}

function mediaExample(schemas: SchemaTable, media: OpenApiMedia): unknown {
  const rows = media.schema.contentSchema;
  if (rows === undefined) return exampleOf(schemas, media.schema);
  const [row = {}] = exampleOf(schemas, rows) as readonly Readonly<Record<string, string>>[];
  return `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`;
}
