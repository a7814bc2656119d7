import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { messageOf } from '@assay/core/fault';
import { nodeServer } from './http/node-server.ts';
import { pipeline } from './http/pipeline.ts';
import { requestIds } from './http/request-id.ts';
import type { HttpServer, ListenAddress, Listening } from './http/transport.ts';
import type { Metrics } from './metrics.ts';

/**
 * Serves `/metrics` alone, at an address of its own, so that what the public can reach does not have it. Throws
 * `bad_config` if the address cannot be used.
 */
export async function serveMetrics(
  metrics: Pick<Metrics, 'route'>,
  address: ListenAddress,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<Listening> {
  const served = pipeline([metrics.route()], {
    ...requestIds(randomBytes),
    now: () => performance.now() / 1000,
    onError: (error, line) => log.error({ ...line, reason: messageOf(error) }, 'metrics failed'),
  });
  const listening = await nodeServer(served).listen(address);
  log.info({ host: address.host, port: listening.port }, 'metrics are served');
  return listening;
}

/** Where a service listens, and where its metrics are served if that is elsewhere. */
interface Addresses extends ListenAddress {
  readonly metricsAt?: ListenAddress;
  /** Whether other processes of this machine listen there too. */
  readonly sharesPort?: boolean;
}

/** What listens for a service. */
interface ListeningService {
  readonly port: number;
  /** The port of the metrics, if they have an address of their own. */
  readonly metricsPort: number | undefined;
  readonly close: () => Promise<void>;
}

/** Listens at the address of a service, and at that of its metrics. If one cannot be had, neither is kept. */
export async function listenWithMetrics(
  server: HttpServer,
  { host, port, metricsAt, sharesPort }: Addresses,
  metrics: Pick<Metrics, 'route'> | undefined,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<ListeningService> {
  const listening = await server.listen({ host, port, isShared: sharesPort === true });
  try {
    const own = metrics && metricsAt && (await serveMetrics(metrics, metricsAt, log));
    log.info({ host, port: listening.port, transport: server.transport }, 'listening');
    return {
      port: listening.port,
      metricsPort: own?.port,
      close: async () => {
        await Promise.all([listening.close(), own?.close()]);
      },
    };
  } catch (error) {
    await listening.close();
    throw error;
  }
}

/** How far the port of the metrics is from that of the service, where the config names none. */
const PORT_DISTANCE = 1000;

/** The fields of a config that say where a service and its metrics listen. */
export interface MetricsConfig {
  readonly port: number;
  readonly metrics_host: string;
  readonly metrics_port: number | null;
}

/** Where the metrics of a config are served. If the service takes any free port, so do they. */
export function metricsAddress({ port, metrics_host, metrics_port }: MetricsConfig): ListenAddress {
  const next = port + PORT_DISTANCE > 65_535 ? port - PORT_DISTANCE : port + PORT_DISTANCE;
  return { host: metrics_host, port: metrics_port ?? (port === 0 ? 0 : next) };
}
