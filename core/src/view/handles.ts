import { inOneScale, pointsOf } from '../arena/forecast/points.ts';
import type { Forecast } from '../kind/forecast.ts';
import type { Grade, Result } from '../kind/grade.ts';
import { wire } from '../wire/wire.ts';
import { arenaRuleOf } from './arena-rules.ts';
import { isNextForecast } from './forecasts.ts';
import { settledReport } from './reports.ts';
import { isNextPart, type RoundRow, roundRow } from './rounds.ts';
import type { View, ViewState, ViewWrite } from './view.ts';

const HANDLES = 'handles';

/** What the log shows of a handle. */
export interface HandleRow {
  /** The handle's id, hex. */
  readonly handle: string;
  /** The first entry that names it. */
  readonly since: number;
  /** The Ed25519 key that it brought, hex; null for a handle that has a secret or is of the house. */
  readonly key: string | null;
  /** The counter of its newest forecast; 0 for a handle without a key. */
  readonly counter: number;
  /** Whether it is a forecaster of the operator. */
  readonly house: boolean;
  /** How many of its forecasts were graded. */
  readonly graded: number;
  readonly total_points: number;
  /** Its points less those that `ref_value` would have had in the same rounds. */
  readonly excess: number;
  /** Its newest graded forecasts that had the points of a streak, in the order of grading, and the most there were. */
  readonly streak: number;
  readonly best_streak: number;
}

/**
 * Every handle that has a forecast or a grade: its key, its counter and its points. They follow from the entries that
 * have an effect on rounds and forecasts, and from no others.
 */
export const handlesView: View = {
  name: 'handles',
  apply(entry, state) {
    switch (entry.kind) {
      case 'forecast/1':
        return isNews(state, entry.body) ? [forecasted(entry.body, entry.seq, state)] : [];
      case 'grade/1':
        return graded(entry.body, entry.seq, state);
      default:
        return [];
    }
  },
};

/** Whether a forecast changes what is known of its handle. */
function isNews(state: ViewState, forecast: Forecast): boolean {
  if (forecast.counter === null && handleRow(state, forecast.handle) !== undefined) return false;
  return isNextForecast(state, forecast);
}

function forecasted(forecast: Forecast, seq: number, state: ViewState): ViewWrite {
  const { handle, key, counter } = forecast;
  const before = handleRow(state, handle) ?? newHandle(handle, seq);
  return written({
    ...before,
    key: before.key ?? key,
    counter: Math.max(before.counter, counter ?? 0),
  });
}

function graded(grade: Grade, seq: number, state: ViewState): readonly ViewWrite[] {
  const row = roundRow(state, grade.round);
  if (row === undefined || grade.print === null || !isNextPart(row, grade)) return [];
  const rule = arenaRuleOf(state, row.body.arena_rule)?.rule.arena;
  if (rule === undefined || rule === null) return [];
  const reference = referencePoints(state, row, grade.print, rule.zero_points_at);
  return grade.results.map((result) => {
    const before = handleRow(state, result.handle) ?? newHandle(result.handle, seq);
    const house = row.body.house.some(({ handle }) => handle === result.handle);
    return written({ ...withResult(before, result, reference, rule.streak_points), house });
  });
}

/** The points that `ref_value` would have had in a round with this print, a scaled integer of the period's decimals. */
export function referencePoints(
  state: ViewState,
  { body }: RoundRow,
  print: string,
  zeroAt: number,
): number {
  const decimals = printDecimals(state, body);
  const [ref, exact] = inOneScale(BigInt(body.ref_value), body.decimals, BigInt(print), decimals);
  return pointsOf(ref, exact, zeroAt);
}

/** The decimals of the print of a round's period. A version of the rule may have changed them since the round was made. */
export function printDecimals(state: ViewState, round: RoundRow['body']): number {
  return settledReport(state, round.ticker, round.period)?.report.decimals ?? round.decimals;
}

function withResult(
  before: HandleRow,
  { points }: Result,
  reference: number,
  streakPoints: number,
): HandleRow {
  const streak = points >= streakPoints ? before.streak + 1 : 0;
  return {
    ...before,
    graded: before.graded + 1,
    total_points: before.total_points + points,
    excess: before.excess + points - reference,
    streak,
    best_streak: Math.max(before.best_streak, streak),
  };
}

function newHandle(handle: string, since: number): HandleRow {
  return {
    handle,
    since,
    key: null,
    counter: 0,
    house: false,
    graded: 0,
    total_points: 0,
    excess: 0,
    streak: 0,
    best_streak: 0,
  };
}

function written(row: HandleRow): ViewWrite {
  return { table: HANDLES, key: row.handle, value: wire(row) };
}

/** What is known of a handle, by its id. */
export function handleRow(state: ViewState, handle: string): HandleRow | undefined {
  return state.get(HANDLES, handle) as unknown as HandleRow | undefined;
}

/** Every handle, by its id. */
export function* handleRows(state: ViewState): Generator<HandleRow> {
  for (const [, row] of state.list(HANDLES)) yield row as unknown as HandleRow;
}
