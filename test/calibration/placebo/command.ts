import { availableParallelism } from 'node:os';
import type { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { figuresOf } from '../events.ts';
import { measure } from '../measured.ts';
import { filesLine } from '../recorded-files.ts';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { withPart } from './page-part.ts';
import { planOf, trialsOf } from './plan.ts';
import { runTrials } from './pool.ts';
import { RECORDED_PLAN, recordedCounts } from './recorded/recorded-placebo.ts';
import { recordedSection } from './recorded/recorded-section.ts';
import { simulatedSection } from './simulated-section.ts';

/** What `npm run calibrate -- --placebo` is asked for. */
export interface PlaceboOptions {
  /** The number of simulated markets without an effect. */
  readonly panels: number;
  /** Recorded markets, if any. */
  readonly folder: MarketFolder | undefined;
  readonly rule: ScoreRule;
}

/** How many trials pass between two lines of progress. */
const EVERY = 100;

/** The page with new figures. Recorded markets are read only where there is a folder; without one their part stays. */
export async function placeboPage(
  page: string,
  { panels, folder, rule }: PlaceboOptions,
  log: (line: string) => void,
): Promise<string> {
  const plan = planOf(panels);
  const trials = trialsOf(plan);
  const counts = await runTrials(trials, availableParallelism(), (done) => {
    if (done % EVERY === 0) log(`${done} of ${trials.length} simulated markets`);
  });
  const after = withPart(page, 'simulated', simulatedSection(counts, plan));
  if (folder === undefined) return after;
  const assets = await measure(folder, rule);
  const [span] = figuresOf(assets, rule.parts, rule.event, [0]);
  const found = recordedCounts({ assets, events: span?.events ?? [], rule }, RECORDED_PLAN);
  return withPart(
    after,
    'recorded',
    recordedSection(found, RECORDED_PLAN, await filesLine(folder)),
  );
}
