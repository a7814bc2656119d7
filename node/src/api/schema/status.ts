import { z } from 'zod';
import { deprecated } from './basis.ts';
import { about, dateText, hashText, named, timeText } from './field.ts';
import { mergedProblem } from './problem.ts';
import { storageMember } from './storage.ts';

const members = {
  state: about(
    z.enum(['ok', 'degraded', 'halted']),
    '`ok`; `degraded`: it answers, and something is wrong; `halted`: the record cannot be read, or no index has had a report for so long that nothing is published any more. The reasons are in `reasons`.',
    'ok',
  ),
  reasons: about(
    z.array(z.string()),
    'What is wrong, each in a sentence; empty when all is well.',
    [],
  ),
  notice: about(
    z.string().nullable(),
    'Words on what the figures are, where they are not what they seem; null in production.',
    null,
  ),
  network: about(
    z.enum(['development', 'production']).nullable(),
    '`development`: nothing here may be settled on. Null before the first entry.',
    'production',
  ),
  origin: about(
    z.string().nullable(),
    "The log's name in checkpoints; null before the first entry.",
    'example.org/assay',
  ),
  log_id: about(
    hashText.nullable(),
    'Leaf hash of the first entry; null before it.',
    '1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483',
  ),
  log_size: about(z.int().min(0), 'Entries of the published log.', 165),
  log_root: about(
    z.string().nullable(),
    'Root hash of the Merkle tree over them, base64 as in the checkpoint; null before the first.',
    'Gg4XcYrJpsz9Ks2lRG6H9fb4lzGSzzK0xWdNRXlQvCg=',
  ),
  transport: about(
    z.string(),
    'The HTTP server that answers: `uWebSockets.js`, or `node:http` where its binary is not there.',
    'uWebSockets.js',
  ),
  now: about(
    timeText,
    "The service's clock, UTC. On the development network it may be simulated.",
    '2026-07-30T14:31:00Z',
  ),
  indices: about(
    z.record(
      z.string(),
      z.looseObject({
        newest_printed: about(
          dateText.nullable(),
          'Its newest period with a report; null before the first.',
          '2026-07-25',
        ),
      }),
    ),
    'Each index, by ticker in capitals.',
    { LAYOFFS: { newest_printed: '2026-07-25' } },
  ),
  anchors: about(
    z.looseObject({
      newest_batch: about(
        z.int().nullable(),
        'The newest batch of stamps; null before the first. /anchors lists them.',
        12,
      ),
      stamped_at: about(
        timeText.nullable(),
        'When it was sent to the calendars that took it, UTC.',
        '2026-07-30T14:40:03Z',
      ),
      stamped_size: about(z.int().nullable(), 'Entries of the log that batches hold.', 82),
      newest_attested: about(
        z.int().nullable(),
        'The newest batch that a Bitcoin block holds; null before the first.',
        11,
      ),
      bitcoin_height: about(z.int().nullable(), 'Height of that block.', 963412),
      beacon_height: about(
        z.int().nullable(),
        'Height of the newest Bitcoin block that the log names; null before the first.',
        963420,
      ),
      beacon_hash: about(
        hashText.nullable(),
        'Its id as block explorers show it.',
        '00000000000000000001b4b7a2c7f1d3e5a9c8b6d4f2e0a1c3b5d7f9e1a3c5b7',
      ),
    }),
    'How far the stamps in Bitcoin are.',
  ),
  feeds: about(
    z.looseObject({
      chain: about(
        z.string().nullable(),
        'CAIP-2 id of the chain that holds the feeds; null where the log has none.',
        'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      ),
      program: about(
        z.string().nullable(),
        'Address of the program there, base58.',
        'AssayFeed1111111111111111111111111111111111',
      ),
      slot: about(
        z.int().nullable(),
        'The newest finalized slot that the service has seen; null before the first.',
        401234567,
      ),
      newest_posted: about(
        z
          .looseObject({
            of: about(z.enum(['print', 'close']), 'What it is.', 'print'),
            ticker: about(z.string(), 'The ticker of the feed that it is under.', 'LAYOFFS'),
            period: about(dateText, "The print's period, or the day of the Close.", '2026-07-25'),
            slot: about(z.int(), 'Slot of the chain at which it was written.', 401230001),
            seq: about(z.int(), 'Entry of the log that says so.', 171),
          })
          .nullable(),
        'What the log recorded last as being there; null before the first.',
        { of: 'print', ticker: 'LAYOFFS', period: '2026-07-25', slot: 401230001, seq: 171 },
      ),
      waiting: about(
        z.int().nullable(),
        'Prints and Closes that belong there and that the log does not yet record as being there; null where this service posts nothing.',
        0,
      ),
      waiting_since: about(
        timeText.nullable(),
        'Since when the oldest of them could be there; null while none could.',
        null,
      ),
    }),
    'How far the log is on chain.',
  ),
  storage: storageMember,
};

/** `/status` while the service is ok or degraded. */
export const statusAnswer: z.ZodType<object> = named(
  z.looseObject({
    status: deprecated(
      about(
        z.enum(['ok', 'degraded']),
        'An alias of `state`, kept for those who read it: read `state`, which is there in a 503 too, where `status` is the number of the HTTP status, as in every problem.',
        'ok',
      ),
    ),
    ...members,
  }),
  'Status',
  'How the service does.',
);

/** `/status` while it is halted. */
export const haltedStatus: z.ZodType<object> = mergedProblem(
  {
    ...members,
    state: about(
      z.literal('halted'),
      'The record cannot be read, every index is late by the limit of the operator, no class of the Terminal has a good tick of now, or its receipts are no longer made.',
      'halted',
    ),
    reasons: about(z.array(z.string()), 'Why, each in a sentence.', [
      'No head of the log is published yet.',
    ]),
  },
  'HaltedStatus',
  'The status of a halted service: a problem (`status` is the HTTP status) with the members of the status beside it; the state is in `state`.',
);
