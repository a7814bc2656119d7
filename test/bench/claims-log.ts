import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releaseTime } from '@assay/core/rule/release';
import { parseDate } from '@assay/core/time/time';
import type { BlobStore } from '@assay/node/blob/blob-store';
import { readClaimsSample } from '@assay/node/dev/site/claims-sample';
import { DevelopmentClock } from '@assay/node/dev/development-clock';
import { ClaimsSource } from '../src/node/fixture/claims-source.ts';
import { replaySample } from '@assay/node/dev/replay';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { readRuleFile } from '@assay/node/rule/rule-file';
import { Scheduler } from '@assay/node/round/scheduler';
import type { Publication } from '@assay/node/api/publication';
import { benchLedger, throwAwaySigner } from './bench-ledger.ts';
import { MemoryOpenings } from '@assay/node/data/openings';
import { randomBytes } from 'node:crypto';

const SAMPLES = fileURLToPath(new URL('../../../samples/', import.meta.url));

/** A log as the development network makes it. */
export interface ClaimsLog {
  readonly ledger: Ledger;
  readonly blobs: BlobStore;
}

/** The sample's weeks and then `weeks` invented ones: each a provisional print, a final, revisions. */
export async function claimsLog(
  weeks: number,
  publication?: () => Publication | undefined,
): Promise<ClaimsLog> {
  const sample = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.1.json'));
  const synthetic = await readRuleFile(nodeSha256, join(SAMPLES, 'rules', 'LAYOFFS.2.json'));
  const vintages = await readClaimsSample(join(SAMPLES, 'claims', 'initial-claims.json'));
  const clock = new DevelopmentClock(((vintages[0]?.asOf ?? 0) - 1) * 86_400, 1);
  const signer = throwAwaySigner();
  const blobs = new MemoryBlobStore();
  const ledger = await benchLedger({
    store: await openMemoryStore(),
    guard: new MemoryHeadGuard(),
    now: clock.now,
    reportSigner: signer,
    onPublish: ({ size }, tables) => publication?.()?.changed(size, tables),
  });
  const failed = (_ticker: string, _period: string, error: unknown): never => {
    throw error;
  };
  const scheduler = new Scheduler(
    {
      ledger,
      signer,
      source: new ClaimsSource(vintages, synthetic, clock.now),
      blobs,
      openings: new MemoryOpenings(),
      random: randomBytes,
      sha256: nodeSha256,
      now: clock.now,
    },
    1000,
    { onRound: () => undefined, onRoundFailed: failed },
  );
  const prints = vintages.flatMap((vintage) => vintage.weeks.at(-1)?.period ?? []);
  const indices = [{ rules: [sample, synthetic], recorded: clock.now(), prints: [prints, []] }];
  const notice = 'Benchmark.';
  const anchoring = { poll: () => Promise.resolve() };
  const replay = { indices, clock, anchoring, sha256: nodeSha256, notice };
  await replaySample(ledger, scheduler, replay);
  const first = parseDate(synthetic.applies_from);
  for (let week = 0; week < weeks; week += 1) {
    const release = releaseTime(synthetic.release, synthetic.period, first + 7 * week);
    clock.advanceTo(release);
    await scheduler.runDue();
    clock.advanceTo(release + synthetic.revision.freeze_after_s);
    await scheduler.runDue();
  }
  return { ledger, blobs };
}
