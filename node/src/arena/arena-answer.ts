import type { ArenaNumber } from '@assay/core/arena/forecast/arena-number';
import { houseName } from '@assay/core/arena/forecast/house';
import { roundTerms } from '@assay/core/arena/round-times';
import { type Standing, standingOf, standings } from '@assay/core/arena/standing';
import type { RoundRule } from '@assay/core/arena/rule/arena-rule';
import { ROUNDS_PATH, type RoundState } from '@assay/core/answer/arena-round';
import type { Sha256 } from '@assay/core/hash/hash';
import { formatScaled } from '@assay/core/number/rational';
import type { Rule } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import { handleCount } from '@assay/core/view/forecasts';
import { handleRow, printDecimals } from '@assay/core/view/handles';
import { takePage } from '@assay/core/answer/page';
import { isGraded, roundPlace, type RoundRow, roundsByClose } from '@assay/core/view/rounds';
import { ruleVersions } from '@assay/core/view/rules';
import type { ViewState } from '@assay/core/view/view';

/** What a node knows of the Arena beside the log. */
export interface ArenaBook {
  /** The name of a handle; undefined where it is not known or was forgotten. */
  readonly nameOf: (handle: string) => string | undefined;
  /** The arena number of a round whose forecasts have been opened and that is not graded; undefined before that. */
  readonly numberOf: (row: RoundRow) => ArenaNumber | undefined;
}

/** A node that has nothing but the log. */
export const NO_ARENA_BOOK: ArenaBook = { nameOf: () => undefined, numberOf: () => undefined };

export interface ArenaMoment {
  readonly state: ViewState;
  readonly sha256: Sha256;
  /** Unix seconds. */
  readonly now: number;
  readonly book: ArenaBook;
}

/** How many days lie between two periods; 30 stands for a month. */
const STEPS: Readonly<Record<Rule['period'], number>> = {
  utc_day: 1,
  week_ending_saturday: 7,
  month: 30,
};

/** The body of `GET /arena`; its other members are for readers alone. */
export interface ArenaPayload extends Readonly<Record<string, unknown>> {
  readonly open: readonly { readonly closes_at: TimeText }[];
}

/** The body of `GET /arena`, with rounds of one index or of all. */
export function arenaPayload(
  moment: ArenaMoment,
  { ticker, limit }: { readonly ticker: Ticker | undefined; readonly limit: number },
): ArenaPayload {
  const { state, now } = moment;
  const rule = newestArenaRule(state);
  const rows = [...roundsByClose(state)].filter(
    ({ body }) => ticker === undefined || body.ticker === ticker,
  );
  const questions = rows.map((row) => ({ row, state: stateOf(row, now) }));
  const open = questions.filter((each) => each.state === 'open').reverse();
  const recent = questions.filter((each) => each.state !== 'open').slice(0, limit);
  const shown = ({ row, state: of }: (typeof questions)[0]): Question => question(moment, row, of);
  const arena = rule?.rule.arena ?? undefined;
  return {
    generated_at: formatTime(now),
    rules: { ...wordsOf(arena), rule: rule?.hash ?? null },
    open: open.map(shown),
    recent: recent.map(shown),
    voided: voidedBy(rows),
    standings:
      arena === undefined
        ? []
        : standings(state, arena)
            .slice(0, limit)
            .map((each) => standingPayload(moment, each)),
  };
}

/** Which rounds a page has. */
export interface RoundsAsked {
  readonly ticker: Ticker | undefined;
  /** The first and the last day (UTC) on which they close. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  /** The place in a cursor. */
  readonly after?: string | undefined;
}

/** A page of all rounds, those that close last first. */
export function arenaRoundsPage(moment: ArenaMoment, asked: RoundsAsked): RoundsPayload {
  const { now } = moment;
  const { rows, next } = takePage('rounds', roundsAsked(moment.state, asked), asked.limit);
  return {
    rounds: rows.map((row) => question(moment, row, stateOf(row, now))),
    next_cursor: next,
  };
}

export interface RoundsPayload {
  readonly rounds: readonly Question[];
  /** The `cursor` of the page that follows; null where there is none. */
  readonly next_cursor: string | null;
}

function* roundsAsked(
  state: ViewState,
  { ticker, from = '', to, after }: RoundsAsked,
): Generator<readonly [string, RoundRow]> {
  // Nothing of a day is after a tilde.
  const below = [after, to === undefined ? undefined : `${to}~`].filter((at) => at !== undefined);
  for (const row of roundsByClose(state, below.sort()[0])) {
    if (row.body.closes_at < from) return;
    if (ticker === undefined || row.body.ticker === ticker) yield [roundPlace(row.body), row];
  }
}

/** The standing of a handle as the API shows it; null for one without a forecast in the log. */
export function handleStanding(moment: ArenaMoment, handle: string): object | null {
  const arena = newestArenaRule(moment.state)?.rule.arena;
  const row = handleRow(moment.state, handle);
  if (arena === undefined || arena === null || row === undefined) return null;
  return standingPayload(moment, standingOf(arena, row));
}

/** By the clock a round closes at `closes_at`, also while its freeze is still to be written. */
function stateOf(row: RoundRow, now: number): RoundState {
  if (isGraded(row)) return 'graded';
  return row.freeze === null && formatTime(now) < row.body.closes_at ? 'open' : 'closed';
}

type Question = Readonly<Record<string, unknown>> & { readonly closes_at: TimeText };

function question(moment: ArenaMoment, row: RoundRow, of: RoundState): Question {
  const { state, sha256, book } = moment;
  const { body, grade } = row;
  const { id, ticker, period, decimals, ref_period, ref_value, opens_at, closes_at } = body;
  const index = ruleOf(state, row);
  const unseals = roundTerms(state, row)?.unseals;
  const number = grade === null ? book.numberOf(row) : grade.arena;
  return {
    id,
    ticker,
    slug: ticker.toLowerCase(),
    name: index?.title ?? ticker,
    statement: `What will ${ticker} be for ${period}, as first published?`,
    unit: index?.unit ?? '',
    format: formatOf(index?.unit),
    decimals,
    step: index === undefined ? 1 : STEPS[index.period],
    period,
    ref_period,
    ref_value: numberOf(ref_value, decimals),
    opens_at,
    closes_at,
    drand_round: body.drand_round,
    opens_forecasts_at: unseals === undefined ? closes_at : formatTime(unseals),
    state: of,
    forecasts: handleCount(state, id),
    arena: of === 'open' || number === undefined ? null : shownNumber(number, decimals),
    print:
      grade?.print === undefined || grade.print === null
        ? null
        : numberOf(grade.print, printDecimals(state, body)),
    void_reason: grade?.void_reason ?? row.unseal?.body.void_reason ?? null,
    house: body.house.map(({ handle, value }) => ({
      handle: houseName(sha256, handle) ?? handle,
      value: numberOf(value, decimals),
    })),
    url: `/v1${ROUNDS_PATH}/${id}`,
  };
}

function ruleOf(state: ViewState, { body }: RoundRow): Rule | undefined {
  return ruleVersions(state, body.ticker).find(({ hash }) => hash === body.rule.hash)?.rule;
}

function formatOf(unit: string | undefined): 'count' | 'usd' | 'percent' {
  if (unit === 'dollars') return 'usd';
  return unit === 'percent' ? 'percent' : 'count';
}

/** A scaled integer as the JSON number that is nearest to it. */
function numberOf(scaled: string, decimals: number): number {
  return Number(formatScaled(BigInt(scaled), decimals));
}

function shownNumber({ value, n }: ArenaNumber, decimals: number): object {
  return { value: value === null ? null : numberOf(value, decimals), n };
}

function standingPayload({ sha256, book }: ArenaMoment, standing: Standing): object {
  const { handle, mean_points, skill, ...rest } = standing;
  return {
    handle: houseName(sha256, handle) ?? book.nameOf(handle) ?? handle,
    handle_id: handle,
    ...rest,
    mean_points: Number(mean_points),
    skill: Number(skill),
  };
}

/** How many rounds of each index have ended, and how many of them without grades. */
function voidedBy(rows: readonly RoundRow[]): readonly object[] {
  const counts = new Map<Ticker, { rounds: number; voided: number }>();
  for (const { body, grade } of rows) {
    if (grade === null) continue;
    const count = counts.get(body.ticker) ?? { rounds: 0, voided: 0 };
    counts.set(body.ticker, count);
    count.rounds += 1;
    if (grade.void_reason !== null) count.voided += 1;
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ticker, count]) => ({ ticker, ...count }));
}

/** The rules in words. Where no arena rule is in force, nothing can be forecast. */
function wordsOf(arena: RoundRule | undefined): object {
  if (arena === undefined) {
    const none = 'No arena rule is in force: there is nothing to forecast.';
    return { points: none, ranked_from: 3, arena_number: none, submit: none, caveats: none };
  }
  const { zero_points_at: zero, ranked_from, top } = arena;
  return {
    points: `round(100 × max(0, 1 − absolute percent error ÷ ${zero}%)), graded on the number as first published`,
    ranked_from,
    arena_number: `Arena, not official: the points-weighted mean of the ${top} best ranked handles that answered, frozen at the close. House handles have no part in it.`,
    submit:
      'POST /v1/arena/forecast with a JSON body, or the MCP tool submit_forecast. The command assay forecast make seals the forecast first.',
    caveats:
      'Sealed forecasts open with a round of drand. Enough members of the League of Entropy together could open them earlier, and so could a quantum computer. If drand stops, the round is void. A forecast that is not sealed can be read by the operator before the close.',
  };
}
