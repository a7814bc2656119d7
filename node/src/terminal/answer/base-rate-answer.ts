import type { Breadth } from '@assay/core/kind/event';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import { caveatText, plainText, withheldText } from './base-rate-text.ts';
import { groupOf } from '@assay/core/kind/event-group';
import type { StudyBlob, StudyGroup } from '@assay/core/terminal/study/study-blob';

/** Why an asset has no base rate now. */
export const NO_RATE_REASONS = [
  'below_threshold',
  'group_withheld',
  'not_current',
  'stock_study',
] as const;
export type NoRateReason = (typeof NO_RATE_REASONS)[number];

/** An asset with the values of its latest tick. */
export interface RateQuestion {
  readonly class: AssetClass;
  /** Whether the latest good tick is still current. */
  readonly current: boolean;
  readonly score: number | null;
  /** Basis points; null if the asset has no move, undefined if the caller does not know it. */
  readonly move_24h: number | null | undefined;
  readonly breadth: Breadth;
}

/** What usually happened after moves like this one, or why that is not stated. */
export type RateAnswer =
  | {
      readonly rate: {
        readonly group: StudyGroup;
        readonly plain: string;
        readonly caveat: string;
      };
    }
  | { readonly rate: null; readonly reason: NoRateReason; readonly detail: string };

/**
 * The base rate of an asset now. `study` is the newest frozen study of its class, and `threshold` is the score
 * at which its rule opens events. The reasons are tried in this order: no current tick, a score below the
 * threshold, no study of stocks, a move that is not known, a group without a rate.
 */
export function answerRate(
  question: RateQuestion,
  study: StudyBlob | undefined,
  threshold: number,
): RateAnswer {
  const { current, score, move_24h, breadth } = question;
  if (!current) return none('not_current', 'the latest good tick is too old');
  if (score === null) return none('below_threshold', 'there is no score');
  if (score < threshold) {
    return none('below_threshold', `the score is ${score}, below ${threshold}`);
  }
  if (study === undefined) {
    return question.class === 'stock'
      ? none('stock_study', 'the study of stocks is not frozen yet')
      : none('group_withheld', 'no study is frozen yet');
  }
  if (move_24h === undefined) {
    return none('not_current', 'the move of the latest good tick is not known here');
  }
  const own = groupOf(move_24h, breadth);
  const group = study.groups.find(
    (each) => each.bucket === own?.bucket && each.breadth === own.breadth,
  );
  if (group === undefined) return none('group_withheld', 'there is no move over a day');
  if (group.withheld.length > 0) return none('group_withheld', withheldText(group));
  return { rate: { group, plain: plainText(study, group), caveat: caveatText(group) } };
}

function none(reason: NoRateReason, detail: string): RateAnswer {
  return { rate: null, reason, detail };
}
