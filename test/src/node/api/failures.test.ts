import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { settlementRoutes } from '@assay/node/api/settlement-routes';
import { recordConcerns } from '@assay/node/health/concern';
import { documentRoutes } from '@assay/node/api/document/document-routes';
import { foldedRoutes } from '@assay/node/api/folded-routes';
import { listingRoute } from '@assay/node/api/listing-route';
import { logRoutes } from '@assay/node/api/log-routes';
import { openApiDocument } from '@assay/node/api/document/openapi';
import type { OpenApiDocument } from '@assay/node/api/document/openapi-document';
import { resolveResponse } from '@assay/node/api/document/shared-response';
import { ERRORS_MARK } from '@assay/node/api/document/problem-response';
import { Publication } from '@assay/node/api/publication';
import { statusRoute } from '@assay/node/api/status';
import { MemoryViews } from '@assay/core/view/state';
import { limiter, type Quotas } from '@assay/node/http/limiter';
import { pipeline } from '@assay/node/http/pipeline';
import type { Route } from '@assay/node/http/route';
import { httpServer } from '@assay/node/http/server';
import type { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { DamageLog } from '@assay/node/scrub/damage-log';
import { Judge } from './judge.ts';
import { noTransport, TRANSPORTS } from './world-service.ts';

const MISSING = {
  '/closing-head/{number}': '/closing-head/0',
  '/indices/{ticker}': '/indices/LAYOFFS',
  '/indices/{ticker}/rule': '/indices/LAYOFFS/rule',
  '/indices/{ticker}/report': '/indices/LAYOFFS/report',
  '/indices/{ticker}/history.csv': '/indices/LAYOFFS/history.csv',
  '/indices/{ticker}/recount': '/indices/LAYOFFS/recount',
  '/indices/{ticker}/settlement.csv': '/indices/LAYOFFS/settlement.csv',
  '/indices/{ticker}/listing.json': '/indices/LAYOFFS/listing.json',
  '/settlement/{path}': '/settlement/2026-07-30/LAYOFFS.json',
  '/tile/{path}': '/tile/0/000',
  '/pack/{path}': '/pack/0/000',
  '/blob/{hash}': `/blob/${'0'.repeat(64)}`,
} as Readonly<Record<string, string>>;

const rejected = (): Promise<never> => Promise.reject(new Error('the disk is gone'));

/** A node's routes on a ledger that is not what it should be. */
function routesOn(ledger: Ledger): readonly Route[] {
  const publication = new Publication(ledger, nodeSha256);
  const trust = { sha256: nodeSha256, reportKey: undefined };
  const routes = [
    ...foldedRoutes(ledger, publication, ['indices', 'log']),
    ...settlementRoutes(ledger, publication, rejected, trust, new DamageLog(() => 1_767_225_600)),
    listingRoute({
      publication,
      record: () => (ledger.published === undefined ? undefined : ledger.shown),
      mirror: rejected,
      trust,
      now: () => 1_767_225_600,
      publicUrl: null,
      mirrorUrl: null,
      onMirrorFailed: () => {},
    }),
    ...logRoutes(ledger, { get: rejected } as never),
    statusRoute({
      ledger,
      now: () => 1_767_225_600,
      transport: () => 'node:http',
      inputs: [() => recordConcerns(ledger)],
      notice: null,
      storage: () => ({ damaged: 0, repaired: 0, found: [], scrub: null }),
    }),
  ];
  return [...routes, ...documentRoutes(routes, () => [])];
}

/** What each path of the document answers, judged by it: the status and the code. */
async function answers(
  transport: 'uws' | 'node',
  routes: readonly Route[],
  quotas: Quotas = { default: 1000, log: 1000 },
): Promise<Readonly<Record<string, string>>> {
  const document: OpenApiDocument = openApiDocument(routes);
  const judge = new Judge(document);
  const served = pipeline(routes, {
    requestId: () => 'r',
    now: () => 1,
    onError: () => {},
    admit: limiter(quotas, randomBytes).admit,
  });
  const listening = await (
    await httpServer(transport, served)
  ).listen({ host: '127.0.0.1', port: 0 });
  try {
    const found: Record<string, string> = {};
    for (const [path, { get }] of Object.entries(document.paths)) {
      assert.ok(get !== undefined);
      const response = await fetch(`http://127.0.0.1:${listening.port}${MISSING[path] ?? path}`);
      const text = await response.text();
      const { status } = response;
      assert.doesNotMatch(text, /the disk is gone/, path);
      judge.check(get, { status, text, header: (name) => response.headers.get(name) }, path);
      const described = get.responses[String(status)];
      const codes = described && resolveResponse(document, described)[ERRORS_MARK];
      const said = codes === undefined ? '' : (JSON.parse(text) as { error: string }).error;
      found[path] = `${status} ${said}`.trim();
    }
    return found;
  } finally {
    await listening.close();
  }
}

for (const transport of TRANSPORTS) {
  const skip = noTransport(transport);

  test(
    `failures over ${transport}: a service without a record says so, as documented`,
    {
      skip,
    },
    async () => {
      const ledger = {
        shown: new MemoryViews(),
        published: undefined,
        blocked: undefined,
        tile: () => Promise.resolve(undefined),
      } as unknown as Ledger;
      assert.deepEqual(await answers(transport, routesOn(ledger)), {
        '/indices': '503 halted',
        '/indices/{ticker}': '503 halted',
        '/indices/{ticker}/rule': '503 halted',
        '/indices/{ticker}/report': '503 halted',
        '/indices/{ticker}/history.csv': '503 halted',
        '/indices/{ticker}/recount': '503 halted',
        '/indices/{ticker}/settlement.csv': '503 halted',
        '/.well-known/assay-signer.json': '503 halted',
        '/indices/close': '503 halted',
        '/settlement/latest.json': '503 halted',
        '/settlement/{path}': '503 halted',
        '/indices/{ticker}/listing.json': '503 halted',
        '/checkpoint': '503 halted',
        '/closing-head/{number}': '503 halted',
        '/tile/{path}': '503 halted',
        '/pack/{path}': '503 halted',
        '/blob/{hash}': '500 internal',
        '/status': '503 halted',
        '/openapi.json': '200',
        '/asyncapi.json': '200',
        '/docs': '200',
        '/llms.txt': '200',
      });
    },
  );

  test(`failures over ${transport}: a spent budget is a documented 429`, { skip }, async () => {
    const ledger = { shown: new MemoryViews(), published: undefined } as unknown as Ledger;
    const found = await answers(transport, routesOn(ledger), { default: 1, log: 1 });
    const passed = Object.entries(found).filter(([, said]) => said !== '429 rate_limited');
    assert.deepEqual(
      passed.map(([path]) => path),
      ['/indices', '/settlement/latest.json', '/status'],
    );
  });

  test(
    `failures over ${transport}: what throws is a documented 500, with nothing of the error`,
    {
      skip,
    },
    async () => {
      const broken = {
        get published() {
          return { size: 1, root: new Uint8Array(32), note: new Uint8Array(0) };
        },
        get shown(): never {
          throw new Error('the disk is gone');
        },
        tile: rejected,
        closingHead: rejected,
      } as unknown as Ledger;
      const found = await answers(transport, routesOn(broken));
      const fine = Object.entries(found).filter(([, said]) => said !== '500 internal');
      assert.deepEqual(Object.fromEntries(fine), {
        '/checkpoint': '200',
        '/openapi.json': '200',
        '/asyncapi.json': '200',
        '/docs': '200',
        '/llms.txt': '200',
      });
    },
  );
}
