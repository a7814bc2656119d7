import { z } from 'zod';
import type { ClosePayload } from '@assay/core/answer/close';
import {
  about,
  dateText,
  decimalText,
  hashText,
  hexText,
  integerText,
  named,
  timeText,
} from './field.ts';
import { attestation } from './onchain.ts';
import { proof } from './proof.ts';

/** What a Close freezes. */
export const closeContent: z.ZodType<ClosePayload['content']> = z.looseObject({
  day: about(dateText, 'The day again.', '2026-07-30'),
  items: about(
    z.array(
      z.looseObject({
        ticker: about(z.string(), 'The index, in capitals.', 'LAYOFFS'),
        period: about(dateText, 'Its newest complete period.', '2026-07-25'),
        report: about(
          hashText,
          'SHA-256 of the newest report of that period.',
          '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
        ),
        value: about(
          integerText.nullable(),
          "The number as an integer scaled by ten to the power of the index's decimals; null when void or withheld.",
          '218000',
        ),
      }),
    ),
    'One for each index that has a complete period.',
  ),
  files: about(
    z.array(
      z.looseObject({
        path: about(z.string(), 'Where the mirror has it.', '2026-07-30/LAYOFFS.json'),
        sha256: about(
          hashText,
          'SHA-256 of its bytes.',
          '0b7c2f0b6a5d4c3e2f1a09b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d8',
        ),
      }),
    ),
    'The settlement files that were written with it.',
  ),
});

export const close: z.ZodType<ClosePayload> = named(
  z.looseObject({
    day: about(dateText, 'The day (UTC) that it freezes.', '2026-07-30'),
    version: about(
      z.int().min(0),
      'Counts the versions of the day: 0, and one more each time an error of the publisher was put right.',
      0,
    ),
    content_hash: about(
      hashText,
      "SHA-256 of the canonical JSON of `content` (keys sorted, no spaces): the proof's digest.",
      '5d6f1f6f1c3f0e8f9a7b2a4de14c01c7f9a0b9e0d7d1b6a3f2c4e5d60718293a',
    ),
    content: about(closeContent, 'What is frozen: hashed, and signed through its hash.'),
    indices: about(
      z.array(
        z.looseObject({
          ticker: about(z.string(), 'The index as addresses have it.', 'LAYOFFS'),
          period: about(dateText, 'Its newest complete period.', '2026-07-25'),
          value_decimal: about(
            decimalText.nullable(),
            "The number, exact, in the index's unit; null when void or withheld.",
            '218000',
          ),
          unit: about(z.string(), 'What one is one of.', 'claims'),
          withheld: about(
            z.boolean(),
            "Whether the source's terms keep the level out of what is published.",
            false,
          ),
          report_hash: about(
            hashText,
            'SHA-256 of the newest report of that period.',
            '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
          ),
        }),
      ),
      'The same items for people.',
    ),
    supersedes: about(
      hashText.nullable(),
      '`content_hash` of the version that this one replaces; null for the first.',
      null,
    ),
    message: about(
      hexText(76),
      'The 76 bytes that are signed, hex: log, day and content hash.',
      '00'.repeat(76),
    ),
    signature: about(
      hexText(64),
      "The publisher's Ed25519 signature over `message`, hex.",
      '363bfee144a436b736f66f7a16e6cadff304f91c52f96730030e04318acaf4e711d7abc56cf5e37b78a0bd2d0720acc269e1149cd261424e4e7d1eaac5fede01',
    ),
    public_key: about(
      hexText(32),
      'The key of that signature, hex. Trust it from the signer document that you pinned, not from here.',
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    ),
    seq: about(z.int(), 'The entry of the log that holds the Close.', 62),
    closed_at: about(timeText, 'When it was frozen, UTC.', '2026-07-31T00:00:05Z'),
    proof: about(
      proof.nullable(),
      'What stamps `content_hash` in Bitcoin; null until a batch holds it.',
    ),
    attestation: about(
      attestation.nullable(),
      'The on-chain account that holds `content_hash`; null until the chain has finalized it.',
    ),
  }),
  'Close',
  "The Close of a day: each index's newest complete period, frozen.",
);
