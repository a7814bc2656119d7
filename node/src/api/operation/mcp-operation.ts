import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';
import { about, named } from '../schema/field.ts';

const message: z.ZodType<object> = named(
  z.looseObject({
    jsonrpc: about(z.literal('2.0'), 'Names the format (JSON-RPC 2.0).', '2.0'),
    id: about(
      z.union([z.string(), z.int()]).optional(),
      'Chosen by the client; a notification has none.',
      1,
    ),
    method: about(z.string(), 'The method of the protocol.', 'tools/list'),
    params: about(
      z.record(z.string(), z.unknown()).optional(),
      'Its parameters, by the revision of the protocol.',
      {},
    ),
  }) as unknown as z.ZodType<object>,
  'McpMessage',
  'A message of the Model Context Protocol.',
);

const answer: z.ZodType<object> = named(
  z.looseObject({
    jsonrpc: about(z.literal('2.0'), 'Names the format (JSON-RPC 2.0).', '2.0'),
    id: about(
      z.union([z.string(), z.int()]).nullable().optional(),
      'That of the message it answers.',
      1,
    ),
    result: about(
      z.record(z.string(), z.unknown()).optional(),
      'What the method answers; absent where it fails.',
      { tools: [] },
    ),
    error: about(
      z
        .looseObject({
          code: about(z.int(), 'The code of the failure.', -32_602),
          message: about(z.string(), 'What went wrong.', 'Tool x not found'),
        })
        .optional(),
      'Why the method failed; absent where it does not.',
    ),
  }) as unknown as z.ZodType<object>,
  'McpAnswer',
  'An answer of the Model Context Protocol.',
);

const EVENT =
  'event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[]}}\n\n';

const events: z.ZodType<string> = about(
  z.string(),
  'Server-Sent Events: each has a message of the protocol as its data, and the last one the answer.',
  EVENT,
);

export const postMcp: Operation = {
  tag: 'service',
  id: 'postMcp',
  summary: 'The same operations as tools of the Model Context Protocol (MCP)',
  description:
    'Streamable HTTP of the Model Context Protocol, revisions 2025-11-25 and 2026-07-28, without sessions. The tools are `list_indices`, `get_index`, `get_bundle`, `base_rate`, `arena` and `submit_forecast`. A client of the protocol does the rest: give it this address. `Accept` must name both `application/json` and `text/event-stream`. Several messages in one body are refused. What the protocol itself refuses has a JSON-RPC error as its body and not a problem. `Host` must be an address or the name of this service, and `Origin`, where there is one, its own.',
  body: { type: 'application/json', schema: message },
  basis: 'live',
  freshness: 'none',
  success: 'The answer, or a stream of events with it.',
  bodiless: { 202: 'A notification was taken; there is no body.' },
  content: [
    { type: 'application/json', schema: answer },
    { type: 'text/event-stream', schema: events, example: EVENT },
  ],
  refusals: {
    statuses: {
      400: 'The body is no message of the protocol, several at once, or one whose headers say otherwise.',
      404: 'The protocol has no such method.',
      406: '`Accept` does not name both media types.',
      500: 'The message could not be answered.',
    },
    content: {
      type: 'application/json',
      schema: answer,
      example: {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_600, message: 'Send one message at a time.' },
      },
    },
  },
  problems: ['not_json', 'cross_site'],
};
