import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trustedProxies } from '../http/address.ts';
import type { Quotas } from '../http/limiter.ts';
import type { TransportChoice } from '../http/server.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { makeLogger } from '../production/logger.ts';
import { ReaderProcesses } from '../readers/reader-processes.ts';
import type { WriterPlace } from '../readers/writer-client.ts';
import { startReader } from './reader.ts';

/** How `assay serve` was asked to serve a log. */
export interface ServeOptions {
  readonly publisher: WriterPlace;
  /** The folder of the copies, one for each process; null to keep them in memory. */
  readonly folder: string | null;
  readonly vkey: string | null;
  readonly host: string;
  readonly port: number;
  /** How many processes answer. One is this process itself. */
  readonly readers: number;
  readonly transport: TransportChoice;
  readonly trustedProxies: readonly string[];
  readonly quotas: Quotas;
  readonly logLevel: string;
  readonly signal: AbortSignal;
}

/** What serves a log until it is closed. */
export interface Serving {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Milliseconds between two polls of a publisher whose token is not known. */
const POLL_MS = 1000;

const PROGRAM = fileURLToPath(new URL('./reader-process.js', import.meta.url));

/** Serves a log that is followed from its publisher. Throws what `startReader` throws. */
export async function serveLog(options: ServeOptions): Promise<Serving> {
  const { publisher, folder, vkey, host, port, transport, quotas, logLevel, readers } = options;
  const server = { trustedProxies: trustedProxies(options.trustedProxies) };
  const folderOf = (number: number): string | null =>
    folder === null ? null : join(folder, String(number));
  const log = makeLogger(logLevel);
  if (readers === 1) {
    return startReader({
      publisher,
      folder: folderOf(1),
      vkey,
      address: { host, port, transport, server, quotas },
      sharesPort: false,
      sha256: nodeSha256,
      log,
      pollMs: POLL_MS,
      signal: options.signal,
    });
  }
  const processes = new ReaderProcesses({
    count: readers,
    program: PROGRAM,
    host,
    port,
    settingOf: (number, shared) => ({
      publisher,
      folder: folderOf(number),
      vkey,
      host,
      port: shared,
      transport,
      server,
      quotas,
      logLevel,
      pollMs: POLL_MS,
    }),
    log,
  });
  return { port: await processes.open(), close: () => processes.stop() };
}
