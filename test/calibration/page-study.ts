import type { EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import { type EdgePart, jointInterval } from '@assay/core/terminal/edge/edge-part';
import { MIN_CONTROLS, type Moments } from '@assay/core/terminal/edge/moment-sample';
import { points, pointsInterval, table } from './markdown.ts';

/** The study of version 2 of everything that was recorded. */
export interface RecordedStudy extends Moments {
  readonly number: number;
  readonly later_from: number | null;
  readonly groups: readonly EdgeGroup[];
}

/** The part of the page that says what it found. */
export function formatStudy({
  number,
  later_from,
  groups,
  moments,
  left_out,
}: RecordedStudy): string {
  const holding = groups.filter(({ withheld }) => withheld.length === 0).length;
  const later =
    later_from === null ? 'never' : new Date(1000 * later_from).toISOString().slice(0, 10);
  return `## Base rates of the recorded year

What [version 2](spec/base-rate.md) says of all of it, as study number ${number} of a log that began with the record: ${holding} of ${groups.length} groups hold.
${moments.length} openings are moments. Left out: ${left_out.not_over} whose 7 days and 6 hours were not over, ${left_out.no_entry} without a price to enter at, ${left_out.few_controls} with fewer than ${MIN_CONTROLS} controls, ${left_out.no_exit} at whose end more than half of the controls were without a price. No recorded asset was delisted,
so that both bounds are the same wherever no asset is gone. Means, intervals and quarters are in percentage points, of the excess over the controls after 7 days. *t* is the mean over its standard
error with the low bound: of the whole group, of the whole with two events against it, of the chosen half of the assets in the earlier stretch, of the later stretch, from ${later} on, and of the other assets in it. Where it is
empty there are too few weeks or assets to say.

${table(
  [
    'group',
    'n',
    'weeks',
    'assets',
    'mean',
    '95 % interval',
    't: whole',
    'two against',
    'chosen',
    'later',
    'other assets',
    'median',
    'quarters',
    'withheld',
  ],
  groups.map(cells),
)}

${holding === 0 ? NONE_HOLDS : ''}`;
}

const NONE_HOLDS = `**No group holds**, which was to be expected. A year has some fifty weeks, and most groups have events in fewer than half of them: a mean over so few weeks can be several points off by chance, as its
interval says. A group must be so far from 0 that chance would hardly ever do it in eighteen groups and in all months to come, and must show the same on assets and in months in which it was not
chosen. [What could be found](#what-could-be-found) says how large an effect would have been seen in such a year; smaller ones would have been missed. So the table does not say that nothing is
there. It says that one year cannot tell.
`;

function cells(group: EdgeGroup): readonly (string | number)[] {
  const { bucket, breadth, whole, two_against, chosen, later, other_assets, horizons, withheld } =
    group;
  const { median_excess, quarter_excess, three_quarter_excess } = horizons['7d'];
  const quarters =
    quarter_excess === null ? '' : `${points(quarter_excess)}, ${points(three_quarter_excess)}`;
  return [
    `${bucket}/${breadth}`,
    whole.n,
    whole.n_weeks,
    whole.n_assets,
    points(horizons['7d'].mean_excess),
    pointsInterval(jointInterval(whole)),
    ...[whole, two_against, chosen, later, other_assets].map(tOf),
    points(median_excess),
    quarters,
    withheld.length === 0 ? 'holds' : withheld.map((each) => `\`${each}\``).join(', '),
  ];
}

function tOf({ low }: EdgePart): string {
  return low.t === null ? '' : (low.t / 1000).toFixed(2);
}
