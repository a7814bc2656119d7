import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { HEAT_ALIASES } from '@assay/core/answer/terminal/alias';
import { settlementRoutes } from '@assay/node/api/settlement-routes';
import { documentRoutes } from '@assay/node/api/document/document-routes';
import { foldedRoutes } from '@assay/node/api/folded-routes';
import { BASIS_MARK, innerSchemas, type JsonSchema } from '@assay/node/api/document/json-schema';
import { forecastRoute } from '@assay/node/api/forecast-route';
import { listingRoute } from '@assay/node/api/listing-route';
import { logRoutes } from '@assay/node/api/log-routes';
import { API_VERSION, documentPath, openApiDocument } from '@assay/node/api/document/openapi';
import type { OpenApiOperation } from '@assay/node/api/document/openapi-document';
import { ERRORS_MARK } from '@assay/node/api/document/problem-response';
import { problemRoutes } from '@assay/node/api/problem/problem-routes';
import { proofRoutes } from '@assay/node/api/proof-routes';
import { named } from '@assay/node/api/schema/field';
import { REVISION } from '@assay/node/api/document/revision';
import { inlineResponses } from '@assay/node/api/document/shared-response';
import { receiptRoutes } from '@assay/node/api/receipt-routes';
import { statementRoutes } from '@assay/node/api/statement-routes';
import { tierRoutes } from '@assay/node/api/tier-routes';
import { terminalRoutes } from '@assay/node/api/terminal-routes';
import { statusRoute } from '@assay/node/api/status';
import type { Operation } from '@assay/node/http/operation';
import { route, type Route } from '@assay/node/http/route';
import { whole } from '@assay/node/http/reply';
import { Metrics } from '@assay/node/metrics';
import { Judge } from '../judge.ts';

/** Routes as a node has them; nothing is asked of what they stand on. */
function allRoutes(): readonly Route[] {
  const nothing = {} as never;
  const routes = [
    ...foldedRoutes(nothing, nothing, ['indices', 'log']),
    ...settlementRoutes(nothing, nothing, nothing, nothing, nothing),
    listingRoute(nothing),
    ...proofRoutes(nothing, nothing, nothing),
    ...logRoutes(nothing, nothing),
    ...receiptRoutes(nothing, nothing, nothing, nothing),
    ...terminalRoutes(nothing),
    ...tierRoutes(),
    ...problemRoutes(),
    forecastRoute(undefined),
    ...statementRoutes(undefined),
    statusRoute(nothing),
    new Metrics().route(),
  ];
  return [...routes, ...documentRoutes(routes, () => [])];
}

const DOCUMENT = inlineResponses(openApiDocument(allRoutes()));

const OPERATIONS: readonly (readonly [string, OpenApiOperation])[] = Object.entries(
  DOCUMENT.paths,
).flatMap(([path, item]) => [item.get, item.post].flatMap((each) => (each ? [[path, each]] : [])));

/** Every schema of the document that describes an answer, with the place where it stands. */
function* allSchemas(): Generator<readonly [string, JsonSchema]> {
  const walk = function* (
    place: string,
    schema: JsonSchema,
  ): Generator<readonly [string, JsonSchema]> {
    yield [place, schema];
    for (const [i, inner] of innerSchemas(schema).entries()) yield* walk(`${place}/${i}`, inner);
  };
  for (const [name, schema] of Object.entries(DOCUMENT.components.schemas))
    yield* walk(name, schema);
  for (const [path, { responses }] of OPERATIONS) {
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const { schema } of Object.values(content)) yield* walk(`${path} ${status}`, schema);
    }
  }
}

test('openapi: it says what it is, and lists both servers', () => {
  assert.equal(DOCUMENT.openapi, '3.1.0');
  assert.equal(DOCUMENT.info.version, '1.3.0');
  assert.equal(API_VERSION, '1.3.0');
  assert.equal(DOCUMENT.info['x-revision'], REVISION);
  assert.deepEqual(
    DOCUMENT.servers.map(({ url }) => url),
    ['/v1', '/'],
  );
  assert.match(DOCUMENT.info.description, new RegExp(BASIS_MARK));
  for (const [path, item] of Object.entries(DOCUMENT.paths)) {
    assert.match(path, /^\/(?:[\w.~{}-]+(?:\/[\w.~{}-]+)*)?$/);
    if (item.servers !== undefined) assert.deepEqual(item.servers, [{ url: '/' }], path);
  }
  assert.equal(documentPath('/indices/:ticker/rule'), '/indices/{ticker}/rule');
  assert.equal(documentPath('/tile/*'), '/tile/{path}');
});

test('openapi: every field has its basis, a description and an example', () => {
  let fields = 0;
  for (const [place, schema] of allSchemas()) {
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      fields += 1;
      const at = `${place}.${name}`;
      assert.match(String(field[BASIS_MARK]), /^(folded|live)$/, at);
      assert.ok((field.description ?? '').length > 2, `${at} has no description`);
      const isMade =
        field.$ref !== undefined ||
        field.properties !== undefined ||
        field.type === 'array' ||
        field.type === 'null' ||
        (field.anyOf ?? []).some(
          (each) => each.$ref !== undefined || each.properties !== undefined,
        );
      assert.ok(isMade || field.examples !== undefined, `${at}: no example`);
    }
  }
  assert.ok(fields > 200, `${fields} fields`);
});

test('openapi: folded are exactly the answers that the log decides', () => {
  const basis = Object.fromEntries(OPERATIONS.map(([path, each]) => [path, each[BASIS_MARK]]));
  const folded = Object.keys(basis).filter((path) => basis[path] === 'folded');
  assert.deepEqual(folded.sort(), [
    '/.well-known/assay-signer.json',
    '/anchors',
    '/base-rates',
    '/index',
    '/index/{report}',
    '/indices',
    '/indices/close',
    '/indices/{ticker}',
    '/indices/{ticker}/history.csv',
    '/indices/{ticker}/recount',
    '/indices/{ticker}/report',
    '/indices/{ticker}/rule',
    '/indices/{ticker}/settlement.csv',
    '/proof/{digest}',
    '/receipts',
    '/receipts/dataset',
    '/receipts/proof',
    '/settlement/{path}',
  ]);
  const { schemas } = DOCUMENT.components;
  assert.equal(schemas['Period']?.properties?.['value']?.[BASIS_MARK], 'folded');
  assert.equal(schemas['Status']?.properties?.['now']?.[BASIS_MARK], 'live');
  assert.equal(schemas['NoReportProblem']?.properties?.['title']?.[BASIS_MARK], 'live');
  assert.equal(schemas['NoReportProblem']?.properties?.['void']?.[BASIS_MARK], 'folded');
});

/** The other deprecated members, by the schema that has them, and the member beside them that is read in their place. */
const OTHER_ALIASES: Readonly<Record<string, string | null>> = {
  'Status.status': 'state',
  // `aggregate.quorum` of the rule.
  'Settlement.quorum': null,
};

test('openapi: a heat key is a deprecated alias wherever its replacement is', () => {
  const seen = new Set<string>();
  for (const [place, { properties = {} }] of allSchemas()) {
    for (const [name, field] of Object.entries(properties)) {
      const isAlias = HEAT_ALIASES.some(({ deprecated }) => deprecated === name);
      const other = OTHER_ALIASES[`${place}.${name}`];
      const isDeprecated = isAlias || other !== undefined;
      assert.equal(field.deprecated === true, isDeprecated, `${place}.${name}`);
      if (other != null) assert.ok(properties[other] !== undefined, `${place}.${other}`);
      if (isDeprecated) seen.add(isAlias ? name : `${place}.${name}`);
    }
    for (const { deprecated, replacement } of HEAT_ALIASES) {
      if (properties[replacement] === undefined) continue;
      assert.ok(properties[deprecated] !== undefined, `${place}: ${replacement}, no ${deprecated}`);
    }
  }
  const all = [...HEAT_ALIASES.map(({ deprecated }) => deprecated), ...Object.keys(OTHER_ALIASES)];
  assert.deepEqual([...seen].sort(), all.sort());
});

test('openapi: every example is one that its schema describes', () => {
  const judge = new Judge(DOCUMENT);
  let examples = 0;
  for (const [place, schema] of allSchemas()) {
    for (const example of schema.examples ?? []) {
      examples += 1;
      assert.equal(judge.faults(schema, example), '', `${place}: ${JSON.stringify(example)}`);
    }
  }
  for (const [path, { responses, parameters = [] }] of OPERATIONS) {
    for (const { schema, name } of parameters) {
      for (const example of schema.examples ?? []) {
        assert.equal(judge.faults(schema, example), '', `${path} ${name}`);
      }
      assert.ok((schema.examples ?? []).length > 0, `${path} ${name}`);
    }
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const [type, media] of Object.entries(content)) {
        const given =
          media.examples === undefined
            ? [media.example]
            : Object.values(media.examples).map(({ value }) => value);
        for (const example of given) {
          examples += 1;
          const text = typeof example === 'string' ? example : JSON.stringify(example);
          assert.equal(judge.bodyFaults(type, media, text), '', `${path} ${status} ${type}`);
        }
      }
    }
  }
  assert.ok(examples > 300, `${examples} examples`);
});

/** The codes of bodies that are JSON and not what a path takes. */
const INVALID_BODY: Readonly<Record<string, readonly string[]>> = {
  '/arena/forecast': ['invalid_forecast'],
};

/** The codes of requests of a tier whose payment cannot be read. */
function unpaidIn(responses: object): readonly string[] {
  return '402' in responses ? ['invalid_payment'] : [];
}

test('openapi: each operation lists the errors that any may give, and its own, with examples', () => {
  for (const [path, { responses, requestBody }] of OPERATIONS) {
    const unread = requestBody === undefined ? [] : ['invalid_json', ...(INVALID_BODY[path] ?? [])];
    assert.deepEqual(
      responses['400']?.[ERRORS_MARK],
      [...unread, ...unpaidIn(responses), 'bad_request'],
      path,
    );
    assert.deepEqual(responses['429']?.[ERRORS_MARK], ['rate_limited'], path);
    // Kept bytes that no longer have their hash: only where such bytes are served.
    const kept = /^\/(settlement|tile|blob|pack)\//.test(path) ? ['damaged'] : [];
    assert.deepEqual(responses['500']?.[ERRORS_MARK], [...kept, 'internal'], path);
    assert.ok(responses['429']?.headers?.['Retry-After'] !== undefined, path);
    for (const [status, each] of Object.entries(responses)) {
      for (const name of ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Cache-Control']) {
        assert.ok(each.headers?.[name] !== undefined, `${path} ${status} ${name}`);
      }
      const codes = each[ERRORS_MARK];
      // A 402 has the terms of x402 in place of a problem.
      assert.equal(
        codes !== undefined,
        Number(status) >= 400 && status !== '402',
        `${path} ${status}`,
      );
      const media = each.content?.['application/problem+json'];
      if (codes === undefined || media?.examples === undefined) continue;
      assert.deepEqual(Object.keys(media.examples), codes, `${path} ${status}`);
    }
  }
  const codesOf = (path: string, status: string): readonly string[] | undefined =>
    DOCUMENT.paths[path]?.get?.responses[status]?.[ERRORS_MARK];
  // Section 7 of the service, for what is served so far.
  assert.deepEqual(codesOf('/indices', '503'), ['halted']);
  assert.deepEqual(codesOf('/indices/{ticker}', '404'), ['not_found']);
  assert.deepEqual(codesOf('/indices/{ticker}/report', '404'), ['not_found', 'no_report']);
  assert.deepEqual(codesOf('/indices/{ticker}/listing.json', '404'), ['not_found', 'no_kit']);
  assert.deepEqual(codesOf('/indices/close', '404'), ['not_found']);
  assert.deepEqual(codesOf('/status', '503'), ['halted']);
  assert.deepEqual(codesOf('/board', '503'), ['halted']);
  assert.deepEqual(codesOf('/asset/{symbol}', '404'), ['not_listed']);
  assert.deepEqual(codesOf('/base-rate/{symbol}', '404'), ['not_listed']);
  assert.deepEqual(codesOf('/receipts/proof', '404'), ['not_found']);
  assert.equal(codesOf('/changelog', '503'), undefined);
});

test('openapi: a whole number of a query is an integer with bounds', () => {
  const numbers: Record<string, unknown> = {};
  for (const [path, { parameters = [] }] of OPERATIONS) {
    for (const { name, schema } of parameters) {
      assert.ok(
        !JSON.stringify(schema.examples).startsWith('["') ||
          !/^(limit|offset|before|place|days)$/.test(name),
      );
      if (schema.type !== 'integer') continue;
      numbers[`${path} ${name}`] = [schema.minimum, schema.maximum, schema.default ?? null];
      assert.equal(schema.pattern, undefined, path);
    }
  }
  // Section 8 of the service, and the lists that are read by pages.
  for (const [place, bounds] of Object.entries({
    '/receipts limit': [1, 100, 30],
    '/receipts/dataset limit': [1, 5000, 1000],
    '/receipts/dataset offset': [0, 999_999_999, 0],
    '/receipts/full limit': [1, 500, 200],
    '/receipts/full offset': [0, 999_999_999, 0],
    '/history/{symbol} days': [1, 365, 90],
    '/anchors before': [0, 999_999_999_999_999, null],
  })) {
    assert.deepEqual(numbers[place], bounds, place);
  }
});

test('openapi: what is sent is closed, and what is answered is loose', () => {
  const body = DOCUMENT.paths['/statements']?.post?.requestBody?.content['application/json'];
  const { schemas } = DOCUMENT.components;
  const judge = new Judge(DOCUMENT, 'as written');
  const sent = body?.example as { readonly statement: object };
  assert.equal(judge.faults(body?.schema ?? {}, sent), '');
  assert.notEqual(judge.faults(body?.schema ?? {}, { ...sent, more: 1 }), '');
  const inside = { ...sent, statement: { ...sent.statement, more: 1 } };
  assert.notEqual(judge.faults(body?.schema ?? {}, inside), '');
  assert.equal(judge.faults(schemas['Word'] ?? {}, inside), '', 'an answer may get members');
});

test('openapi: references lead somewhere, parameters are those of the path', () => {
  const text = JSON.stringify(DOCUMENT);
  for (const [, kind = '', name = ''] of text.matchAll(
    /"\$ref":"#\/components\/(schemas|headers)\/([^"]+)"/g,
  )) {
    const table: Readonly<Record<string, unknown>> =
      kind === 'schemas' ? DOCUMENT.components.schemas : DOCUMENT.components.headers;
    assert.ok(table[name] !== undefined, `${kind} ${name}`);
  }
  for (const [path, { parameters = [] }] of OPERATIONS) {
    const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name as string);
    const given = parameters.filter((each) => each.in === 'path').map(({ name }) => name);
    assert.deepEqual(given, inPath, path);
  }
  const tags = new Set(DOCUMENT.tags.map(({ name }) => name));
  for (const [path, operation] of OPERATIONS) {
    assert.ok(
      operation.tags.every((tag) => tags.has(tag)),
      path,
    );
    assert.match(operation.operationId, /^[a-z][A-Za-z]+$/);
  }
});

test('openapi: a route needs an operation, with a name of its own; one to be retired says so', () => {
  const operation: Operation = {
    id: 'getX',
    tag: 'service',
    summary: 'X',
    description: 'X.',
    basis: 'live',
    freshness: 'none',
    success: 'X.',
    content: { type: 'application/json', schema: named(z.looseObject({}), 'X', 'X.') },
    problems: [],
  };
  const handle = (): ReturnType<typeof whole> => whole('text/plain', '');
  assert.throws(() => openApiDocument([route('GET', '/x', handle)]), /no operation: GET \/x/);
  const twice = [
    route('GET', '/x', handle, { operation }),
    route('GET', '/y', handle, { operation }),
  ];
  assert.throws(() => openApiDocument(twice), /two operations are getX/);
  const made = openApiDocument(twice.slice(1));
  assert.equal(made.paths['/y']?.get?.deprecated, undefined);
  assert.equal(made.components.headers['Sunset'], undefined);

  const deprecation = {
    at: '2027-01-01T00:00:00Z',
    sunset: '2027-04-02T00:00:00Z',
    successor: '/v2/x',
    document: '/docs',
  };
  const retired = openApiDocument([route('GET', '/x', handle, { operation, deprecation })]);
  assert.equal(retired.paths['/x']?.get?.deprecated, true);
  for (const each of Object.values(retired.paths['/x'].get.responses)) {
    for (const name of ['Deprecation', 'Sunset', 'Link']) {
      assert.ok(each.headers?.[name] !== undefined && retired.components.headers[name], name);
    }
  }
});

test('openapi: docs/api.md names every header of the document, and the reference every path and error', () => {
  const docs = new URL('../../../../../../docs/', import.meta.url);
  const page = readFileSync(new URL('api.md', docs), 'utf8');
  const routes = readFileSync(new URL('reference/routes.md', docs), 'utf8');
  const errors = readFileSync(new URL('reference/errors.md', docs), 'utf8');
  for (const [path] of OPERATIONS) {
    // `/metrics` is served elsewhere in a service whose document the reference is made of.
    if (path === '/metrics') continue;
    const isThere = ['/v1', ''].some((base) => routes.includes(`T ${base}${path}\n`));
    assert.ok(isThere, path);
  }
  for (const [path, { responses }] of OPERATIONS) {
    for (const each of Object.values(responses)) {
      for (const name of Object.keys(each.headers ?? {})) {
        if (name === 'Content-Security-Policy') continue;
        assert.ok(page.includes(`| \`${name}\` |`), `${path} ${name}`);
      }
      for (const code of each[ERRORS_MARK] ?? [])
        assert.ok(errors.includes(`| \`${code}\` |`), code);
    }
  }
  assert.ok(page.includes(`The document is version ${API_VERSION}.`));
});
