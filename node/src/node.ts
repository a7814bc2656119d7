import type { ChangedTables } from './ledger/record.ts';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { parseHeader } from '@assay/core/bitcoin/header';
import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import { otsHashes } from '@assay/core/ots/hashes';
import { type AnchorParts, lookEveryMs } from './anchor/anchor-parts.ts';
import { Anchoring } from './anchor/anchoring.ts';
import {
  ANCHOR_LIMITS,
  anchorConcerns,
  type AnchorLimits,
  closeConcerns,
  lateNumbers,
  latenessConcerns,
  recordConcerns,
  type StatusInput,
  type Concern,
  type StatusLimits,
} from './health/concern.ts';
import { ClockWatch } from './health/clock-watch.ts';
import { ConcernLog } from './health/concern-log.ts';
import { Publication } from './api/publication.ts';
import type { BlobStore } from './blob/blob-store.ts';
import { type Clock, monotone, processClock } from './platform/clock.ts';
import { ClockCheck } from './health/clock-check.ts';
import { DayEnd } from './day/day-end.ts';
import { DiskRoom, type RoomLimits } from './health/disk-room.ts';
import type { NodeFeed } from './feed/feed-parts.ts';
import { Feeds } from './feed/feeds.ts';
import { unpostedConcerns } from './feed/unposted.ts';
import type { FreeSpace } from './platform/free-space.ts';
import { Objects, type ObjectsSettings } from './objects/objects.ts';
import type { ObjectStore } from './objects/object-store.ts';
import { IndexRound } from './day/completeness-round.ts';
import type { ReportSigner } from './key/report-signer.ts';
import { Ledger, type LedgerOptions } from './ledger/ledger.ts';
import type { ListenAddress } from './http/transport.ts';
import { Metrics } from './metrics.ts';
import { ReaderProcesses } from './readers/reader-processes.ts';
import { nodeVerifySignature } from './platform/node-signature.ts';
import type { StoredOpenings } from './data/openings.ts';
import { statementOf } from './cosign/admit.ts';
import { Reception } from './cosign/reception.ts';
import { RECEPTION_LIMITS, type ReceptionLimits } from './cosign/reception-limits.ts';
import { DamageLog } from './scrub/damage-log.ts';
import { publisherScrub } from './publisher-scrub.ts';
import type { Scrub, ScrubSettings } from './scrub/scrub.ts';
import { type ClaimRoom, Scheduler } from './round/scheduler.ts';
import type { WitnessStage } from './ledger/witness-stage.ts';
import {
  type Address,
  type NodePlaces,
  type RunningService,
  type StartedService,
  startService,
  type TerminalSettings,
} from './service.ts';
import type { SettlementFolder } from './day/settlement-mirror.ts';
import type { Source } from './source/source.ts';
import { enactListing, lateSplitConcerns } from './terminal/tick/market-listing.ts';
import { type NodeTicks, nodeTicks } from './terminal/node-ticks.ts';
import type { TickLoop } from './terminal/tick-loop.ts';
import { EntryFrames } from './stream/entry-frames.ts';
import { EventHub } from './stream/event-hub.ts';
import { type NodeWebhooks, nodeWebhooks, type RunningWebhooks } from './webhook/node-webhooks.ts';
import { type NodeArena, nodeArena, type RunningArena } from './arena/node-arena.ts';
import { AnswerClosing } from './referee/answer-closing.ts';
import { AnswerIntake } from './referee/answer-intake.ts';
import type { AnswerFolders } from './referee/question-files.ts';
import { type Service, Services } from './health/services.ts';
import { logRow } from '@assay/core/view/log';
import type { Tier } from './payment/open-tier.ts';
import type { PaidResource } from './payment/paid-resource.ts';
import { tierService } from './payment/tier-service.ts';
import { GuardWatch, type GuardWatchParts } from './postgres/guard-watch.ts';
import { WriteWatch } from './health/write-watch.ts';

/** Milliseconds between two measurements of the space on the disk. */
const DISK_MS = 10_000;
/** Milliseconds until another epoch is taken after one that ended without an answer. */
const EPOCH_MS = 1000;
/** Milliseconds that a start waits for Bitcoin's newest block, to compare the clock with it. */
const FIRST_BLOCK_MS = 15_000;
/** The bytes of a round in addition to what it reads: its entries, their rows, and the files of a Close. */
const ROUND_BYTES = 16 * 1024 ** 2;

/** The program of a reader's process. */
const READER_PROGRAM = fileURLToPath(new URL('./serve/reader-process.js', import.meta.url));
/** Milliseconds between two polls of a reader that has no token. Those of this machine have one. */
const READER_POLL_MS = 1000;

/** Everything that a node needs. Everything outside of the process is passed in here. */
export interface NodeParts extends Address {
  readonly ledger: Omit<LedgerOptions, 'onPublish' | 'sha256' | 'now' | 'witness'>;
  /** What gathers the lines of witnesses. Without it, heads are shown at once. */
  readonly witnesses?: NodeWitnesses | undefined;
  /** Who follows the log, where its head guard is in a database. */
  readonly followers?: GuardWatchParts['followers'] | undefined;
  readonly blobs: BlobStore;
  /** Calendars and Bitcoin headers, and where the open batch is stored. */
  readonly anchor: Pick<AnchorParts, 'calendars' | 'headers' | 'network' | 'timing' | 'openBatch'>;
  /** Milliseconds between two polls for what has to be stamped. The default follows from `anchor.timing`. */
  readonly anchorMs?: number;
  /** When a stamp is missing for too long. The default is `ANCHOR_LIMITS`. */
  readonly anchorLimits?: AnchorLimits;
  /** What is too much or too late from co-signers. The default is `RECEPTION_LIMITS`. */
  readonly reception?: ReceptionLimits;
  /** The disk that is written to. Without it, no disk is watched. */
  readonly disk?: NodeDisk;
  /** How everything that is stored is scrubbed. Without it, nothing is. */
  readonly scrub?: ScrubSettings;
  /** Whether the clock is compared with Bitcoin's newest block before it dates anything. */
  readonly checksClock?: boolean;
  /** Stops a simulated clock for a round. */
  readonly hold?: () => () => void;
  /** Called after each poll for due rounds. */
  readonly onPolled?: () => void;
  /** Called with the node once it answers requests, while its entries are still being read again. */
  readonly onListening?: (node: RunningNode) => void;
  /** How prints are posted to the chain. Without it, none are. */
  readonly feed?: NodeFeed;
  /** What is known of the Terminal in addition to the log. */
  readonly terminal?: TerminalSettings;
  /** How ticks are made. Without it, none are. */
  readonly ticks?: NodeTicks;
  /** How forecasts are taken and their rounds are run. Without it, none are. */
  readonly arena?: NodeArena;
  /** Where subscriptions to webhooks are. Without it, none are taken. */
  readonly webhooks?: NodeWebhooks;
  /** Whether there are subscriptions to webhooks that cannot be read. */
  readonly webhooksUnreadable?: boolean;
  /** The bucket that a copy of the log is kept in. Without it, none is. */
  readonly objects?: NodeObjects | undefined;
  /** The machine tier. Without it, it is closed. */
  readonly tier?: NodeTier | undefined;
  /** How answers to questions are taken. Without it, none are, and no question closes. */
  readonly answers?: NodeAnswers;
  /** Readers in processes of their own. Without them, this process answers everybody. */
  readonly readers?: NodeReaders | undefined;
  /** Called with the tables that each publication changed. */
  readonly onTables?: (tables: ChangedTables) => void;
  readonly openings: StoredOpenings;
  /** Where settlement files are written. */
  readonly settlements: SettlementFolder;
  readonly places: NodePlaces;
  readonly source: Source;
  readonly reportSigner: ReportSigner;
  readonly sha256: Sha256;
  readonly now: Clock;
  /** Seconds of a clock without steps. The default is that of the process. */
  readonly elapsed?: Clock;
  readonly log: Logger;
  readonly metrics: boolean;
  readonly pollMs: number;
  readonly notice: string | null;
  readonly limits: StatusLimits;
  /** Runs once the service listens, before rounds, stamps and posting start by themselves: rules, a replay. */
  readonly prepare: (
    ledger: Ledger,
    scheduler: Scheduler,
    anchoring: Anchoring,
    workers: Workers,
  ) => Promise<void>;
}

/** Readers in processes of their own, on this machine or on others. */
export interface NodeReaders {
  /** How many there are on this machine. With at least one, they have the public address. */
  readonly count: number;
  /** The folder of their copies of the log; null to keep them in memory. */
  readonly folder: string | null;
  /** Where readers ask this process: an address that others can reach only if there are readers on other machines. */
  readonly at: ListenAddress;
  readonly token: string;
  readonly vkey: string;
  readonly logLevel: string;
}

/** An open tier, with what is sold in place of the machine tier's own answers. */
export interface NodeTier {
  readonly tier: Tier;
  readonly resources?: readonly PaidResource[];
}

/** The bucket of a node's log. */
export interface NodeObjects {
  readonly store: ObjectStore;
  readonly settings: ObjectsSettings;
  /** The answers about so many of the newest periods of each index are copied. */
  readonly reports: number;
  /** For how many seconds readers of a former checkpoint find what it needs. */
  readonly keepS: number;
  /** Whether a blob is known to be in the bucket. */
  readonly isStored?: (hash: HashHex) => boolean;
  /** Ends requests that are under way. */
  readonly close: () => void;
}

/** Where a node keeps what only it has of answers. */
export interface NodeAnswers extends AnswerFolders {
  /** False on a development network: a power failure may lose the newest answers. */
  readonly sync?: boolean;
  /** Milliseconds between two polls for questions whose time is over. */
  readonly everyMs: number;
}

/** The disk of a node. */
export interface NodeDisk {
  readonly measure: () => Promise<FreeSpace>;
  /** Throws if it cannot be written. */
  readonly probe: () => Promise<void>;
  readonly limits: RoomLimits;
  /** The most bytes of one provider's answer. */
  readonly readBytes: number;
  /** Milliseconds between two measurements. The default is `DISK_MS`. */
  readonly everyMs?: number;
}

/** What gathers the lines of a log's witnesses, while the node runs. */
export interface NodeWitnesses extends WitnessStage {
  /** Maintains the lines on the ledger's newest head from now on. */
  readonly follow: (ledger: Ledger) => void;
  /** What is wrong with the witnesses, for readers. */
  readonly concerns: StatusInput;
  /** Aborts what is under way; nobody is asked afterwards. */
  readonly stop: () => Promise<void>;
}

/** What runs in addition to rounds and stamps. */
export interface Workers {
  readonly reception: Reception;
  /** Where the service listens. */
  readonly port: number;
  /** Undefined if nothing is posted. */
  readonly feeds: Feeds | undefined;
  /** Undefined if no ticks are made. */
  readonly ticks: TickLoop | undefined;
  readonly dayEnd: DayEnd;
}

/** A service with the ledger behind it. `close` stops rounds and requests, then the ledger, each once. */
export interface RunningNode extends RunningService {
  readonly ledger: Ledger;
  /** The readers of this machine in processes of their own, if there are any. */
  readonly readers?: Pick<ReaderProcesses, 'status'> | undefined;
}

/**
 * Starts a node: ledger, API, and, once the entries of the ledger have been read again, rounds. If an entry
 * turns out to be damaged, it serves but writes nothing. If it throws, what was opened is closed again.
 */
export async function startNode(given: NodeParts): Promise<RunningNode> {
  const parts: NodeParts = { ...given, now: monotone(given.now) };
  const base = await openBase(parts, given.now);
  const { ledger } = base;
  const { log } = parts;
  let services: Services | undefined;
  try {
    base.metrics.watchLedger(ledger);
    if (parts.followers !== undefined) base.metrics.watchFollowers(ledger, parts.followers);
    base.metrics.watchLateness(() => lateNumbers(ledger, parts.now(), parts.limits));
    const publication = new Publication(ledger, parts.sha256);
    base.onPublish.push((size, tables) => publication.changed(size, tables));
    const { blocked } = ledger;
    // Each start proves its entries before it writes, which is no fault.
    if (blocked?.code === 'unproven') log.info({ reason: blocked.message }, 'proving');
    else if (blocked !== undefined) log.warn({ reason: blocked.message }, 'read-only');
    const workers = makeWorkers(base);
    await workers.disk?.watch.check();
    let api: StartedService | undefined;
    let port = 0;
    const readers = readerProcesses(parts, () => api?.readersPort ?? 0);
    const config = new ConfiguredEntries(base, workers, () => port);
    services = servicesOf(base, workers, config, { api: () => api, readers });
    api = await startApi(base, workers, { publication, services });
    port = (await readers?.open()) ?? api.port;
    if (readers !== undefined) base.metrics.watchReaders(() => readers.status, ledger);
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      try {
        await services?.stop();
      } finally {
        await ledger.close();
      }
      log.info('stopped');
    };
    const node: RunningNode = { ...api, port, ledger, readers, close: () => (closed ??= close()) };
    services.start('listening');
    parts.onListening?.(node);
    try {
      await untilProven(ledger, log);
      // Damaged entries do not prevent checking everything else.
      services.start('proven');
      if (base.clockCheck !== undefined) await firstBlock(parts);
      if (!services.stopped) await config.append();
    } catch (error) {
      if (!services.stopped) throw error;
    }
    services.start('ready');
    return node;
  } catch (error) {
    // Why it did not start matters more than what could not be stopped.
    await (services?.stop() ?? parts.witnesses?.stop())?.catch((other: unknown) =>
      log.warn({ reason: messageOf(other) }, 'could not be stopped'),
    );
    await ledger.close();
    throw error;
  }
}

/** What all parts of a node need. */
interface Base {
  readonly parts: NodeParts;
  /** The clock with its steps, which the node's own does not follow. */
  readonly system: Clock;
  readonly elapsed: Clock;
  readonly clockCheck: ClockCheck | undefined;
  readonly damage: DamageLog;
  readonly ledger: Ledger;
  readonly metrics: Metrics;
  /** Called after each publication, in order. */
  readonly onPublish: PublishListener[];
}

type PublishListener = (size: number, tables: ChangedTables) => void;

async function openBase(parts: NodeParts, system: Clock): Promise<Base> {
  const { now, log, elapsed = processClock } = parts;
  const clockCheck = clockCheckOf(parts, system, elapsed);
  const damage = new DamageLog(now, (found) => log.error(found, 'damage at rest'));
  const onPublish: PublishListener[] = [];
  const metrics = new Metrics();
  const ledger = await openLedger(parts, { clockCheck, damage, metrics }, (size, tables) => {
    for (const each of onPublish) each(size, tables);
  });
  return { parts, system, elapsed, clockCheck, damage, ledger, metrics, onPublish };
}

/** What runs in addition to the API. */
interface NodeWorkers extends Omit<Workers, 'port'> {
  readonly answers: { readonly intake: AnswerIntake; readonly closing: AnswerClosing } | undefined;
  readonly disk: ReturnType<typeof watchDisk>;
  readonly scrub: Scrub | undefined;
  readonly scheduler: Scheduler;
  readonly anchoring: Anchoring;
  readonly arena: RunningArena | undefined;
  readonly webhooks: RunningWebhooks | undefined;
  readonly events: EventHub;
  readonly clocks: ClockWatch;
  readonly objects: Objects | undefined;
}

function makeWorkers(base: Base): NodeWorkers {
  const { parts, system, elapsed, damage, ledger, metrics, onPublish } = base;
  const { sha256, now, log } = parts;
  const disk = watchDisk(parts, ledger, metrics);
  const indexing = new IndexRound(ledger, sha256, now);
  const dayEnd = new DayEnd({
    ledger,
    signer: parts.reportSigner,
    mirror: parts.settlements,
    sha256,
    indexing,
    log,
    onFailed: (of) => metrics.dayEndFailed(of),
  });
  const scrub = publisherScrub(parts, ledger, damage);
  metrics.watchStorage(damage, () => scrub?.status);
  const scheduler = makeScheduler(base, dayEnd, disk?.claim);
  const anchoring = makeAnchoring(base);
  const reception = makeReception(parts, ledger, elapsed, metrics);
  onPublish.push((size, tables) => reception.changed(size, tables));
  if (parts.onTables !== undefined) {
    const { onTables } = parts;
    onPublish.push((_, tables) => onTables(tables));
  }
  const feeds = makeFeeds(parts, ledger, elapsed, metrics);
  const answers = makeAnswers(parts, ledger);
  const ticks = makeTicks(parts, ledger, answers?.closing);
  const arena = makeArena(parts, ledger, metrics);
  const events = new EventHub(new EntryFrames(ledger, sha256));
  onPublish.push(events.published);
  metrics.watchEvents(events);
  if (parts.tier !== undefined) metrics.watchPayments(parts.tier.tier.store.tally);
  const webhooks = makeWebhooks(parts, ledger, metrics);
  if (webhooks !== undefined) onPublish.push(() => webhooks.deliveries.wake());
  const objects = makeObjects(base);
  if (objects !== undefined) onPublish.push(objects.published);
  const clocks = new ClockWatch(system, elapsed, () => ledger.nextAt);
  const makers = { scheduler, anchoring, feeds, answers, ticks, arena, webhooks, events };
  return { disk, dayEnd, scrub, reception, clocks, objects, ...makers };
}

/**
 * The long-running parts, in the order in which they start and in which readers see what is wrong with them.
 */
function servicesOf(
  { parts, clockCheck, damage, ledger }: Base,
  workers: NodeWorkers,
  config: ConfiguredEntries,
  {
    api,
    readers,
  }: {
    readonly api: () => StartedService | undefined;
    readonly readers: ReaderProcesses | undefined;
  },
): Services {
  const { limits, now, log, witnesses } = parts;
  const { disk, anchoring, feeds } = workers;
  const services: Services = new Services([
    new ConcernLog(
      [() => services.concerns(), () => api()?.halts() ?? [], damage.concerns],
      (change, { reason }) => {
        if (change === 'begun') log.warn({ reason }, 'something is wrong');
        else log.info({ reason }, 'no longer wrong');
      },
      (state, reasons) => workers.webhooks?.deliveries.announce(state, reasons),
      () => workers.reception.isSettled,
    ),
    { concerns: () => recordConcerns(ledger) },
    readers,
    workers.scrub,
    workers.dayEnd,
    witnesses && {
      startsWhen: 'listening',
      stops: 'after',
      start: () => witnesses.follow(ledger),
      stop: () => witnesses.stop(),
      concerns: () => witnesses.concerns(),
    },
    parts.followers &&
      new GuardWatch({
        ledger,
        followers: parts.followers,
        everyMs: EPOCH_MS,
        onResumed: () => log.warn('another epoch of the head guard was taken'),
        onResumeFailed: (error) =>
          log.warn({ reason: messageOf(error) }, 'no epoch of the head guard'),
      }),
    workers.clocks,
    clockCheck,
    disk && {
      stops: 'before',
      start: () => disk.watch.start(() => config.appendLate()),
      stop: () => disk.watch.stop(),
      concerns: () => disk.room.concerns(),
    },
    workers.scheduler,
    { concerns: () => latenessConcerns(ledger, now(), limits) },
    { concerns: () => closeConcerns(ledger, now(), limits) },
    anchoring,
    workers.reception,
    feeds ?? { concerns: () => unpostedConcerns(ledger) },
    { concerns: () => anchorConcerns(ledger, now(), anchoring.questions, anchorLimits(parts)) },
    workers.ticks,
    workers.arena,
    workers.webhooks?.deliveries,
    parts.webhooksUnreadable === true ? { concerns: () => UNREADABLE_WEBHOOKS } : undefined,
    workers.events,
    workers.objects,
    workers.answers?.closing,
    parts.tier && tierService(parts.tier.tier),
    config,
    { stop: () => api()?.close() },
  ]);
  return services;
}

/**
 * What the configuration requires of the log: entries that are appended at the start, or as soon as the disk
 * can be written.
 */
class ConfiguredEntries implements Service {
  readonly #parts: NodeParts;
  readonly #ledger: Ledger;
  readonly #workers: NodeWorkers;
  readonly #port: () => number;
  #appended = false;
  #lateSplits: readonly Concern[] = [];

  constructor({ parts, ledger }: Base, workers: NodeWorkers, port: () => number) {
    this.#parts = parts;
    this.#ledger = ledger;
    this.#workers = workers;
    this.#port = port;
  }

  async append(): Promise<void> {
    const { prepare, ticks, sha256 } = this.#parts;
    const { scheduler, anchoring, ...others } = this.#workers;
    const isOpen = this.#ledger.blocked === undefined;
    await prepare(this.#ledger, scheduler, anchoring, { ...others, port: this.#port() });
    if (ticks !== undefined && this.#ledger.blocked === undefined) {
      const rules = ticks.classes.map(({ rule }) => rule);
      const { late } = await enactListing(this.#ledger, sha256, rules, ticks.listing);
      this.#lateSplits = lateSplitConcerns(late);
    }
    this.#appended = isOpen;
  }

  /** Appends what a start on a full disk had to leave. Never throws. */
  async appendLate(): Promise<void> {
    if (this.#appended || this.#ledger.blocked !== undefined) return;
    await this.append().catch((error: unknown) =>
      this.#parts.log.error(
        { reason: messageOf(error) },
        'what the config asks for could not be appended',
      ),
    );
  }

  concerns(): readonly Concern[] {
    return this.#lateSplits;
  }
}

function startApi(
  { parts, ledger, damage, metrics }: Base,
  { scrub, feeds, reception, ticks, arena, answers, webhooks, events }: NodeWorkers,
  { publication, services }: { readonly publication: Publication; readonly services: Services },
): Promise<StartedService> {
  const { settlements, reportSigner, places, sha256, now, notice, terminal, log } = parts;
  return startService({
    record: ledger,
    publication,
    blobs: parts.blobs,
    damage,
    ...(scrub === undefined ? {} : { scrub }),
    settlements: settlements.read,
    reportKey: reportSigner.publicKey,
    places,
    sha256,
    now,
    inputs: [services.concerns],
    notice,
    ...(feeds === undefined ? {} : { feeds: () => feeds.progress }),
    reception,
    arena: arena && { book: arena, handles: arena.handles, forecasts: arena.intake },
    answers: answers?.intake,
    webhooks,
    events,
    tier: parts.tier && {
      tier: parts.tier.tier,
      resources: parts.tier.resources,
      log: logRow(ledger.shown)?.log ?? '',
      report: reportSigner,
    },
    metrics: parts.metrics ? metrics : undefined,
    readers: parts.readers && {
      ...parts.readers.at,
      token: parts.readers.token,
      vkey: parts.readers.vkey,
      entries: (start, end) => ledger.entries(start, end),
      isAlone: parts.readers.count > 0,
    },
    terminal: {
      ...terminal,
      ...(ticks === undefined ? {} : { readings: ticks.readings }),
      openings: Object.fromEntries(
        (parts.ticks?.classes ?? []).map(({ rule, openings }) => [rule.class, openings]),
      ),
    },
    log,
    address: parts,
  });
}

/** The readers of this machine; undefined if there are none. `at` is the port at which they ask. */
function readerProcesses(
  { readers, log, host, port, transport, server, quotas }: NodeParts,
  at: () => number,
): ReaderProcesses | undefined {
  if (readers === undefined || readers.count === 0) return undefined;
  const { count, folder, token, vkey, logLevel } = readers;
  return new ReaderProcesses({
    count,
    program: READER_PROGRAM,
    host,
    port,
    settingOf: (number, shared) => ({
      publisher: { url: `http://127.0.0.1:${at()}`, token },
      folder: folder === null ? null : join(folder, String(number)),
      vkey,
      host,
      port: shared,
      transport,
      server,
      quotas,
      logLevel,
      pollMs: READER_POLL_MS,
    }),
    log,
  });
}

/** The loop of rounds, with what happens at the end of a day. */
function makeScheduler(
  { parts, ledger, metrics }: Base,
  dayEnd: DayEnd,
  claim: ClaimRoom | undefined,
): Scheduler {
  const { reportSigner: signer, source, blobs, openings, sha256, now, log } = parts;
  return new Scheduler(
    { ledger, signer, source, blobs, openings, sha256, now, random: randomBytes },
    parts.pollMs,
    {
      onRound(ticker, period, { report, revisions, reads }) {
        metrics.round(ticker, report?.status ?? 'nothing');
        const outcomes = reads.map(({ read }) => `${read.provider} ${read.outcome}`);
        const line = { ticker, period, outcomes, revisions, value: report?.value };
        if (report === undefined && revisions === 0) log.debug(line, 'round: nothing new');
        else log.info({ ...line, status: report?.status }, 'round');
      },
      onRoundFailed(ticker, period, error) {
        metrics.round(ticker, 'failed');
        log.error({ ticker, period, reason: messageOf(error) }, 'round failed');
      },
    },
    () => {
      parts.onPolled?.();
      return dayEnd.run();
    },
    parts.hold,
    claim,
  );
}

/** The loops that stamp and that follow stamps. */
function makeAnchoring({ parts, elapsed, ledger, metrics }: Base): Anchoring {
  const { anchor, blobs, sha256, now, log } = parts;
  const anchoring = new Anchoring(
    {
      ...anchor,
      ledger,
      blobs,
      sha256,
      hashes: otsHashes(sha256),
      now,
      elapsed,
      random: randomBytes,
    },
    parts.anchorMs ?? lookEveryMs(anchor.timing),
    {
      onStamped(batch, calendars) {
        metrics.stamped();
        log.info({ batch, calendars }, 'stamped');
      },
      onUpgraded(batch, heights) {
        metrics.upgraded();
        log.info({ batch, heights }, 'stamp upgraded');
      },
      onCalendarFailed(calendar, reason) {
        metrics.calendarFailed(calendar);
        log.warn({ calendar, reason }, 'a calendar failed');
      },
      onBeacon: (height) => log.debug({ height }, 'beacon'),
      onError: (what, reason) => log.warn({ what, reason }, 'anchoring'),
    },
  );
  if (anchor.headers?.sufficient === false) {
    log.warn(
      'one Bitcoin explorer alone: no block is recorded and no beacon written before there are two, or a ' +
        'node or a file of your own (bitcoin_explorers, bitcoin_rpc, bitcoin_headers)',
    );
  }
  metrics.watchStamps(() => anchoring.progress);
  return anchoring;
}

/**
 * Compares the clock with Bitcoin's newest block; undefined if that is not requested, or if there is no source
 * of blocks.
 */
function clockCheckOf(
  { checksClock = false, anchor: { headers }, now }: NodeParts,
  system: Clock,
  elapsed: Clock,
): ClockCheck | undefined {
  if (!checksClock || headers === undefined) return undefined;
  const newestBlock = (): number | undefined => {
    const tip = headers.agreed;
    return tip === undefined ? undefined : parseHeader(tip.header).time;
  };
  return new ClockCheck({ now, system, elapsed, newestBlock });
}

/**
 * Waits until Bitcoin's sources have been asked once, because a clock that is wrong from the start must not
 * date anything.
 */
async function firstBlock({ anchor: { headers } }: NodeParts): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, FIRST_BLOCK_MS).unref());
  await Promise.race([headers?.refresh(), late]);
}

/** Watches the disk, on which rounds claim space. */
function watchDisk(
  { disk, log }: NodeParts,
  ledger: Ledger,
  metrics: Metrics,
): { readonly room: DiskRoom; readonly watch: WriteWatch; readonly claim: ClaimRoom } | undefined {
  if (disk === undefined) return undefined;
  const { measure, limits, probe, readBytes, everyMs = DISK_MS } = disk;
  const room = new DiskRoom({
    measure,
    limits,
    onFailed: (error) => log.warn({ reason: messageOf(error) }, 'the disk could not be measured'),
  });
  metrics.watchDisk(() => room.free);
  const watch = new WriteWatch(
    { ledger, room, probe, everyMs },
    {
      onResumed: () =>
        log.info({ entries: ledger.nextSeq }, 'there is room again: writing goes on'),
      onResumeFailed: (error) => log.error({ reason: messageOf(error) }, 'writing does not go on'),
    },
  );
  const claim: ClaimRoom = (ticker, providers) =>
    room.claim(`a round of ${ticker}`, providers * readBytes + ROUND_BYTES);
  return { room, watch, claim };
}

/** Waits until what is signed may depend on the ledger's rows. If it never may, the ledger is blocked. */
async function untilProven(ledger: Ledger, log: Logger): Promise<void> {
  const { size } = ledger.proof;
  try {
    await ledger.proven();
    log.debug({ entries: size }, 'the entries have been read again');
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the entries could not be read again');
  }
  for (const what of ledger.mended) log.warn({ what }, 'derived from the entries again');
}

/** Receives the statements of co-signers. */
function makeReception(
  { reception: limits = RECEPTION_LIMITS, sha256, now, log }: NodeParts,
  ledger: Ledger,
  elapsed: Clock,
  metrics: Metrics,
): Reception {
  const reception = new Reception(
    { ledger, sha256, verify: nodeVerifySignature, now, elapsed, limits },
    {
      onStatement(cosigner, about, word) {
        const { kind } = word;
        metrics.cosignerSaid(cosigner, kind);
        const { reason } = statementOf(word);
        if (reason === null) log.debug({ cosigner, about, word: kind }, 'a co-signer has spoken');
        else log.warn({ cosigner, about, word: kind, reason }, 'a co-signer does not agree');
      },
      onRefused(cosigner, about, reason) {
        metrics.cosignerSaid(cosigner, 'refused');
        log.warn({ cosigner, about, reason }, 'a word of a co-signer is refused');
      },
    },
  );
  metrics.watchCosigning(() => reception.waiting);
  return reception;
}

/** The loop that posts. */
function makeFeeds(
  { feed, reportSigner: publisher, sha256, now, log }: NodeParts,
  ledger: Ledger,
  elapsed: Clock,
  metrics: Metrics,
): Feeds | undefined {
  if (feed === undefined) return undefined;
  const feeds = new Feeds({ elapsed, ...feed, ledger, publisher, sha256, now }, feed.everyMs, {
    onPosted(of, ticker, period, transaction) {
      metrics.posted(of);
      log.info({ of, ticker, period, transaction }, 'on chain');
    },
    onSpent: (on, of, lamports) => metrics.paid(on, of, lamports),
    onError: (what, reason) => log.warn({ what, reason }, 'posting'),
  });
  metrics.watchFeeds(() => feeds.figures);
  return feeds;
}

/** What keeps the bucket up to date. */
function makeObjects({ parts, ledger, elapsed, metrics }: Base): Objects | undefined {
  const { objects: given, blobs, settlements, sha256, log } = parts;
  if (given === undefined) return undefined;
  const { store, settings, reports, keepS, isStored, close } = given;
  const objects = new Objects(
    {
      record: ledger,
      blobs,
      settlement: settlements.read,
      store,
      signer: parts.ledger.signer,
      sha256,
      reports,
      keep: { seconds: keepS, elapsed },
      ...(isStored === undefined ? {} : { isStored }),
    },
    settings,
    {
      onAdvanced: (size, written) => log.debug({ size, written }, 'the bucket is brought on'),
      onError: (code, reason) => log.warn({ code, reason }, 'the bucket'),
    },
    { elapsed, close },
  );
  metrics.watchObjects(() => objects.figures);
  return objects;
}

/** What takes answers, and what opens them. */
function makeAnswers(
  { answers, reportSigner: signer, blobs, sha256, now, log }: NodeParts,
  ledger: Ledger,
): NodeWorkers['answers'] {
  if (answers === undefined) return undefined;
  const { sync = true, everyMs, ...folders } = answers;
  const random = randomBytes;
  const intake = new AnswerIntake({ ledger, folders, signer, sha256, now, random, sync });
  const closing = new AnswerClosing({
    ledger,
    blobs,
    intake,
    sha256,
    now,
    everyMs,
    onClosed: (question, count) => log.info({ question, count }, 'answers are opened'),
    onFailed: (question, reason) => log.error({ question, reason }, 'answers are not opened'),
  });
  return { intake, closing };
}

/** The loop of ticks. A question whose time is over is closed before the next tick, which may decide it. */
function makeTicks(
  parts: NodeParts,
  ledger: Ledger,
  closing: AnswerClosing | undefined,
): TickLoop | undefined {
  const { ticks, blobs, sha256, now, hold, log } = parts;
  if (ticks === undefined) return undefined;
  const before = closing && ((): Promise<void> => closing.closeDue());
  return nodeTicks(ticks, { ledger, blobs, sha256, now, hold, before, log });
}

/** The Arena: what takes forecasts, and the loop of their rounds. */
function makeArena(
  { arena, blobs, reportSigner: signer, sha256, log }: NodeParts,
  ledger: Ledger,
  metrics: Metrics,
): RunningArena | undefined {
  if (arena === undefined) return undefined;
  metrics.watchArena(ledger);
  const onStep = (step: string): void => metrics.arenaStep(step);
  return nodeArena(arena, { ledger, blobs, signer, sha256, log, onStep });
}

const UNREADABLE_WEBHOOKS: readonly Concern[] = [
  {
    level: 'degraded',
    reason: 'The subscriptions to webhooks cannot be read: none are taken, and nothing is sent.',
  },
];

/** Subscriptions to webhooks, and their deliveries. */
function makeWebhooks(
  { webhooks, reportSigner: signer, sha256, log }: NodeParts,
  ledger: Ledger,
  metrics: Metrics,
): RunningWebhooks | undefined {
  if (webhooks === undefined) return undefined;
  const onAttempt = (outcome: string): void => metrics.webhookAttempt(outcome);
  const running = nodeWebhooks(webhooks, { ledger, signer, sha256, log, onAttempt });
  metrics.watchWebhooks(webhooks.store, () => running.deliveries.behind);
  return running;
}

/** If nothing is stamped, no record waits for it. An earlier batch may still wait for its block. */
function anchorLimits({ anchor, anchorLimits: limits = ANCHOR_LIMITS }: NodeParts): AnchorLimits {
  const unstampedAfterS = Number.POSITIVE_INFINITY;
  return anchor.calendars === undefined ? { ...limits, unstampedAfterS } : limits;
}

/**
 * Opens the ledger. If it is refused, the store and the guard are closed, so that another process can examine
 * them.
 */
async function openLedger(
  { ledger, witnesses, sha256, now }: NodeParts,
  { clockCheck, damage, metrics }: Pick<Base, 'clockCheck' | 'damage' | 'metrics'>,
  changed: (size: number, tables: ChangedTables) => void,
): Promise<Ledger> {
  try {
    return await Ledger.open({
      ...ledger,
      prove: 'behind',
      ...(witnesses === undefined ? {} : { witness: witnesses }),
      sha256,
      now,
      ...(clockCheck === undefined ? {} : { doubt: () => clockCheck.doubt }),
      times: metrics.commitTimes,
      onRepaired: ({ part, name }) => damage.note(part, name, 'repaired'),
      onPublish: ({ size }, tables) => changed(size, tables),
    });
  } catch (error) {
    await ledger.store.close();
    await ledger.guard.close();
    throw error;
  }
}
