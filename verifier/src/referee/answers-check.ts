import { messageOf } from '@assay/core/fault';
import type { HashHex, Sha256 } from '@assay/core/hash/hash';
import type { Answers, ClosedAnswers, TakenAnswers } from '@assay/core/kind/answers';
import { answerLeaf, batchRoot } from '@assay/core/referee/answer-leaf';
import { type AnswerOpenings, parseAnswerOpenings } from '@assay/core/referee/answer-openings';
import { formatTime, parseTime, type TimeText } from '@assay/core/time/time';
import {
  answersRoot,
  type QuestionProgress,
  questionProgress,
  type QuestionRow,
  questionRow,
} from '@assay/core/view/referee';
import type { ViewState } from '@assay/core/view/view';
import type { CheckContext } from '../check/read-check.ts';

/** Seconds after the end of a question's answers within which the log has to open them. */
export const OPENED_WITHIN_S = 3600;

/** Steps of the work on one opened answer: two hashes of its leaf and one of the tree. */
const ANSWER_STEPS = 4096;

/** An entry's place, and the time that it claims. */
export interface AnswersPlace {
  readonly at: TimeText;
  readonly place: string;
}

/**
 * Checks an entry about a question's answers: leaves come while the question takes answers, each at the next ordinal;
 * after that one entry opens them all.
 */
export async function checkAnswers(
  body: Answers,
  where: AnswersPlace,
  state: ViewState,
  sha256: Sha256,
  context: CheckContext,
): Promise<void> {
  const { findings } = context;
  const row = questionRow(state, body.question);
  const progress = questionProgress(state, body.question);
  if (row === undefined || progress === undefined) {
    findings.add('answers_not_due', where.place, 'a question of this log', body.question);
    return;
  }
  if (progress.closed !== null) {
    const expected = `nothing after entry ${progress.closed.seq}, which closes the answers`;
    findings.add('answers_not_due', where.place, expected, `answers ${body.type} again`);
    return;
  }
  if (body.type === 'taken') checkTaken(body, where, row, progress, context);
  else await checkClosed(body, where, row, progress, sha256, context);
}

function checkTaken(
  { first, leaves }: TakenAnswers,
  { at, place }: AnswersPlace,
  { body: { opened_at, closes_at } }: QuestionRow,
  { count }: QuestionProgress,
  { findings, tally }: CheckContext,
): void {
  tally.answers += leaves.length;
  if (at < opened_at || at >= closes_at) {
    const expected = `answers from ${opened_at} to before ${closes_at}`;
    findings.add('answers_not_due', place, expected, at);
  }
  if (first !== count) {
    findings.add('answers_differs', `${place}/first`, `${count}, the next ordinal`, `${first}`);
  }
}

async function checkClosed(
  body: ClosedAnswers,
  { at, place }: AnswersPlace,
  { body: { closes_at } }: QuestionRow,
  progress: QuestionProgress,
  sha256: Sha256,
  context: CheckContext,
): Promise<void> {
  const { findings } = context;
  if (at < closes_at) findings.add('answers_not_due', place, `${closes_at} or later`, at);
  const latest = formatTime(parseTime(closes_at) + OPENED_WITHIN_S);
  if (at > latest) findings.add('answers_late', place, `${latest} or before`, at);
  const root = answersRoot(sha256, progress);
  const differs = (member: string, expected: string | number, found: string | number): void => {
    if (expected === found) return;
    findings.add('answers_differs', `${place}/${member}`, `${expected}`, `${found}`);
  };
  differs('count', progress.count, body.count);
  differs('root', root, body.root);
  if (body.openings === null) return;
  const openings = await readOpenings(body.openings, place, context);
  if (openings === undefined) return;
  const { answers } = openings;
  context.work.charge(ANSWER_STEPS * answers.length);
  differs('openings/question', body.question, openings.question);
  differs('openings/answers', `${progress.count} answers`, `${answers.length} answers`);
  const leaves = answers.map((each, i) => answerLeaf(sha256, body.question, i, each));
  differs('openings', `openings of root ${root}`, `openings of root ${batchRoot(sha256, leaves)}`);
  const yes = answers.filter(({ answer }) => answer === 'yes').length;
  differs('yes', yes, body.yes);
  differs('no', answers.length - yes, body.no);
}

/** The openings of a question; undefined with a finding where they cannot be read. */
async function readOpenings(
  hash: HashHex,
  place: string,
  { evidence, findings }: CheckContext,
): Promise<AnswerOpenings | undefined> {
  const bytes = await evidence.bytes(hash, place);
  if (bytes === undefined) return undefined;
  try {
    return parseAnswerOpenings(bytes);
  } catch (error) {
    const at = `${place}, blob ${hash}`;
    findings.add('answers_malformed', at, 'the openings of answers', messageOf(error));
    return undefined;
  }
}
