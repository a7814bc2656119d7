import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiMediaTypeObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Content, Operation } from '../../http/operation.ts';
import type { Route } from '../../http/route.ts';
import { closedBody, namesUnder } from './closed-body.ts';
import { documentHeaders, everyHeader, headerRefs, successHeaders } from './answer-header.ts';
import {
  BASIS_MARK,
  exampleOf,
  innerSchemas,
  type JsonSchema,
  markBasis,
  type SchemaTable,
} from './json-schema.ts';
import type { OpenApiDocument, OpenApiMedia } from './openapi-document.ts';
import { problemResponses } from './problem-response.ts';
import { RECORDED } from './recorded-answers.ts';
import { REVISION } from './revision.ts';
import { shareResponses } from './shared-response.ts';
import { webhookObjects } from '../webhook/webhook-document.ts';

/** The version of the specified interface. What this service has beyond it is listed in `/changelog`, whose notes `REVISION` counts. */
export const API_VERSION = '1.3.0';

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
    name: 'terminal',
    description:
      'Activity scores of assets, the events that high scores open, and what became of each after a day, a week and a month. Prices and volumes are not served.',
  },
  {
    name: 'arena',
    description:
      'Forecasts of the next reading of an index, under a public name. What is forecast is sealed until the round is closed, and everything can be checked in the log. Nothing here is official.',
  },
  {
    name: 'referee',
    description:
      'One question for each crypto event, which anybody may answer, the answer of the service, and how good the answers were. Every answer is a commitment in the log before the question closes.',
  },
  {
    name: 'proofs',
    description:
      'Since when a number has been there: the batches that are stamped in Bitcoin by OpenTimestamps, and the proof of each report, Close and checkpoint.',
  },
  {
    name: 'log',
    description:
      'The log itself, as C2SP tlog-tiles lays it out, and what a verifier needs beside it. These paths have no version: their names are fixed elsewhere. A recounter serves its own log at the same paths and copies of others below `/mirror/{hex}`, and is a witness at `POST /add-checkpoint` and `GET /{hex}/checkpoint`: those are C2SP tlog-witness, which is their reference.',
  },
  {
    name: 'recount',
    description:
      'What co-signers send, who read the sources themselves: their statements on reports. Authenticated by their signatures and by nothing else.',
  },
  {
    name: 'webhooks',
    description:
      'Messages to an address of yours whenever something is published, signed by Standard Webhooks. Each names the entry of the log that it follows from.',
  },
  {
    name: 'machine',
    description:
      'Deeper reads of the same record, to be paid per call. Where this tier is closed, each of its paths answers 503 `tier_closed`.',
  },
  { name: 'service', description: 'How the service does, and what it offers.' },
];

const V1 = { url: '/v1', description: 'Version 1: the stable path.' };
const ROOT = { url: '/', description: 'The same routes without the version segment.' };

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

/** The problems of an operation, and beside them what is refused in the form of another protocol. */
function withRefusals(
  problems: ZodOpenApiResponsesObject,
  refusals: Operation['refusals'],
  common: object,
): ZodOpenApiResponsesObject {
  if (refusals === undefined) return problems;
  const { statuses, content } = refusals;
  const both: Record<string, ZodOpenApiResponseObject> = { ...problems } as never;
  for (const [status, words] of Object.entries(statuses)) {
    const problem = both[status];
    both[status] = {
      ...(problem ?? { headers: common as never }),
      description: problem === undefined ? words : `${problem.description} ${words}`,
      content: { ...problem?.content, [content.type]: successMedia(content) },
    };
  }
  return both as ZodOpenApiResponsesObject;
}

function operationObject(route: Route, operation: Operation): ZodOpenApiOperationObject {
  const params = operation.params?.shape ?? {};
  const path = examplePath(route.path, params);
  const named = Object.fromEntries(
    Object.entries(params).map(([name, schema]) => [name === '*' ? 'path' : name, schema]),
  );
  const every = everyHeader(route);
  const common = headerRefs(every);
  const query = operation.query === 'ignored' ? undefined : operation.query;
  const success = (description: string): ZodOpenApiResponseObject => ({
    description,
    headers: { ...common, ...successHeaders(operation) } as never,
    content: Object.fromEntries(
      contentsOf(operation).map((each) => [each.type, successMedia(each)]),
    ),
  });
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    ...(route.deprecation === undefined ? {} : { deprecated: true }),
    ...(route.payment === undefined ? {} : { 'x-payment-info': route.payment }),
    ...(operation.bearer === true ? { security: [{ subscription: [] }] } : {}),
    [BASIS_MARK]: operation.basis,
    requestParams: {
      ...(operation.params === undefined ? {} : { path: z.object(named) }),
      ...(query === undefined ? {} : { query }),
    },
    ...(operation.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [operation.body.type]: successMedia(operation.body) },
          },
        }),
    responses: {
      [operation.successStatus ?? 200]: success(operation.success),
      ...Object.fromEntries(
        Object.entries(operation.others ?? {}).map(([status, words]) => [status, success(words)]),
      ),
      ...(operation.freshness === 'etag'
        ? {
            304: {
              description: 'Nothing has changed since the answer with that ETag.',
              headers: { ...common, ...successHeaders({ ...operation, headers: [] }) } as never,
            },
          }
        : {}),
      ...(operation.charged === undefined
        ? {}
        : {
            402: {
              description:
                'It has to be paid for (x402, version 2): the same object, in base64, is in the header PAYMENT-REQUIRED. Nothing was charged.',
              headers: common as never,
              content: { [operation.charged.type]: successMedia(operation.charged) },
            },
          }),
      ...Object.fromEntries(
        Object.entries(operation.bodiless ?? {}).map(([status, description]) => [
          status,
          { description, headers: common as never },
        ]),
      ),
      ...withRefusals(
        problemResponses(operation, path, every, route.budget !== 'none'),
        operation.refusals,
        common,
      ),
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
      'x-revision': REVISION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [V1, ROOT],
    security: [],
    tags: TAGS,
    paths,
    webhooks: webhookObjects(),
    components: {
      securitySchemes: {
        subscription: {
          type: 'http',
          scheme: 'bearer',
          description: 'The secret of a webhook subscription, `whsec_...`.',
        },
      },
      schemas: rows,
      headers: documentHeaders(routes) as never,
    },
  });
  const document = JSON.parse(JSON.stringify(made)) as OpenApiDocument;
  finish(document, operations);
  return shareResponses(document);
}

function finish(document: OpenApiDocument, operations: ReadonlyMap<string, Operation>): void {
  const { schemas } = document.components;
  for (const schema of Object.values(schemas)) dropSafeBounds(schema);
  closeBodies(document, operations);
  for (const { post } of Object.values(document.webhooks ?? {})) {
    for (const media of Object.values(post?.requestBody?.content ?? {})) {
      markBasis(schemas, media.schema, 'folded');
      media.example ??= mediaExample(schemas, media);
    }
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ['get', 'post'] as const) {
      const operation = item[method];
      const basis = operations.get(`${method} ${path}`)?.basis;
      if (operation === undefined || basis === undefined) continue;
      const { answers = {}, parameters = {}, sent } = RECORDED[operation.operationId] ?? {};
      for (const { name, schema } of operation.parameters ?? []) {
        const text = parameters[name];
        if (text === undefined) continue;
        schema.examples = [schema.type === 'integer' ? Number(text) : text];
      }
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        markBasis(schemas, media.schema, 'live');
        media.example = sent ?? media.example ?? mediaExample(schemas, media);
      }
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const [type, media] of Object.entries(content)) {
          const body = media.schema.contentSchema ?? media.schema;
          markBasis(schemas, body, status.startsWith('2') ? basis : 'live');
          if (media.examples !== undefined) {
            // A problem that stands in for a body has that body's members too.
            const base = exampleOf(schemas, media.schema) as object;
            for (const each of Object.values(media.examples))
              each.value = { ...base, ...each.value };
          } else {
            media.example =
              answers[`${status} ${type}`] ?? media.example ?? mediaExample(schemas, media);
          }
        }
      }
    }
  }
}

/** Answers are described loosely, for members may be added to them; a body says itself whether the service refuses others. */
function closeBodies(
  { paths, components: { schemas } }: OpenApiDocument,
  operations: ReadonlyMap<string, Operation>,
): void {
  const described = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post'] as const).flatMap((method) => {
      const object = item[method];
      const operation = operations.get(`${method} ${path}`);
      return object === undefined || operation === undefined ? [] : [{ object, operation }];
    }),
  );
  const answers = described.flatMap(({ object }) =>
    Object.values(object.responses).flatMap(({ content = {} }) =>
      Object.values(content).map(({ schema }) => schema.contentSchema ?? schema),
    ),
  );
  const shared = namesUnder(schemas, answers);
  for (const { object, operation } of described) {
    if (operation.body?.closed !== true) continue;
    for (const media of Object.values(object.requestBody?.content ?? {})) {
      media.schema = closedBody(schemas, media.schema, shared);
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
