import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Route } from '../http/route.ts';
import { metricsRoute } from '../metrics.ts';
import { readerGauges } from '../readers/reader-gauges.ts';
import type { ReaderStatus } from '../readers/reader-processes.ts';

/**
 * What `assay serve` counts, for Prometheus: its readers, each by its number, and the process that was started. With one
 * reader that process is the reader.
 */
export class ServeMetrics {
  readonly #registry = new Registry();

  constructor(readers: () => readonly ReaderStatus[]) {
    collectDefaultMetrics({ register: this.#registry });
    for (const each of readerGauges(readers)) this.#registry.registerMetric(each);
  }

  route(): Route {
    return metricsRoute(() => this.#registry.metrics());
  }
}
