import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { formatTime, HOUR_SECONDS } from '@assay/core/time/time';
import { type AssetRow, assetRows } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import type { ViewState } from '@assay/core/view/view';
import { DayMoves, type Move, type PricedTick } from './day-moves.ts';
import type { FigureRights, MissingFields, SoldFigures } from './rights.ts';
import { rowsBetween, type StoredReading, type StoredTicks, unitsOf } from './stored-ticks.ts';

/** How far back a reading may lie. */
export const BOARD_REACH_S: number = 2 * HOUR_SECONDS;

export interface PastBoardAsset extends SoldFigures {
  readonly symbol: string;
  readonly name: string;
  readonly class: string;
  readonly ts: string;
  readonly score: number;
  /** Percent over a day. */
  readonly move_24h: number | null;
}

export interface PastBoardPayload {
  readonly at: string;
  /** The highest score first. */
  readonly assets: readonly PastBoardAsset[];
  readonly missing: readonly MissingFields[];
}

export interface PastBoardParts {
  readonly state: ViewState;
  readonly ticks: StoredTicks;
  readonly rights: FigureRights;
  readonly grids: Readonly<Record<AssetClass, TickGrid>>;
}

/**
 * Every displayed asset with a score in the two hours before `at` (unix seconds), with its newest reading then. Throws as
 * `StoredTicks`.
 */
export async function pastBoardPayload(
  { state, ticks, rights, grids }: PastBoardParts,
  at: number,
): Promise<PastBoardPayload> {
  const assets: PastBoardAsset[] = [];
  for (const of of ASSET_CLASSES) {
    const newest = await newestScores(state, ticks, of, at);
    if (newest.size > 0 && !ticks.isWatched(of)) rights.noteUnwatched(of);
    const moves = await movesOf({ state, ticks, rights, grid: grids[of] }, of, newest);
    for (const [row, reading] of newest) {
      const { symbol, name } = row;
      const { ts, score, values } = reading;
      if (values === null) rights.noteUnstored(of, ['price', 'vol_24h']);
      const figures = values === null ? { price: null, vol_24h: null } : rights.figures(values);
      assets.push({
        symbol,
        name,
        class: of,
        ts: formatTime(ts),
        score: score as number,
        ...figures,
        move_24h: rights.move(of, moves.get(symbol) ?? null),
      });
    }
  }
  assets.sort((a, b) => b.score - a.score || (a.symbol < b.symbol ? -1 : 1));
  const payload = { at: formatTime(at), assets, missing: rights.missing };
  return withAliases(payload as unknown as Json, HEAT_ALIASES) as unknown as PastBoardPayload;
}

/** Whether a displayed asset has a score in the two hours before `at` (unix seconds), by leaves alone. Throws as `StoredTicks`. */
export async function hasBoard(
  { state, ticks }: Pick<PastBoardParts, 'state' | 'ticks'>,
  at: number,
): Promise<boolean> {
  const displayed = [...assetRows(state)].filter(({ display }) => display);
  for (const of of ASSET_CLASSES) {
    const shown = new Set(displayed.filter((row) => row.class === of).map(({ symbol }) => symbol));
    if (shown.size === 0) continue;
    for (const [ts, row] of await rowsBetween(state, of, at - BOARD_REACH_S, at)) {
      const isShown = ticks.hasAtTick(row, ts, ({ symbol, score }) => {
        return score !== null && shown.has(symbol);
      });
      if (await isShown) return true;
    }
  }
  return false;
}

/** The board of a moment at which nothing had a score. */
export function noBoard(at: number): object {
  return { at: formatTime(at), assets: [], missing: [] };
}

/** The newest reading with a score of each displayed asset of a class, from at most two hours before `at`. */
async function newestScores(
  state: ViewState,
  ticks: StoredTicks,
  of: AssetClass,
  at: number,
): Promise<ReadonlyMap<AssetRow, StoredReading>> {
  const shown = [...assetRows(state)].filter((row) => row.class === of && row.display);
  const found = new Map<AssetRow, StoredReading>();
  const days = ticks.days(of);
  for (const [ts, row] of await rowsBetween(state, of, at - BOARD_REACH_S, at)) {
    if (found.size === shown.length) break;
    const readings = await ticks.atTick(of, row, ts, days);
    for (const asset of shown) {
      const reading = readings.get(asset.symbol);
      if (!found.has(asset) && reading !== undefined && reading.score !== null) {
        found.set(asset, reading);
      }
    }
  }
  return found;
}

/** The moves of assets over a day, each to its own reading. */
async function movesOf(
  { state, ticks, rights, grid }: Omit<PastBoardParts, 'grids'> & { readonly grid: TickGrid },
  of: AssetClass,
  newest: ReadonlyMap<AssetRow, StoredReading>,
): Promise<ReadonlyMap<string, Move>> {
  const moves = new Map<string, Move>();
  const rule = newestScoreRule(state, of)?.rule;
  if (rule === undefined) return moves;
  const { long, tolerance } = rule.returns;
  const days = ticks.days(of);
  const before = new Map<number, ReadonlyMap<string, StoredReading>>();
  const ends = [...new Set([...newest.values()].map(({ ts }) => ts))].sort((a, b) => a - b);
  for (const end of ends) {
    const index = grid.indexOf(end);
    if (index === undefined) continue;
    const first = grid.timeOf(Math.max(0, index - long - tolerance));
    const last = grid.timeOf(Math.max(0, index - long + tolerance));
    for (const [ts, row] of (await rowsBetween(state, of, first, last)).reverse()) {
      if (!before.has(ts)) before.set(ts, await ticks.atTick(of, row, ts, days));
    }
  }
  for (const [{ symbol, decimals }, reading] of newest) {
    const own = new DayMoves(state, symbol, rule, grid);
    const priced = (each: StoredReading): PricedTick => ({
      good: each.good,
      units: unitsOf(each, decimals),
      hidden: rights.hiddenSource(each.values),
    });
    for (const [ts, readings] of [...before].sort(([a], [b]) => a - b)) {
      const earlier = readings.get(symbol);
      if (ts >= reading.ts || earlier === undefined) continue;
      own.add(ts, priced(earlier));
    }
    moves.set(symbol, own.add(reading.ts, priced(reading)));
  }
  return moves;
}
