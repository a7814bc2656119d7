import type { Sha256 } from '../../hash/hash.ts';
import {
  decimalText,
  fractionText,
  meanCrowd,
  meanScores,
  type NullName,
} from '../../referee/brier.ts';
import { type CalibrationRow, calibrationOf } from '../../referee/calibration.ts';
import {
  pendingQuestions,
  type QuestionProgress,
  questionProgress,
  type QuestionRow,
  questionRow,
  questionsByOpening,
  scoreSums,
} from '../../view/referee.ts';
import type { ViewState } from '../../view/view.ts';
import { questionPayload, type QuestionPayload } from './question.ts';

/** Which questions a list has: those without an outcome, those with one or void, or all. */
export const QUESTION_FILTERS = ['open', 'resolved', 'all'] as const;
export type QuestionFilter = (typeof QUESTION_FILTERS)[number];

export const DEFAULT_QUESTIONS = 50;
export const MAX_QUESTIONS = 200;

export interface QuestionsAsked {
  readonly state: QuestionFilter;
  /** In upper case; all assets where it is not given. */
  readonly symbol?: string | undefined;
  readonly limit: number;
}

type ByNull<T> = Readonly<Record<NullName, T>>;

/** Mean Brier scores over all resolved questions, as fractions, and skill with four decimals. */
export interface ScoresPayload {
  readonly resolved: number;
  readonly void: number;
  readonly service: string | null;
  readonly nulls: ByNull<string> | null;
  readonly skill: ByNull<string | null> | null;
  /** Over the questions that somebody answered: six decimals, rounded once. */
  readonly crowd: { readonly n: number; readonly mean: string } | null;
}

export interface QuestionListPayload {
  readonly questions: readonly QuestionPayload[];
  readonly scores: ScoresPayload;
  readonly calibration: readonly CalibrationRow[];
}

/** Questions newest first, with the scores and the calibration over every resolved question. */
export function questionsPayload(
  state: ViewState,
  sha256: Sha256,
  asked: QuestionsAsked,
): QuestionListPayload {
  const questions: QuestionPayload[] = [];
  for (const row of rowsOf(state, asked)) {
    if (questions.length === asked.limit) break;
    questions.push(questionPayload(state, sha256, row));
  }
  return { questions, scores: scoresPayload(state), calibration: calibrationOf(state) };
}

function* rowsOf(
  state: ViewState,
  { state: filter, symbol }: QuestionsAsked,
): Generator<QuestionRow> {
  if (filter === 'open') {
    // Few are open at a time, and a log may have many that are not.
    for (const id of pendingQuestions(state).toReversed()) {
      const row = questionRow(state, id) as QuestionRow;
      if (symbol === undefined || row.body.symbol === symbol) yield row;
    }
    return;
  }
  for (const row of questionsByOpening(state, symbol)) {
    const { outcome } = questionProgress(state, row.body.id) as QuestionProgress;
    if (filter === 'all' || outcome !== null) yield row;
  }
}

function scoresPayload(state: ViewState): ScoresPayload {
  const sums = scoreSums(state);
  const means = meanScores(state);
  const crowd = meanCrowd(state);
  return {
    resolved: sums.resolved,
    void: sums.void,
    service: means === undefined ? null : fractionText(means.service),
    nulls:
      means === undefined
        ? null
        : {
            persistence: fractionText(means.nulls.persistence),
            always_under: fractionText(means.nulls.always_under),
            climatology: fractionText(means.nulls.climatology),
          },
    skill:
      means === undefined
        ? null
        : {
            persistence: skillText(means.skill.persistence),
            always_under: skillText(means.skill.always_under),
            climatology: skillText(means.skill.climatology),
          },
    crowd: crowd === undefined ? null : { n: crowd.n, mean: decimalText(crowd.mean, 6) },
  };
}

function skillText(skill: Parameters<typeof decimalText>[0] | null): string | null {
  return skill === null ? null : decimalText(skill, 4);
}
