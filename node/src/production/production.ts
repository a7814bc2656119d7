import { tmpdir } from 'node:os';
import type { Logger } from 'pino';
import { Fault, type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { keyInForce } from '@assay/core/view/key/keys';
import { anchorWorld } from './anchor-config.ts';
import { arenaWorld, requirePublicBeacon } from './arena-config.ts';
import type { NodeArena } from '../arena/node-arena.ts';
import { FileOpenBatch } from '../anchor/open-batch.ts';
import { trustedProxies } from '../http/address.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { type Config, type Environment, readSecrets } from './config.ts';
import { dataFolder, type DataFolder, keyPath } from '../platform/data-folder.ts';
import { configuredGathering } from '../witness/client/configured-gathering.ts';
import { fetchNote, headsElsewhere } from '../witness/client/mirror-heads.ts';
import type { AskHeads } from '../ledger/start.ts';
import { wayForward } from '../ledger/way-forward.ts';
import { PackedBlobStore } from '../blob/packed-blob-store.ts';
import { freeSpace } from '../platform/free-space.ts';
import { feedWorld } from './feed-config.ts';
import type { NodeFeed } from '../feed/feed-parts.ts';
import { openKey, readPublicKey } from '../key/keystore.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import { openBucket } from '../objects/objects-config.ts';
import { ProbedStore } from '../objects/probed-store.ts';
import { WrittenThroughBlobs } from '../objects/written-through.ts';
import { Metrics } from '../metrics.ts';
import { metricsAddress } from '../metrics-listener.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import {
  type NodeDisk,
  type NodeObjects,
  type NodeParts,
  type RunningNode,
  startNode,
} from '../node.ts';
import { startHalted } from '../halted.ts';
import type { Address, NodePlaces, RunningService, TerminalSettings } from '../service.ts';
import { ledgerParts, type OpenData, openData } from '../data/open-data.ts';
import type { Rule } from '@assay/core/rule/rule';
import { chosenSet, type CosignerChoice, readCosignerFile } from '../cosign/cosigner-file.ts';
import type { ArenaRule } from '@assay/core/arena/rule/arena-rule';
import { enactArenaRule, readArenaRuleFile } from '../rule/arena-rule-file.ts';
import { enactCosigners } from '../cosign/enact-cosigners.ts';
import { enactRule, readRuleFile } from '../rule/rule-file.ts';
import { scrubFile } from '../scrub/scrub-memory.ts';
import { firstMirror, mirrorAt, SettlementFolder } from '../day/settlement-mirror.ts';
import { AddressGuard } from '../source/address-guard.ts';
import type { Source } from '../source/source.ts';
import type { SourceHosts } from '../source/source-hosts.ts';
import { httpSource, systemSleep } from '../source/http-source.ts';
import type { NodeTicks } from '../terminal/node-ticks.ts';
import { terminalWorld } from './terminal-world.ts';
import { configuredTier } from './configured-tier.ts';
import { nodeReaders } from './reader-config.ts';
import { probeWrites } from '../health/write-watch.ts';
import { venueFile } from '../terminal/venue/kept-venues.ts';
import { CheckedVenues } from '../terminal/venue/venue-book.ts';
import { venuesOf } from '../terminal/venue/venue-config.ts';
import { VenueWatch } from '../terminal/venue/venue-watch.ts';
import type { NodeWebhooks } from '../webhook/node-webhooks.ts';
import {
  parseWebhookKey,
  SubscriptionCipher,
  WEBHOOK_KEY_VARIABLE,
} from '../webhook/subscription-cipher.ts';
import { SubscriptionStore } from '../webhook/subscription-store.ts';

/** Codes of a record that cannot be read. For any other error the operator has to act first. */
const UNREADABLE: ReadonlySet<string> = new Set<FaultCode>([
  'ledger_behind',
  'ledger_differs',
  'ledger_corrupt',
  'guard_conflict',
  'guard_missing',
  'guard_corrupt',
  'storage_failed',
  'no_room',
  'would_fork',
]);

/** What a simulation uses instead of the world that a configuration leads to. */
export interface SimulatedWorld {
  readonly now: Clock;
  readonly source: Source;
  /** Milliseconds of real time between two polls for stamps, and between two polls for a tick that is due. */
  readonly anchorMs: number;
  readonly tickMs: number;
  /** Called after each poll for due rounds. */
  readonly onPolled: () => void;
}

/**
 * Starts the node that a configuration describes, with the real clock and the real sources, or those of a
 * simulation. If its record cannot be read, it serves without it: `halted`, with listing kits from the mirror.
 * `onListening` is called with a node that answers requests while its entries are still being read again.
 */
export async function startFromConfig(
  config: Config,
  environment: Environment,
  log: Logger,
  simulated?: SimulatedWorld,
  onListening?: (node: RunningNode) => void,
): Promise<RunningNode | RunningService> {
  const rules: Rule[] = [];
  for (const path of config.rules) rules.push(await readRuleFile(nodeSha256, path));
  const cosigners =
    config.cosigners === null ? undefined : await readCosignerFile(config.cosigners);
  const arenaRule =
    config.arena_rule === null ? undefined : await readArenaRuleFile(nodeSha256, config.arena_rule);
  const address: Address = {
    host: config.host,
    port: config.port,
    transport: config.transport,
    server: { trustedProxies: trustedProxies(config.trusted_proxies) },
    quotas: { default: config.requests_per_minute, log: config.log_requests_per_minute },
    metricsAt: metricsAddress(config),
  };
  const places: NodePlaces = { publicUrl: config.public_url, mirrorUrl: config.mirror_url };
  const folder = dataFolder(config.data);
  const settlements = new SettlementFolder(folder.mirror);
  try {
    return await startPublisher(config, environment, log, {
      rules,
      cosigners,
      arenaRule,
      address,
      places,
      settlements,
      simulated,
      onListening,
    });
  } catch (error) {
    if (!(error instanceof Fault) || !UNREADABLE.has(error.code)) throw error;
    const next = wayForward(error.code, config.data);
    log.error(
      { reason: error.message, ...(next === undefined ? {} : { next }) },
      'the record cannot be read: serving without it',
    );
    const elsewhere = config.mirror_url === null ? [] : [mirrorAt(config.mirror_url, MIRROR_MS)];
    return startHalted({
      settlements: firstMirror([settlements.read, ...elsewhere]),
      places,
      sha256: nodeSha256,
      now: simulated?.now ?? systemClock,
      notice: null,
      reportKey: await reportKey(folder, log),
      blobs: PackedBlobStore.reader(folder.blobs),
      metrics: config.metrics ? new Metrics() : undefined,
      log,
      address,
      reason: error,
    });
  }
}

/** Reads the key that signs Closes from its file; undefined if it cannot be read. */
async function reportKey(folder: DataFolder, log: Logger): Promise<Uint8Array | undefined> {
  try {
    return await readPublicKey(keyPath(folder, 'report'));
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the report key cannot be read');
    return undefined;
  }
}

/** Milliseconds between two polls for questions whose time for answers is over. */
const CLOSING_MS = 1000;
/** Milliseconds for which a start waits for the probe of the object store. */
const PROBE_MS = 15_000;
/** Milliseconds for one file of a settlement mirror. */
const MIRROR_MS = 5000;

interface PublisherParts {
  readonly rules: readonly Rule[];
  readonly cosigners: CosignerChoice | undefined;
  readonly arenaRule: ArenaRule | undefined;
  readonly address: Address;
  readonly places: NodePlaces;
  readonly settlements: SettlementFolder;
  readonly simulated: SimulatedWorld | undefined;
  readonly onListening: ((node: RunningNode) => void) | undefined;
}

async function startPublisher(
  config: Config,
  environment: Environment,
  log: Logger,
  {
    rules,
    cosigners,
    arenaRule,
    address,
    places,
    settlements,
    simulated,
    onListening,
  }: PublisherParts,
): Promise<RunningNode> {
  const data = await dataOf(config, environment);
  const now = simulated?.now ?? systemClock;
  const source =
    simulated?.source ?? (await openedWith(data, () => nodeSource(config, environment, log, data)));
  const folder = dataFolder(config.data);
  const witnesses = await openedWith(data, () =>
    configuredGathering(config.witnesses, data, folder.shown, now),
  );
  const feed = await openedWith(data, () => feedOf(config, environment, data));
  const ticks = await openedWith(data, () => ticksOf(config, environment, source, data));
  const arena = await openedWith(data, () => arenaOf(config, data, { arenaRule, now, simulated }));
  const venues = await openedWith(data, () => venueWatch(config, source, log, now));
  const webhooks = await openedWith(data, () => webhooksOf(environment, folder, log));
  const tier = await openedWith(data, () => configuredTier(config, environment, data, log));
  const bucket = await openedWith(data, () => bucketOf(config, environment, data.blobs, log));
  const readers = await openedWith(data, () => nodeReaders(config, environment, data));
  let stopped = false;
  const stopping = (node: RunningNode): RunningNode => ({
    ...node,
    async close() {
      stopped = true;
      await venues?.stop();
      await node.close();
    },
  });
  const node = await startNode({
    ledger: { ...ledgerParts(data), askHeads: askHeads(config, data, log) },
    followers: data.followers,
    witnesses,
    ...bucket,
    anchor: anchorOf(config, environment, data, log),
    ...(feed === undefined ? {} : { feed }),
    ...(ticks === undefined
      ? {}
      : { ticks: simulated === undefined ? ticks : { ...ticks, everyMs: simulated.tickMs } }),
    answers: {
      callers: folder.callers,
      openings: folder.answers,
      everyMs: simulated?.tickMs ?? CLOSING_MS,
    },
    arena,
    ...webhooks,
    tier: tier && { tier },
    openings: data.openings,
    settlements,
    places,
    source,
    reportSigner: data.report,
    sha256: nodeSha256,
    now,
    ...(simulated === undefined
      ? {}
      : { anchorMs: simulated.anchorMs, elapsed: now, onPolled: simulated.onPolled }),
    log,
    ...address,
    readers,
    terminal: terminalSettings(config, venues),
    disk: diskOf(config),
    scrub: { roundS: config.scrub_round_s, memory: scrubFile(folder.scrub) },
    // The clock of a development log need not be the real one.
    checksClock: data.network === 'production',
    metrics: config.metrics,
    pollMs: config.poll_s * 1000,
    notice: null,
    limits: { degradedAfterS: config.degraded_after_s, haltedAfterS: config.halted_after_s },
    onListening: (running) => onListening?.(stopping(running)),
    async prepare(ledger) {
      if (ledger.blocked !== undefined) return;
      requireKeyInForce(ledger, data);
      for (const rule of rules) await enactRule(ledger, nodeSha256, rule);
      if (arenaRule !== undefined) await enactArenaRule(ledger, nodeSha256, arenaRule);
      if (cosigners === undefined) return;
      await enactCosigners(ledger, nodeSha256, chosenSet(ledger.tip, cosigners));
    },
  });
  if (!stopped) venues?.start(() => node.ledger.shown);
  return stopping(node);
}

/** Calendars and Bitcoin headers, and where the open batch is stored. */
function anchorOf(
  config: Config,
  environment: Environment,
  { network }: OpenData,
  log: Logger,
): NodeParts['anchor'] {
  const { stamps } = dataFolder(config.data);
  return {
    ...anchorWorld(config, environment, network),
    openBatch: new FileOpenBatch(stamps, (reason) =>
      log.warn({ reason }, 'the open batch cannot be read: its records go with the next'),
    ),
  };
}

function terminalSettings(
  { dataset_since: datasetStart }: Config,
  venues: VenueWatch | undefined,
): TerminalSettings {
  return {
    ...(datasetStart === null ? {} : { datasetStart }),
    ...(venues === undefined ? {} : { venues: venues.book }),
  };
}

/** Throws `refused` if the entries name another report key than the rows did when the key was opened. */
function requireKeyInForce({ tip }: RunningNode['ledger'], { report }: OpenData): void {
  const found = formatHex(report.publicKey);
  const expected = keyInForce(tip)?.key;
  if (expected === found) return;
  throw new Fault('refused', 'report key', {
    expected: `${expected}, which the entries have in force: start again`,
    found,
  });
}

/** What checks the venues, with the result of an earlier check; undefined if the configuration asks none. */
async function venueWatch(
  { terminal, data }: Config,
  source: Source,
  log: Logger,
  now: Clock,
): Promise<VenueWatch | undefined> {
  if (terminal === null || terminal.venues === null) return undefined;
  const watch = new VenueWatch(
    {
      venues: venuesOf(terminal.venues),
      source,
      store: venueFile(dataFolder(data).venues),
      book: new CheckedVenues(terminal.venues.not_us),
      now,
    },
    {
      onChecked({ venues }) {
        for (const { venue, note } of venues) {
          if (note !== null) log.warn({ venue, reason: note }, 'a venue was not checked');
        }
        log.info({ venues: venues.length }, 'venues checked');
      },
      onError: (what, reason) => log.warn({ what, reason }, 'venues'),
    },
  );
  await watch.load();
  return watch;
}

/** The result of `work` with opened data, which is closed again if it throws. */
async function openedWith<T>(data: OpenData, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await data.store.close();
    await data.guard.close();
    throw error;
  }
}

/**
 * The bucket of a node, and the blobs that are written through to it where the configuration says so. Throws
 * `objects_unsafe` for a store that fails the probe. One that does not answer is probed before the first write: what is
 * published does not wait for it.
 */
async function bucketOf(
  { objects: config }: Config,
  environment: Environment,
  local: BlobStore,
  log: Logger,
): Promise<{ readonly objects?: NodeObjects; readonly blobs: BlobStore }> {
  if (config === null) return { blobs: local };
  const bucket = openBucket(config, environment);
  const store = new ProbedStore(bucket);
  const probed = store.probed().catch((error: unknown) => {
    if (faultCode(error) === 'objects_unsafe') throw error;
    log.error({ reason: messageOf(error) }, 'the object store could not be probed yet');
  });
  const late = new Promise<void>((resolve) => setTimeout(resolve, PROBE_MS).unref());
  await Promise.race([probed, late]);
  // Whoever writes to it gets the error.
  probed.catch(() => undefined);
  const through = config.blobs_first ? new WrittenThroughBlobs(local, store) : undefined;
  return {
    blobs: through ?? local,
    objects: {
      store,
      settings: { everyS: config.every_s, behindAfterS: config.behind_after_s },
      reports: config.reports,
      keepS: config.keep_s,
      ...(through === undefined ? {} : { isStored: through.isStored }),
      close: () => bucket.close(),
    },
  };
}

/** What the node posts with. */
async function feedOf(
  config: Config,
  environment: Environment,
  { chain, otherKeys }: OpenData,
): Promise<NodeFeed | undefined> {
  const folder = dataFolder(config.data);
  const passphrase = passphraseOf(environment);
  const feed = await feedWorld(config, {
    chain,
    outgoing: folder.outgoing,
    payer: () => openKey(keyPath(folder, 'payer'), { passphrase }),
  });
  return feed && { ...feed, otherPublishers: await otherKeys() };
}

/** How the node takes forecasts. Throws `bad_config` for a rule that a production log must not have. */
function arenaOf(
  config: Config,
  { network }: OpenData,
  {
    arenaRule,
    now,
    simulated,
  }: Pick<PublisherParts, 'arenaRule' | 'simulated'> & { readonly now: Clock },
): Promise<NodeArena> {
  requirePublicBeacon(network, arenaRule);
  return arenaWorld({
    folder: dataFolder(config.data),
    sha256: nodeSha256,
    now,
    network,
    relays: config.drand_relays,
    everyMs: simulated?.tickMs,
  });
}

/** How the node makes its ticks; undefined if it makes none. Throws what `terminalWorld` throws. */
async function ticksOf(
  { terminal, data }: Config,
  environment: Environment,
  source: Source,
  { network }: OpenData,
): Promise<NodeTicks | undefined> {
  if (terminal === null) return undefined;
  const secrets = new Set(readSecrets(environment).keys());
  const folder = dataFolder(data);
  return terminalWorld(terminal, { sha256: nodeSha256, source, folder, network, secrets });
}

/**
 * Where subscriptions are; nothing without a key for them. Where they cannot be read, by another key or because of damage, numbers are
 * published all the same. Throws `bad_config` for what is no key.
 */
async function webhooksOf(
  environment: Environment,
  folder: DataFolder,
  log: Logger,
): Promise<{ readonly webhooks?: NodeWebhooks; readonly webhooksUnreadable?: true }> {
  const key = environment[WEBHOOK_KEY_VARIABLE];
  if (key === undefined || key === '') return {};
  const cipher = new SubscriptionCipher(parseWebhookKey(key));
  try {
    return { webhooks: { store: await SubscriptionStore.open(folder.webhooks, { cipher }) } };
  } catch (error) {
    log.error({ reason: messageOf(error) }, 'the subscriptions to webhooks cannot be read');
    return { webhooksUnreadable: true };
  }
}

function passphraseOf(environment: Environment): string | undefined {
  const passphrase = environment['ASSAY_PASSPHRASE'];
  return passphrase === '' ? undefined : passphrase;
}

/** The part of a configuration that is about sources. */
export type SourceConfig = Pick<
  Config,
  | 'contact'
  | 'source_timeout_s'
  | 'source_read_timeout_s'
  | 'source_max_bytes'
  | 'source_read_max_bytes'
>;

/** Which addresses and hosts a source may lead to. */
export interface SourceReach {
  readonly addresses: AddressGuard;
  /**
   * For rules that somebody else has written. Without it, any host may be asked, which is for one's own rules.
   */
  readonly hosts?: SourceHosts;
}

/** The real sources, as configured. */
export function sourceOf(
  config: SourceConfig,
  environment: Environment,
  log: Logger,
  reach: SourceReach,
): Source {
  return httpSource({
    ...reach,
    contact: config.contact,
    secrets: readSecrets(environment),
    now: systemClock,
    sleep: systemSleep,
    random: Math.random,
    limits: {
      totalMs: config.source_timeout_s * 1000,
      readMs: config.source_read_timeout_s * 1000,
      maxBytes: config.source_max_bytes,
      maxReadBytes: config.source_read_max_bytes,
    },
    onRetry: (retry) => log.warn(retry, 'a source is asked again'),
  });
}

/** The sources of a node's own rules. */
export function nodeSource(
  config: Config,
  environment: Environment,
  log: Logger,
  { network }: Pick<OpenData, 'network'>,
): Source {
  const addresses = new AddressGuard({ network, privateHosts: config.private_hosts });
  return sourceOf(config, environment, log, { addresses });
}

/**
 * Where a log whose disk cannot be written is opened for reading: the configured folder, or the system's
 * folders for such files.
 */
function scratchOf({ scratch }: Config): readonly string[] {
  return scratch === null ? [tmpdir(), '/dev/shm'] : [scratch];
}

/** The disk of a node's data. */
function diskOf(config: Config): NodeDisk {
  const { root, ledger, blobs } = dataFolder(config.data);
  return {
    measure: () => freeSpace(root, ledger, blobs),
    probe: async () => {
      for (const folder of new Set([root, ledger, blobs])) await probeWrites(folder);
    },
    limits: { lowBytes: config.disk_low_bytes, reserveBytes: config.disk_reserve_bytes },
    readBytes: config.source_read_max_bytes,
  };
}

/** The node's data, with its keys unlocked with the passphrase from the environment. */
export function dataOf(config: Config, environment: Environment): Promise<OpenData> {
  const passphrase = passphraseOf(environment);
  const scratch = scratchOf(config);
  const signer = config.signer?.socket;
  const { head_guard: guard } = config;
  const database = guard.kind === 'postgres' ? { database: { config: guard, environment } } : {};
  return openData(dataFolder(config.data), nodeSha256, {
    passphrase,
    scratch,
    signer,
    ...database,
  });
}

/** Asks mirrors and witnesses for heads. If none is required and none can be reached, that is only logged. */
export function askHeads(
  config: Config,
  { checkpoints, policies }: Pick<OpenData, 'checkpoints' | 'policies'>,
  log: Logger,
): AskHeads | null {
  return headsElsewhere({
    mirrors: config.mirrors,
    mirrorsRequired: config.mirrors_required,
    witnesses: config.witnesses,
    required: policies.witnesses_required > 0,
    signer: checkpoints,
    fetchNote,
    onSilent: (reason) => log.warn({ reason }, 'no head of the log from there'),
  });
}
