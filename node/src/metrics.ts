import { getHeapStatistics } from 'node:v8';
import { parseTime } from '@assay/core/time/time';
import { handleCount } from '@assay/core/view/forecasts';
import { pendingRounds, type RoundRow } from '@assay/core/view/rounds';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { getMetrics } from './api/operation/service-operations.ts';
import { anchorStatus } from './api/status.ts';
import { route, type Route } from './http/route.ts';
import { NO_STORE, whole } from './http/reply.ts';
import type { RequestLine } from './http/pipeline.ts';
import type { ApiReply } from './http/request.ts';
import type { FeedFigures } from './feed/feeds.ts';
import type { Concern } from './health/concern.ts';
import type { ObjectsFigures } from './objects/objects.ts';
import type { FreeSpace } from './platform/free-space.ts';
import type { DamageLog, PartCount } from './scrub/damage-log.ts';
import type { ScrubStatus } from './scrub/scrub.ts';
import { metric } from './platform/metric-table.ts';
import type { PostgresGuard } from './postgres/postgres-guard.ts';
import { RequestHistogram } from './platform/request-histogram.ts';
import { COMMIT_STEPS, CommitTimes } from './ledger/commit-times.ts';
import type { LogRecord } from './ledger/record.ts';
import { readerGauges } from './readers/reader-gauges.ts';
import type { ReaderStatus } from './readers/reader-processes.ts';
import { PAYMENT_STATES } from './payment/record/payment.ts';
import type { PaymentTally } from './payment/record/payment-tally.ts';
import type { SubscriptionStore } from './webhook/subscription-store.ts';
import { SUBSCRIPTION_STATES } from './webhook/subscription.ts';
import type { StampProgress } from './anchor/anchoring.ts';

/**
 * Upper bounds of the buckets of a commit and its steps, in seconds: from a signature to a database that waits for its
 * standby.
 */
const COMMIT_BOUNDS = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];

/**
 * What a node counts, for Prometheus. Labels are patterns, outcomes, the hosts of calendars and the names of
 * co-signers, never addresses of clients or paths.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestHistogram();
  readonly #rounds: Counter;
  readonly #stamped: Counter;
  readonly #upgraded: Counter;
  readonly #calendarFailures: Counter;
  readonly #posted: Counter;
  readonly #spent: Counter;
  readonly #words: Counter;
  readonly #dayEndFailures: Counter;
  readonly #arenaSteps: Counter;
  readonly #webhookAttempts: Counter;
  /** How long commits of the ledger take. */
  readonly commitTimes: CommitTimes;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#watchProcess();
    this.commitTimes = this.#timeCommits();
    this.#rounds = new Counter({ ...metric('assay_rounds_total'), registers });
    this.#stamped = new Counter({ ...metric('assay_stamps_total'), registers });
    this.#upgraded = new Counter({ ...metric('assay_stamp_upgrades_total'), registers });
    this.#calendarFailures = new Counter({ ...metric('assay_calendar_failures_total'), registers });
    this.#posted = new Counter({ ...metric('assay_chain_posted_total'), registers });
    this.#spent = new Counter({ ...metric('assay_chain_lamports_total'), registers });
    this.#dayEndFailures = new Counter({ ...metric('assay_day_end_failures_total'), registers });
    this.#arenaSteps = new Counter({ ...metric('assay_arena_steps_total'), registers });
    this.#webhookAttempts = new Counter({ ...metric('assay_webhook_attempts_total'), registers });
    this.#words = new Counter({ ...metric('assay_cosigner_words_total'), registers });
  }

  /** How much of its time the event loop works, and how much memory its heap may take. */
  #watchProcess(): void {
    const active = new Counter({
      ...metric('assay_event_loop_active_seconds_total'),
      registers: [],
      collect(): void {
        this.reset();
        this.inc(performance.eventLoopUtilization().active / 1000);
      },
    });
    const limit = new Gauge({
      ...metric('assay_heap_limit_bytes'),
      registers: [],
      collect(): void {
        this.set(getHeapStatistics().heap_size_limit);
      },
    });
    this.#registry.registerMetric(active);
    this.#registry.registerMetric(limit);
  }

  #timeCommits(): CommitTimes {
    const seconds = new Histogram({
      ...metric('assay_append_seconds'),
      buckets: COMMIT_BOUNDS,
      registers: [this.#registry],
    });
    for (const step of COMMIT_STEPS) seconds.zero({ step });
    const times = new CommitTimes((step, took) => seconds.observe({ step }, took));
    const waiting = new Gauge({
      ...metric('assay_append_waiting_seconds'),
      registers: [],
      collect(): void {
        this.set(times.waitingS);
      },
    });
    this.#registry.registerMetric(waiting);
    return times;
  }

  webhookAttempt(outcome: string): void {
    this.#webhookAttempts.inc({ outcome });
  }

  /** Gauges of the subscriptions in each state, and of how far the last of them is behind. */
  watchWebhooks(store: Pick<SubscriptionStore, 'all'>, behind: () => number): void {
    const subscriptions = new Gauge({
      ...metric('assay_webhook_subscriptions'),
      registers: [],
      collect(): void {
        this.reset();
        for (const state of SUBSCRIPTION_STATES) this.set({ state }, 0);
        for (const { progress } of store.all()) this.inc({ state: progress.state });
      },
    });
    this.#registry.registerMetric(subscriptions);
    const entries = new Gauge({
      ...metric('assay_webhook_behind_entries'),
      registers: [],
      collect(): void {
        this.set(behind());
      },
    });
    this.#registry.registerMetric(entries);
  }

  /** Gauges and counters of the payments of the machine tier. */
  watchPayments(tally: PaymentTally): void {
    const open = new Gauge({
      ...metric('assay_payments_open'),
      registers: [],
      collect(): void {
        for (const [state, count] of Object.entries(tally.open)) this.set({ state }, count);
      },
    });
    const reached = new Counter({
      ...metric('assay_payments_total'),
      registers: [],
      collect(): void {
        this.reset();
        for (const state of PAYMENT_STATES) this.inc({ state }, tally.reached(state));
      },
    });
    const received = new Counter({
      ...metric('assay_payment_received_units_total'),
      registers: [],
      collect(): void {
        this.reset();
        this.inc(Number(tally.units));
      },
    });
    const unknown = new Counter({
      ...metric('assay_payment_unknown_answers_total'),
      registers: [],
      collect(): void {
        this.reset();
        this.inc(tally.unknown);
      },
    });
    this.#registry.registerMetric(open);
    for (const counter of [reached, received, unknown]) this.#registry.registerMetric(counter);
  }

  /** Gauges and counters of the bucket that a copy of the log is kept in. */
  watchObjects(figures: () => ObjectsFigures): void {
    const gauges: readonly (readonly [string, (now: ObjectsFigures) => number])[] = [
      ['assay_objects_size_entries', ({ size }) => size ?? Number.NaN],
      ['assay_objects_behind_entries', ({ behind }) => behind],
      ['assay_objects_behind_seconds', ({ behindS }) => behindS],
      ['assay_objects_stopped', ({ stopped }) => Number(stopped)],
    ];
    for (const [name, read] of gauges) {
      const gauge = new Gauge({
        ...metric(name),
        registers: [],
        collect(): void {
          this.set(read(figures()));
        },
      });
      this.#registry.registerMetric(gauge);
    }
    const written = new Counter({
      ...metric('assay_objects_written_total'),
      registers: [],
      collect(): void {
        this.reset();
        this.inc(figures().written);
      },
    });
    const errors = new Counter({
      ...metric('assay_objects_errors_total'),
      registers: [],
      collect(): void {
        this.reset();
        for (const [code, count] of figures().errors) this.inc({ code }, count);
      },
    });
    for (const counter of [written, errors]) this.#registry.registerMetric(counter);
  }

  /** What the readers of this machine in processes of their own say of themselves. */
  watchReaders(readers: () => readonly ReaderStatus[], ledger: Pick<LogRecord, 'published'>): void {
    for (const each of readerGauges(readers, () => ledger.published?.size ?? 0)) {
      this.#registry.registerMetric(each);
    }
  }

  /** A gauge of the readers of streams. */
  watchEvents(hub: { readonly clients: number }): void {
    const readers = new Gauge({
      ...metric('assay_event_streams'),
      registers: [],
      collect(): void {
        this.set(hub.clients);
      },
    });
    this.#registry.registerMetric(readers);
  }

  /** The Close or the index entry of a day could not be made. */
  dayEndFailed(of: string): void {
    this.#dayEndFailures.inc({ of });
  }

  /** Gauges that read the ledger when they are scraped. */
  watchLedger(ledger: LogRecord): void {
    const size = new Gauge({
      ...metric('assay_log_entries'),
      registers: [],
      collect(): void {
        this.set(ledger.published?.size ?? 0);
      },
    });
    const writable = new Gauge({
      ...metric('assay_log_writable'),
      registers: [],
      collect(): void {
        this.set(ledger.blocked === undefined ? 1 : 0);
      },
    });
    const stamped = new Gauge({
      ...metric('assay_log_stamped_entries'),
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).stamped_size ?? 0);
      },
    });
    const attested = new Gauge({
      ...metric('assay_anchor_height'),
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).bitcoin_height ?? 0);
      },
    });
    const beacon = new Gauge({
      ...metric('assay_beacon_height'),
      registers: [],
      collect(): void {
        this.set(anchorStatus(ledger.shown).beacon_height ?? 0);
      },
    });
    for (const gauge of [size, writable, stamped, attested, beacon])
      this.#registry.registerMetric(gauge);
  }

  /** Gauges of those who follow the log beside a head guard in a database. */
  watchFollowers(ledger: LogRecord, guard: Pick<PostgresGuard, 'followers'>): void {
    const behind = new Gauge({
      ...metric('assay_guard_follower_behind_entries'),
      registers: [],
      collect(): void {
        this.reset();
        const size = ledger.published?.size ?? 0;
        for (const each of guard.followers) {
          this.set({ follower: each.name }, Math.max(0, size - each.size));
        }
      },
    });
    const silent = new Gauge({
      ...metric('assay_guard_follower_silent_seconds'),
      registers: [],
      collect(): void {
        this.reset();
        for (const { name, ageS } of guard.followers) this.set({ follower: name }, ageS);
      },
    });
    for (const gauge of [behind, silent]) this.#registry.registerMetric(gauge);
  }

  /** A gauge of the reasons that `/status` gives, read when it is scraped. */
  watchStatus(concerns: () => readonly Concern[]): void {
    const reasons = new Gauge({
      name: 'assay_status_reasons',
      help: 'Reasons that /status gives, by severity: degraded, halted',
      labelNames: ['level'],
      registers: [],
      collect(): void {
        for (const level of ['degraded', 'halted'] as const) this.set({ level }, 0);
        for (const { level } of concerns()) this.inc({ level });
      },
    });
    this.#registry.registerMetric(reasons);
  }

  /** How many indexes wait for a report that is late, read when it is scraped. */
  watchLateness(late: () => number): void {
    const gauge = new Gauge({
      name: 'assay_numbers_late',
      help: 'Indexes whose next number is later than degraded_after_s',
      registers: [],
      collect(): void {
        this.set(late());
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** Gauges that read the free space of the disk when they are scraped. */
  watchDisk(free: () => FreeSpace | undefined): void {
    const bytes = new Gauge({
      ...metric('assay_disk_free_bytes'),
      registers: [],
      collect(): void {
        this.set(free()?.bytes ?? -1);
      },
    });
    const files = new Gauge({
      ...metric('assay_disk_free_files'),
      registers: [],
      collect(): void {
        this.set(free()?.files ?? -1);
      },
    });
    for (const gauge of [bytes, files]) this.#registry.registerMetric(gauge);
  }

  /**
   * Gauges and counters that read the damage that was found and the progress of the scrub when they are
   * scraped.
   */
  watchStorage(damage: Pick<DamageLog, 'counts'>, scrub: () => ScrubStatus | undefined): void {
    const byPart = (name: string, read: (of: PartCount) => number): void =>
      this.#registry.registerMetric(
        new Gauge({
          ...metric(name),
          registers: [],
          collect(): void {
            for (const each of damage.counts) this.set({ part: each.part }, read(each));
          },
        }),
      );
    byPart('assay_storage_damaged', ({ open }) => open);
    byPart('assay_storage_repaired', ({ repaired }) => repaired);
    const gauges: readonly (readonly [string, (of: ScrubStatus | undefined) => number])[] = [
      ['assay_scrub_share', (of) => of?.share ?? 0],
      ['assay_scrub_rounds', (of) => of?.rounds ?? 0],
      ['assay_scrub_bytes', (of) => of?.bytes ?? 0],
      [
        'assay_scrub_last_round_timestamp_seconds',
        (of) => (of?.last_ended_at == null ? 0 : parseTime(of.last_ended_at)),
      ],
    ];
    for (const [name, read] of gauges) {
      this.#registry.registerMetric(
        new Gauge({
          ...metric(name),
          registers: [],
          collect(): void {
            this.set(read(scrub()));
          },
        }),
      );
    }
  }

  /** Gauges that read the progress of the stamps when they are scraped. */
  watchStamps(progress: () => StampProgress): void {
    const pending = new Gauge({
      ...metric('assay_stamps_pending'),
      registers: [],
      collect(): void {
        this.set(progress().pending);
      },
    });
    const height = new Gauge({
      ...metric('assay_stamps_attested_height'),
      registers: [],
      collect(): void {
        this.set(progress().attestedHeight ?? 0);
      },
    });
    const age = new Gauge({
      ...metric('assay_header_age_seconds'),
      registers: [],
      collect(): void {
        this.set(progress().headerAge ?? Number.NaN);
      },
    });
    for (const gauge of [pending, height, age]) this.#registry.registerMetric(gauge);
  }

  /** How many reports wait for a statement of a co-signer, read when it is scraped. */
  watchCosigning(waiting: () => number): void {
    const gauge = new Gauge({
      ...metric('assay_reports_awaiting_cosigners'),
      registers: [],
      collect(): void {
        this.set(waiting());
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** Gauges that read the progress of posting when they are scraped. */
  watchFeeds(figures: () => FeedFigures): void {
    const gauges: readonly (readonly [string, (all: FeedFigures) => number])[] = [
      ['assay_chain_waiting', ({ waiting }) => waiting],
      ['assay_chain_waiting_seconds', ({ waitingS }) => waitingS],
      ['assay_chain_slot', ({ slot }) => slot ?? 0],
      [
        'assay_chain_payer_lamports',
        ({ balance }) => (balance === undefined ? Number.NaN : Number(balance)),
      ],
      ['assay_chain_spent_today_lamports', ({ spentToday }) => Number(spentToday)],
      ['assay_chain_differences', ({ differences }) => differences],
    ];
    for (const [name, read] of gauges) {
      this.#registry.registerMetric(
        new Gauge({
          ...metric(name),
          registers: [],
          collect(): void {
            this.set(read(figures()));
          },
        }),
      );
    }
  }

  /** Gauges that read the rounds of the Arena when they are scraped. */
  watchArena(ledger: Pick<LogRecord, 'shown'>): void {
    const rounds = new Gauge({
      ...metric('assay_arena_rounds'),
      registers: [],
      collect(): void {
        const counts = { open: 0, frozen: 0, unsealed: 0 };
        for (const row of pendingRounds(ledger.shown)) counts[progressOf(row)] += 1;
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
    const forecasts = new Gauge({
      ...metric('assay_arena_forecasts'),
      registers: [],
      collect(): void {
        const { shown } = ledger;
        const counts = pendingRounds(shown).map(({ body }) => handleCount(shown, body.id));
        this.set(counts.reduce((sum, count) => sum + count, 0));
      },
    });
    for (const gauge of [rounds, forecasts]) this.#registry.registerMetric(gauge);
  }

  /** The loop of the Arena wrote an entry of a round. */
  arenaStep(step: string): void {
    this.#arenaSteps.inc({ step });
  }

  posted(of: string): void {
    this.#posted.inc({ of });
  }

  paid(on: string, of: 'fee' | 'rent', lamports: bigint): void {
    this.#spent.inc({ on, of }, Number(lamports));
  }

  stamped(): void {
    this.#stamped.inc();
  }

  upgraded(): void {
    this.#upgraded.inc();
  }

  /** Takes the calendar's address and uses only its host. */
  calendarFailed(address: string): void {
    const calendar = URL.canParse(address) ? new URL(address).host : 'none';
    this.#calendarFailures.inc({ calendar });
  }

  /** By the name in its set; `word` is `agree`, `dissent`, `abstain`, `refused` or `failed`. */
  cosignerSaid(
    cosigner: string,
    word: 'agree' | 'dissent' | 'abstain' | 'refused' | 'failed',
  ): void {
    this.#words.inc({ cosigner, word });
  }

  request({ method, pattern, status, seconds }: RequestLine): void {
    this.#requests.observe(method, pattern ?? 'none', status, seconds);
  }

  round(ticker: string, outcome: string): void {
    this.#rounds.inc({ ticker, outcome });
  }

  route(): Route {
    return metricsRoute(async () => (await this.#registry.metrics()) + this.#requests.text());
  }
}

/** `GET /metrics`, with what `text` gives in the text format of Prometheus. */
export function metricsRoute(text: () => Promise<string>): Route {
  const metrics = async (): Promise<ApiReply> =>
    whole(Registry.PROMETHEUS_CONTENT_TYPE, await text(), { cacheControl: NO_STORE });
  return route('GET', '/metrics', metrics, { unversioned: true, operation: getMetrics });
}

function progressOf({ freeze, unseal }: RoundRow): 'open' | 'frozen' | 'unsealed' {
  if (freeze === null) return 'open';
  return unseal === null ? 'frozen' : 'unsealed';
}
