import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { getMetrics } from './api/service-operations.ts';
import { route, type Route } from './http/route.ts';
import { NO_STORE, whole } from './http/reply.ts';
import type { RequestLine } from './http/pipeline.ts';
import { RequestHistogram } from './request-histogram.ts';
import type { LogRecord } from './ledger/record.ts';

/** What a node counts, for Prometheus. Labels are patterns and outcomes, never addresses or paths. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestHistogram();
  readonly #rounds: Counter<'ticker' | 'outcome'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#rounds = new Counter({
      name: 'assay_rounds_total',
      help: 'Rounds by index and outcome',
      labelNames: ['ticker', 'outcome'],
      registers,
    });
  }

  /** Gauges that read the ledger when they are asked. */
  watchLedger(ledger: LogRecord): void {
    const size = new Gauge({
      name: 'assay_log_entries',
      help: 'Published entries of the log',
      registers: [],
      collect(): void {
        this.set(ledger.published?.size ?? 0);
      },
    });
    const writable = new Gauge({
      name: 'assay_log_writable',
      help: '1 while the log takes entries',
      registers: [],
      collect(): void {
        this.set(ledger.blocked === undefined ? 1 : 0);
      },
    });
    for (const gauge of [size, writable]) this.#registry.registerMetric(gauge);
  }

  request({ method, pattern, status, seconds }: RequestLine): void {
    this.#requests.observe(method, pattern ?? 'none', status, seconds);
  }

  round(ticker: string, outcome: string): void {
    this.#rounds.inc({ ticker, outcome });
  }

  route(): Route {
    return route(
      'GET',
      '/metrics',
      async () =>
        whole(
          this.#registry.contentType,
          (await this.#registry.metrics()) + this.#requests.text(),
          {
            cacheControl: NO_STORE,
          },
        ),
      { unversioned: true, operation: getMetrics },
    );
  }
}
