import { arenaNumber, NO_ARENA_NUMBER, type Weighted } from './forecast/arena-number.ts';
import { inOneScale, pointsOf } from './forecast/points.ts';
import { type Grade, type GradeVoid, MAX_RESULTS, type Result } from '../kind/grade.ts';
import { type ForecastRow } from '../view/forecasts.ts';
import { type ReportRow, settledReport } from '../view/reports.ts';
import type { RoundRow } from '../view/rounds.ts';
import type { ViewState } from '../view/view.ts';
import { countingForecasts } from './freeze-draft.ts';
import { roundTerms } from './round-times.ts';

/** The values of the forecasts of a round that opened, by ordinal. */
export type OpenedValues = ReadonlyMap<number, bigint>;

/** The report that grades a round, and why it cannot where it cannot. Undefined while the round has to wait for one. */
export interface GradedBy {
  readonly report: ReportRow | undefined;
  readonly void_reason: GradeVoid | null;
}

/**
 * Whether a round can be graded, and by what. A round that was not opened is void at once. Every other waits for the report that
 * ends its period: the first final print grades, whatever is corrected later, and a void or withheld period makes the
 * round void.
 */
export function gradedBy(state: ViewState, { body, unseal }: RoundRow): GradedBy | undefined {
  if (unseal === null) return undefined;
  const { void_reason } = unseal.body;
  if (void_reason !== null) return { report: undefined, void_reason };
  const row = settledReport(state, body.ticker, body.period);
  if (row === undefined) return undefined;
  const { status, withheld, value } = row.report;
  if (status === 'void') return { report: row, void_reason: 'void_period' };
  return { report: row, void_reason: withheld || value === null ? 'withheld' : null };
}

/**
 * The bodies of all parts of a round's grades on top of the log; undefined while the round cannot be graded. `values` has the
 * values of the forecasts that opened; those of a round that was not opened are not asked for.
 */
export function draftGrades(
  state: ViewState,
  row: RoundRow,
  values: OpenedValues,
): readonly Grade[] | undefined {
  const by = gradedBy(state, row);
  if (by === undefined || row.unseal === null) return undefined;
  const counting = countingForecasts(state, row);
  const isOpened = row.unseal.body.void_reason === null;
  const rest = {
    round: row.body.id,
    print: by.void_reason === null ? (by.report?.report.value ?? null) : null,
    report: by.report?.hash ?? null,
    void_reason: by.void_reason,
    arena: isOpened ? arenaOf(row.freeze?.body.top ?? [], counting, values) : NO_ARENA_NUMBER,
    count: counting.length,
    unopened: isOpened ? counting.filter(({ body }) => !values.has(body.ordinal)).length : 0,
  };
  const results = rest.print === null ? [] : resultsOf(state, row, by, counting, values);
  const parts = Math.max(1, Math.ceil(results.length / MAX_RESULTS));
  return Array.from({ length: parts }, (_, part) => ({
    ...rest,
    part,
    parts,
    results: results.slice(part * MAX_RESULTS, (part + 1) * MAX_RESULTS),
  }));
}

/** The arena number of an opened round, from the weights that its freeze fixed. */
export function arenaOf(
  top: readonly Weighted[],
  counting: readonly ForecastRow[],
  values: OpenedValues,
): { readonly value: string | null; readonly n: number } {
  const byHandle = new Map<string, bigint>();
  for (const { body } of counting) {
    const value = values.get(body.ordinal);
    if (value !== undefined) byHandle.set(body.handle, value);
  }
  return arenaNumber(top, byHandle);
}

function resultsOf(
  state: ViewState,
  row: RoundRow,
  { report }: GradedBy,
  counting: readonly ForecastRow[],
  values: OpenedValues,
): readonly Result[] {
  const arena = roundTerms(state, row)?.arena;
  const value = report?.report.value;
  if (arena === undefined || report === undefined || value == null) return [];
  const { decimals } = report.report;
  const print = BigInt(value);
  const points = (forecast: bigint): number => {
    const [f, p] = inOneScale(forecast, row.body.decimals, print, decimals);
    return pointsOf(f, p, arena.zero_points_at);
  };
  return [
    ...counting.map(({ body: { handle, ordinal } }) => {
      const opened = values.get(ordinal);
      if (opened === undefined) return { handle, value: null, points: 0 };
      return { handle, value: opened.toString(), points: points(opened) };
    }),
    ...row.body.house.map(({ handle, value: forecast }) => ({
      handle,
      value: forecast,
      points: points(BigInt(forecast)),
    })),
  ];
}
