import type { Sha256 } from '@assay/core/hash';
import { releaseTime } from '@assay/core/rule/release';
import type { Rule } from '@assay/core/rule/rule';
import { settledReport } from '@assay/core/view/reports';
import { formatDate } from '@assay/core/time';
import type { Ledger } from '../ledger/ledger.ts';
import { enactRule } from '../rule-file.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Vintage } from './claims-sample.ts';
import type { DevelopmentClock } from './development-clock.ts';

export interface DemoReplay {
  readonly sample: Rule;
  readonly synthetic: Rule;
  readonly vintages: readonly Vintage[];
  readonly clock: DevelopmentClock;
  readonly sha256: Sha256;
}

const NOTICE =
  'Development network. Figures of the sample rule are typed in; those of rule version 2 are ' +
  'invented. The clock is simulated. Nothing here may be settled on.';

/**
 * Lives through the sample's release days on the development clock, as a node would have: at each
 * the newest week is printed, provisional first and final when its window has passed, and what else
 * the vintage shows is history or a revision. Repeating it adds nothing.
 */
export async function replaySample(
  ledger: Ledger,
  scheduler: Scheduler,
  { sample, synthetic, vintages, clock, sha256 }: DemoReplay,
): Promise<void> {
  if (await enactRule(ledger, sha256, sample)) {
    await ledger.append([{ kind: 'note/1', body: { text: NOTICE } }], ledger.nextSeq);
  }
  for (const vintage of vintages) {
    const newest = vintage.weeks.at(-1);
    if (newest === undefined) continue;
    if (settledReport(ledger.tip, sample.ticker, formatDate(newest.period)) !== undefined) continue;
    const release = releaseTime(sample.release, sample.period, newest.period);
    clock.advanceTo(release);
    await scheduler.runDue();
    clock.advanceTo(release + sample.revision.freeze_after_s);
    await scheduler.runDue();
  }
  await enactRule(ledger, sha256, synthetic);
}
