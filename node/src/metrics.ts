import { parseTime } from '@assay/core/time/time';
import { handleCount } from '@assay/core/view/forecasts';
import { pendingRounds, type RoundRow } from '@assay/core/view/rounds';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { getMetrics } from './api/operation/service-operations.ts';
import { anchorStatus } from './api/status.ts';
import { route, type Route } from './http/route.ts';
import { NO_STORE, whole } from './http/reply.ts';
import type { RequestLine } from './http/pipeline.ts';
import type { FeedFigures } from './feed/feeds.ts';
import type { FreeSpace } from './platform/free-space.ts';
import type { DamageLog, PartCount } from './scrub/damage-log.ts';
import type { ScrubStatus } from './scrub/scrub.ts';
import { RequestHistogram } from './platform/request-histogram.ts';
import type { LogRecord } from './ledger/record.ts';
import { PAYMENT_STATES } from './payment/payment.ts';
import type { PaymentTally } from './payment/payment-tally.ts';
import type { SubscriptionStore } from './webhook/subscription-store.ts';
import { SUBSCRIPTION_STATES } from './webhook/subscription.ts';
import type { StampProgress } from './anchor/anchoring.ts';

/**
 * What a node counts, for Prometheus. Labels are patterns, outcomes, the hosts of calendars and the names of
 * co-signers, never addresses of clients or paths.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestHistogram();
  readonly #rounds: Counter<'ticker' | 'outcome'>;
  readonly #stamped: Counter;
  readonly #upgraded: Counter;
  readonly #calendarFailures: Counter<'calendar'>;
  readonly #posted: Counter<'of'>;
  readonly #spent: Counter<'on' | 'of'>;
  readonly #words: Counter<'cosigner' | 'word'>;
  readonly #dayEndFailures: Counter<'of'>;
  readonly #arenaSteps: Counter<'step'>;
  readonly #webhookAttempts: Counter<'outcome'>;

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
    this.#posted = new Counter({
      name: 'assay_chain_posted_total',
      help: 'Prints and Closes that the log has recorded as being on chain, since the start',
      labelNames: ['of'],
      registers,
    });
    this.#spent = new Counter({
      name: 'assay_chain_lamports_total',
      help: 'Lamports paid on chain since the start, by purpose (feed, rule, set, print, dissent, close) and by fee or rent',
      labelNames: ['on', 'of'],
      registers,
    });
    this.#dayEndFailures = new Counter({
      name: 'assay_day_end_failures_total',
      help: 'Failed attempts to make the Close or the index entry of a day',
      labelNames: ['of'],
      registers,
    });
    this.#arenaSteps = new Counter({
      name: 'assay_arena_steps_total',
      help: 'Entries of rounds of the Arena that were written: opened, frozen, unsealed, void, graded',
      labelNames: ['step'],
      registers,
    });
    this.#webhookAttempts = new Counter({
      name: 'assay_webhook_attempts_total',
      help: 'Attempts to deliver a message to a receiver, by the class of its answer or why there was none',
      labelNames: ['outcome'],
      registers,
    });
    this.#words = new Counter({
      name: 'assay_cosigner_words_total',
      help: 'Statements of co-signers on reports, by name; refused if the log must not hold it; for a recounter its own, failed if it could make none',
      labelNames: ['cosigner', 'word'],
      registers,
    });
  }

  webhookAttempt(outcome: string): void {
    this.#webhookAttempts.inc({ outcome });
  }

  /** Gauges of the subscriptions in each state, and of how far the last of them is behind. */
  watchWebhooks(store: Pick<SubscriptionStore, 'all'>, behind: () => number): void {
    const subscriptions = new Gauge({
      name: 'assay_webhook_subscriptions',
      help: 'Subscriptions to webhooks, by state',
      labelNames: ['state'],
      registers: [],
      collect(): void {
        this.reset();
        for (const state of SUBSCRIPTION_STATES) this.set({ state }, 0);
        for (const { progress } of store.all()) this.inc({ state: progress.state });
      },
    });
    this.#registry.registerMetric(subscriptions);
    const entries = new Gauge({
      name: 'assay_webhook_behind_entries',
      help: 'Published entries that the last active receiver of webhooks is behind',
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
      name: 'assay_payments_open',
      help: 'Payments of which something may still be learnt, by state: settling, settled, confirmed, lost',
      labelNames: ['state'],
      registers: [],
      collect(): void {
        for (const [state, count] of Object.entries(tally.open)) this.set({ state }, count);
      },
    });
    const reached = new Counter({
      name: 'assay_payments_total',
      help: 'Payments that came to a state since the start: settling when they began, settled, confirmed, final, failed, lost',
      labelNames: ['state'],
      registers: [],
      collect(): void {
        this.reset();
        for (const state of PAYMENT_STATES) this.inc({ state }, tally.reached(state));
      },
    });
    const received = new Counter({
      name: 'assay_payment_received_units_total',
      help: 'What final payments have brought since the start, in the smallest unit of the asset',
      registers: [],
      collect(): void {
        this.reset();
        this.inc(Number(tally.units));
      },
    });
    const unknown = new Counter({
      name: 'assay_payment_unknown_answers_total',
      help: 'Answers since the start that said settlement_unknown',
      registers: [],
      collect(): void {
        this.reset();
        this.inc(tally.unknown);
      },
    });
    this.#registry.registerMetric(open);
    for (const counter of [reached, received, unknown]) this.#registry.registerMetric(counter);
  }

  /** A gauge of the readers of streams. */
  watchEvents(hub: { readonly clients: number }): void {
    const readers = new Gauge({
      name: 'assay_event_streams',
      help: 'Open streams of /events',
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

  /** Gauges that read the free space of the disk when they are scraped. */
  watchDisk(free: () => FreeSpace | undefined): void {
    const bytes = new Gauge({
      name: 'assay_disk_free_bytes',
      help: 'Bytes left on the disk of the data, as last measured; -1 while that is not known',
      registers: [],
      collect(): void {
        this.set(free()?.bytes ?? -1);
      },
    });
    const files = new Gauge({
      name: 'assay_disk_free_files',
      help: 'Files for which the disk of the data has room, as last measured; -1 if the file system counts none',
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
    const byPart = (name: string, help: string, read: (of: PartCount) => number): void =>
      this.#registry.registerMetric(
        new Gauge({
          name,
          help,
          labelNames: ['part'],
          registers: [],
          collect(): void {
            for (const each of damage.counts) this.set({ part: each.part }, read(each));
          },
        }),
      );
    byPart(
      'assay_storage_damaged',
      'Things at rest that are damaged or missing now, by what they are',
      ({ open }) => open,
    );
    byPart(
      'assay_storage_repaired',
      'How often a thing at rest was repaired since the start, by what it is',
      ({ repaired }) => repaired,
    );
    const gauges: readonly (readonly [string, string, (of: ScrubStatus | undefined) => number])[] =
      [
        [
          'assay_scrub_share',
          'How much of the round the scrub has done, from 0 to 1; 1 between two rounds',
          (of) => of?.share ?? 0,
        ],
        ['assay_scrub_rounds', 'Rounds of the scrub since the start', (of) => of?.rounds ?? 0],
        [
          'assay_scrub_bytes',
          'Bytes that the scrub has read since the start',
          (of) => of?.bytes ?? 0,
        ],
        [
          'assay_scrub_last_round_timestamp_seconds',
          'When the last round that went over everything ended, unix time; 0 before the first',
          (of) => (of?.last_ended_at == null ? 0 : parseTime(of.last_ended_at)),
        ],
      ];
    for (const [name, help, read] of gauges) {
      this.#registry.registerMetric(
        new Gauge({
          name,
          help,
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
      name: 'assay_stamps_pending',
      help: 'Batches of stamps with a calendar that is still to answer',
      registers: [],
      collect(): void {
        this.set(progress().pending);
      },
    });
    const height = new Gauge({
      name: 'assay_stamps_attested_height',
      help: 'Highest Bitcoin block that holds a batch of stamps, 0 before there is one',
      registers: [],
      collect(): void {
        this.set(progress().attestedHeight ?? 0);
      },
    });
    const age = new Gauge({
      name: 'assay_header_age_seconds',
      help: 'Seconds since the time of the newest Bitcoin header that is known, NaN without one',
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
      name: 'assay_reports_awaiting_cosigners',
      help: 'Reports on which not every co-signer has made a statement, and finals without their quorum',
      registers: [],
      collect(): void {
        this.set(waiting());
      },
    });
    this.#registry.registerMetric(gauge);
  }

  /** Gauges that read the progress of posting when they are scraped. */
  watchFeeds(figures: () => FeedFigures): void {
    const gauges: readonly (readonly [string, string, (all: FeedFigures) => number])[] = [
      [
        'assay_chain_waiting',
        'Prints and Closes that belong on chain and are not yet recorded as being there',
        ({ waiting }) => waiting,
      ],
      [
        'assay_chain_waiting_seconds',
        'Seconds since the oldest of them could be there, 0 while none could',
        ({ waitingS }) => waitingS,
      ],
      [
        'assay_chain_slot',
        'The newest finalized slot that was seen, 0 before the first',
        ({ slot }) => slot ?? 0,
      ],
      [
        'assay_chain_payer_lamports',
        'What the payer has, NaN before it was asked',
        ({ balance }) => (balance === undefined ? Number.NaN : Number(balance)),
      ],
      [
        'assay_chain_spent_today_lamports',
        'Lamports of this UTC day, fees and rent',
        ({ spentToday }) => Number(spentToday),
      ],
      [
        'assay_chain_differences',
        'Differences between the chain and the log, and items that the chain refuses',
        ({ differences }) => differences,
      ],
    ];
    for (const [name, help, read] of gauges) {
      this.#registry.registerMetric(
        new Gauge({
          name,
          help,
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
      name: 'assay_arena_rounds',
      help: 'Rounds of the Arena that are not graded, by how far they are: open, frozen, unsealed',
      labelNames: ['state'],
      registers: [],
      collect(): void {
        const counts = { open: 0, frozen: 0, unsealed: 0 };
        for (const row of pendingRounds(ledger.shown)) counts[progressOf(row)] += 1;
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
    const forecasts = new Gauge({
      name: 'assay_arena_forecasts',
      help: 'Handles with a forecast in a round of the Arena that is not graded',
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

function progressOf({ freeze, unseal }: RoundRow): 'open' | 'frozen' | 'unsealed' {
  if (freeze === null) return 'open';
  return unseal === null ? 'frozen' : 'unsealed';
}
