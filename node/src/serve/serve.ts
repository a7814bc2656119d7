import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { trustedProxies } from '../http/address.ts';
import type { Quotas } from '../http/limiter.ts';
import type { TransportChoice } from '../http/server.ts';
import type { ListenAddress } from '../http/transport.ts';
import { serveMetrics } from '../metrics-listener.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { makeLogger } from '../production/logger.ts';
import { ReaderProcesses, type ReaderStatus } from '../readers/reader-processes.ts';
import type { WriterPlace } from '../readers/writer-client.ts';
import { ReaderCount } from './reader-count.ts';
import { startReader } from './reader.ts';
import { ServeMetrics } from './serve-metrics.ts';

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
  /** Where `/metrics` is served, apart from the API; null: it is not. */
  readonly metricsAt: ListenAddress | null;
  readonly signal: AbortSignal;
}

/** What serves a log until it is closed. */
export interface Serving {
  readonly port: number;
  /** The port of `/metrics`, where they were asked for. */
  readonly metricsPort?: number | undefined;
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
  const parts = { publisher, vkey, quotas, pollMs: POLL_MS };
  if (readers === 1) {
    const count = new ReaderCount();
    const reader = await startReader({
      ...parts,
      folder: folderOf(1),
      address: { host, port, transport, server, quotas },
      sharesPort: false,
      sha256: nodeSha256,
      log,
      onRequest: count.request,
      signal: options.signal,
    });
    const status = (): ReaderStatus => ({
      number: 1,
      pid: process.pid,
      listens: true,
      restarts: 0,
      figures: count.of(reader),
    });
    return withMetrics(reader, () => [status()], options, log);
  }
  const processes = new ReaderProcesses({
    count: readers,
    program: PROGRAM,
    host,
    port,
    settingOf: (number, shared) => ({
      ...parts,
      folder: folderOf(number),
      host,
      port: shared,
      transport,
      server,
      logLevel,
    }),
    log,
  });
  const serving = { port: await processes.open(), close: () => processes.stop() };
  return withMetrics(serving, () => processes.status, options, log);
}

/** Serves `/metrics` beside it, where that was asked for; if its address cannot be had, neither is served. */
async function withMetrics(
  serving: Serving,
  readers: () => readonly ReaderStatus[],
  { metricsAt }: ServeOptions,
  log: Logger,
): Promise<Serving> {
  if (metricsAt === null) return serving;
  try {
    const own = await serveMetrics(new ServeMetrics(readers), metricsAt, log);
    const close = async (): Promise<void> => {
      await Promise.all([serving.close(), own.close()]);
    };
    return { port: serving.port, metricsPort: own.port, close };
  } catch (error) {
    await serving.close();
    throw error;
  }
}
