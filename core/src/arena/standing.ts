import { formatScaled } from '../number/rational.ts';
import { type HandleRow, handleRows } from '../view/handles.ts';
import type { ViewState } from '../view/view.ts';
import { isRanked } from './freeze-draft.ts';
import { compareSkill, meanHundredths, skillText } from './forecast/skill.ts';
import type { RoundRule } from './rule/arena-rule.ts';

/** What the log shows of a handle's forecasts, as text where it is a decimal. */
export interface Standing {
  /** The handle's id, hex. */
  readonly handle: string;
  readonly graded: number;
  readonly total_points: number;
  /** 2 decimals. */
  readonly mean_points: string;
  /** Graded forecasts in a row, up to the newest, with the points of a streak or more. */
  readonly streak: number;
  readonly best_streak: number;
  readonly ranked: boolean;
  /** Mean points above those of `ref_value`, shrunken, 4 decimals. */
  readonly skill: string;
  /**
   * `key`: only its holder can make forecasts of the handle. `secret`: that rests on the word of the operator. `house`: the
   * operator makes them, by a published formula.
   */
  readonly secured_by: 'key' | 'secret' | 'house';
}

/** The standing of one handle under an arena rule. */
export function standingOf(arena: RoundRule, row: HandleRow): Standing {
  const { handle, graded, total_points, streak, best_streak, key, house } = row;
  return {
    handle,
    graded,
    total_points,
    mean_points: formatScaled(BigInt(meanHundredths(total_points, graded)), 2),
    streak,
    best_streak,
    ranked: isRanked(arena, row),
    skill: skillText(row, arena.shrink),
    secured_by: house ? 'house' : key === null ? 'secret' : 'key',
  };
}

/** The standings of every handle with a graded forecast: the ranked ones first, each group by skill. */
export function standings(state: ViewState, arena: RoundRule): readonly Standing[] {
  return [...handleRows(state)]
    .filter(({ graded }) => graded > 0)
    .sort((a, b) => {
      const ranked = Number(isRanked(arena, b)) - Number(isRanked(arena, a));
      return ranked === 0 ? compareSkill(a, b, arena.shrink) : ranked;
    })
    .map((row) => standingOf(arena, row));
}
