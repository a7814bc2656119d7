import { z } from 'zod';
import type { AnswerHeader, Content, Operation } from '../../http/operation.ts';
import { about, named } from '../schema/field.ts';

type FormatQuery = z.ZodObject<{ format: z.ZodOptional<z.ZodEnum<{ json: 'json' }>> }>;

const formatQuery: FormatQuery = z.object({
  format: about(
    z.enum(['json'], 'not json').optional(),
    '`json` for a program; a page for people where it is not given.',
    'json',
  ),
});

const entry = named(
  z.looseObject({
    error: about(z.string(), 'The code.', 'halted'),
    status: about(z.int(), 'The HTTP status that it comes with.', 503),
    title: about(z.string(), 'A short text for it.', 'The service is halted'),
    type: about(
      z.string().meta({ format: 'uri-reference' }),
      'What `type` of such a problem is.',
      '/problems/halted',
    ),
    meaning: about(z.string(), 'What it means.', 'The record cannot be read or written now.'),
    remedy: about(z.string(), 'What to do about it.', 'Ask again after `Retry-After`.'),
  }),
  'ProblemCode',
  'What a code of a problem means.',
);

const page: Content = {
  type: 'text/html',
  schema: about(z.string(), 'HTML.'),
  example: '<!doctype html>',
};

const policy: AnswerHeader = {
  name: 'Content-Security-Policy',
  description: 'Of a page: nothing in it is fetched or runs.',
  example: "default-src 'none'",
  always: false,
};

const service = {
  tag: 'service',
  basis: 'live',
  freshness: 'etag',
  query: formatQuery,
  headers: [policy],
} as const;

export const listProblems: Operation<FormatQuery> = {
  ...service,
  id: 'listProblems',
  summary: 'The codes of problems',
  description: 'Every value that `error` may have, with its status, its meaning and what to do.',
  success: 'The codes.',
  content: [{ type: 'application/json', schema: z.array(entry) }, page],
  problems: [],
};

export const getProblem: Operation<FormatQuery> = {
  ...service,
  id: 'getProblem',
  summary: 'What a code of a problem means',
  description: 'The page that `type` of a problem names.',
  params: z.object({ code: about(z.string(), 'The code.', 'halted') }),
  success: 'The code.',
  content: [{ type: 'application/json', schema: entry }, page],
  problems: ['not_found'],
};
