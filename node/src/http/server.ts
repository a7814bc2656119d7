import { Fault } from '@assay/core/fault';
import { nodeServer } from './node-server.ts';
import type { Pipeline } from './pipeline.ts';
import type { HttpServer, ServerOptions } from './transport.ts';
import { loadUws, type Uws } from './uws.ts';
import { uwsServer } from './uws-server.ts';

/** `auto` takes uWebSockets.js where its binary loads, and Node's own server elsewhere. */
export const TRANSPORT_CHOICES = ['auto', 'uws', 'node'] as const;

export type TransportChoice = (typeof TRANSPORT_CHOICES)[number];

/**
 * The server for `choice`. Throws `unsupported` where `uws` is asked for and is not there, and `binary_differs` where
 * its binary is another than was tried: `auto` does not pass that over, for somebody has changed what is installed.
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
