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
import { freePort } from './readers/free-port.ts';
import { type Limiter, limiter, type Quotas } from './http/limiter.ts';
import { pipeline, type PipelineOptions, type RequestLine } from './http/pipeline.ts';
import { requestIds } from './http/request-id.ts';
import type { Endpoint, Route } from './http/route.ts';
import { httpServer, type TransportChoice } from './http/server.ts';
import type {
  HttpServer,
  ListenAddress,
  Listening,
  ServerOptions,
  TransportName,
} from './http/transport.ts';
import { trustedProxies as trustedProxiesOf } from './http/address.ts';
import type { LogRecord } from './ledger/record.ts';
import type { Metrics } from './metrics.ts';
import { listenWithMetrics } from './metrics-listener.ts';
import type { Reception } from './cosign/reception.ts';
import type { AnswerIntake } from './referee/answer-intake.ts';
import { DamageLog } from './scrub/damage-log.ts';
import type { Scrub } from './scrub/scrub.ts';
import { type StorageStatus, storageStatus } from './scrub/storage-status.ts';
import { Followers } from './readers/follow-route.ts';
import { readerGate } from './readers/reader-gate.ts';
import type { WriterSetting, WriterState } from './readers/writer-state.ts';
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
  /** Where readers in processes of their own ask this one. Without it, there are none. */
  readonly readers?: ReaderAccess | undefined;
  /** The publisher behind a reader. Without it, this process is the publisher. */
  readonly publisher?: PublisherBehind | undefined;
  /** Receives each answered request. */
  readonly onRequest?: ((line: RequestLine) => void) | undefined;
  /** What is known of the Terminal in addition to its record. */
  readonly terminal?: TerminalSettings;
  /** What is known of the Arena in addition to its record. */
  readonly arena?: ArenaSettings | undefined;
  readonly log: Logger;
  readonly address: Address;
}

/** How readers in processes of their own ask a publisher. */
export interface ReaderAccess extends ListenAddress {
  readonly token: string;
  /** The checkpoint key of the log. */
  readonly vkey: string;
  /** Entries of the published log. */
  readonly entries: (start: number, end: number) => AsyncIterable<Uint8Array>;
  /** Whether readers alone are answered, because they have the public address. */
  readonly isAlone: boolean;
}

/** What a reader has of the publisher that it follows. */
export interface PublisherBehind {
  /** The routes, some of which the publisher answers. */
  readonly routes: (routes: readonly Route[]) => readonly Route[];
  /** What it says of its storage. */
  readonly storage: () => StorageStatus;
  /** Whether the port is shared with other processes of this machine. */
  readonly sharesPort: boolean;
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
  /** The port at which readers in processes of their own ask, if there is one. */
  readonly readersPort?: number | undefined;
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
  const { publisher } = parts;
  const grids = parts.terminal?.grids ?? CLASS_GRIDS;
  const halts = publisher === undefined ? followScores(parts, scores, grids) : () => [];
  const damage = parts.damage ?? new DamageLog(parts.now);
  const inputs = [...parts.inputs, halts, damage.concerns];
  metrics?.watchStatus(() => inputs.flatMap((input) => input()));
  const onMirrorFailed = (reason: string): void =>
    log.error({ reason }, 'the settlement mirror failed');
  const files = new ProofFiles(record, parts.blobs, parts.sha256, publication.cache);
  const storage = (): StorageStatus => storageStatus(damage, parts.scrub);
  const own: readonly Route[] = [
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
      ...(publisher === undefined ? { follow: () => scores.follow() } : {}),
      notice: parts.notice,
      feeds: parts.feeds,
      storage: publisher?.storage ?? storage,
    }),
    ...healthRoutes(record),
    ...(metrics === undefined || address.metricsAt !== undefined ? [] : [metrics.route()]),
  ];
  const routes = publisher?.routes(own) ?? own;
  const { admit, charge } = limiter(address.quotas, randomBytes);
  const offered = [...routes, toolRoute(parts, routes, charge)];
  const assets = new Assets();
  const documents = documentRoutes(
    offered,
    () => listedIndices(record.shown),
    parts.places.publicUrl,
    assets.get('docs.js').path,
  );
  const shown = await shownWith(parts, assets, [...offered, ...documents]);
  const options = pipelineOptions(parts, admit, shown.lost);
  const followers = followersOf(parts, {
    concerns: () => inputs.flatMap((input) => input()),
    storage,
    routes: offered,
  });
  const listening = await listen(parts, shown.routes, followers, options);
  ({ transport } = listening);
  return { ...listening, halts };
}

/** Follows the scores of the ticks; what is wrong with the classes of the Terminal. */
function followScores(
  parts: ServiceParts,
  scores: ScoreFollower,
  grids: Readonly<Record<AssetClass, TickGrid>>,
): StatusInput {
  const { record, now } = parts;
  // Requests wait for it, so it begins before the first.
  void scores.follow();
  followTicks(parts, scores);
  const haltedClasses = haltConcerns({ record, now, scores, grids });
  const overdue = receiptClocks({ record, now, grids });
  return () => [...haltedClasses(), ...overdue()];
}

function pipelineOptions(
  { metrics, log, onRequest: own }: ServiceParts,
  admit: Limiter['admit'],
  lost: PagedRoutes['lost'],
): PipelineOptions {
  const onRequest = metrics === undefined ? own : (line: RequestLine) => metrics.request(line);
  return {
    ...requestIds(randomBytes),
    now: elapsed,
    onError: (error, line) => log.error({ ...line, reason: messageOf(error) }, 'request failed'),
    admit,
    asides: BROWSER_REPLIES,
    lost,
    ...(onRequest === undefined ? {} : { onRequest }),
  };
}

/** Listens at the public address, at that of the metrics, and at that for readers, as far as there are such. */
async function listen(
  parts: ServiceParts,
  routes: readonly Route[],
  followers: Followers | undefined,
  options: PipelineOptions,
): Promise<RunningService> {
  const { address, metrics, log, publisher, readers } = parts;
  const served = pipeline(routes, options);
  const { endpoints } = served;
  const stop = (close: () => Promise<void>) => (): Promise<void> => {
    followers?.stop();
    return close();
  };
  const inside = followers && (await insideServer(parts, [...routes, followers.route()], options));
  if (inside !== undefined && readers?.isAlone === true) {
    const at = { ...address, ...(await insideAddress(parts)), sharesPort: true };
    const alone = await listenWithMetrics(inside, at, metrics, log);
    const { transport } = inside;
    const close = stop(alone.close);
    return { ...alone, readersPort: alone.port, transport, endpoints, close };
  }
  const server = await httpServer(address.transport, served, address.server);
  const { transport } = server;
  const at = { ...address, sharesPort: publisher?.sharesPort === true };
  const outer = await listenWithMetrics(server, at, metrics, log);
  if (inside === undefined) return { ...outer, transport, endpoints };
  const inner = await listenInside(inside, parts, outer.close);
  const close = stop(async () => {
    await Promise.all([outer.close(), inner.close()]);
  });
  return { ...outer, readersPort: inner.port, transport, endpoints, close };
}

/** Listens for readers beside the public address, which is given up if that cannot be. */
async function listenInside(
  inside: HttpServer,
  parts: ServiceParts,
  giveUp: () => Promise<void>,
): Promise<Listening> {
  try {
    const { host, port } = await insideAddress(parts);
    const listening = await inside.listen({ host, port, isShared: true });
    parts.log.info({ host, port: listening.port }, 'readers are answered');
    return listening;
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/**
 * Where readers ask. It is shared for the sake of a restart: the connections of readers that wait for their end would keep an
 * exclusive port from being bound for a minute. Nobody else has it when it is taken.
 */
async function insideAddress({ readers }: ServiceParts): Promise<ListenAddress> {
  const { host = '127.0.0.1', port = 0 } = readers ?? {};
  return { host, port: await freePort({ host, port }) };
}

/** The server at the address for readers, where each request carries the token, and names the client that it is passed on for. */
function insideServer(
  { readers, address }: ServiceParts,
  routes: readonly Route[],
  options: PipelineOptions,
): Promise<HttpServer> {
  const admit = readerGate(readers?.token ?? '', options.admit ?? (() => undefined));
  const served = pipeline(routes, { ...options, admit });
  const trustedProxies = trustedProxiesOf(EVERY_ADDRESS);
  return httpServer(address.transport, served, { ...address.server, trustedProxies });
}

/** Whoever has the token is trusted to name a client. */
const EVERY_ADDRESS = ['0.0.0.0/0', '::/0'];

/** Those who follow this log from processes of their own; undefined if nobody may. */
function followersOf(
  parts: ServiceParts,
  {
    concerns,
    storage,
    routes,
  }: {
    readonly concerns: StatusInput;
    readonly storage: () => StorageStatus;
    readonly routes: readonly Route[];
  },
): Followers | undefined {
  const { readers, events, record, now, feeds, places, notice, terminal, tier } = parts;
  if (readers === undefined || events === undefined) return undefined;
  const prices = Object.fromEntries(
    routes.flatMap(({ path, payment }) => (payment === undefined ? [] : [[path, payment]])),
  );
  const setting: WriterSetting = {
    vkey: readers.vkey,
    ...places,
    notice,
    datasetStart: terminal?.datasetStart ?? null,
    hasTier: tier !== undefined,
    prices,
  };
  const state = (): WriterState => ({
    now: now(),
    size: record.published?.size ?? 0,
    concerns: concerns(),
    feeds: feeds?.() ?? null,
    storage: storage(),
    setting,
  });
  return new Followers({ record, entries: readers.entries, events, state });
}

/** Routes, and the pages that are made of their answers. */
async function shownWith(
  { publication, record, places, notice, now, sha256, tier }: ServiceParts,
  assets: Assets,
  routes: readonly Route[],
): Promise<PagedRoutes> {
  const discovery = tier === undefined ? [] : await discoveryRoutes(tier);
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
