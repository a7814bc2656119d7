import { formatScaled } from '@assay/core/number/rational';
import { type BreadthName, type Bucket, EVENT_GROUPS } from '@assay/core/kind/event-group';
import type { EdgeGroup, EdgeReason } from '@assay/core/terminal/edge/edge-groups';
import { type Edge, type EdgePart, jointInterval } from '@assay/core/terminal/edge/edge-part';
import { MIN_CLASSES } from '@assay/core/terminal/edge/jackknife';
import type { EdgeLevel } from '@assay/core/terminal/edge/student-quantiles';
import { familyLevel } from '@assay/core/terminal/edge/study-spending';
import { neededT } from './edge-numbers.ts';

/**
 * The texts of base rates: fixed sentences with the numbers of a study, so that nobody chooses their wording
 * (vectors/base-rate/words.json).
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

/** The outcome of a group's openings as text, for a group that holds. */
export function plainText({ bucket, breadth, whole, horizons }: EdgeGroup): string {
  const { up_share, median_ret, mean_excess } = horizons['7d'];
  const { n, n_weeks, n_assets } = whole;
  return [
    `After ${BUCKET_WORDS[bucket]} in a day, while ${BREADTH_WORDS[breadth]}, ${n} events opened, on ${n_assets} assets in ${n_weeks} weeks.`,
    `Seven days after the next reading ${percent(up_share)} of them stood higher, and the median return was ${signed(median_ret, 2)} %.`,
    `Their return less that of the quiet assets on the same days was ${signed(mean_excess, 2)} points on average (95 % interval ${range(whole)}).`,
  ].join(' ');
}

/** What a reader must know together with a rate, one sentence or two for each point. */
export function caveatTexts(group: EdgeGroup): readonly string[] {
  const { n, n_weeks, n_assets } = group.whole;
  const { mean_excess: mean, median_excess: median } = group.horizons['7d'];
  const parts = [
    `This group was selected from ${EVENT_GROUPS.length} because its mean is far from 0, so the mean and its interval are too far from 0 on average.`,
    `Events of one week, and events of one asset, are not independent: the sample is ${n_weeks} weeks and ${n_assets} assets, and not ${n} events.`,
    differ(mean, median) &&
      `The mean is ${signed(mean, 2)} points and the median is ${signed(median, 2)}: a few large returns make the mean, and at least half of the events did not go that way.`,
    goneText(group),
    'It says what happened, and not what will.',
  ];
  return parts.filter((each) => each !== false);
}

/** Why a group is withheld, in the study with this number. */
export function reasonText(reason: EdgeReason, group: EdgeGroup, number: number): string {
  const { n_weeks, n_assets } = group.whole;
  switch (reason) {
    case 'few_weeks':
      return `The events are of ${counted(n_weeks, 'week')}, and ${MIN_CLASSES} are needed.`;
    case 'few_assets':
      return `The events are of ${counted(n_assets, 'asset')}, and ${MIN_CLASSES} are needed.`;
    case 'family':
      return `All events: ${testText(group.whole, familyLevel(number), '')}`;
    case 'two_against':
      return `All events, and two more against them by the largest excess of the study: ${testText(group.two_against, 'part')}`;
    case 'not_chosen':
      return `One half of the assets in the earlier months: ${testText(group.chosen, 'part')}`;
    case 'later':
      return `The later months: ${testText(group.later, 'part')}`;
    case 'other_assets':
      return `The other half of the assets in the later months: ${testText(group.other_assets, 'part')}`;
  }
}

/** Why a group is withheld. Where the whole has too few weeks or assets, its parts have too, and are not named. */
export function withheldText(group: EdgeGroup, number: number): string {
  const few = group.withheld.filter((reason) => reason === 'few_weeks' || reason === 'few_assets');
  const reasons = few.length > 0 ? few : group.withheld;
  return reasons.map((reason) => reasonText(reason, group, number)).join(' ');
}

/** What was found of a part that did not pass at a level, and what was needed. */
function testText(
  part: EdgePart,
  level: EdgeLevel,
  toward = ', in the direction of all events',
): string {
  const { n_weeks, n_assets, low, high } = part;
  const needed = neededT(part, level);
  if (needed === null) {
    return `${counted(n_weeks, 'week')} and ${counted(n_assets, 'asset')} give no interval, and ${MIN_CLASSES} of each are needed.`;
  }
  const size = `${formatScaled(BigInt(needed), 3)} times`;
  const [lowT, highT] = [signed(low.t, 3), signed(high.t, 3)];
  if (low.mean === high.mean && low.t === high.t) {
    return `the mean is ${points(low)} points (95 % interval ${range(part)}). That is ${lowT} times its own error. At least ${size} was needed${toward}.`;
  }
  return [
    `the mean is between ${points(low)} and ${points(high)} points (95 % interval ${range(part)}), because some assets have no price any more.`,
    `At these two ends it is ${lowT} and ${highT} times its own error.`,
    `At least ${size} was needed at both${toward === '' ? ', in one direction' : toward}.`,
  ].join(' ');
}

/** How many assets are gone, and what that leaves open of the mean. */
function goneText({ whole: { n, low, high }, horizons }: EdgeGroup): string {
  const { gone } = horizons['7d'];
  const known =
    gone === 0
      ? `In all ${n} events the asset still had a price after 7 days.`
      : `In ${gone} of the ${n} events the asset had no price any more after 7 days.`;
  if (low.mean === high.mean) return known;
  return `${known} The mean takes the last price of an asset that is gone, a quiet one too. Its holders may have got less, down to nothing: so the mean is between ${points(low)} and ${points(high)} points, and the interval allows for all of that.`;
}

/** Whether the median does not go the way of the mean. */
function differ(mean: number | null, median: number | null): boolean {
  return mean !== null && median !== null && mean !== 0 && Math.sign(mean) !== Math.sign(median);
}

function points({ mean }: Edge): string {
  return signed(mean, 2);
}

function range(part: EdgePart): string {
  const ci = jointInterval(part);
  return ci === null ? '–' : `${signed(ci[0], 2)} to ${signed(ci[1], 2)}`;
}

function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** An integer as a number with `decimals` decimal places and its sign; an en dash for null. */
function signed(value: number | null, decimals: number): string {
  if (value === null) return '–';
  return `${value > 0 ? '+' : ''}${formatScaled(BigInt(value), decimals)}`;
}

function percent(value: number | null): string {
  return value === null ? '–' : `${formatScaled(BigInt(value), 2)} %`;
}
