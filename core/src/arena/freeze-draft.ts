import type { Weighted } from './forecast/arena-number.ts';
import { compareSkill, meanHundredths } from './forecast/skill.ts';
import { type HashHex, hashHex, type Sha256, toHash } from '../hash/hash.ts';
import { parseHex } from '../bytes/hex.ts';
import type { Freeze } from '../kind/freeze.ts';
import { rootOf } from '../log/tree.ts';
import { formatTime } from '../time/time.ts';
import { type ForecastRow, forecastsOf } from '../view/forecasts.ts';
import { type HandleRow, handleRow } from '../view/handles.ts';
import type { RoundRow } from '../view/rounds.ts';
import type { ViewState } from '../view/view.ts';
import { roundTerms } from './round-times.ts';
import type { RoundRule } from './rule/arena-rule.ts';

/**
 * The forecasts of a round that count, by ordinal: of each handle the newest that came before the close, and before the close
 * that an earlier release sets (`roundTerms`).
 */
export function countingForecasts(
  state: ViewState,
  row: Pick<RoundRow, 'body' | 'freeze'>,
): readonly ForecastRow[] {
  const terms = roundTerms(state, row);
  if (terms === undefined) return [];
  const before = formatTime(Math.max(0, terms.counts));
  const newest = new Map<string, ForecastRow>();
  for (const forecast of forecastsOf(state, row.body.id)) {
    if (forecast.at < before) newest.set(forecast.body.handle, forecast);
  }
  return [...newest.values()].sort((a, b) => a.body.ordinal - b.body.ordinal);
}

/**
 * The body of a round's freeze on top of the log. `openings` is the hash of the blob with the openings of the forecasts that are
 * not sealed (`formatOpenings`), and null where there are none. It is due from `closes_at` on.
 */
export function draftFreeze(
  state: ViewState,
  sha256: Sha256,
  row: Pick<RoundRow, 'body' | 'freeze'>,
  openings: HashHex | null,
): Freeze {
  const { id } = row.body;
  const forecasts = [...forecastsOf(state, id)];
  return {
    round: id,
    count: forecasts.length,
    root: hashHex(
      rootOf(
        sha256,
        forecasts.map(({ leaf }) => toHash(parseHex(leaf, 32))),
      ),
    ),
    handles: new Set(forecasts.map(({ body }) => body.handle)).size,
    openings,
    top: topHandles(state, row),
  };
}

/**
 * The handles that count in a round's arena number and their weights, the best first: of those that are ranked, are better than
 * `ref_value` has been, and have a forecast that counts, the first ones by skill.
 */
export function topHandles(
  state: ViewState,
  row: Pick<RoundRow, 'body' | 'freeze'>,
): readonly Weighted[] {
  const arena = roundTerms(state, row)?.arena;
  if (arena === undefined) return [];
  return (
    countingForecasts(state, row)
      .flatMap(({ body }) => handleRow(state, body.handle) ?? [])
      // Whoever only repeats the last value has no skill, however many handles that is done with.
      .filter(({ graded, excess }) => graded >= arena.ranked_from && excess > 0)
      .sort((a, b) => compareSkill(a, b, arena.shrink))
      .slice(0, arena.top)
      .map(weightOf)
  );
}

function weightOf({ handle, total_points: total, graded }: HandleRow): Weighted {
  return { handle, weight: meanHundredths(total, graded) };
}

/** Whether a handle is ranked under an arena rule. */
export function isRanked(arena: RoundRule, { graded }: Pick<HandleRow, 'graded'>): boolean {
  return graded >= arena.ranked_from;
}
