import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { parseEntry } from '@assay/core/entry';
import { parseDate, parseTime } from '@assay/core/time';
import type { Environment } from '../config.ts';
import { parseConfig } from '../config.ts';
import { dataFolder } from '../data-folder.ts';
import { initData, NO_POLICIES } from '../init.ts';
import { nodeSha256 } from '../node-sha256.ts';
import { type RunningNode, startNode } from '../node.ts';
import { hasData, openData } from '../open-data.ts';
import { readRuleFile } from '../rule-file.ts';
import { SettlementFolder } from '../settlement-mirror.ts';
import { readClaimsSample } from './claims-sample.ts';
import { DevelopmentClock } from './development-clock.ts';
import { DevelopmentSource } from './development-source.ts';
import { replaySample } from './replay.ts';
import type { LedgerStore } from '../ledger/store.ts';

export interface DemoOptions {
  /** Folder of the demo's data; it goes on there when it is started again. */
  readonly data: string;
  readonly environment: Environment;
  readonly log: Logger;
  /** Real seconds that a week takes. */
  readonly weekSeconds: number;
}

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));
const WEEK_SECONDS = 7 * 86_400;
/** Looks for due rounds this often; several within the freeze window's real time are not needed. */
const POLL_MS = 100;
/** Everything that reads a demo has one address: a verifier must not wait for itself. */
const REQUESTS_PER_MINUTE = 60_000;

export const DEMO_NOTICE: string =
  'Development network: sample figures typed in, then invented ones (rule version 2) on a simulated ' +
  'clock. Nothing here may be settled on.';

/**
 * The development network on one machine, with nothing outside it: the same node as in production
 * behind the same ports, over sample sources and a simulated clock. Its origin says `development/`.
 */
export async function startDemo(options: DemoOptions): Promise<RunningNode> {
  const folder = dataFolder(options.data);
  const config = parseConfig(
    { data: options.data, contact: 'development' },
    options.environment,
    options.data,
  );
  const sample = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.1.json'));
  const synthetic = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
  const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
  const start = ((vintages[0]?.asOf ?? parseDate('2025-01-01')) - 1) * 86_400;
  const clock = new DevelopmentClock(start, WEEK_SECONDS / options.weekSeconds);
  if (!(await hasData(folder))) {
    await initData(folder, nodeSha256, clock.now, {
      origin: `development/${randomBytes(6).toString('hex')}`,
      passphrase: undefined,
      policies: NO_POLICIES,
    });
  }
  const data = await openData(folder, nodeSha256, { passphrase: undefined });
  clock.advanceTo(await lastTime(data.store));
  const node = await startNode({
    ledger: { store: data.store, guard: data.guard, signer: data.checkpoints, askHeads: null },
    blobs: data.blobs,
    openings: data.openings,
    settlements: new SettlementFolder(folder.mirror),
    places: { publicUrl: null, mirrorUrl: null },
    source: new DevelopmentSource(vintages, synthetic, clock.now),
    reportSigner: data.report,
    sha256: nodeSha256,
    now: clock.now,
    log: options.log,
    host: config.host,
    port: config.port,
    transport: config.transport,
    server: {},
    quotas: { default: REQUESTS_PER_MINUTE, log: REQUESTS_PER_MINUTE },
    metrics: config.metrics,
    pollMs: POLL_MS,
    notice: DEMO_NOTICE,
    // A look of the simulated clock spans hours.
    limits: { degradedAfterS: WEEK_SECONDS, haltedAfterS: 8 * WEEK_SECONDS },
    async prepare(ledger, scheduler) {
      const replay = { sample, synthetic, vintages, clock, sha256: nodeSha256 };
      await replaySample(ledger, scheduler, replay);
      clock.run();
    },
  });
  return node;
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
