import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import { ASSET_CLASSES, type AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TickGrid } from '@assay/core/terminal/calendar/grid';
import { formatTime, HOUR_SECONDS } from '@assay/core/time/time';
import { type AssetRow, assetRows } from '@assay/core/view/assets';
import { newestScoreRule } from '@assay/core/view/score-rules';
import type { ViewState } from '@assay/core/view/view';
import { DayMoves } from './day-moves.ts';
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
    const moves = await movesOf({ state, ticks, grid: grids[of] }, of, newest);
    for (const [row, reading] of newest) {
      const { symbol, name } = row;
      const { ts, score, values } = reading;
      const figures = values === null ? { price: null, vol_24h: null } : rights.figures(values);
      assets.push({
        symbol,
        name,
        class: of,
        ts: formatTime(ts),
        score: score as number,
        ...figures,
        move_24h: moves.get(symbol) ?? null,
      });
    }
  }
  assets.sort((a, b) => b.score - a.score || (a.symbol < b.symbol ? -1 : 1));
  const payload = { at: formatTime(at), assets, missing: rights.missing };
  return withAliases(payload as unknown as Json, HEAT_ALIASES) as unknown as PastBoardPayload;
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
  for (const [ts, row] of rowsBetween(state, of, at - BOARD_REACH_S, at)) {
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
  { state, ticks, grid }: { state: ViewState; ticks: StoredTicks; grid: TickGrid },
  of: AssetClass,
  newest: ReadonlyMap<AssetRow, StoredReading>,
): Promise<ReadonlyMap<string, number | null>> {
  const moves = new Map<string, number | null>();
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
    for (const [ts, row] of rowsBetween(state, of, first, last).reverse()) {
      if (!before.has(ts)) before.set(ts, await ticks.atTick(of, row, ts, days));
    }
  }
  for (const [{ symbol, decimals }, reading] of newest) {
    const own = new DayMoves(state, symbol, rule, grid);
    for (const [ts, readings] of [...before].sort(([a], [b]) => a - b)) {
      const earlier = readings.get(symbol);
      if (ts >= reading.ts || earlier === undefined) continue;
      own.add(ts, { good: earlier.good, units: unitsOf(earlier, decimals) });
    }
    const units = unitsOf(reading, decimals);
    moves.set(symbol, own.add(reading.ts, { good: reading.good, units }));
  }
  return moves;
}
