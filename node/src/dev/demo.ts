import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseEntry } from '@assay/core/log/entry';
import { Fault } from '@assay/core/fault';
import { formatHex } from '@assay/core/bytes/hex';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import type { AnchorTiming } from '../anchor/anchor-parts.ts';
import { MemoryOpenBatch } from '../anchor/open-batch.ts';
import { CalendarClient } from '../bitcoin/calendar-client.ts';
import {
  DEVELOPMENT_CALENDARS,
  developmentCalendar,
  developmentFetch,
} from './bitcoin/development-calendar.ts';
import { DevelopmentChain } from './bitcoin/development-chain.ts';
import { startDevelopmentServer } from './bitcoin/development-server.ts';
import { developmentSource } from './bitcoin/development-source.ts';
import { MemoryBlobStore } from '../blob/memory-blob-store.ts';
import { HeaderFollower } from '../bitcoin/header-follower.ts';
import { type Config, type Environment, parseConfig } from '../production/config.ts';
import { type DataFolder, dataFolder } from '../platform/data-folder.ts';
import { nodeReaders } from '../production/reader-config.ts';
import { initData, NO_POLICIES, type OnchainChoice } from '../data/init.ts';
import { nodeSha256 } from '../platform/node-sha256.ts';
import { type NodeParts, type RunningNode, startNode } from '../node.ts';
import { type DevelopmentFeed, developmentFeed, developmentOnchain } from './development-feed.ts';
import { hasData, type OpenData, openData } from '../data/open-data.ts';
import { RECEPTION_LIMITS, type ReceptionLimits } from '../cosign/reception-limits.ts';
import { scrubFile } from '../scrub/scrub-memory.ts';
import { MemorySettlements } from '../day/memory-settlements.ts';
import { SettlementFolder } from '../day/settlement-mirror.ts';
import { Gathering } from '../witness/client/gathering.ts';
import { witnessFetch } from '../witness/client/witness-client.ts';
import { ClockFile, machineMs } from './clock-file.ts';
import { DevelopmentClock } from './development-clock.ts';
import {
  COSIGNED_FROM,
  DevelopmentRecounters,
  type RecounterPlace,
} from './development-recounters.ts';
import { type DevelopmentNetwork, developmentNetwork } from './development-indices.ts';
import { type DevelopmentTier, developmentTier } from './development-tier.ts';
import { LateWitnesses } from './late-witnesses.ts';
import { RecounterPolls } from './recounter-polls.ts';
import { developmentTicks, historyTimes } from './market/development-ticks.ts';
import { type MarketReplay, replaySample, replayStart, replaySteps } from './replay.ts';
import { SiteSource } from './site/site-source.ts';
import { fetchNote } from '../witness/client/mirror-heads.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerStore } from '../ledger/store/store.ts';
import type { NodeTicks } from '../terminal/node-ticks.ts';
import { enactArenaRule } from '../rule/arena-rule-file.ts';
import { DEVELOPMENT_ARENA_RULE, developmentArenaRule } from './development-arena-rule.ts';
import { developmentBeacon } from './development-beacon.ts';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import type { NodeWebhooks } from '../webhook/node-webhooks.ts';
import { SubscriptionCipher } from '../webhook/subscription-cipher.ts';
import { SubscriptionStore } from '../webhook/subscription-store.ts';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { type NodeArena, openArena } from '../arena/node-arena.ts';
import type { BeaconSource } from '../timelock/beacon-source.ts';
import { enactListing } from '../terminal/tick/market-listing.ts';
import type { TickLoop } from '../terminal/tick-loop.ts';
import { GRID_SECONDS } from '@assay/core/terminal/calendar/grid';

export interface DemoOptions {
  /** The folder of the demo's data. A demo that is started again continues there. */
  readonly data: string;
  /**
   * Whether the folder is removed at the end: the publisher's blobs and settlement files are then in memory alone. The
   * default is false.
   */
  readonly temporary?: boolean;
  readonly environment: Environment;
  readonly log: Logger;
  /** How many real seconds a week takes once the history is loaded. The default is `DEMO_WEEK_SECONDS`. */
  readonly weekSeconds?: number;
  /** Display names; every index without it. */
  readonly indices?: readonly string[];
  /** Whether there is a market. By default there is one where every index runs. */
  readonly market?: boolean;
  readonly onProgress?: (progress: DemoProgress) => void;
}

/** How far a demo is that is being started. */
export interface DemoProgress {
  /** The part of the start that has begun. */
  readonly part: 'loading the history' | 'waiting for the recounters';
  /** How much of it is done, and of how much. */
  readonly done: number;
  readonly of: number;
}

const WEEK_SECONDS = 7 * DAY_SECONDS;
/**
 * How many real seconds a week takes: a day takes half an hour, so that the four hours in which a question can be
 * answered take five minutes, and eight hours of a day's forecasts take ten.
 */
export const DEMO_WEEK_SECONDS: number = 7 * 30 * 60;
/** Milliseconds of real time between two polls for what is due in a round of the Arena. */
const ARENA_MS = 250;
/** How many simulated seconds the clock may run after such a poll, so that no round misses its witnesses. */
const ARENA_LEAD_S = 600;
/** Simulated seconds per real second at which there are rounds at all. */
const MOST_ARENA_SPEED = 200;
/** Milliseconds of real time between two polls for questions whose time for answers is over. */
const CLOSING_MS = 500;
/** The most and the least real milliseconds between two polls for what is due. */
const MOST_POLL_MS = 1000;
const LEAST_POLL_MS = 5;
/** The least real milliseconds between two polls that nothing depends on at once: for stamps, and of the recounters. */
const LEAST_CALM_MS = 100;
/**
 * How many simulated seconds the clock may run after a poll for due rounds. Two such spans with a poll between
 * them are shorter than any rule's time for first prints, so no period goes without one, however busy the
 * machine is.
 */
const LEAD_S = 9000;
/** The same for ticks: the clock waits for a poll so long after the time of a tick (`development-ticks.ts`). */
const TICK_LEAD_S = 120;
/** Real milliseconds between two polls for a witness's line that is missing or becoming stale. */
const WITNESS_MS = 1000;
/** Everything that reads a demo has one address, and a verifier must not wait for itself. */
const REQUESTS_PER_MINUTE = 60_000;

/** The time between blocks of the development chain: ten times as long as Bitcoin's, in simulated time. */
const BLOCK_SECONDS = 3600;

/** In simulated seconds. Between two polls of the clock there are hours. */
const ANCHOR_TIMING: AnchorTiming = {
  required: DEVELOPMENT_CALENDARS.length,
  // Some 19 real seconds, so that whoever answers a question sees its proof.
  stampEveryS: 900,
  beaconEveryS: DAY_SECONDS,
  upgradeAfterS: 7 * BLOCK_SECONDS,
  expireAfterS: 30 * DAY_SECONDS,
  // Between two polls of the simulated clock there are hours.
  silentAfterS: WEEK_SECONDS,
  staleAfterS: WEEK_SECONDS,
};

/** In simulated seconds, except the real time that an answer waits. */
const RECEPTION: ReceptionLimits = {
  ...RECEPTION_LIMITS,
  silentAfterS: WEEK_SECONDS,
  quorumAfterS: WEEK_SECONDS,
  wordsPerMinute: REQUESTS_PER_MINUTE,
};

export const DEMO_NOTICE: string =
  'Development network. Under rules titled SAMPLE the figures are typed in, as their publishers gave ' +
  'them: claims to the week ending 2026-07-25, the unemployment rate and both CPIs to June 2026. All ' +
  'others are invented, the daily ones on a small scale, and so are all prices and volumes of the ' +
  'market. The clock is simulated. Nothing here may be settled on.';

/** A demo, and where other programs on this machine find its calendars and its Bitcoin RPC. */
export interface RunningDemo extends RunningNode {
  /** Its recounters that work now. */
  readonly recounters: () => readonly RecounterPlace[];
  readonly calendars: readonly string[];
  readonly bitcoinRpc: string;
  /** Its Solana chain, and whose feeds are there; null if litesvm is not available. */
  readonly chain: {
    readonly rpc: string;
    readonly pubsub: string;
    readonly program: string;
    /** The facilitator of the machine tier; null where the tier is closed. */
    readonly facilitator: string | null;
    /** The publisher's first key, hex. */
    readonly publisher: string;
  } | null;
}

/**
 * The development network on one machine, without anything outside it: the same node as in production behind
 * the same ports, over sample sources and a simulated clock. Its origin begins with `development/`.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const opened: Closing[] = [];
  try {
    return await openDemo(options, opened);
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** Closes something that was opened; what is closed already stays so. */
type Closing = () => Promise<void> | void;

/** Adds to `opened` what is to be closed if it throws. */
async function openDemo(options: DemoOptions, opened: Closing[]): Promise<RunningDemo> {
  const world = await openWorld(options, opened);
  const { recounters, chain, clock, data, endRecounters } = world;
  const solana = await startSolana(world);
  if (solana !== undefined) opened.push(() => solana.started.close());
  const tier = await startTier(world, solana);
  if (tier !== undefined) opened.push(tier.close);
  const node = await startNode(nodeParts(world, solana, tier));
  opened.push(() => node.close());
  const server = await startDevelopmentServer({
    chain,
    now: clock.now,
    calendars: DEVELOPMENT_CALENDARS.map(({ name }) => ({ name, port: 0 })),
  });
  const close = async (): Promise<void> => {
    await server.close();
    await endRecounters();
    await node.close();
    await tier?.close();
    await solana?.started.close();
    chain.close();
  };
  let closed: Promise<void> | undefined;
  return {
    ...node,
    recounters: () => recounters.places,
    calendars: server.calendars,
    bitcoinRpc: server.rpc,
    chain:
      solana === undefined
        ? null
        : {
            rpc: solana.started.rpc,
            pubsub: solana.started.pubsub,
            program: solana.program,
            facilitator: tier?.facilitator ?? null,
            publisher: formatHex(data.report.publicKey),
          },
    close: () => (closed ??= close()),
  };
}

/** What a demo's node needs: its data, its clock, its Bitcoin and its recounters. */
interface DemoWorld {
  readonly options: DemoOptions;
  readonly config: Config;
  readonly folder: DataFolder;
  readonly indices: DevelopmentNetwork['indices'];
  readonly sites: DevelopmentNetwork['sites'];
  /** Simulated seconds per real second. */
  readonly speed: number;
  readonly onchain: OnchainChoice | undefined;
  /** The port of the Solana chain; with 0 any free one is taken. */
  readonly port: number;
  readonly data: OpenData;
  readonly clock: DevelopmentClock;
  readonly recounters: DevelopmentRecounters;
  readonly looks: RecounterPolls;
  readonly chain: DevelopmentChain;
  readonly witnesses: LateWitnesses;
  /** Undefined if there is no market. */
  readonly ticks: NodeTicks | undefined;
  /** Undefined if there are no rounds of the Arena. */
  readonly arena: DemoArena | undefined;
  readonly webhooks: NodeWebhooks;
  readonly endRecounters: () => Promise<void>;
}

/** What a demo has of the Arena, and the beacon that its forecasts are sealed to. */
interface DemoArena extends NodeArena {
  readonly beacon: BeaconSource;
}

async function openWorld(options: DemoOptions, opened: Closing[]): Promise<DemoWorld> {
  const folder = dataFolder(options.data);
  const config = parseConfig(
    { data: options.data, contact: 'development' },
    options.environment,
    options.data,
  );
  const { indices, sites } = await developmentNetwork(nodeSha256, options.indices);
  const start = replayStart(indices);
  const speed = WEEK_SECONDS / (options.weekSeconds ?? DEMO_WEEK_SECONDS);
  const onchain = await developmentOnchain(start);
  const port = chainPort(options.environment);
  if (!(await hasData(folder))) {
    await initData(folder, nodeSha256, () => start, {
      origin: `development/${randomBytes(6).toString('hex')}`,
      passphrase: undefined,
      policies: {
        // Before there are co-signers nobody is required, and from then on their set says how many are.
        ...NO_POLICIES,
        witness_max_age_s: WEEK_SECONDS,
      },
      onchain,
    });
  }
  const data = await openData(folder, nodeSha256, { passphrase: undefined, sync: false });
  opened.push(async () => {
    await data.store.close();
    await data.guard.close();
  });
  const clockPath = join(folder.root, 'development-clock');
  const clockFile = new ClockFile(clockPath);
  const clock = new DevelopmentClock(start, speed, machineMs, clockFile.write);
  clock.advanceTo(await lastTime(data.store));
  const recounters = new DevelopmentRecounters({
    root: folder.root,
    network: data.checkpoints.origin,
    setting: {
      clock: clockPath,
      indices: options.indices ?? null,
      // What they report about each other while one is away is only for those who ask for it.
      logLevel: options.log.level === 'warn' ? 'error' : options.log.level,
      requestsPerMinute: REQUESTS_PER_MINUTE,
    },
    host: config.host,
    log: options.log,
  });
  const looks = new RecounterPolls({
    follow: () => recounters.follow(),
    hold: clock.hold,
    everyMs: calmMs(speed),
  });
  const endRecounters = async (): Promise<void> => {
    await looks.stop();
    await recounters.close();
    clockFile.close();
  };
  opened.push(endRecounters);
  const chain = new DevelopmentChain({
    blockSeconds: BLOCK_SECONDS,
    path: join(folder.root, 'development-chain.jsonl'),
  });
  opened.push(() => chain.close());
  const witnesses = new LateWitnesses();
  const isWhole = options.indices === undefined;
  const ticks = (options.market ?? isWhole) ? await marketOf(folder, clock, speed) : undefined;
  // At a higher speed a round would close before its witnesses have answered.
  const arena =
    ticks === undefined || speed > MOST_ARENA_SPEED
      ? undefined
      : await arenaOf(folder, clock, start);
  const webhooks = { store: await developmentSubscriptions(folder) };
  return {
    options,
    config,
    folder,
    indices,
    sites,
    speed,
    onchain,
    port,
    data,
    clock,
    recounters,
    looks,
    chain,
    witnesses,
    ticks,
    arena,
    webhooks,
    endRecounters,
  };
}

/** The subscriptions of a demo are sealed under a key that everybody may know: what they hold is for trying out. */
function developmentSubscriptions(folder: DataFolder): Promise<SubscriptionStore> {
  const key = nodeSha256(formatUtf8('assay/development/webhooks'));
  const cipher = new SubscriptionCipher(new Uint8Array(key));
  return SubscriptionStore.open(folder.webhooks, { cipher, sync: false });
}

async function arenaOf(
  folder: DataFolder,
  clock: DevelopmentClock,
  genesis: number,
): Promise<DemoArena> {
  const path = join(folder.root, 'development-beacon.json');
  const { now } = clock;
  const beacon = await developmentBeacon({ path, genesis, now, sha256: nodeSha256 });
  return {
    ...(await openArena(folder, nodeSha256, { sync: false })),
    beacon,
    beaconOf: (chain) => (chain.hash === beacon.chain.hash ? beacon : undefined),
    everyMs: ARENA_MS,
    perMinute: REQUESTS_PER_MINUTE,
    onPolled: () => clock.allowUntil(clock.now() + ARENA_LEAD_S, 'arena'),
  };
}

function marketOf(folder: DataFolder, clock: DevelopmentClock, speed: number): Promise<NodeTicks> {
  return developmentTicks({
    folder,
    sha256: nodeSha256,
    everyMs: pollMs(speed, TICK_LEAD_S),
    onPolled: (until) => clock.allowUntil(until, 'ticks'),
    now: clock.now,
  });
}

/** Real milliseconds between two polls: twice in the simulated seconds that the clock is given, so that it runs on. */
function pollMs(speed: number, lead: number): number {
  return Math.max(LEAST_POLL_MS, Math.min(MOST_POLL_MS, (lead / speed / 2) * 1000));
}

/** The same for what nothing depends on at once. */
function calmMs(speed: number): number {
  return Math.max(LEAST_CALM_MS, pollMs(speed, LEAD_S));
}

/** The feeds of the demo on its own chain. A log that was begun without a chain never has one. */
async function startSolana({
  folder,
  speed,
  onchain,
  port,
  data,
  clock,
}: DemoWorld): Promise<DevelopmentFeed | undefined> {
  if (onchain === undefined || data.chain === null) return undefined;
  return developmentFeed({
    folder,
    now: clock.now,
    speed,
    port,
    everyMs: calmMs(speed),
    behindAfterS: WEEK_SECONDS,
  });
}

function anchorOf({ chain, clock }: DemoWorld): NodeParts['anchor'] {
  const calendars = DEVELOPMENT_CALENDARS.map((each) =>
    developmentCalendar({ chain, ...each, now: clock.now }),
  );
  const uris = calendars.map(({ uri }) => uri);
  const sources = [developmentSource(chain, clock.now)];
  return {
    calendars: new CalendarClient({
      fetch: developmentFetch(calendars),
      pool: uris,
      attestors: uris,
      timeoutMs: 10_000,
      sha256: nodeSha256,
    }),
    headers: new HeaderFollower({ network: DEVELOPMENT, sources }),
    network: DEVELOPMENT,
    timing: ANCHOR_TIMING,
    // A batch that is lost with the process is sent again with the next one.
    openBatch: new MemoryOpenBatch(),
  };
}

/** The machine tier, where the demo has a chain to be paid on and a market to sell. */
async function startTier(
  { folder, ticks, config, options }: DemoWorld,
  solana: DevelopmentFeed | undefined,
): Promise<DevelopmentTier | undefined> {
  if (solana === undefined || ticks === undefined) return undefined;
  const { host, port } = config;
  // Where any free port is taken, it is not known yet: the terms name the machine alone.
  const origin = urlOf(host, port).replace(/:0$/, '');
  return developmentTier({ folder, chain: solana.started, origin, log: options.log });
}

function nodeParts(
  world: DemoWorld,
  solana: DevelopmentFeed | undefined,
  tier: DevelopmentTier | undefined,
): NodeParts {
  const { options, config, folder, sites, speed, data, clock, looks, witnesses } = world;
  const { ticks, arena, webhooks } = world;
  return {
    ledger: {
      store: data.store,
      guard: data.guard,
      signed: data.signed,
      signer: data.checkpoints,
      askHeads: null,
    },
    witnesses,
    blobs: options.temporary === true ? new MemoryBlobStore() : data.blobs,
    openings: data.openings,
    anchor: anchorOf(world),
    anchorMs: calmMs(speed),
    onTables: (tables) => looks.changed(tables),
    reception: RECEPTION,
    hold: clock.hold,
    ...(solana === undefined ? {} : { feed: solana.feed }),
    anchorLimits: { unstampedAfterS: WEEK_SECONDS, pendingAfterS: 8 * WEEK_SECONDS },
    settlements:
      options.temporary === true
        ? new MemorySettlements()
        : new SettlementFolder(folder.mirror, { sync: false }),
    places: { publicUrl: null, mirrorUrl: null },
    source: new SiteSource(sites, clock.now),
    reportSigner: data.report,
    sha256: nodeSha256,
    now: clock.now,
    elapsed: clock.now,
    log: options.log,
    host: config.host,
    port: config.port,
    transport: config.transport,
    quotas: { default: REQUESTS_PER_MINUTE, log: REQUESTS_PER_MINUTE },
    readers: nodeReaders(config, options.environment, data),
    server: {},
    metrics: config.metrics,
    scrub: { roundS: config.scrub_round_s, memory: scrubFile(folder.scrub) },
    ...(ticks === undefined ? {} : { ticks }),
    ...(arena === undefined ? {} : { arena }),
    ...(tier === undefined ? {} : { tier: { tier: tier.tier } }),
    webhooks,
    answers: {
      callers: folder.callers,
      openings: folder.answers,
      sync: false,
      everyMs: CLOSING_MS,
    },
    pollMs: pollMs(speed, LEAD_S),
    onPolled: () => clock.allowUntil(clock.now() + LEAD_S),
    notice: DEMO_NOTICE,
    // Between two polls of the simulated clock there are hours.
    limits: { degradedAfterS: WEEK_SECONDS, haltedAfterS: 8 * WEEK_SECONDS },
    prepare: (...given) => prepare(world, ...given),
  };
}

/** Brings the log to where its figures end, and lets clock and recounters continue by themselves from there. */
async function prepare(
  world: DemoWorld,
  ...[ledger, scheduler, anchoring, { feeds, dayEnd, ticks, port: at }]: Parameters<
    NodeParts['prepare']
  >
): Promise<void> {
  const { options, config, indices, data, clock, recounters, looks, witnesses } = world;
  const begun = recounters.begin({
    url: urlOf(config.host, at),
    vkey: data.checkpoints.vkey,
    logId: `${ledger.log}`,
  });
  await replaySample(ledger, scheduler, {
    indices,
    clock,
    anchoring,
    cosigned: {
      set: () => recounters.set(),
      from: COSIGNED_FROM,
      said: () => recounters.catchUp(ledger.published?.size ?? 0),
      ahead: () => void recounters.follow(),
    },
    feeds,
    dayEnd,
    market: marketReplay(world, ledger, ticks),
    sha256: nodeSha256,
    notice: DEMO_NOTICE,
    onStep: (done, of) => options.onProgress?.({ part: 'loading the history', done, of }),
  });
  options.onProgress?.({ part: 'waiting for the recounters', done: 0, of: 2 });
  await begun;
  await witnesses.begin(
    new Gathering({
      witnesses: recounters.witnesses(nodeSha256),
      required: 0,
      maxAgeS: data.policies.witness_max_age_s,
      fetch: witnessFetch,
      fetchHead: fetchNote,
      now: clock.now,
      timing: { everyMs: WITNESS_MS, silentAfterS: WEEK_SECONDS },
    }),
  );
  await enactRounds(world, ledger);
  clock.allowUntil(clock.now() + LEAD_S);
  world.ticks?.onPolled?.();
  clock.run();
  looks.start();
}

/** The arena rule with the recounters as its witnesses, unless the log has it from an earlier start. */
async function enactRounds({ arena, recounters }: DemoWorld, ledger: Ledger): Promise<void> {
  const known = newestArenaRule(ledger.tip)?.rule.arena ?? null;
  const witnesses = recounters.places.flatMap(({ witnessVkey }) => witnessVkey ?? []);
  if (arena === undefined || known !== null || witnesses.length === 0) return;
  const rule = developmentArenaRule(arena.beacon.chain, witnesses);
  await enactArenaRule(ledger, nodeSha256, rule);
}

function marketReplay(
  { indices, ticks: made }: DemoWorld,
  ledger: Ledger,
  ticks: TickLoop | undefined,
): MarketReplay | undefined {
  if (made === undefined || ticks === undefined) return undefined;
  const last = replaySteps(indices).at(-1)?.at ?? 0;
  const rules = made.classes.map(({ rule }) => rule);
  return {
    // Up to the first tick after the last step, so that the board is current when the clock begins to run.
    times: historyTimes(last + GRID_SECONDS),
    list: async () => {
      await enactListing(ledger, nodeSha256, rules, made.listing);
      await enactArenaRule(ledger, nodeSha256, DEVELOPMENT_ARENA_RULE);
    },
    tick: () => ticks.poll(),
  };
}

/** How another process of this machine reaches what listens at `host`. */
function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function chainPort(environment: Environment): number {
  const text = environment['ASSAY_CHAIN_PORT'] ?? '';
  if (text === '') return 0;
  if (/^[0-9]{1,5}$/.test(text) && Number(text) < 65_535) return Number(text);
  throw new Fault('bad_config', 'environment', { at: 'ASSAY_CHAIN_PORT', expected: 'a port' });
}

/** The time of the newest entry, from which a demo that is started again continues. */
async function lastTime(store: LedgerStore): Promise<number> {
  let last = 0;
  for await (const row of store.rows()) {
    if (row.part !== 'entry') break;
    last = parseTime(parseEntry(row.bytes).at);
  }
  return last;
}
