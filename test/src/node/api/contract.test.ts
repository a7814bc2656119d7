import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ClosePayload } from '@assay/core/answer/close';
import type { IndexDetailPayload, IndexPayload } from '@assay/core/answer/index';
import type { ReportPayload } from '@assay/core/answer/report';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { documentPath } from '@assay/node/api/document/openapi';
import type {
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from '@assay/node/api/document/openapi-document';
import { firstClose, withDemo } from '../fixture/demo-node.ts';
import { firstBatch } from './first-batch.ts';
import { Judge } from './judge.ts';
import { noTransport, TRANSPORTS } from './world-service.ts';

/** Requests of each kind for each operation; more with ASSAY_FUZZ_RUNS. */
const RUNS = Number(process.env['ASSAY_FUZZ_RUNS'] ?? 15);

/** A stream has no end, and tests of its own (`events/events-route.test.ts`). */
const ENDLESS = '/events';

/** Paths that name an asset, an event, a question, a round, a handle or a checkpoint key that ended. */
const ELSEWHERE = [
  '/closing-head/{number}',
  '/asset/{symbol}',
  '/base-rate/{symbol}',
  '/receipts/proof',
  '/questions/{id}',
  '/arena/rounds/{round}',
  '/arena/handles/{handle}',
  '/webhooks/confirm',
  '/webhooks/subscription',
];

/** Paths of the machine tier, which is closed. */
const CLOSED = ['/history/{symbol}', '/board/at', '/receipts/full'];

/** Of each parameter, values that name something here. */
type Known = Readonly<Record<string, readonly string[]>>;

const HOSTILE: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    'null',
    '-1',
    '1e999',
    '0x10',
    '٣',
    '9007199254740993',
    '__proto__',
    'constructor',
    'CLOSE',
    "' OR 1=1 --",
    '\u0000',
    '2026-02-30',
    '0000-00-00',
    '99999-01-01',
    '../../keys/report.json',
    // Short of the 4 KB at which a transport refuses the whole head.
    'a'.repeat(500),
  ),
);

/** What a URL may hold though no decoder takes it. */
const BROKEN = fc.constantFrom('%', '%zz', '%C3%28', '%00', '%ff', '%2e%2e%2f', '%252e');

/** One segment or, for the rest of a path, several. */
function inPath(name: string, value: string): string {
  const encode = (text: string): string => encodeURIComponent(text);
  return name === 'path' ? value.split('/').map(encode).join('/') : encode(value);
}

/** What no client can put in a path as it is: it would name another one. */
function isPathValue(value: string): boolean {
  return value
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && part !== 'close');
}

function fitting({ name, schema }: OpenApiParameter, known: Known): fc.Arbitrary<string> {
  const values = fc.constantFrom(...(known[name] ?? ['x']));
  if (schema.type === 'integer') {
    const { minimum: min = 0, maximum: max = 9 } = schema;
    return fc.oneof(values, fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) }).map(String));
  }
  if (schema.pattern === undefined) {
    return fc.oneof(
      values,
      fc
        .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10)),
    );
  }
  return fc.oneof(values, fc.stringMatching(new RegExp(schema.pattern)));
}

interface Asked {
  readonly target: string;
  readonly method: 'GET' | 'HEAD';
  readonly etag: string | undefined;
}

/** Requests for an operation: `hostile` ones name parameters that it has not, with values of any kind. */
function requests(
  path: string,
  { parameters = [] }: OpenApiOperation,
  known: Known,
  hostile: boolean,
): fc.Arbitrary<Asked> {
  const values = parameters.map((parameter) => {
    const fits = fitting(parameter, known).map((text) => inPath(parameter.name, text));
    const any = HOSTILE.filter((text) => parameter.in === 'query' || isPathValue(text)).map(
      (text) => inPath(parameter.in === 'path' ? parameter.name : '', text),
    );
    const value = hostile ? fc.oneof(fits, any, any, BROKEN) : fits;
    return parameter.in === 'path' ? value : fc.option(value, { nil: undefined });
  });
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const stray = fc.tuple(
    fc.oneof(HOSTILE, fc.constantFrom('x', ...names)).map((text) => encodeURIComponent(text)),
    fc.oneof(
      HOSTILE.map((text) => encodeURIComponent(text)),
      BROKEN,
    ),
  );
  const etag = hostile ? fc.constantFrom('*', '"x"', 'W/"x", "y"', ',,', '"') : fc.constant('"x"');
  return fc
    .record({
      values: fc.tuple(...values),
      strays: fc.array(stray, { maxLength: hostile ? 2 : 0 }),
      method: fc.constantFrom('GET' as const, 'GET' as const, 'HEAD' as const),
      etag: fc.option(etag, { nil: undefined }),
    })
    .map((drawn) => {
      let target = path;
      const query = drawn.strays.map(([name, value]) => `${name}=${value}`);
      for (const [i, { name, in: place }] of parameters.entries()) {
        const value = drawn.values[i];
        if (value === undefined) continue;
        if (place === 'path') target = target.replace(`{${name}}`, () => value);
        else query.push(`${name}=${value}`);
      }
      if (query.length > 0) target += `?${query.join('&')}`;
      return { target, method: drawn.method, etag: drawn.etag };
    });
}

async function knownValues(base: string, size: number): Promise<Known> {
  const json = async (path: string): Promise<unknown> => (await fetch(`${base}${path}`)).json();
  await firstClose(base);
  const detail = (await json('/indices/LAYOFFS')) as IndexDetailPayload;
  const others = ((await json('/indices')) as readonly IndexPayload[]).filter(
    ({ ticker }) => ticker !== 'LAYOFFS',
  );
  const { report } = (await json('/indices/LAYOFFS/report')) as ReportPayload;
  // The newest may wait for the day's index entry.
  const indexed = detail.periods.flatMap(({ report_hash: hash }) => hash ?? []);
  const close = (await json('/indices/close')) as ClosePayload;
  const batch = await firstBatch(base);
  return {
    ticker: ['LAYOFFS', 'lAyOfFs', ...others.flatMap(({ ticker, slug }) => [ticker, slug])],
    period: [detail, ...others].flatMap(({ periods }) => periods.map(({ period }) => period)),
    day: [close.day],
    digest: [batch.checkpoint_digest, ...(close.proof === null ? [] : [close.proof.digest])],
    format: ['ots', 'csv', 'json'],
    code: ['halted', 'not_found'],
    limit: ['1', '100'],
    offset: ['0'],
    since: ['2026-08-27'],
    symbol: ['BTC', 'eth'],
    event_id: ['3f1d5b7c-9e0a-8b4d-af81-92a3b4c5d6e7'],
    horizon: ['open', '24h', '7d', '30d'],
    before: ['0', '1', String(batch.batch + 1)],
    report: indexed,
    hash: report.reads.flatMap(({ snapshot }) => snapshot ?? []),
    path: [
      ...[...tilesOf(size)].map((tile) => formatTilePath(tile).slice('tile/'.length)),
      ...close.content.files.map(({ path }) => path),
    ],
  };
}

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `contract over ${transport}: every answer is one that the document describes`,
    {
      skip,
    },
    async (t) => {
      await withDemo({ ASSAY_TRANSPORT: transport }, async (base, node) => {
        const document = (await (await fetch(`${base}/openapi.json`)).json()) as OpenApiDocument;
        const judge = new Judge(document);
        const known = await knownValues(base, node.ledger.published?.size ?? 0);
        const described = Object.entries(document.paths).flatMap(([path, { get }]) =>
          get === undefined || path === ENDLESS ? [] : [{ path, operation: get }],
        );

        await t.test('each route is in the document, and each path of it is a route', () => {
          const routes = node.endpoints.flatMap(({ path, routes: byMethod }) =>
            [...byMethod.keys()]
              .filter((method) => method !== 'HEAD' && byMethod.get(method)?.isPage !== true)
              .map((method) => `${method.toLowerCase()} ${documentPath(path)}`),
          );
          const documented = Object.entries(document.paths).flatMap(([path, item]) =>
            Object.keys(item)
              .filter((key) => key !== 'servers')
              .map((method) => `${method} ${path}`),
          );
          assert.deepEqual(documented.sort(), routes.sort());
          assert.ok(documented.length >= 20);
        });

        for (const { path, operation } of described) {
          await t.test(operation.operationId, async () => {
            const seen = new Map<number, number>();
            const ask = async ({ target, method, etag }: Asked): Promise<void> => {
              const response = await fetch(`${base}${target}`, {
                method,
                redirect: 'manual',
                headers: etag === undefined ? {} : { 'if-none-match': etag },
              });
              const { status } = response;
              const text = await response.text();
              seen.set(status, (seen.get(status) ?? 0) + 1);
              const place = `${method} ${target}`;
              const isClosed = CLOSED.includes(path) && status === 503;
              assert.ok(status < 500 || isClosed, `${place} -> ${status} ${text.slice(0, 300)}`);
              if (method === 'HEAD') {
                assert.equal(text, '', place);
                assert.ok(operation.responses[String(status)] !== undefined, `${place} ${status}`);
                return;
              }
              judge.check(
                operation,
                { status, text, header: (name) => response.headers.get(name) },
                place,
              );
            };
            const prefixes = document.paths[path]?.servers === undefined ? ['', '/v1'] : [''];
            for (const hostile of [false, true]) {
              const asked = fc
                .tuple(fc.constantFrom(...prefixes), requests(path, operation, known, hostile))
                .map(([prefix, each]) => ({ ...each, target: prefix + each.target }));
              await fc.assert(fc.asyncProperty(asked, ask), { numRuns: RUNS });
            }
            // One that is known to be there: an operation that answers nothing proves nothing.
            for (const each of known['path'] ?? ['']) {
              const values: Known = { ...known, path: [each] };
              let target = path;
              for (const { name, in: place, required } of operation.parameters ?? []) {
                const value = values[name]?.[0] ?? '';
                if (place === 'path') target = target.replace(`{${name}}`, value);
                else if (required === true)
                  target += `${target.includes('?') ? '&' : '?'}${name}=${value}`;
              }
              await ask({ target, method: 'GET', etag: undefined });
              if (!path.includes('{path}')) break;
            }
            if (CLOSED.includes(path)) {
              const statuses = [...seen.keys()].filter((status) => status !== 400);
              assert.deepEqual(statuses, [503], 'closed, whatever is asked');
              return;
            }
            // This network has no market, no rounds and one checkpoint key: what is asked of others is tested with its own routes.
            if (ELSEWHERE.includes(path)) {
              const refusals = (seen.get(404) ?? 0) + (seen.get(401) ?? 0);
              assert.ok(refusals > 0, `never 404: ${JSON.stringify([...seen])}`);
              return;
            }
            assert.ok((seen.get(200) ?? 0) > 0, `never 200: ${JSON.stringify([...seen])}`);
          });
        }
      });
    },
  );
}
