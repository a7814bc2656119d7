import { day } from './format.ts';
import { type Html, html } from './html.ts';

/** The score of an asset at a full hour. */
export interface HourlyScore {
  readonly ts: string;
  readonly score: number | null;
}

const HOUR_MS = 3_600_000;
const LEFT = 46;
const TOP = 8;
const HEIGHT = 200;
const BOTTOM = 26;
const RIGHT = 10;
/** Units of a point of the score, and of all hours together. */
const POINT = 2;
const WIDTH = 720;

/**
 * Scores of full hours as SVG, with nothing where an hour has no score. It needs a table beside it. Each hour is the same
 * whole number of units wide, and the line is written relative to its own beginning, so that 720 hours are some hundred
 * bytes.
 */
export function scoreChart(scores: readonly HourlyScore[], title: string): Html {
  const [first] = scores;
  const last = scores.at(-1);
  const known = scores.flatMap(({ score }) => (score === null ? [] : [score]));
  if (first === undefined || last === undefined || known.length === 0) {
    return html`<p class="dim">There is no score to draw yet.</p>`;
  }
  const start = Date.parse(first.ts);
  const hours = Math.max(1, Math.round((Date.parse(last.ts) - start) / HOUR_MS));
  const step = Math.max(1, Math.floor(WIDTH / hours));
  const width = LEFT + hours * step + RIGHT;
  const y = (score: number): number => TOP + HEIGHT - score * POINT;
  const summary = `From ${day(first.ts)} to ${day(last.ts)}: scores from ${Math.min(...known)} to ${Math.max(...known)}, the newest one ${known.at(-1) ?? ''}.`;
  return html`<svg
    class="chart"
    viewBox="0 0 ${width} ${TOP + HEIGHT + BOTTOM}"
    role="img"
    aria-labelledby="chart-title chart-summary"
  >
    <title id="chart-title">${title}</title>
    <desc id="chart-summary">${summary}</desc>
    ${[0, 50, 100].map(
      (each) =>
        html`<line class="grid" x1="${LEFT}" x2="${width - RIGHT}" y1="${y(each)}" y2="${y(each)}" />
          <text x="${LEFT - 6}" y="${y(each) + 4}" text-anchor="end">${each}</text>`,
    )}
    <text x="${LEFT}" y="${TOP + HEIGHT + 20}">${day(first.ts)}</text>
    <text x="${width - RIGHT}" y="${TOP + HEIGHT + 20}" text-anchor="end">${day(last.ts)}</text>
    <path class="line" d="${pathOf(scores, start, step)}" />
  </svg>`;
}

/** `M` begins the line anew after a gap, `h` goes on at the same height, and `l` goes to another. */
function pathOf(scores: readonly HourlyScore[], start: number, step: number): string {
  let path = '';
  let before: { readonly x: number; readonly score: number } | undefined;
  for (const { ts, score } of scores) {
    if (score === null) {
      before = undefined;
      continue;
    }
    const x = Math.round((Date.parse(ts) - start) / HOUR_MS);
    if (before === undefined || x - before.x > 1) {
      path += `M${LEFT + x * step} ${TOP + HEIGHT - score * POINT}h0`;
    } else if (score === before.score) {
      path += `h${step}`;
    } else {
      path += `l${step} ${(before.score - score) * POINT}`;
    }
    before = { x, score };
  }
  const same = `h${step}`;
  const runs = new RegExp(`(?:${same}(?!\\d)){2,}`, 'g');
  return path.replaceAll(runs, (run) => `h${(run.length / same.length) * step}`);
}
