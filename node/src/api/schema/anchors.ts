import { z } from 'zod';
import type { AnchorListPayload, AnchorPayload } from '@assay/core/answer/anchors';
import { about, hashText, hexText, named, timeText } from './field.ts';
import { BATCH_STATES, block, calendars, STATE_WORDS } from './proof.ts';

const anchor: z.ZodType<AnchorPayload> = named(
  z.looseObject({
    batch: about(z.int().min(0), 'Counts the batches of the log from 0.', 12),
    state: about(z.enum(BATCH_STATES), STATE_WORDS, 'attested'),
    from: about(z.int().min(0), 'The first entry that it holds.', 58),
    to: about(
      z.int().min(1),
      'The entry after its last one, and the size of the checkpoint that it holds.',
      82,
    ),
    root: about(
      hashText,
      'Root hash of the Merkle tree over the first `to` entries, hex.',
      '1a0e17718ac9a6ccfd2acda5446e87f5f6f8973192cf32b4c5674d457950bc28',
    ),
    checkpoint_digest: about(
      hashText,
      'SHA-256 of the three lines of that checkpoint: its proof is at `/proof/{digest}`.',
      'c0c4b1d6a0c3b5e1f7a9d2e4c6b8a0f1e3d5c7b9a1f3e5d7c9b1a3f5e7d9c1b3',
    ),
    stamps: about(z.int().min(1), 'Digests that it stamps, the checkpoint among them.', 5),
    tip: about(
      hashText,
      'Root of the tree over them: what the calendars were sent.',
      '3f1d5b7c9e0a2b4d6f8192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7',
    ),
    salt: about(
      hexText(32),
      'What the nonces of the tree are made of, hex.',
      '8f14e45fceea167a5a36dedd4bea2543c9f0f895fb98ab9159f51fd0297e236d',
    ),
    stamped_at: about(
      timeText,
      'When it was made and sent to the calendars that took it, UTC, by the clock of the publisher.',
      '2026-07-30T14:40:03Z',
    ),
    calendars: about(calendars, 'Who holds the tip, by address.'),
    bitcoin: about(
      z.array(block),
      'The blocks that hold it, ascending, each with six more on top; empty while pending.',
    ),
    proof: about(
      hashText,
      'SHA-256 of the timestamp over the tip, to be had at `/blob/{hash}`.',
      '9b74c9897bac770ffc029102a200c5de1b8e7b0a6d3f4c2e8a5b9d1f7c3e6a40',
    ),
    seq: about(z.int(), 'The newest entry of the log about the batch.', 83),
    issue: about(
      z.int().min(0),
      'Counts those entries: 0 when the calendars had taken it, and one more each time more was known.',
      1,
    ),
  }),
  'Anchor',
  'A batch of stamps: all that the log asked to be stamped in a range of its entries, and the checkpoint at the end of it.',
);

export const anchorList: z.ZodType<AnchorListPayload> = named(
  z.looseObject({
    batches: about(z.array(anchor), 'At most 30, newest first.'),
    next_before: about(
      z.int().nullable(),
      'What `before` has for the next page; null on the last one.',
      null,
    ),
  }),
  'AnchorList',
  'The batches of stamps, newest first.',
);
