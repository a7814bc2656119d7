import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { NO_VENUES } from './terminal/answer/venues.ts';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { logRow } from '@assay/core/view/log';
import { receiptClocks } from './terminal/answer/receipt-clocks.ts';
import type { TerminalReadings } from './terminal/answer/terminal-readings.ts';
import type { DateText } from '@assay/core/time/time';
import { arenaRoutes } from './api/arena-routes.ts';
import { type ArenaBook, NO_ARENA_BOOK } from './arena/arena-answer.ts';
import type { HandleStore } from './arena/handle-store.ts';
import { settlementRoutes } from './api/settlement-routes.ts';
import type { StatusInput } from './health/concern.ts';
import { eventsRoute } from './api/events/events-route.ts';
import type { EventHub } from './stream/event-hub.ts';
import { LiveScores } from './stream/live-scores.ts';
import type { Webhooks } from './api/webhook/subscription-routes.ts';
import { webhookRoutes } from './api/webhook/webhook-routes.ts';
import { healthRoutes } from './api/health-routes.ts';
import { haltConcerns } from './api/halt-concerns.ts';
import { BROWSER_REPLIES } from './api/document/browser-replies.ts';
import { documentRoutes, listedIndices } from './api/document/document-routes.ts';
import { foldedRoutes } from './api/folded-routes.ts';
import { forecastRoute } from './api/forecast-route.ts';
import type { ForecastIntake } from './arena/forecast-intake.ts';
import { listingRoute } from './api/listing-route.ts';
import { periodRoute } from './api/list/period-route.ts';
import { logRoutes } from './api/log-routes.ts';
import { receiptRoutes } from './api/receipt-routes.ts';
import { ProofFiles } from './api/proof-files.ts';
import { proofRoutes } from './api/proof-routes.ts';
import { questionRoutes } from './api/referee/question-routes.ts';
import type { Publication } from './api/publication.ts';
import { statementRoutes } from './api/statement-routes.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { problemRoutes } from './api/problem/problem-routes.ts';
import { paidResources } from './api/tier/paid-resources.ts';
import { tierRoutes } from './api/tier-routes.ts';
import type { TickOpenings } from './terminal/tick/tick-openings.ts';
import { Assets } from './page/asset.ts';
import { CardGallery } from './page/card-gallery.ts';
import { type PagedRoutes, withPages } from './page/page-routes.ts';
import { recordRoute } from './page/record/record-route.ts';
import { PAGES } from './page/view/pages.ts';
import { discoveryRoutes, type TierVoucher } from './payment/paid-routes.ts';
import type { PaidResource } from './payment/paid-resource.ts';
import { NO_READINGS, terminalRoutes, CLASS_GRIDS, type VenueBook } from './api/terminal-routes.ts';
import { type FeedProgress, statusRoute } from './api/status.ts';
import type { BlobStore } from './blob/blob-store.ts';
import type { Clock } from './platform/clock.ts';
import { type Limiter, limiter, type Quotas } from './http/limiter.ts';
import { pipeline } from './http/pipeline.ts';
import { requestIds } from './http/request-id.ts';
import type { Endpoint, Route } from './http/route.ts';
import { httpServer, type TransportChoice } from './http/server.ts';
import type { ListenAddress, ServerOptions, TransportName } from './http/transport.ts';
import type { LogRecord } from './ledger/record.ts';
import type { Metrics } from './metrics.ts';
import { listenWithMetrics } from './metrics-listener.ts';
import type { Reception } from './cosign/reception.ts';
import type { AnswerIntake } from './referee/answer-intake.ts';
import { DamageLog } from './scrub/damage-log.ts';
import type { Scrub } from './scrub/scrub.ts';
import { storageStatus } from './scrub/storage-status.ts';
import type { MirrorReader } from './day/settlement-mirror.ts';
import { ScoreFollower } from './terminal/tick/score-follower.ts';
import { StudyReader } from './terminal/study/study-reader.ts';

/** Where other things of the node are, as the operator states. */
export interface NodePlaces {
  /** The service's address, without a slash at its end. */
  readonly publicUrl: string | null;
  /** Address of a public copy of the settlement files. */
  readonly mirrorUrl: string | null;
}

/** How a service is reached. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly transport: TransportChoice;
  readonly server: ServerOptions;
  readonly quotas: Quotas;
  /** Where the metrics are served. Without it, the service has them itself, as `/metrics`. */
  readonly metricsAt?: ListenAddress;
}

/** What the API is made of. */
export interface ServiceParts {
  readonly record: LogRecord;
  readonly publication: Publication;
  readonly blobs: Pick<BlobStore, 'read' | 'checked' | 'has'>;
  /** The damage that was found, including by readers. The default is a log of the service's own. */
  readonly damage?: DamageLog;
  /** The scrub of everything that is stored. Without it, nothing is scrubbed. */
  readonly scrub?: Scrub;
  readonly settlements: MirrorReader;
  /** The key that signs Closes; undefined if it is not known. */
  readonly reportKey: Uint8Array | undefined;
  readonly places: NodePlaces;
  readonly sha256: Sha256;
  readonly now: Clock;
  readonly inputs: readonly StatusInput[];
  readonly notice: string | null;
  /** The progress of posting. Without it, nothing is posted. */
  readonly feeds?: () => FeedProgress;
  /** Receives the statements of co-signers. Without it, because the record cannot be read, nothing does. */
  readonly reception?: Reception;
  /** Takes answers to questions. Without it, nothing does. */
  readonly answers?: AnswerIntake | undefined;
  /** Takes subscriptions to webhooks. Without it, nothing does. */
  readonly webhooks?: Webhooks | undefined;
  /** The readers of the stream of entries. Without it, because the record cannot be read, there is none. */
  readonly events?: EventHub | undefined;
  /** What sells the answers of the machine tier. Without it, the tier is closed. */
  readonly tier?: OpenTier | undefined;
  readonly metrics: Metrics | undefined;
  /** What is known of the Terminal in addition to its record. */
  readonly terminal?: TerminalSettings;
  /** What is known of the Arena in addition to its record. */
  readonly arena?: ArenaSettings | undefined;
  readonly log: Logger;
  readonly address: Address;
}

/** An open tier with what it sells. */
export interface OpenTier extends TierVoucher {
  /** What it sells in place of the machine tier's own answers. */
  readonly resources?: readonly PaidResource[] | undefined;
}

/** What a service knows of the Terminal in addition to its record. */
export interface TerminalSettings {
  /** The newest readings of whoever makes the ticks. */
  readonly readings?: TerminalReadings;
  readonly venues?: VenueBook;
  /** What opens the ticks of each class, for those who may see their figures. */
  readonly openings?: Readonly<Partial<Record<AssetClass, Pick<TickOpenings, 'day'>>>>;
  readonly grids?: Readonly<Record<AssetClass, TickGrid>>;
  /** The first day of the dataset. The default is the log's own. */
  readonly datasetStart?: DateText;
}

/** What a service knows of the Arena in addition to its record. */
export interface ArenaSettings {
  readonly book: ArenaBook;
  /** The names of handles. */
  readonly handles?: Pick<HandleStore, 'named' | 'get'>;
  /** Takes forecasts. Without it, nothing does. */
  readonly forecasts?: Pick<ForecastIntake, 'submit'>;
}

const NO_VENUE_BOOK: VenueBook = {
  version: 0,
  of: () => ({
    venues: NO_VENUES,
    venues_checked_at: null,
    venues_notice: 'This service does not check venues.',
  }),
};

export interface RunningService {
  readonly port: number;
  /** The port of the metrics, if they have an address of their own. */
  readonly metricsPort?: number | undefined;
  readonly transport: TransportName;
  /** Everything that it answers. */
  readonly endpoints: readonly Endpoint[];
  /** Stops listening and drains the requests under way. */
  readonly close: () => Promise<void>;
}

/** A service with its own concerns. */
export interface StartedService extends RunningService {
  /** The classes of the Terminal that are halted, and the receipts that are overdue. */
  readonly halts: StatusInput;
}

/** Serves the API over a record, whether or not it can be read. */
export async function startService(parts: ServiceParts): Promise<StartedService> {
  const { record, publication, metrics, log, address, settlements } = parts;
  const trust = { sha256: parts.sha256, reportKey: parts.reportKey };
  let transport: TransportName = 'node:http';
  const scores = new ScoreFollower({
    record,
    blobs: parts.blobs,
    sha256: parts.sha256,
    onError: (tick, reason) => log.error({ tick, reason }, 'a tick cannot be shown'),
  });
  // Requests wait for it, so it begins before the first.
  void scores.follow();
  followTicks(parts, scores);
  const grids = parts.terminal?.grids ?? CLASS_GRIDS;
  const haltedClasses = haltConcerns({ record, now: parts.now, scores, grids });
  const overdue = receiptClocks({ record, now: parts.now, grids });
  const halts: StatusInput = () => [...haltedClasses(), ...overdue()];
  const damage = parts.damage ?? new DamageLog(parts.now);
  const inputs = [...parts.inputs, halts, damage.concerns];
  metrics?.watchStatus(() => inputs.flatMap((input) => input()));
  const onMirrorFailed = (reason: string): void =>
    log.error({ reason }, 'the settlement mirror failed');
  const files = new ProofFiles(record, parts.blobs, parts.sha256, publication.cache);
  const routes = [
    ...foldedRoutes(record, publication, ['indices', 'log']),
    ...settlementRoutes(record, publication, settlements, trust, damage, onMirrorFailed),
    listingRoute({
      publication,
      record: () => (record.published === undefined ? undefined : record.shown),
      mirror: settlements,
      trust,
      now: parts.now,
      ...parts.places,
      onMirrorFailed,
    }),
    periodRoute(record, publication),
    ...proofRoutes(record, publication, files),
    ...receiptRoutes(record, publication, files, parts.sha256, parts.terminal?.datasetStart),
    ...terminalRoutes({
      record,
      publication,
      sha256: parts.sha256,
      now: parts.now,
      scores,
      studies: new StudyReader(record, parts.blobs, parts.sha256),
      readings: parts.terminal?.readings ?? NO_READINGS,
      venues: parts.terminal?.venues ?? NO_VENUE_BOOK,
      publicUrl: parts.places.publicUrl,
      grids,
    }),
    ...arenaRoutes({
      record,
      publication,
      sha256: parts.sha256,
      now: parts.now,
      book: parts.arena?.book ?? NO_ARENA_BOOK,
      handles: parts.arena?.handles,
    }),
    eventsRoute(parts.events),
    ...sentRoutes(parts),
    ...tierRoutes(parts.tier?.tier, soldResources(parts, files, grids)),
    ...problemRoutes(),
    ...logRoutes(record, parts.blobs, damage),
    statusRoute({
      ledger: record,
      now: parts.now,
      transport: () => transport,
      inputs,
      follow: () => scores.follow(),
      notice: parts.notice,
      feeds: parts.feeds,
      storage: () => storageStatus(damage, parts.scrub),
    }),
    ...healthRoutes(record),
    ...(metrics === undefined || address.metricsAt !== undefined ? [] : [metrics.route()]),
  ];
  const { admit, charge } = limiter(address.quotas, randomBytes);
  const offered = [...routes, toolRoute(parts, routes, charge)];
  const assets = new Assets();
  const documents = documentRoutes(
    offered,
    () => listedIndices(record.shown),
    parts.places.publicUrl,
    assets.get('docs.js').path,
  );
  const shown = shownWith(parts, assets, [...offered, ...documents]);
  const served = pipeline(shown.routes, {
    ...requestIds(randomBytes),
    now: elapsed,
    onError: (error, line) => log.error({ ...line, reason: messageOf(error) }, 'request failed'),
    admit,
    asides: BROWSER_REPLIES,
    lost: shown.lost,
    ...(metrics === undefined ? {} : { onRequest: (line) => metrics.request(line) }),
  });
  const server = await httpServer(address.transport, served, address.server);
  ({ transport } = server);
  const listening = await listenWithMetrics(server, address, metrics, log);
  return { ...listening, transport, endpoints: served.endpoints, halts };
}

/** Routes, and the pages that are made of their answers. */
function shownWith(
  { publication, record, places, notice, now, sha256, tier }: ServiceParts,
  assets: Assets,
  routes: readonly Route[],
): PagedRoutes {
  const discovery = tier === undefined ? [] : discoveryRoutes(tier);
  const all = [...routes, ...discovery, recordRoute(record, publication, sha256)];
  return withPages(all, PAGES, {
    assets,
    publicUrl: places.publicUrl,
    notice,
    now,
    version: () => publication.version,
    network: () => logRow(record.shown)?.network ?? null,
    cards: new CardGallery(),
  });
}

/** Seconds of a clock without steps. */
function elapsed(): number {
  return performance.now() / 1000;
}

/** The routes as tools. */
function toolRoute(
  { places, now, log }: ServiceParts,
  routes: readonly Route[],
  charge: Limiter['charge'],
): Route {
  return mcpRoute({
    routes,
    publicUrl: places.publicUrl,
    now,
    elapsed,
    // What a client sent that is no message is its own failure, and what a tool threw is that of this service.
    onError: ({ of, ...failure }) => {
      if (of === 'message') log.warn(failure, 'a message of MCP was refused');
      else log.error(failure, 'a tool failed');
    },
    charge: (client, requests) => charge(client, requests, elapsed()),
  });
}

/** The answers that an open tier sells. */
function soldResources(
  { tier, record, blobs, sha256, now, terminal, log }: ServiceParts,
  files: ProofFiles,
  grids: Readonly<Record<AssetClass, TickGrid>>,
): readonly PaidResource[] {
  if (tier === undefined) return [];
  if (tier.resources !== undefined) return tier.resources;
  return paidResources({
    record,
    blobs,
    sha256,
    now,
    grids,
    openings: terminal?.openings ?? {},
    shownSources: tier.tier.shownSources,
    async proofOf(digest) {
      const file = await files.fileOf(digest);
      if (file === 'unstamped') return undefined;
      if (file !== 'unreadable' && 'body' in file) return file.body as Uint8Array;
      throw new Fault('not_checked', 'proof', {
        at: digest,
        expected: 'a timestamp that can be read',
      });
    },
    onError: (path, reason) => log.error({ path, reason }, 'a paid answer could not be made'),
    start: terminal?.datasetStart,
  });
}

/** What somebody sends: forecasts, answers, subscriptions and statements. */
function sentRoutes(parts: ServiceParts): readonly Route[] {
  const { record, publication, sha256 } = parts;
  return [
    forecastRoute(parts.arena?.forecasts),
    ...questionRoutes({
      record,
      publication,
      sha256,
      intake: parts.answers,
      elapsed,
      random: randomBytes,
    }),
    ...webhookRoutes({
      webhooks: parts.webhooks,
      size: () => record.published?.size ?? 0,
      nowMs: Date.now,
      elapsed,
      random: randomBytes,
    }),
    ...statementRoutes(parts.reception),
  ];
}

/** Sends live scores to the readers of the stream. */
function followTicks({ events, record, log }: ServiceParts, scores: ScoreFollower): void {
  if (events === undefined) return;
  const live = new LiveScores({ hub: events, scores, record });
  events.onPublished((tables) => {
    live.published(tables).catch((error: unknown) => {
      log.error({ reason: messageOf(error) }, 'live scores failed');
    });
  });
}
