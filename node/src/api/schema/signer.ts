import { z } from 'zod';
import type { SignerPayload } from '@assay/core/answer/signer';
import { COSIGNER, COSIGNER_SET } from './cosign.ts';
import { about, hashText, hexText, named, timeText } from './field.ts';

export const signer: z.ZodType<SignerPayload> = named(
  z.looseObject({
    origin: about(
      z.string(),
      "The log's name in checkpoints. One that begins with `development/` may not be settled on.",
      'example.org/assay',
    ),
    network: about(z.enum(['development', 'production']), 'What the origin says.', 'production'),
    log_id: about(
      hashText,
      'Leaf hash of the first entry: names the log for good.',
      '1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483',
    ),
    report_key: about(
      z.looseObject({
        algorithm: about(z.literal('Ed25519'), 'The kind of key.', 'Ed25519'),
        public_key: about(
          hexText(32),
          'The key, hex.',
          'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
        ),
      }),
      'The report key in force: it signs what comes next.',
    ),
    checkpoint_vkey: about(
      z.string(),
      'Verifier key of the newest checkpoints, as a signed note names it (C2SP signed-note): what `assay verify --key` takes.',
      'example.org/assay+6ccb3bf2+ASeBF/wUTHI0D2fQ8jFug4bO/78rJCjJxR/vfFl/HUJu',
    ),
    next_report_key_sha256: about(
      hashText,
      'SHA-256 of the report key that comes next, promised with the one in force.',
      '39f713d0a644253f04529421b9f51b9b08979d08295959c4f3990ee617f5139f',
    ),
    recovery_key_sha256: about(
      hashText,
      'SHA-256 of a key kept offline, which replaces a key that was lost or stolen.',
      'dac073e0123bdea59dd9b3bda9cf6037f63aca82627d7abcd5c4ac29dd74003e',
    ),
    keys: about(
      z.array(
        z.looseObject({
          purpose: about(z.enum(['report', 'checkpoint']), 'What it signs.', 'report'),
          number: about(z.int(), 'Counts the keys of one purpose from 0.', 0),
          key: about(
            z.string(),
            'The key: hex; of the checkpoints as `checkpoint_vkey`.',
            'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
          ),
          from_seq: about(z.int(), 'The entry that brought it, 0 for the first.', 0),
          promised_by: about(
            z.int().optional(),
            'The entry that promised it: only of a checkpoint key after the first.',
            12,
          ),
          to_seq: about(z.int().nullable(), 'The entry that ended it; null in force.', null),
          revoked: about(z.boolean(), 'Whether it ended because it was in strange hands.', false),
        }),
      ),
      'Every key of the log. A report key signs the entries behind the one that brought it, up to the one that ended it. A checkpoint key signs the heads that cover the entry that brought it; at the end of one see `/closing-head/{number}`.',
    ),
    checkpoint_promise: about(
      z
        .looseObject({
          number: about(z.int(), 'The number of the checkpoint key that is promised.', 1),
          seq: about(z.int(), 'The entry that promises it.', 12),
        })
        .optional(),
      'The first checkpoint key that is to follow that of the genesis, from its promise until it comes.',
    ),
    policies: about(
      z.looseObject({
        cosigners_required: about(z.int(), 'Co-signatures that a settlement needs.', 0),
        witnesses_required: about(
          z.int(),
          'Witness co-signatures that a published checkpoint needs.',
          0,
        ),
        witness_max_age_s: about(z.int(), "Seconds after which a witness's word is stale.", 86400),
      }),
      'What was promised at the start.',
    ),
    chain: about(
      z.string().nullable(),
      'CAIP-2 id of the chain that holds the feed accounts; null without a feed.',
      null,
    ),
    program: about(
      z.string().nullable(),
      "The feed's program on that chain; null without one.",
      null,
    ),
    cosigner_sets: about(
      z.array(
        z.looseObject({
          number: about(z.int(), 'Counts the sets of the log from 0.', 0),
          hash: about(hashText, 'What reports name: SHA-256 of its canonical JSON.', COSIGNER_SET),
          effective_at: about(timeText, 'From when reports name it, UTC.', '2026-06-25T00:00:00Z'),
          threshold: about(z.int(), 'How many of its co-signers a settlement needs.', 2),
          cosigners: about(
            z.array(
              z.looseObject({
                name: about(z.string(), 'The operator.', 'recounter-1'),
                key: about(hexText(32), 'Its Ed25519 key, hex.', COSIGNER),
              }),
            ),
            'Who recounts.',
          ),
          seq: about(z.int(), 'The entry of the log that holds it.', 812),
        }),
      ),
      'Who recounts, oldest set first. A reader who settles brings a list of its own.',
    ),
    series: about(
      z.record(z.string(), hexText(32)),
      'The id of each index in signed prints, hex, by ticker.',
      { LAYOFFS: 'ef704e58c49891c5ee01890de1b0b101e26e5c29c1a575aedeedf3449c6755b4' },
    ),
  }),
  'Signer',
  'Who signs. All of it is in the log; a verifier pins it at the first visit, or has the key from elsewhere.',
);
