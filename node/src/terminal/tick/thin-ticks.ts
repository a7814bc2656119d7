import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';
import { HORIZONS } from '@assay/core/kind/horizon';
import { type ScoreRule, studyVersion } from '@assay/core/terminal/rule/score-rule';
import { DAY_SECONDS, parseTime } from '@assay/core/time/time';
import { type ScoreRuleRow, scoreRules } from '@assay/core/view/score-rules';
import { eventsByOpening } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import type { BlobStore } from '../../blob/blob-store.ts';
import { EventGrounds, type Opening } from './event-grounds.ts';
import { GoodLeaves } from './good-leaves.ts';
import { neededFrom } from './resume-terminal.ts';
import { entryCounts, type StudiedOpening } from './study-entries.ts';
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
 * states or may still state, nor where a study lets somebody enter, nor what scores continue from. Returns how many days it thinned. Throws what
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
  const studied = versions.flatMap((version) => studiedOpenings(views, version, grid));
  const last = neededFrom(views, rule, grid) + WHOLE_DAYS * DAY_SECONDS;
  return openings.thin(Math.min(now, last), async (times): Promise<IsKept> => {
    const good = new GoodLeaves(parts);
    const counts = times.flatMap((ts) => grid.indexOf(ts) ?? []);
    for (const index of counts) await good.read(index - tolerance, index + tolerance);
    const entries = await entryCounts(studied, counts, good);
    return (ts, symbol) => {
      if (cited.has(`${ts} ${symbol}`)) return true;
      const index = grid.indexOf(ts);
      if (index === undefined) return false;
      return entries.has(index) || grounds.some((each) => each.has(index, symbol, good.isGood));
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

/** The openings under a version of a rule whose studies are of version 2. */
function studiedOpenings(
  views: ViewState,
  row: ScoreRuleRow,
  grid: TickGrid,
): readonly StudiedOpening[] {
  const { silent } = row.rule.event;
  if (studyVersion(row.rule) < 2) return [];
  return [...openingsOf(views, row, grid)].map((opening) => ({ ...opening, silent }));
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
