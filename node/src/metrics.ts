import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { getMetrics } from './api/service-operations.ts';
import { anchorStatus } from './api/status.ts';
import { route, type Route } from './http/route.ts';
import { NO_STORE, whole } from './http/reply.ts';
import type { RequestLine } from './http/pipeline.ts';
import { RequestHistogram } from './request-histogram.ts';
import type { LogRecord } from './ledger/record.ts';

/** How far the stamps have come. */
export interface StampStanding {
  /** Batches with a calendar that is still to answer. */
  readonly pending: number;
  readonly attestedHeight: number | undefined;
  /** Seconds by the node's clock since the time of the newest Bitcoin header that it knows. */
  readonly headerAge: number | undefined;
}

/**
 * What a node counts, for Prometheus. Labels are patterns, outcomes and the hosts of calendars, never
 * addresses of clients or paths.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestHistogram();
  readonly #rounds: Counter<'ticker' | 'outcome'>;
  readonly #stamped: Counter;
  readonly #upgraded: Counter;
  readonly #calendarFailures: Counter<'calendar'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#rounds = new Counter({
      name: 'assay_rounds_total',
      help: 'Rounds by index and outcome',
      labelNames: ['ticker', 'outcome'],
      registers,
    });
    this.#stamped = new Counter({
      name: 'assay_stamps_total',
      help: 'Batches of stamps recorded',
      registers,
    });
    this.#upgraded = new Counter({
      name: 'assay_stamp_upgrades_total',
      help: 'Further issues of batches recorded',
      registers,
    });
    this.#calendarFailures = new Counter({
      name: 'assay_calendar_failures_total',
      help: 'Answers of calendars that did not come or could not be used, by host',
      labelNames: ['calendar'],
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
    const stamped = new Gauge({
      name: 'assay_log_stamped_entries',
      help: 'Entries of the log that batches of stamps hold',
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).stamped_size ?? 0);
      },
    });
    const attested = new Gauge({
      name: 'assay_anchor_height',
      help: 'Height of the Bitcoin block that holds the newest attested batch; 0 before the first',
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).bitcoin_height ?? 0);
      },
    });
    const beacon = new Gauge({
      name: 'assay_beacon_height',
      help: 'Height of the newest Bitcoin block that the log names; 0 before the first',
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).beacon_height ?? 0);
      },
    });
    for (const gauge of [size, writable, stamped, attested, beacon])
      this.#registry.registerMetric(gauge);
  }

  /** Gauges that read how far the stamps have come when they are asked. */
  watchStamps(standing: () => StampStanding): void {
    const pending = new Gauge({
      name: 'assay_stamps_pending',
      help: 'Batches of stamps with a calendar that is still to answer',
      registers: [],
      collect(): void {
        this.set(standing().pending);
      },
    });
    const height = new Gauge({
      name: 'assay_stamps_attested_height',
      help: 'Highest Bitcoin block that holds a batch of stamps, 0 before there is one',
      registers: [],
      collect(): void {
        this.set(standing().attestedHeight ?? 0);
      },
    });
    const age = new Gauge({
      name: 'assay_header_age_seconds',
      help: 'Seconds since the time of the newest Bitcoin header that is known, NaN without one',
      registers: [],
      collect(): void {
        this.set(standing().headerAge ?? Number.NaN);
      },
    });
    for (const gauge of [pending, height, age]) this.#registry.registerMetric(gauge);
  }

  stamped(): void {
    this.#stamped.inc();
  }

  upgraded(): void {
    this.#upgraded.inc();
  }

  /** By the calendar's address: only its host is told. */
  calendarFailed(address: string): void {
    const calendar = URL.canParse(address) ? new URL(address).host : 'none';
    this.#calendarFailures.inc({ calendar });
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
