import { z } from 'zod';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { about, hashText } from '../schema/field.ts';
import { received, statementsAnswer, word } from '../schema/statement.ts';

const tag = 'recount';

const retryAfter: AnswerHeader = {
  name: 'Retry-After',
  description: 'Seconds after which to send an `unpublished` statement again.',
  example: '5',
  always: false,
};

export const postStatement: Operation = {
  tag,
  id: 'postStatement',
  summary: "A co-signer's statement on a report",
  description:
    'Takes the body of a `statement/1` entry: a statement with its signatures, at most 64 KiB. Who sends it is no matter; the signatures are. A co-signer makes one statement on a report: the same one again has the same answer, another one is `refused`. The answer waits for the checkpoint that holds the statement, and proves it.',
  body: { type: 'application/json', schema: word, closed: true },
  basis: 'live',
  freshness: 'none',
  success: 'The log had it already.',
  others: {
    201: 'It is in the log.',
    202: 'An abstention is noted; or the statement is committed and not published yet, and `Retry-After` says when to ask again.',
  },
  content: { type: 'application/json', schema: received },
  headers: [retryAfter],
  problems: [
    'invalid_json',
    'cross_site',
    'unknown_cosigner',
    'bad_signature',
    'not_found',
    'refused',
    'not_json',
    'malformed',
    'halted',
  ],
};

type StatementsQuery = z.ZodObject<{ report: z.ZodString }>;

const statementsQuery: StatementsQuery = z.object({
  report: about(
    hashText,
    "The report's hash.",
    '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
  ),
});

export const listStatements: Operation<StatementsQuery> = {
  tag,
  id: 'listStatements',
  summary: 'The co-signers’ statements on a report',
  description:
    'Every statement on a report that the log holds, as it was signed, and who has abstained at this service.',
  query: statementsQuery,
  basis: 'live',
  freshness: 'none',
  success: 'The statements.',
  content: { type: 'application/json', schema: statementsAnswer },
  problems: ['not_found', 'halted'],
};
