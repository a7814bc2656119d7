import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import { GRID_SECONDS, type TickGrid } from '@assay/core/terminal/calendar/grid';
import { DAY_SECONDS, formatTime } from '@assay/core/time/time';
import { type AssetRow, assetRowAt } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import type { ViewState } from '@assay/core/view/view';
import { DayMoves } from './day-moves.ts';
import type { FigureRights, MissingFields, SoldFigures } from './rights.ts';
import { newestBetween, rowsBetween, type StoredTicks, unitsOf } from './stored-ticks.ts';

export const DEFAULT_HISTORY_DAYS = 90;

/** An asset at a stored tick. */
export interface HistoryPoint extends SoldFigures {
  readonly ts: string;
  readonly score: number | null;
  /** Percent over a day. */
  readonly move_24h: number | null;
}

export interface ScoreHistoryPayload {
  readonly asset: { readonly symbol: string; readonly name: string; readonly class: string };
  /** The first time that was asked for. */
  readonly since: string;
  /** Every stored tick, oldest first. */
  readonly points: readonly HistoryPoint[];
  readonly missing: readonly MissingFields[];
}

/** The parts of an answer that is made from stored ticks. */
export interface HistoryParts {
  readonly state: ViewState;
  readonly ticks: StoredTicks;
  readonly rights: FigureRights;
  readonly grid: TickGrid;
  /** The clock, in unix seconds. */
  readonly now: number;
}

/** The time that `days` before now begin at, in unix seconds. */
export function historyStart(now: number, days: number): number {
  return now - days * DAY_SECONDS;
}

/**
 * Whether an asset has a tick in the last `days`. The leaves of the newest tick say so, and for an asset that has none in it, because it was
 * listed since, what the log said of it when the ticks before were written. So it costs one blob. Throws as `StoredTicks`.
 */
export async function hasHistory(
  { state, ticks, now }: Pick<HistoryParts, 'state' | 'ticks' | 'now'>,
  { symbol, class: of }: AssetRow,
  days: number,
): Promise<boolean> {
  const since = historyStart(now, days);
  const newest = newestBetween(state, of, since, now);
  if (newest === undefined) return false;
  const [ts, row] = newest;
  if (await ticks.hasAtTick(row, ts, (leaf) => leaf.symbol === symbol)) return true;
  if (assetRowAt(state, symbol, row.seq) === undefined) return false;
  const rows = await rowsBetween(state, of, since, now);
  return rows.some(([, { seq }]) => assetRowAt(state, symbol, seq)?.listed === true);
}

/** The answer for an asset without a tick in the last `days`. */
export function noHistory(
  { symbol, name, class: of }: AssetRow,
  now: number,
  days: number,
): object {
  return {
    asset: { symbol, name, class: of },
    since: formatTime(historyStart(now, days)),
    points: [],
    missing: [],
  };
}

/**
 * Every stored tick of an asset in the last `days`. A tick that is not good has no score and no figures, and one that was thinned has no
 * figures. A move between two prices is there where both may be shown. Throws as `StoredTicks`.
 */
export async function scoreHistoryPayload(
  { state, ticks, rights, grid, now }: HistoryParts,
  { symbol, name, class: of, decimals }: AssetRow,
  days: number,
): Promise<ScoreHistoryPayload> {
  const since = historyStart(now, days);
  const rule = newestScoreRule(state, of)?.rule;
  const moves = rule && new DayMoves(state, symbol, rule, grid);
  const start = firstOnGrid(grid, since);
  const from = rule === undefined ? start : DayMoves.firstTick(rule, grid, start);
  const points: HistoryPoint[] = [];
  if (!ticks.isWatched(of)) rights.noteUnwatched(of);
  for await (const reading of ticks.ofAsset(state, of, symbol, [from, now])) {
    const { ts, good, score, values } = reading;
    const hidden = rights.hiddenSource(values);
    const move = moves?.add(ts, { good, units: unitsOf(reading, decimals), hidden }) ?? null;
    if (ts < since) continue;
    if (good && values === null) rights.noteUnstored(of, ['price', 'vol_24h']);
    const figures = good && values !== null ? rights.figures(values) : NO_FIGURES;
    points.push({ ts: formatTime(ts), score, ...figures, move_24h: rights.move(of, move) });
  }
  const payload = {
    asset: { symbol, name, class: of },
    since: formatTime(since),
    points,
    missing: rights.missing,
  };
  return withAliases(payload as unknown as Json, HEAT_ALIASES) as unknown as ScoreHistoryPayload;
}

const NO_FIGURES: SoldFigures = { price: null, vol_24h: null };

/** The first time of a grid at `ts` or later, in unix seconds; `ts` itself where the grid has none within a fortnight. */
export function firstOnGrid(grid: TickGrid, ts: number): number {
  const first = Math.ceil(ts / GRID_SECONDS) * GRID_SECONDS;
  for (let at = first; at < first + 14 * DAY_SECONDS; at += GRID_SECONDS) {
    if (grid.indexOf(at) !== undefined) return at;
  }
  return ts;
}
