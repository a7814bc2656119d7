import { formatScaled } from '@assay/core/number/rational';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { MIN_DATES, MIN_EVENTS } from '@assay/core/terminal/study/base-rate';
import type { BreadthName, Bucket } from '@assay/core/kind/event-group';
import type { StudyBlob, StudyGroup, WithheldReason } from '@assay/core/terminal/study/study-blob';

/**
 * The text of base rates: fixed sentences with the numbers of a study, so that nobody chooses their wording.
 */

const BUCKET_WORDS: Readonly<Record<Bucket, string>> = {
  down_15: 'a fall of 15 % or more',
  down_5: 'a fall of 5 % to 15 %',
  within_5: 'a move of less than 5 %',
  up_5: 'a rise of 5 % to 15 %',
  up_15: 'a rise of 15 % to 30 %',
  up_30: 'a rise of 30 % or more',
};

const BREADTH_WORDS: Readonly<Record<BreadthName, string>> = {
  alone: 'fewer than 10 % of the assets moved 5 % or more the same way',
  some: '10 % to 30 % of the assets moved 5 % or more the same way',
  broad: '30 % of the assets or more moved 5 % or more the same way',
};

const BENCHMARK_WORDS: Readonly<Record<AssetClass, string>> = {
  crypto: 'bitcoin',
  stock: 'the benchmark fund',
};

/** The outcome of a group's events as text, for a group that has a rate. */
export function plainText(study: StudyBlob, group: StudyGroup): string {
  const { up_share, median_ret } = group.horizons['7d'];
  const [low, high] = group.edge_7d_ci ?? [0, 0];
  return [
    `After ${BUCKET_WORDS[group.bucket]} in a day, while ${BREADTH_WORDS[group.breadth]},`,
    `there were ${group.n} events on ${group.n_dates} dates.`,
    `Seven days later ${percent(up_share, 2)} of them were higher, and the median return was ${signed(median_ret, 2)} %.`,
    `Their mean return less that of ${BENCHMARK_WORDS[study.class]}, compared with ordinary days:`,
    `${signed(group.edge_7d, 1)} points (95 % interval ${signed(low, 1)} to ${signed(high, 1)}).`,
  ].join(' ');
}

/** What a reader must know together with any rate. */
export function caveatText(group: StudyGroup): string {
  const { n, n_dates } = group;
  return `Events cluster by date: the sample size is ${n_dates} dates, not ${n} events. It says what happened, not what will.`;
}

/** Why a group is withheld, as text, for a group without a rate. */
export function withheldText(group: StudyGroup): string {
  return `${group.withheld.map((reason) => WITHHELD_WORDS[reason](group)).join('; ')}.`;
}

const WITHHELD_WORDS: Readonly<Record<WithheldReason, (group: StudyGroup) => string>> = {
  few_events: ({ n }) => `${n} of ${MIN_EVENTS} events that are needed`,
  few_dates: ({ n_dates }) => `${n_dates} of ${MIN_DATES} dates that are needed`,
  one_date: ({ top_date_share }) =>
    `${percent(top_date_share, 2)} of the events on one date, 20 % at most are allowed`,
  no_ordinary: () => 'no ordinary days to compare with',
  halves_differ: () => 'the earlier half of the dates and the later one do not say the same',
  interval: ({ edge_7d_ci }) =>
    edge_7d_ci === null
      ? 'no interval'
      : `the 95 % interval, ${signed(edge_7d_ci[0], 1)} to ${signed(edge_7d_ci[1], 1)} points, does not exclude 0`,
  false_discovery: () => 'chance among all groups explains it (Benjamini-Hochberg, 10 %)',
};

/** An integer as a number with `decimals` decimal places; an en dash for null. */
function signed(value: number | null, decimals: number): string {
  if (value === null) return '–';
  return `${value > 0 ? '+' : ''}${formatScaled(BigInt(value), decimals)}`;
}

function percent(value: number | null, decimals: number): string {
  return value === null ? '–' : `${formatScaled(BigInt(value), decimals)} %`;
}
