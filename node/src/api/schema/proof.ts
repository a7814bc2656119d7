import { z } from 'zod';
import { CALENDAR_STATES } from '@assay/core/kind/anchor';
import type { BlockPayload, ProofPayload } from '@assay/core/answer/proof';
import { STAMPED } from '@assay/core/view/stamp';
import { about, dateText, hashText, named, type Plain, timeText } from './field.ts';

/** Where a proof's file is, from the service's address on. */
export const proofPath: z.ZodString = z.string().regex(/^\/proof\/[0-9a-f]{64}\?format=ots$/);

export const PROOF_URL_EXAMPLE =
  '/proof/7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752?format=ots';

export const block: z.ZodType<BlockPayload> = named(
  z.looseObject({
    height: about(z.int().min(0), 'Its height.', 963412),
    hash: about(
      hashText,
      'Its id as block explorers show it.',
      '00000000000000000001b4b7a2c7f1d3e5a9c8b6d4f2e0a1c3b5d7f9e1a3c5b7',
    ),
    time: about(
      timeText,
      'What the miner put as its time, UTC: true to about two hours.',
      '2026-07-30T16:12:41Z',
    ),
  }),
  'Block',
  'A Bitcoin block; on the development network a block of the development chain, which proves nothing.',
);

export const calendars: z.ZodType<ProofPayload['calendars']> = z.array(
  z.looseObject({
    uri: about(
      z.string(),
      'The address of the calendar, as its attestation has it.',
      'https://alice.btc.calendar.opentimestamps.org',
    ),
    state: about(
      z.enum(CALENDAR_STATES),
      '`pending`: it holds the tip and has given no block yet. `attested`: its block is known. `expired`: it has shown no block for long, and is asked rarely.',
      'attested',
    ),
  }),
);

export const BATCH_STATES: readonly ['pending', 'attested'] = ['pending', 'attested'];
export const STATE_WORDS =
  '`pending`: calendars hold it, and no Bitcoin block is known yet. `attested`: a block holds it, and six more lie on top of that one.';

export const proof: z.ZodType<Plain<ProofPayload>> = named(
  z.looseObject({
    digest: about(
      hashText,
      'What is stamped: the hash of a report, the content hash of a Close, the SHA-256 of the canonical body of an event or a receipt, or that of the three lines of a checkpoint.',
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    stamps: about(
      z.looseObject({
        of: about(z.enum(STAMPED), 'What the digest is of.', 'report'),
        seq: about(
          z.int().nullable(),
          'The entry of the log that holds the record; null for a checkpoint.',
          61,
        ),
        size: about(
          z.int().nullable(),
          'The entries that the checkpoint covers; null for a record.',
          null,
        ),
        recorded_at: about(
          timeText.nullable(),
          'When that entry says that it was written, UTC: compare it with `stamped_at`. Null for a checkpoint.',
          '2026-07-30T14:30:05Z',
        ),
      }),
      'The record that the digest is of.',
    ),
    state: about(z.enum(BATCH_STATES), STATE_WORDS, 'attested'),
    stamped_at: about(
      timeText,
      'When its batch was made and sent to the calendars that took it, UTC, by the clock of the publisher. What Bitcoin proves is `before`.',
      '2026-07-30T14:40:03Z',
    ),
    bitcoin_height: about(
      z.int().nullable(),
      'Height of the lowest block that holds it; null while pending.',
      963412,
    ),
    before: about(
      block.nullable(),
      'That block: the digest was there before it was mined. Null while pending.',
    ),
    after: about(
      block.nullable(),
      'The newest block that the log names before the record: in the order of the log it came after that block was mined. The hash of a report holds this block itself (`after` in the report). Null where the log names none.',
    ),
    calendars: about(calendars, 'Who holds the tip of its batch, by address.'),
    batch: about(z.int().min(0), 'Its batch: /anchors lists them.', 12),
    anchor_seq: about(z.int(), 'The entry of the log that says all this of the batch.', 83),
    proof_url: about(
      proofPath,
      "The `.ots` file, from the service's address on.",
      PROOF_URL_EXAMPLE,
    ),
  }),
  'Proof',
  'What stamps a digest in Bitcoin by OpenTimestamps, and how far it is.',
);

/** What a period shows of its proof. */
export const periodProof: {
  readonly proof_day: z.ZodType<string | null>;
  readonly bitcoin_height: z.ZodType<number | null>;
  readonly proof_url: z.ZodType<string | null>;
} = {
  proof_day: about(
    dateText.nullable(),
    'The day (UTC) on which the report that settles (before a final the newest) was stamped; null until it is.',
    '2026-07-09',
  ),
  bitcoin_height: about(
    z.int().nullable(),
    'Height of the Bitcoin block that holds that stamp; null until it is known.',
    963412,
  ),
  proof_url: about(
    proofPath.nullable(),
    "The `.ots` file of that report's hash, from the service's address on; null until it is stamped.",
    PROOF_URL_EXAMPLE,
  ),
};
