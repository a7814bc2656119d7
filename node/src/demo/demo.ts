import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseEntry } from '@assay/core/entry';
import { DAY_SECONDS, parseTime } from '@assay/core/time';
import type { AnchorTiming } from '../anchor/anchor-parts.ts';
import { FileOpenBatch } from '../anchor/open-batch.ts';
import { CalendarClient } from '../bitcoin/calendar-client.ts';
import {
  DEVELOPMENT_CALENDARS,
  developmentCalendar,
  developmentFetch,
} from '../bitcoin/development/development-calendar.ts';
import { DevelopmentChain } from '../bitcoin/development/development-chain.ts';
import { startDevelopmentServer } from '../bitcoin/development/development-server.ts';
import { developmentSource } from '../bitcoin/development/development-source.ts';
import { HeaderFollower } from '../bitcoin/header-follower.ts';
import type { Environment } from '../config.ts';
import { parseConfig } from '../config.ts';
import { dataFolder } from '../data-folder.ts';
import { initData, NO_POLICIES } from '../init.ts';
import { nodeSha256 } from '../node-sha256.ts';
import { type RunningNode, startNode } from '../node.ts';
import { hasData, openData } from '../open-data.ts';
import { SettlementFolder } from '../settlement-mirror.ts';
import { DevelopmentClock } from './development-clock.ts';
import { developmentNetwork } from './development-indices.ts';
import { replaySample, replaySteps } from './replay.ts';
import { SiteSource } from './site-source.ts';
import type { LedgerStore } from '../ledger/store.ts';

export interface DemoOptions {
  /** Folder of the demo's data; it goes on there when it is started again. */
  readonly data: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** Real seconds that a week takes. */
  readonly weekSeconds: number;
  /** Display names; every index without it. */
  readonly indices?: readonly string[];
}

const WEEK_SECONDS = 7 * DAY_SECONDS;
/** Looks for due rounds this often; several within the freeze window's real time are not needed. */
const POLL_MS = 100;
/** Everything that reads a demo has one address: a verifier must not wait for itself. */
const REQUESTS_PER_MINUTE = 60_000;

/** Of the development chain: ten times as slow as Bitcoin, in simulated time. */
const BLOCK_SECONDS = 3600;

/** In simulated seconds; a look of the clock spans hours. */
const ANCHOR_TIMING: AnchorTiming = {
  required: DEVELOPMENT_CALENDARS.length,
  // Each look that finds something new: in the replay the clock stands still between two.
  stampEveryS: 0,
  beaconEveryS: DAY_SECONDS,
  upgradeAfterS: 7 * BLOCK_SECONDS,
  expireAfterS: 30 * DAY_SECONDS,
  // A look of the simulated clock spans hours.
  silentAfterS: WEEK_SECONDS,
  staleAfterS: WEEK_SECONDS,
};

export const DEMO_NOTICE: string =
  'Development network. Under rules titled SAMPLE the figures are typed in, as their publishers gave ' +
  'them: claims to the week ending 2026-07-25, payrolls to November 2025, the unemployment rate and ' +
  'both CPIs to June 2026. All others are invented, the daily ones on a small scale. The clock is ' +
  'simulated. Nothing here may be settled on.';

/** A demo, and where other software on this machine finds its calendars and its Bitcoin RPC. */
export interface RunningDemo extends RunningNode {
  readonly calendars: readonly string[];
  readonly bitcoinRpc: string;
}

/**
 * The development network on one machine, with nothing outside it: the same node as in production
 * behind the same ports, over sample sources and a simulated clock. Its origin says `development/`.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const folder = dataFolder(options.data);
  const config = parseConfig(
    { data: options.data, contact: 'development' },
    options.environment,
    options.data,
  );
  const { indices, sites } = await developmentNetwork(nodeSha256, options.indices);
  const start = (replaySteps(indices)[0]?.at ?? 0) - DAY_SECONDS;
  const clock = new DevelopmentClock(start, WEEK_SECONDS / options.weekSeconds);
  if (!(await hasData(folder))) {
    await initData(folder, nodeSha256, clock.now, {
      origin: `development/${randomBytes(6).toString('hex')}`,
      passphrase: undefined,
      policies: NO_POLICIES,
    });
  }
  const data = await openData(folder, nodeSha256, { passphrase: undefined, syncBlobs: false });
  clock.advanceTo(await lastTime(data.store));
  const chain = new DevelopmentChain({
    blockSeconds: BLOCK_SECONDS,
    path: join(folder.root, 'development-chain.jsonl'),
  });
  const calendars = DEVELOPMENT_CALENDARS.map((each) =>
    developmentCalendar({ chain, ...each, now: clock.now }),
  );
  const uris = calendars.map(({ uri }) => uri);
  const sources = [developmentSource(chain, clock.now)];
  const node = await startNode({
    ledger: { store: data.store, guard: data.guard, signer: data.checkpoints, askHeads: null },
    blobs: data.blobs,
    openings: data.openings,
    anchor: {
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
      openBatch: new FileOpenBatch(folder.stamps, (reason) =>
        options.log.warn({ reason }, 'the open batch cannot be read'),
      ),
    },
    anchorMs: POLL_MS,
    anchorLimits: { unstampedAfterS: WEEK_SECONDS, pendingAfterS: 8 * WEEK_SECONDS },
    settlements: new SettlementFolder(folder.mirror),
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
    server: {},
    metrics: config.metrics,
    pollMs: POLL_MS,
    notice: DEMO_NOTICE,
    // A look of the simulated clock spans hours.
    limits: { degradedAfterS: WEEK_SECONDS, haltedAfterS: 8 * WEEK_SECONDS },
    async prepare(ledger, scheduler, anchoring) {
      const replay = { indices, clock, anchoring, sha256: nodeSha256, notice: DEMO_NOTICE };
      await replaySample(ledger, scheduler, replay);
      clock.run();
    },
  });
  try {
    const server = await startDevelopmentServer({
      chain,
      now: clock.now,
      calendars: DEVELOPMENT_CALENDARS.map(({ name }) => ({ name, port: 0 })),
    });
    const close = async (): Promise<void> => {
      await server.close();
      await node.close();
      chain.close();
    };
    let closed: Promise<void> | undefined;
    return {
      ...node,
      calendars: server.calendars,
      bitcoinRpc: server.rpc,
      close: () => (closed ??= close()),
    };
  } catch (error) {
    await node.close();
    throw error;
  }
}

/** The time of the newest entry: a demo that is started again goes on from there. */
async function lastTime(store: LedgerStore): Promise<number> {
  let last = 0;
  for await (const row of store.rows()) {
    if (row.part !== 'entry') break;
    last = parseTime(parseEntry(row.bytes).at);
  }
  return last;
}
