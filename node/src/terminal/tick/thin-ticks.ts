import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';
import { HORIZONS } from '@assay/core/kind/horizon';
import type { ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { parseTickLeaves } from '@assay/core/terminal/tick/tick-leaf';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { type ScoreRuleRow, scoreRules } from '@assay/core/view/score-rules';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import { tickRow } from '@assay/core/view/ticks';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../../blob/blob-store.ts';
import { EventGrounds, type IsGood, type Opening } from './event-grounds.ts';
import { neededFrom } from './resume-terminal.ts';
import { type IsKept, type TickOpenings, WHOLE_DAYS } from './tick-openings.ts';

/** What is thinned, and what determines which of it is needed. */
export interface ThinParts {
  readonly openings: Pick<TickOpenings, 'thin'>;
  readonly views: ViewState;
  /** The leaves of ticks. */
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly rule: ScoreRule;
  readonly grid: TickGrid;
}

/**
 * Thins what opens a class's ticks as far as nothing needs it: neither what an event, a receipt or a benchmark
 * states or may still state, nor what scores continue from. Returns how many days it thinned. Throws what
 * openings and blobs throw.
 */
export function thinTicks(parts: ThinParts, now: number): Promise<number> {
  const { openings, views, rule, grid } = parts;
  const cited = citedReadings(views, rule);
  const versions = scoreRules(views, rule.class);
  const grounds = versions.map(
    (version) => new EventGrounds(version.rule, openingsOf(views, version, grid)),
  );
  const tolerance = Math.max(0, ...versions.map((version) => version.rule.returns.tolerance));
  const last = neededFrom(views, rule, grid) + WHOLE_DAYS * DAY_SECONDS;
  return openings.thin(Math.min(now, last), async (times): Promise<IsKept> => {
    const isGood = await goodAround(parts, times, tolerance);
    return (ts, symbol) => {
      if (cited.has(`${ts} ${symbol}`)) return true;
      const index = grid.indexOf(ts);
      return index !== undefined && grounds.some((each) => each.has(index, symbol, isGood));
    };
  });
}

/** The openings under a version of a rule. */
function* openingsOf(views: ViewState, { hash }: ScoreRuleRow, grid: TickGrid): Generator<Opening> {
  for (const { open } of eventsByOpening(views)) {
    const { rule, symbol, opened_at } = open.body;
    const index = grid.indexOf(parseTime(opened_at));
    if (rule === hash && index !== undefined) yield { symbol, index };
  }
}

/** The leaves of the ticks at `times` and of those that a return may reach from there, and of no other tick. */
async function goodAround(
  { views, blobs, rule, grid }: ThinParts,
  times: readonly number[],
  tolerance: number,
): Promise<IsGood> {
  const good = new Map<number, ReadonlySet<string>>();
  for (const ts of times) {
    const index = grid.indexOf(ts);
    if (index === undefined) continue;
    for (let at = Math.max(0, index - tolerance); at <= index + tolerance; at += 1) {
      if (good.has(at)) continue;
      const row = tickRow(views, rule.class, formatTime(grid.timeOf(at)));
      const blob = row === undefined ? undefined : await blobs.get(row.blob);
      const leaves = blob === undefined ? [] : parseTickLeaves(blob);
      good.set(at, new Set(leaves.flatMap((leaf) => (leaf.good ? [leaf.symbol] : []))));
    }
  }
  return (index, symbol) => good.get(index)?.has(symbol) ?? false;
}

/**
 * `ts symbol` of every reading whose price an entry of the class commits to, or that an open event may still
 * cite.
 */
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
