import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { TerminalMoment } from './terminal-readings.ts';
import { formatTime, parseTime } from '@assay/core/time/time';
import { type AssetRow, assetRows } from '@assay/core/view/assets';
import { type EventRow, openEvent } from '@assay/core/view/terminal-events';
import type { ViewState } from '@assay/core/view/view';
import { HEAT_ALIASES, type Json, withAliases } from '@assay/core/answer/terminal/alias';
import { classStatuses, haltedClasses, isHalted } from './class-status.ts';
import { hundredths } from '@assay/core/answer/terminal/terminal-event';

/** The newest good reading of an asset; the members are null where there is none, or where it is not known. */
export interface LatestPayload {
  readonly ts: string;
  readonly current: boolean;
  readonly score: number | null;
  readonly score_1h: number | null;
  /**
   * Whether the service knows what it measured at that tick. Otherwise `move_24h` and `vol_mult` are null and mean
   * nothing.
   */
  readonly measured: boolean;
  /** Percent over a day. Like `vol_mult`, it is the service's own reading at this time. */
  readonly move_24h: number | null;
  readonly vol_mult: number | null;
}

/** An event that is open. */
export interface OpenEventPayload {
  readonly id: string;
  readonly opened_at: string;
  readonly score_at_open: number;
  /** The highest score so far. */
  readonly peak_score: number;
}

export interface BoardAsset {
  readonly symbol: string;
  readonly name: string;
  readonly class: string;
  readonly ts: string | null;
  readonly current: boolean;
  readonly score: number | null;
  readonly score_1h: number | null;
  readonly measured: boolean;
  readonly move_24h: number | null;
  readonly vol_mult: number | null;
  readonly open_event: OpenEventPayload | null;
}

export interface BoardPayload {
  readonly halted: false;
  /** Classes whose newest good tick is no longer current. Their assets are left out. */
  readonly halted_classes: readonly AssetClass[];
  /** Listed and displayed assets of the other classes, the highest score first. */
  readonly assets: readonly BoardAsset[];
}

/** The answer of the board while the Terminal is halted. */
export interface HaltedBoardPayload {
  readonly halted: true;
  readonly halted_classes: readonly AssetClass[];
  readonly assets: readonly [];
}

export function boardPayload(
  state: ViewState,
  moment: TerminalMoment,
): BoardPayload | HaltedBoardPayload {
  const statuses = classStatuses(state, moment);
  const halted = haltedClasses(statuses);
  if (isHalted(statuses)) return { halted: true, halted_classes: halted, assets: [] };
  const assets = [...assetRows(state)]
    .filter(({ listed, display, class: of }) => listed && display && !halted.includes(of))
    .map((row) => boardAsset(state, moment, row))
    .sort((a, b) => (b.score ?? -1) - (a.score ?? -1) || (a.symbol < b.symbol ? -1 : 1));
  const board: BoardPayload = { halted: false, halted_classes: halted, assets };
  return withAliases(board as unknown as Json, HEAT_ALIASES) as unknown as BoardPayload;
}

function boardAsset(state: ViewState, moment: TerminalMoment, row: AssetRow): BoardAsset {
  const { symbol, name, class: of } = row;
  const latest = latestPayload(moment, row);
  return {
    symbol,
    name,
    class: of,
    ts: latest?.ts ?? null,
    current: latest?.current ?? false,
    score: latest?.score ?? null,
    score_1h: latest?.score_1h ?? null,
    measured: latest?.measured ?? false,
    move_24h: latest?.move_24h ?? null,
    vol_mult: latest?.vol_mult ?? null,
    open_event: openEventPayload(moment, openEvent(state, symbol)),
  };
}

/** The newest good reading of an asset; null where its history has none. */
export function latestPayload(
  { history, readings, isCurrent }: TerminalMoment,
  { symbol, class: of }: AssetRow,
): LatestPayload | null {
  const latest = history(of).latest(symbol);
  if (latest === undefined) return null;
  const { ts, score } = latest;
  const known = readings.of(symbol, ts);
  return {
    ts: formatTime(ts),
    current: isCurrent(of, ts),
    score,
    score_1h: history(of).anHourBefore(symbol, ts),
    measured: known !== undefined,
    move_24h: hundredths(known?.move ?? null),
    vol_mult: hundredths(known?.volMult ?? null),
  };
}

export function openEventPayload(
  { history }: TerminalMoment,
  row: EventRow | undefined,
): OpenEventPayload | null {
  if (row === undefined) return null;
  const { id, opened_at, score, symbol, class: of } = row.open.body;
  const peak = history(of).peak(symbol, parseTime(opened_at));
  return { id, opened_at, score_at_open: score, peak_score: Math.max(score, peak ?? score) };
}
