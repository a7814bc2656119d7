import { type EventGroup, groupOf } from '@assay/core/kind/event-group';
import type { EventOpen } from '@assay/core/kind/event';
import type { AssetClass } from '@assay/core/terminal/tick/asset-symbol';
import type { EdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { EdgeGroup } from '@assay/core/terminal/edge/edge-groups';
import { formatTime } from '@assay/core/time/time';
import { groupIn } from './base-rate-group.ts';
import { withheldText } from './base-rate-text.ts';
import type { ScoreReading } from './score-history.ts';

/** Why an asset has no base rate now. */
export const NO_RATE_REASONS = [
  'below_threshold',
  'group_withheld',
  'not_current',
  'stock_study',
] as const;
export type NoRateReason = (typeof NO_RATE_REASONS)[number];

/** An asset with what is known of it now. */
export interface RateQuestion {
  readonly class: AssetClass;
  /** The newest good tick of the asset. */
  readonly latest: ScoreReading | undefined;
  /** Whether that tick is of now. */
  readonly current: boolean;
  /** The score at which the rule opens events. */
  readonly threshold: number;
  /** The event of the asset that opened last. */
  readonly event: Pick<EventOpen, 'opened_at' | 'move_24h' | 'breadth'> | undefined;
}

/** The group of a study that is answered with, or why there is no answer. */
export type RateAnswer =
  | { readonly rate: true; readonly group: EdgeGroup }
  | {
      readonly rate: false;
      readonly reason: NoRateReason;
      readonly detail: string;
      /** The group of the event, where it opened at that tick and is of one. */
      readonly group?: EventGroup;
    };

/**
 * The base rate of an asset now (docs/spec/base-rate.md, "Answers"). `study` is the newest frozen study of its class. The
 * first reason that holds is the answer.
 */
export function answerRate(question: RateQuestion, study: EdgeStudy | undefined): RateAnswer {
  const { latest, threshold, event, class: of } = question;
  if (latest === undefined) return none('not_current', 'The asset has no good reading.');
  const { ts, score } = latest;
  const at = formatTime(ts);
  if (!question.current) {
    return none('not_current', `The newest good reading is of ${at}, and not of now.`);
  }
  if (score === null) return none('below_threshold', `There is no score at ${at}.`);
  if (score < threshold) {
    return none('below_threshold', `The score is ${score}, and an event opens at ${threshold}.`);
  }
  if (of === 'stock' && study === undefined) {
    return none('stock_study', 'No study of stocks is frozen.');
  }
  if (event?.opened_at !== at) return none('not_current', unopenedText(at, score, event));
  return groupAnswer(event, study, of);
}

function groupAnswer(
  { move_24h, breadth }: Pick<EventOpen, 'move_24h' | 'breadth'>,
  study: EdgeStudy | undefined,
  of: AssetClass,
): RateAnswer {
  const own = groupOf(move_24h, breadth);
  const like = own === undefined ? {} : { group: own };
  if (study === undefined) {
    return { ...none('group_withheld', `No study of ${of} is frozen.`), ...like };
  }
  const group = own === undefined ? undefined : groupIn(study, own);
  if (group === undefined) {
    return none('group_withheld', 'The event is of no group, because it has no move over a day.');
  }
  if (group.withheld.length === 0) return { rate: true, group };
  return { ...none('group_withheld', withheldText(group, study.number)), ...like };
}

/** That a tick at the mark opened no event. */
function unopenedText(at: string, score: number, event: RateQuestion['event']): string {
  const last =
    event === undefined
      ? 'The asset has had no event.'
      : `The last event of the asset opened at ${event.opened_at}.`;
  return `No event opened at ${at}, though the score is ${score}. ${last} What followed was studied from openings alone.`;
}

function none(reason: NoRateReason, detail: string): Extract<RateAnswer, { rate: false }> {
  return { rate: false, reason, detail };
}
