import { edgeGroups } from '@assay/core/terminal/edge/edge-groups';
import type { StudyMoment } from '@assay/core/terminal/edge/study-moment';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { makeStudy, type StudyData } from '@assay/core/terminal/study/base-rate';
import { excessOf } from '@assay/core/terminal/study/return-statistics';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RecordedEvent } from '../../events.ts';
import type { Measured } from '../../measured.ts';
import { recordedMoments, recordedNumber } from '../../recorded-moments.ts';
import { openingsData, recordedOpenings } from '../../recorded-study.ts';
import { Counts, holdCounts, missCounts } from '../counts.ts';
import { Draws } from '../draws.ts';
import { type Shown, shownByDates, shownByEdges } from '../shown.ts';
import { shifted, spanOf } from './shifts.ts';

/** How often labels are drawn anew, and halves of the assets. */
export interface RecordedPlan {
  readonly labels: number;
  readonly halves: number;
}

/** What the page has. */
export const RECORDED_PLAN: RecordedPlan = { labels: 200, halves: 100 };

/** Shifts of less than two weeks either way have weeks in common with the events themselves. */
const NEAREST_SHIFT = 2;

/** Recorded assets with their events, and what a study of all of it is. */
export interface Record {
  readonly assets: readonly Measured[];
  readonly events: readonly RecordedEvent[];
  readonly rule: ScoreRule;
}

/**
 * What studies of both versions say where a recorded year is changed so that nothing, or little, is left in it. The
 * names are `miss|what|version|weeks|size` and `holds|what|version|group`; of `shifts`, `labels` and `halves`.
 */
export function recordedCounts(record: Record, plan: RecordedPlan): Counts {
  const counts = new Counts();
  const add = (what: string, version: 1 | 2, shown: readonly Shown[], truth: number): void => {
    counts.add(holdCounts(`holds|${what}|${version}`, shown));
    counts.add(missCounts(`miss|${what}|${version}`, shown, truth));
  };
  const draws = new Draws(1);
  addShifts(record, add);
  addLabels(record, plan.labels, draws, add);
  for (let i = 0; i < plan.halves; i += 1) addHalf(record, draws, add);
  return counts;
}

type Add = (what: string, version: 1 | 2, shown: readonly Shown[], truth: number) => void;

/** All events moved by the same number of weeks against the prices, by every such number. */
function addShifts({ assets, events, rule }: Record, add: Add): void {
  const number = recordedNumber(assets);
  const openings = recordedOpenings(assets, events);
  const span = spanOf(assets);
  for (let by = NEAREST_SHIFT; by <= span.weeks - NEAREST_SHIFT; by += 1) {
    const moved = shifted(openings, span, by);
    add('shifts', 2, edgesOf(number, recordedMoments(assets, moved, rule).moments), 0);
    add('shifts', 1, datesOf(openingsData(assets, moved, rule)), 0);
  }
}

/** Every event with the group of another one: each group is a sample of all events, and its edge is theirs. */
function addLabels({ assets, events, rule }: Record, times: number, draws: Draws, add: Add): void {
  const number = recordedNumber(assets);
  const openings = recordedOpenings(assets, events);
  const { moments } = recordedMoments(assets, openings, rule);
  const data = openingsData(assets, openings, rule);
  const edge = mean(
    moments.flatMap(({ returns: { '7d': week } }) => (week ? week.ret - week.base : [])),
  );
  const { n, sum } = data.ordinary.excess_7d;
  const excess = mean(data.events.flatMap(({ returns }) => excessOf(returns['7d']) ?? []));
  for (let i = 0; i < times; i += 1) {
    const labels = permuted(moments, draws);
    const relabelled = moments.map((moment, at) => {
      const { bucket, breadth } = labels[at] as StudyMoment;
      return { ...moment, bucket, breadth };
    });
    add('labels', 2, edgesOf(number, relabelled), edge);
    const others = permuted(data.events, draws);
    const renamed = data.events.map((event, at) => {
      const { move_24h, breadth } = others[at] as StudyData['events'][number];
      return { ...event, move_24h, breadth };
    });
    add('labels', 1, datesOf({ ...data, events: renamed }), excess - Number(sum) / n);
  }
}

/** Half of the assets, as if there were no others. Nobody knows the truth of these; 0 stands for it. */
function addHalf({ assets, events, rule }: Record, draws: Draws, add: Add): void {
  const half = permuted(assets, draws).slice(0, assets.length >> 1);
  const withBenchmark = half.some(({ symbol }) => symbol === rule.receipts.benchmark)
    ? half
    : [...half, ...assets.filter(({ symbol }) => symbol === rule.receipts.benchmark)];
  const own = events.filter(({ asset }) => half.includes(asset));
  const openings = recordedOpenings(half, own);
  add(
    'halves',
    2,
    edgesOf(recordedNumber(assets), recordedMoments(half, openings, rule).moments),
    0,
  );
  add('halves', 1, datesOf(openingsData(withBenchmark, openings, rule)), 0);
}

function edgesOf(number: number, moments: readonly StudyMoment[]): readonly Shown[] {
  return shownByEdges(edgeGroups(nodeSha256, 'crypto', number, moments).groups);
}

function datesOf(data: StudyData): readonly Shown[] {
  return shownByDates(makeStudy(nodeSha256, data), data.events);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The same in another order, each as likely (Fisher and Yates). */
function permuted<T>(all: readonly T[], draws: Draws): readonly T[] {
  const out = [...all];
  for (let i = out.length - 1; i > 0; i -= 1) {
    const j = draws.below(i + 1);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
