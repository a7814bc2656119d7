import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/grid';
import { HORIZONS } from '@assay/core/terminal/horizon';
import type { ScoreRule } from '@assay/core/terminal/score-rule';
import { DAY_SECONDS, parseTime } from '@assay/core/time';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { neededFrom } from './resume-terminal.ts';
import { type TickOpenings, WHOLE_DAYS } from './tick-openings.ts';

/**
 * Thins what opens a class's ticks as far as nothing needs it: neither what an event, a receipt or a benchmark cites or
 * may come to cite, nor what scores go on from. How many days it thinned.
 */
export function thinTicks(
  openings: Pick<TickOpenings, 'thin'>,
  views: ViewState,
  rule: ScoreRule,
  grid: TickGrid,
  now: number,
): Promise<number> {
  const cited = citedReadings(views, rule);
  const last = neededFrom(views, rule, grid) + WHOLE_DAYS * DAY_SECONDS;
  return openings.thin(Math.min(now, last), (ts, symbol) => cited.has(`${ts} ${symbol}`));
}

/** `ts symbol` of every reading whose price an entry of the class commits to, or that an open event may still cite. */
function citedReadings(
  views: ViewState,
  { class: of, receipts: { benchmark, benchmark_tolerance_s } }: ScoreRule,
): ReadonlySet<string> {
  const cited = new Set<string>();
  const cite = (symbol: string, time: string | null | undefined): void => {
    if (typeof time === 'string') cited.add(`${parseTime(time)} ${symbol}`);
  };
  for (const { open, receipts, benchmarks } of eventsByOpening(views)) {
    const { class: own, symbol, opened_at } = open.body;
    if (own !== of) continue;
    cite(symbol, opened_at);
    const from = parseTime(opened_at);
    for (let ts = from; ts <= from + benchmark_tolerance_s; ts += GRID_SECONDS) {
      cited.add(`${ts} ${benchmark}`);
    }
    for (const horizon of HORIZONS) {
      cite(symbol, receipts[horizon]?.body.resolved_at);
      cite(benchmark, benchmarks[horizon]?.body.from);
      cite(benchmark, benchmarks[horizon]?.body.to);
    }
  }
  return cited;
}
