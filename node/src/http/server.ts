import { Fault } from '@assay/core/fault';
import { nodeServer } from './node-server.ts';
import type { Pipeline } from './pipeline.ts';
import type { HttpServer, ServerOptions } from './transport.ts';
import { loadUws, type Uws } from './uws.ts';
import { uwsServer } from './uws-server.ts';

/** `auto` takes uWebSockets.js if its binary loads, and otherwise Node's own server. */
export const TRANSPORT_CHOICES = ['auto', 'uws', 'node'] as const;

export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];

/**
 * Returns the server for `choice`. Throws `unsupported` if `uws` is requested but not available, and
 * `binary_differs` if its binary is not one that was tested. `auto` does not ignore that, because somebody has
 * changed what is installed.
 */
export async function httpServer(
  choice: TransportChoice,
  served: Pipeline,
  options: ServerOptions = {},
  load: () => Promise<Uws | undefined> = loadUws,
): Promise<HttpServer> {
  const uws = choice === 'node' ? undefined : await load();
  if (uws !== undefined) return uwsServer(uws, served, options);
  if (choice === 'uws') {
    throw new Fault('unsupported', 'transport', {
      expected: 'a binary of uWebSockets.js for this platform',
      found: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
    });
  }
  return nodeServer(served, options);
}
