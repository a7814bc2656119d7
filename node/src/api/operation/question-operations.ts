import { z } from 'zod';
import { QUESTION_FILTERS } from '@assay/core/answer/referee/questions';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { about, wholeNumber } from '../schema/field.ts';
import { cursorParameter, dayParameter, nextLink } from './page-parameters.ts';
import {
  answerBody,
  answered,
  QUESTION_ID_EXAMPLE,
  questionDetail,
  questionIdText,
  questionsAnswer,
} from '../schema/question.ts';

const tag = 'referee';

type QuestionsQuery = z.ZodObject<{
  state: z.ZodOptional<z.ZodEnum<{ open: 'open'; resolved: 'resolved'; all: 'all' }>>;
  symbol: z.ZodOptional<z.ZodString>;
  from: z.ZodOptional<z.ZodString>;
  to: z.ZodOptional<z.ZodString>;
  limit: z.ZodOptional<z.ZodString>;
  cursor: z.ZodOptional<z.ZodString>;
}>;

const questionsQuery: QuestionsQuery = z.object({
  state: about(
    z.enum(QUESTION_FILTERS, 'none of open, resolved, all').optional().meta({ default: 'all' }),
    '`open`: not graded yet, those whose answers have closed included; `resolved`: graded or void; `all` where it is not given.',
    'all',
  ),
  symbol: about(
    z
      .string()
      .regex(/^[A-Za-z0-9]{1,16}$/, 'not the symbol of an asset')
      .optional(),
    'Only questions on this asset, in any case.',
    'SOL',
  ),
  from: dayParameter('The first day (UTC) on which their events opened.'),
  to: dayParameter('The last day (UTC) on which their events opened.'),
  cursor: cursorParameter,
  limit: wholeNumber({ from: 1, to: 200, usual: 50 }, 'How many questions.', 50),
});

const params = z.object({
  id: about(questionIdText, "The question's id.", QUESTION_ID_EXAMPLE),
});

export const listQuestions: Operation<QuestionsQuery> = {
  tag,
  basis: 'folded',
  freshness: 'etag',
  id: 'listQuestions',
  summary: 'Questions on events, newest first',
  description:
    'One question for each crypto event: will its score be 40 or more a day after it opened. Each has the nulls and the answer of the service as they were frozen when it was asked, the outcome, and the stamp; with them the Brier scores and the calibration over every resolved question.',
  query: questionsQuery,
  success: 'The questions.',
  headers: [nextLink],
  content: { type: 'application/json', schema: questionsAnswer },
  problems: ['halted'],
};

export const getQuestion: Operation = {
  tag,
  basis: 'folded',
  freshness: 'etag',
  id: 'getQuestion',
  summary: 'A question with the bytes that are stamped',
  description:
    'One question with its canonical JSON, the SHA-256 of that, and the proofs of the question, of its answers once they have closed, and of its outcome.',
  params,
  success: 'The question.',
  content: { type: 'application/json', schema: questionDetail },
  problems: ['not_found', 'halted'],
};

const retryAfter: AnswerHeader = {
  name: 'Retry-After',
  description: 'Seconds after which to send the answer again.',
  example: '5',
  always: false,
};

export const postAnswer: Operation = {
  tag,
  basis: 'live',
  freshness: 'none',
  id: 'postAnswer',
  summary: 'Answer a question',
  description:
    'Needs no key. The first answer of a caller counts; a caller is a keyed hash of question, address and user agent, which is destroyed when the question closes. Three answers from one address at most, and 20 requests a minute. The receipt is signed: if its leaf is not in the batch, it is evidence.',
  params,
  body: { type: 'application/json', schema: answerBody, closed: true },
  success: 'The caller has answered before.',
  others: { 201: 'The answer is in the log.' },
  content: { type: 'application/json', schema: answered },
  headers: [retryAfter],
  problems: [
    'invalid_json',
    'invalid_answer',
    'cross_site',
    'not_found',
    'address_cap',
    'closed',
    'not_json',
    'halted',
  ],
};
