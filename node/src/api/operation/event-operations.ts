import { z } from 'zod';
import { KIND_NOUNS } from '@assay/core/kind/kinds';
import type { AnswerHeader, Operation } from '../../http/operation.ts';
import { about } from '../schema/field.ts';

const ID_EXAMPLE = `1866-${'9c'.repeat(8)}`;

const retryAfter: AnswerHeader = {
  name: 'Retry-After',
  description: 'Seconds after which to try again.',
  example: '30',
  always: false,
};

/** A list with commas between its parts. */
function listOf(part: string): RegExp {
  return new RegExp(`^(?:${part})(?:,(?:${part}))*$`);
}

type EventsQuery = z.ZodObject<{
  after: z.ZodOptional<z.ZodString>;
  from: z.ZodOptional<z.ZodString>;
  kinds: z.ZodOptional<z.ZodString>;
  tickers: z.ZodOptional<z.ZodString>;
  symbols: z.ZodOptional<z.ZodString>;
  ticks: z.ZodOptional<z.ZodEnum<{ true: 'true'; false: 'false' }>>;
}>;

const names = z
  .string()
  .max(1000)
  .regex(listOf('[A-Za-z0-9]{1,16}'), 'not a list of names with commas')
  .optional();

const eventsQuery: EventsQuery = z.object({
  after: about(
    z
      .string()
      .regex(/^(?:0|[1-9]\d{0,15})-[0-9a-f]{16}$/, 'not the id of an event')
      .optional(),
    'The id of the last event that was read: the next one comes first. The header `Last-Event-ID`, which browsers send when they come back, goes before it.',
    ID_EXAMPLE,
  ),
  from: about(
    z
      .string()
      .regex(/^(?:0|[1-9]\d{0,14})$/, 'not the number of an entry')
      .optional(),
    'Without `after`: the number of the first entry. Without both, the first event is the next one that is published.',
    '0',
  ),
  kinds: about(
    z
      .string()
      .max(1000)
      .regex(listOf(KIND_NOUNS.join('|')), 'not a list of kinds with commas')
      .optional(),
    'Only entries of these kinds, without their versions.',
    'report,close',
  ),
  tickers: about(names, 'Only what is about these indexes, or about `symbols`.', 'LAYOFFS'),
  symbols: about(names, 'Only what is about these assets, or about `tickers`.', 'SOL,ETH'),
  ticks: about(
    z.enum(['true', 'false'], 'neither true nor false').optional(),
    'Whether live scores come as events `tick`, which have no id.',
    'true',
  ),
});

export const getEvents: Operation<EventsQuery> = {
  tag: 'log',
  basis: 'folded',
  freshness: 'none',
  id: 'getEvents',
  summary: 'The log as it is published, as Server-Sent Events',
  description:
    'Each entry is an event: `id` is its number and the first 16 hex digits of its leaf hash, `event` its kind, `data` JSON with `seq`, `leaf_hash`, `kind`, `at`, `ticker`, `symbol` and, in `entry`, the exact bytes of the entry as text. The stream does not end. A comment comes every 15 seconds, with an event `position` that has an id where the filter let nothing through. An id of another history is refused with `other_history`, however long this log is. `/asyncapi.json` describes the events.',
  query: eventsQuery,
  success: 'The events, without an end.',
  content: {
    type: 'text/event-stream',
    schema: about(
      z.string(),
      'Events in the form of WHATWG HTML, 9.2.',
      `id: ${ID_EXAMPLE}\nevent: close/1\ndata: {"seq":1866}\n\n`,
    ),
  },
  headers: [retryAfter],
  problems: ['other_history', 'busy', 'halted'],
};
