/** The chart of scores that people zoom into: drawn on a canvas by uPlot, with buttons for who has no mouse. */
import uPlot from 'uplot';
import { type HourlyScore, spanText, stepped, type ZoomStep } from './zoom-span.ts';

export interface ZoomChart {
  readonly step: (step: ZoomStep) => void;
}

const HEIGHT = 280;
const DAY_S = 86_400;
const DAY_TEXT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const HOUR_TEXT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** What stands at the marks of the time: the day, or the hour where more than one mark is in a day. */
function axisTexts(_chart: uPlot, marks: readonly number[]): string[] {
  const isOfDays = (marks[1] ?? 0) - (marks[0] ?? 0) >= DAY_S;
  return marks.map((mark) =>
    isOfDays || mark % DAY_S === 0 ? DAY_TEXT.format(mark * 1000) : HOUR_TEXT.format(mark * 1000),
  );
}

/** Draws `scores` in `place`. `say` is told what is shown whenever that changes. Times are UTC. */
export function zoomChart(
  place: HTMLElement,
  scores: readonly HourlyScore[],
  say: (text: string) => void,
): ZoomChart {
  const times = scores.map(({ ts }) => Date.parse(ts) / 1000);
  const whole = { from: times[0] ?? 0, to: times.at(-1) ?? 0 };
  const color = (name: string) => () => getComputedStyle(place).getPropertyValue(name);
  const axis = { stroke: color('--dim'), grid: { stroke: color('--line'), width: 1 } };
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      scales: { y: { range: [0, 100] } },
      axes: [
        { ...axis, values: axisTexts },
        { ...axis, size: 44 },
      ],
      legend: { show: false },
      cursor: { y: false },
      series: [{}, { label: 'Score', stroke: color('--accent'), width: 2, spanGaps: false }],
      hooks: {
        setScale: [
          ({ scales: { x } }, key) => {
            if (key === 'x' && x?.min != null && x.max != null) {
              say(spanText(scores, { from: x.min, to: x.max }));
            }
          },
        ],
      },
    },
    [times, scores.map(({ score }) => score)],
    place,
  );
  new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT })).observe(
    place,
  );
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => chart.redraw());
  return {
    step(step) {
      const { min, max } = chart.scales['x'] ?? {};
      const shown = { from: min ?? whole.from, to: max ?? whole.to };
      const { from, to } = stepped(step, shown, whole);
      chart.setScale('x', { min: from, max: to });
    },
  };
}
