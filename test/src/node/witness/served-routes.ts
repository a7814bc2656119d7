import type { TestContext } from 'node:test';
import { pipeline } from '@assay/node/http/pipeline';
import type { Route } from '@assay/node/http/route';
import { httpServer, type TransportChoice } from '@assay/node/http/server';

/** Serves routes on a free port of this machine until the test ends; the address, without a slash at its end. */
export async function serveRoutes(
  t: TestContext,
  routes: readonly Route[],
  transport: TransportChoice = 'node',
): Promise<string> {
  const served = pipeline(routes, {
    requestId: () => 'test',
    now: () => 0,
    onError: () => undefined,
  });
  const server = await httpServer(transport, served, {});
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}`;
}
