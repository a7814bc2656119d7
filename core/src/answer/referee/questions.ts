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
  questionPlace,
  type QuestionProgress,
  questionProgress,
  type QuestionRow,
  questionRow,
  questionsByOpening,
  scoreSums,
} from '../../view/referee.ts';
import type { ViewState } from '../../view/view.ts';
import { takePage } from '../page.ts';
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
  /** The first and the last day (UTC) of the openings of their events. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit: number;
  /** The place in a cursor. */
  readonly after?: string | undefined;
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
  /** The `cursor` of the page that follows; null where there is none. */
  readonly next_cursor: string | null;
}

/** Questions newest first, with the scores and the calibration over every resolved question. */
export function questionsPayload(
  state: ViewState,
  sha256: Sha256,
  asked: QuestionsAsked,
): QuestionListPayload {
  const { rows, next } = takePage('questions', rowsOf(state, asked), asked.limit);
  const questions = rows.map((row) => questionPayload(state, sha256, row));
  const calibration = calibrationOf(state);
  return { questions, scores: scoresPayload(state), calibration, next_cursor: next };
}

/** The questions that were asked for, newest first, each with its place. */
function* rowsOf(
  state: ViewState,
  { state: filter, symbol, from = '', to, after }: QuestionsAsked,
): Generator<readonly [string, QuestionRow]> {
  // A day is the beginning of each of its times, and nothing is after a tilde.
  const below = [after, to === undefined ? undefined : `${to}~`].filter(
    (each) => each !== undefined,
  );
  const first = below.sort()[0];
  const rows =
    filter === 'open'
      ? pendingBack(state, symbol, first)
      : questionsByOpening(state, symbol, first);
  for (const row of rows) {
    if (row.body.opened_at < from) return;
    const { outcome } = questionProgress(state, row.body.id) as QuestionProgress;
    if (filter === 'resolved' && outcome === null) continue;
    yield [questionPlace(row.body), row];
  }
}

/** The questions without an outcome in the same order. Few are open at a time, and a log may have many that are not. */
function pendingBack(
  state: ViewState,
  symbol: string | undefined,
  below: string | undefined,
): readonly QuestionRow[] {
  return pendingQuestions(state)
    .map((id) => questionRow(state, id) as QuestionRow)
    .filter(({ body }) => symbol === undefined || body.symbol === symbol)
    .filter(({ body }) => below === undefined || questionPlace(body) < below)
    .sort((a, b) => (questionPlace(a.body) > questionPlace(b.body) ? -1 : 1));
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
