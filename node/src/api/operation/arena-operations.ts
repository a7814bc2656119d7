import { z } from 'zod';
import { ROUND_ID } from '@assay/core/answer/routes';
import type { Operation } from '../../http/operation.ts';
import { arenaAnswer, arenaHandleAnswer, arenaRoundAnswer, arenaRounds } from '../schema/arena.ts';
import { about, wholeNumber } from '../schema/field.ts';
import { cursorParameter, dayParameter, nextLink } from './page-parameters.ts';
import { logSize } from './terminal-operations.ts';

type ArenaQuery = z.ZodObject<{
  ticker: z.ZodOptional<z.ZodString>;
  limit: z.ZodOptional<z.ZodString>;
}>;

const arenaQuery: ArenaQuery = z.object({
  ticker: about(
    z
      .string()
      .regex(/^[A-Za-z0-9-]{1,32}$/, 'not the name of an index')
      .optional(),
    'Only rounds of this index, in any case.',
    'layoffs',
  ),
  limit: wholeNumber(
    { from: 1, to: 100, usual: 20 },
    'How many rounds of `recent` and how many handles.',
    20,
  ),
});

export const getArena: Operation<ArenaQuery> = {
  tag: 'arena',
  basis: 'live',
  freshness: 'etag',
  headers: [logSize],
  id: 'getArena',
  summary: 'What can be forecast, and who forecasts well',
  description:
    'Rounds that are open and rounds that have closed, the standings, and the rules in words. Every round follows from the log; the names of handles do not.',
  query: arenaQuery,
  success: 'The Arena.',
  content: { type: 'application/json', schema: arenaAnswer },
  problems: ['not_found', 'halted'],
};

type RoundsQuery = z.ZodObject<{
  ticker: z.ZodOptional<z.ZodString>;
  from: z.ZodOptional<z.ZodString>;
  to: z.ZodOptional<z.ZodString>;
  limit: z.ZodOptional<z.ZodString>;
  cursor: z.ZodOptional<z.ZodString>;
}>;

const roundsQuery: RoundsQuery = z.object({
  ticker: arenaQuery.shape.ticker,
  from: dayParameter('The first day (UTC) on which the rounds close.'),
  to: dayParameter('The last day (UTC) on which the rounds close.'),
  limit: wholeNumber({ from: 1, to: 100, usual: 20 }, 'How many rounds.', 20),
  cursor: cursorParameter,
});

export const listArenaRounds: Operation<RoundsQuery> = {
  tag: 'arena',
  basis: 'live',
  freshness: 'etag',
  headers: [logSize, nextLink],
  id: 'listArenaRounds',
  summary: 'All rounds by pages',
  description:
    'Every round of the Arena, those that close last first, each as in `open` and `recent` of `/arena`.',
  query: roundsQuery,
  success: 'The rounds.',
  content: { type: 'application/json', schema: arenaRounds },
  problems: ['not_found', 'halted'],
};

type RoundQuery = z.ZodObject<{ place: z.ZodOptional<z.ZodString> }>;

const roundQuery: RoundQuery = z.object({
  place: wholeNumber(
    { from: 0, to: 9_999_999 },
    'The ordinal of a forecast, to get it with its proof.',
    0,
    'not a place: a whole number from 0',
  ),
});

const ofRound: z.ZodObject = z.object({
  round: about(z.string().regex(ROUND_ID), 'The id of a round.', 'layoffs-2026-11-21'),
});

export const getArenaRound: Operation<RoundQuery> = {
  tag: 'arena',
  basis: 'folded',
  freshness: 'etag',
  id: 'getArenaRound',
  summary: 'A round with everything that the log states about it',
  description:
    'The entries of a round, and the arena rule that it names. With `place`, a forecast and the proof that the frozen root holds it: whoever has a receipt checks it here.',
  params: ofRound,
  query: roundQuery,
  success: 'The round.',
  content: { type: 'application/json', schema: arenaRoundAnswer },
  problems: ['not_found', 'halted'],
};

const ofHandle: z.ZodObject = z.object({
  handle: about(z.string(), 'A name in any case, or the id of a handle.', 'ada'),
});

export const getArenaHandle: Operation = {
  tag: 'arena',
  basis: 'live',
  freshness: 'none',
  id: 'getArenaHandle',
  summary: 'A handle, and the id under which the log has it',
  description:
    'The id of a handle, what it was made of, its key if it has one, and its standing. A name that was forgotten is not found; its id is.',
  params: ofHandle,
  success: 'The handle.',
  content: { type: 'application/json', schema: arenaHandleAnswer },
  problems: ['not_found', 'halted'],
};
