// A server in a process of its own: `assay`, or `raw` with the body that it gets from its parent.
import { randomUUID } from 'node:crypto';
import { indexRoutes } from '@assay/node/api/index-routes';
import { logRoutes } from '@assay/node/api/log-routes';
import { Publication } from '@assay/node/api/publication';
import { pipeline } from '@assay/node/http/pipeline';
import { httpServer } from '@assay/node/http/server';
import { loadUws, type UwsListenToken } from '@assay/node/http/uws';
import { Metrics } from '@assay/node/metrics';
import { nodeSha256 } from '@assay/node/node-sha256';
import { claimsLog } from './claims-log.ts';

const HOST = '127.0.0.1';

function tell(port: number): void {
  process.send?.(port);
}

/** The routes and the pipeline as a node sets them up, metrics included. */
async function serveAssay(): Promise<void> {
  const { ledger, blobs } = await claimsLog(0);
  const publication = new Publication(ledger, nodeSha256);
  const metrics = new Metrics();
  const served = pipeline(
    [...indexRoutes(ledger, publication), ...logRoutes(ledger, blobs), metrics.route()],
    {
      requestId: randomUUID,
      now: () => performance.now() / 1000,
      onError: (error) => {
        throw error;
      },
      onRequest: (line) => metrics.request(line),
    },
  );
  const server = await httpServer('uws', served);
  const { port } = await server.listen({ host: HOST, port: 0 });
  tell(port);
}

async function serveRaw(body: Uint8Array): Promise<void> {
  const uws = await loadUws();
  if (uws === undefined) throw new Error('uWebSockets.js is not installed');
  const app = uws.App().any('/*', (response) => {
    response.writeHeader('content-type', 'application/json; charset=utf-8');
    response.end(body, false);
  });
  app.listen(HOST, 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (token: UwsListenToken | false) => {
    if (token === false) throw new Error('no port');
    tell(uws.us_socket_local_port(token));
  });
}

process.on('disconnect', () => process.exit(0));
if (process.argv[2] === 'assay') {
  await serveAssay();
} else {
  process.once('message', (body: string) => void serveRaw(Buffer.from(body, 'base64')));
}
