import { Gauge, collectDefaultMetrics, Registry } from 'prom-client';
import { metric } from '../platform/metric-table.ts';
import type { StandbyStatus } from './standby.ts';

const GAUGES: readonly (readonly [string, (of: StandbyStatus) => number])[] = [
  ['assay_standby_entries', ({ size }) => size],
  ['assay_standby_behind_entries', ({ behind }) => behind ?? Number.NaN],
  ['assay_standby_confirmed_entries', ({ confirmed }) => confirmed],
  ['assay_standby_missing_blobs', ({ missing }) => missing],
  ['assay_standby_polled_seconds', ({ polledS }) => polledS ?? Number.NaN],
];

/** What a standby counts, for Prometheus. */
export class StandbyMetrics {
  readonly #registry = new Registry();

  constructor(status: () => StandbyStatus) {
    collectDefaultMetrics({ register: this.#registry });
    for (const [name, read] of GAUGES) {
      this.#registry.registerMetric(
        new Gauge({
          ...metric(name),
          registers: [],
          collect(): void {
            this.set(read(status()));
          },
        }),
      );
    }
  }

  /** The whole text that Prometheus reads. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }
}
