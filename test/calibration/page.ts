import type { StudyBlob } from '@assay/core/terminal/study/study-blob';
import { points, table } from './markdown.ts';
import { formatStudy, type RecordedStudy } from './page-study.ts';
import { daysPerOpen, type SpanFigures } from './events.ts';

const MARK = '<!-- Below this line the page is written by `npm run calibrate`. -->';

/** What a run found out. */
export interface Calibration {
  /** The line that says which files it read. */
  readonly files: string;
  /** The day that the rest begins with. */
  readonly cut: string;
  readonly target: number;
  readonly chosen: number;
  /** By width in percent: the first part alone. */
  readonly tried: readonly (readonly [width: number, figures: SpanFigures])[];
  /** The chosen width over spans, each with its name. */
  readonly spans: readonly (readonly [name: string, figures: SpanFigures])[];
  /** What the same choice on parts of the first part would have been. */
  readonly choices: readonly (readonly [name: string, width: number])[];
  /** The studies of both versions. */
  readonly study: StudyBlob;
  readonly edges: RecordedStudy;
}

/** The page with new figures; what is written by hand above the mark stays. */
export function formatPage(before: string, run: Calibration): string {
  const [hand = ''] = before.split(MARK);
  return `${hand}${MARK}

## The recorded year

${run.files}

## Widths, on the first part alone

Widths in percent of the draft's. Chosen: **${run.chosen} %**, the nearest to one open in ${run.target} asset days. The same choice on
${run.choices.map(([name, width]) => `${name} would have been ${width} %`).join(', on ')}.

${table(
  ['width', 'events', 'asset days per open'],
  run.tried.map(([width, figures]) => [
    `${width} %`,
    figures.events.length,
    daysPerOpen(figures).toFixed(1),
  ]),
)}

## The chosen rule

${table(
  [
    'span',
    'asset days',
    'events',
    'asset days per open',
    'dates',
    'most on one date',
    'hours open: median',
    '90 %',
    'closes',
  ],
  run.spans.map(([name, figures]) => spanCells(name, figures)),
)}

How scores spread: the score below or at which a share of all scored ticks lies.

${table(
  ['span', '50 %', '90 %', '99 %', '99.9 %', 'ticks at 40 or more', 'at 70 or more'],
  run.spans.map(([name, { scores }]) => [
    name,
    ...[0.5, 0.9, 0.99, 0.999].map((share) => scoreAt(scores, share)),
    percentFrom(scores, 40),
    percentFrom(scores, 70),
  ]),
)}

${formatStudy(run.edges)}
## Version 1: what it said of the recorded year

[Version 1](spec/base-rate-1.md) has been replaced, and no rate is answered from it; [Placebo](#placebo) shows what was wrong with its intervals. This is what it said, kept as it was.
${run.study.groups.filter(({ withheld }) => withheld.length === 0).length} of ${run.study.groups.length} groups hold. Ordinary moments with an excess return
after 7 days: ${run.study.ordinary.excess_7d.n}, median excess ${points(run.study.ordinary.horizons['7d'].median_excess)} %. Groups without an event are
left out; \`edge\` and its interval are in percentage points, the reasons are those of [version 1](spec/base-rate-1.md#what-holds). An interval or a p
of few events or dates says nothing, however small it is.

Data: \`${run.study.data}\`.

${table(
  ['bucket', 'breadth', 'n', 'dates', 'edge', '95 % interval', 'p', 'withheld'],
  run.study.groups
    .filter(({ n }) => n > 0)
    .map((group) => [
      group.bucket,
      group.breadth,
      group.n,
      group.n_dates,
      tenths(group.edge_7d),
      group.edge_7d_ci === null
        ? ''
        : `${tenths(group.edge_7d_ci[0])} to ${tenths(group.edge_7d_ci[1])}`,
      group.p_draws === null ? '' : (group.p_draws / 2001).toFixed(3),
      group.withheld.length === 0
        ? 'holds'
        : group.withheld.map((each) => `\`${each}\``).join(', '),
    ]),
)}
`;
}

function spanCells(name: string, figures: SpanFigures): readonly (string | number)[] {
  const { assetDays, events } = figures;
  const dates = new Map<number, number>();
  const reasons = new Map<string, number>();
  for (const { asset, at, reason } of events) {
    const date = Math.floor((asset.index[at] as number) / 96);
    dates.set(date, (dates.get(date) ?? 0) + 1);
    const why = reason ?? 'still open';
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const hours = events
    .flatMap(({ lasted }) => (lasted === null ? [] : [lasted / 4]))
    .toSorted((a, b) => a - b);
  const ranked = (share: number): string =>
    (hours[Math.floor(share * hours.length)] ?? 0).toFixed(2);
  return [
    name,
    Math.round(assetDays),
    events.length,
    daysPerOpen(figures).toFixed(1),
    dates.size,
    Math.max(0, ...dates.values()),
    ranked(0.5),
    ranked(0.9),
    [...reasons].map(([reason, n]) => `${n} ${reason}`).join(', '),
  ];
}

function scoreAt(scores: Float64Array, share: number): number {
  const all = scores.reduce((sum, n) => sum + n, 0);
  let sum = 0;
  return scores.findIndex((n) => (sum += n) >= share * all);
}

function percentFrom(scores: Float64Array, from: number): string {
  const all = scores.reduce((sum, n) => sum + n, 0);
  const above = scores.subarray(from).reduce((sum, n) => sum + n, 0);
  return `${((100 * above) / all).toFixed(2)} %`;
}

function tenths(value: number | null): string {
  return value === null ? '' : (value / 10).toFixed(1);
}
