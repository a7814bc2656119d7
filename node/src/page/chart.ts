import { type Html, html } from './html.ts';

/** A point of a chart: the name that a reader knows it by, its value, and whether it was ever a first print. */
export interface ChartPoint {
  readonly label: string;
  readonly value: number;
  /** Of loaded history, which is drawn lighter than what was printed here. */
  readonly isHistory: boolean;
  /** The value that a source gives today, where it differs from the first print. */
  readonly revised?: number | undefined;
}

export interface ChartOptions {
  /** What the chart shows, for those who do not see it. */
  readonly title: string;
  /** Writes a value of the axis. */
  readonly format: (value: number) => string;
}

const WIDTH = 760;
const HEIGHT = 260;
/** Wide enough for the larger letters of a phone. */
const LEFT = 88;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 30;
/** What is left free above the highest and below the lowest value, as a part of their distance. */
const MARGIN = 0.08;
const MOST_LINES = 5;

/** One decimal of a pixel is enough. */
function pixel(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Round numbers between two values: steps of 1, 2 or 5 times a power of ten (Heckbert, Graphics Gems, 1990). */
export function gridOf(low: number, high: number): readonly number[] {
  const rough = (high - low) / MOST_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? power;
  const lines: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at += 1) {
    lines.push(Number((at * step).toPrecision(12)));
  }
  return lines;
}

/** A line over periods, oldest first, as SVG. It needs a table beside it, which gives every value. */
export function lineChart(points: readonly ChartPoint[], options: ChartOptions): Html {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) {
    return html`<p class="dim">There is nothing to draw yet.</p>`;
  }
  const values = points.flatMap(({ value, revised }) => [value, revised ?? value]);
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const margin = (highest - lowest || Math.abs(highest) || 1) * MARGIN;
  const [low, high] = [lowest - margin, highest + margin];
  const x = (at: number): number =>
    pixel(LEFT + (WIDTH - LEFT - RIGHT) * (points.length === 1 ? 1 : at / (points.length - 1)));
  const y = (value: number): number =>
    pixel(TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low)));
  const path = (from: number, to: number): string =>
    `M${points
      .slice(from, to)
      .map(({ value }, at) => `${x(from + at)} ${y(value)}`)
      .join('L')}`;
  const printed = points.findIndex(({ isHistory }) => !isHistory);
  const split = printed === -1 ? points.length : printed;
  const { title, format } = options;
  const summary = `From ${first.label} to ${last.label}. The lowest value is ${format(lowest)}, the highest ${format(highest)}, the newest ${format(last.value)}.`;
  return html`<svg
    class="chart"
    viewBox="0 0 ${WIDTH} ${HEIGHT}"
    role="img"
    aria-labelledby="chart-title chart-summary"
  >
    <title id="chart-title">${title}</title>
    <desc id="chart-summary">${summary}</desc>
    ${gridOf(low, high).map(
      (each) =>
        html`<line
            class="grid"
            x1="${LEFT}"
            x2="${WIDTH - RIGHT}"
            y1="${y(each)}"
            y2="${y(each)}"
          /><text x="${LEFT - 8}" y="${y(each) + 4}" text-anchor="end">${format(each)}</text>`,
    )}
    <text x="${LEFT}" y="${HEIGHT - 8}">${first.label}</text>
    ${points.length > 1 && html`<text x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">${last.label}</text>`}
    ${split > 1 && html`<path class="line history" d="${path(0, Math.min(split + 1, points.length))}" />`}
    ${split < points.length - 1 && html`<path class="line" d="${path(split, points.length)}" />`}
    ${points.map(
      ({ revised }, at) =>
        revised !== undefined &&
        html`<circle class="revised" r="3" cx="${x(at)}" cy="${y(revised)}" />`,
    )}
    <circle class="dot" r="4" cx="${x(points.length - 1)}" cy="${y(last.value)}" />
  </svg>`;
}
