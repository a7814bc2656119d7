import { table } from '../../markdown.ts';
import type { Counts } from '../counts.ts';
import type { RecordedPlan } from './recorded-placebo.ts';

/** What the page says of changed records. `files` is the line that says which files were read. */
export function recordedSection(counts: Counts, plan: RecordedPlan, files: string): string {
  const share = (pattern: string): string => {
    const { of, hits } = counts.of(pattern);
    return of === 0 ? '' : `${((100 * hits) / of).toFixed(1)} % (${hits} of ${of})`;
  };
  const row = (words: string, what: string): readonly (readonly string[])[] =>
    (['1', '2'] as const).map((version) => [
      words,
      version,
      share(`miss|${what}|${version}|*|*`),
      share(`miss|${what}|${version}|*|sized`),
      share(`holds|${what}|${version}|any`),
    ]);
  const shifts = counts.of('holds|shifts|2|any').of;
  return `### On the recorded year

The same on recorded prices. Nothing was tuned to it, and it says less than it seems to: one year has some fifty weeks, all of these are made of the same ones, and the shares below are no more certain than that.

${files.replace('Files:', 'Recorded:')}

- *Shifts*: all events are moved by the same number of weeks against the prices, by each of ${shifts} numbers of weeks. What happened after the real events is elsewhere then, so that 0 is the truth, but for what assets do at any time.
- *Labels*: every event gets the group of another one, ${plan.labels} times. Each group is a sample of all events then, and the mean of all of them stands for the truth. A group that holds is no error here: all events together may have an edge.
- *Halves*: half of the assets, drawn ${plan.halves} times, as if there were no others. Nobody knows the truth here: the interval is said to miss where it has not 0.

${table(
  ['', 'version', 'an interval misses', 'of groups large enough for a rate', 'some group holds'],
  [...row('shifts', 'shifts'), ...row('labels', 'labels'), ...row('halves', 'halves')],
)}
`;
}
