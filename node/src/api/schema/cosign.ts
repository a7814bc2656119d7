import { z } from 'zod';
import type { CosignPayload } from '@assay/core/answer/cosign';
import type { Quorum } from '@assay/core/round/quorum';
import { STATUSES } from '@assay/core/report/report';
import { BASES, type Statement, VERDICTS } from '@assay/core/report/statement';
import { about, hashText, hexText, integerText, named, type Plain, timeText } from './field.ts';
import { read } from './read.ts';

/** A co-signer's key and a set's hash, for examples. */
export const COSIGNER = '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c';
export const COSIGNER_SET = '76b6a4396b5d39607fc8cc2cd777737686f31a11dda942f2f9a48681fa628881';

const recounted = {
  value: about(
    integerText.nullable(),
    'Scaled as in the report; null where there is none.',
    '218000',
  ),
  status: about(z.enum(STATUSES), 'What the rule makes of it.', 'final'),
};

export const statement: z.ZodType<Plain<Statement>> = named(
  z.looseObject({
    type: about(z.literal('assay-statement/1'), 'The format.', 'assay-statement/1'),
    log: about(
      hashText,
      'Id of the log.',
      '1182688fa3e1448a8a7e06c386a7ce3adebe5333b87f0214254ab510d13f5483',
    ),
    report: about(
      hashText,
      "The report's hash.",
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    print: about(
      hexText(128),
      'Its print message, hex.',
      '6173736179505231ef704e58c49891c5ee01890de1b0b101e26e5c29c1a575aedeedf3449c6755b477350a96382458fe504878fafa5c32aa852a0c64eb5d645a783ea96071256c8e7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc689882557529053030000000000e85f6b6a00000000b350000002000100',
    ),
    entry: about(
      z.looseObject({
        seq: about(z.int(), 'Its place.', 61),
        leaf: about(
          hashText,
          'Its leaf hash.',
          '6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e',
        ),
      }),
      'The entry of the log that holds the report.',
    ),
    head: about(
      z.looseObject({
        size: about(z.int(), 'Entries.', 62),
        root: about(
          hashText,
          'Root of the tree over them, hex.',
          '7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f',
        ),
      }),
      'A checkpoint that holds the entry, as the co-signer saw it.',
    ),
    cosigner: about(hexText(32), "The co-signer's Ed25519 key, hex.", COSIGNER),
    set: about(hashText, 'Hash of the co-signer set that it speaks in.', COSIGNER_SET),
    verdict: about(
      z.enum(VERDICTS),
      '`agree`: its own read gives this number. `dissent`: it gives another. `abstain`: it cannot tell.',
      'agree',
    ),
    basis: about(
      z.enum(BASES),
      '`own_read`: it read the sources itself. `retained_bytes`: it ran the rule on the bytes that the log keeps.',
      'own_read',
    ),
    kept: about(
      z.looseObject(recounted).nullable(),
      'What the rule gives on the bytes that the log keeps; null where it was not run on them.',
    ),
    own: about(
      z.looseObject({ ...recounted, reads: about(z.array(read), 'What it read.') }).nullable(),
      'What its own read gives; null where it has none.',
    ),
    reason: about(
      z.string().nullable(),
      'A code for why it does not agree; null when it does.',
      null,
    ),
    after: about(
      z
        .looseObject({
          height: about(z.int(), 'Its height.', 912345),
          hash: about(
            hashText,
            'Its id as block explorers show it.',
            '00000000000000000000abababababababababababababababababababababab',
          ),
        })
        .nullable(),
      'The newest Bitcoin block that the co-signer knew.',
    ),
    signed_at: about(timeText, 'When it was signed, UTC.', '2026-07-30T14:31:05Z'),
  }),
  'Statement',
  'What one co-signer says of one report. Its canonical JSON (keys sorted, no spaces) behind `assay/statement/v1` and a zero byte is what is signed.',
);

export const cosign: z.ZodType<Plain<CosignPayload>> = named(
  z.looseObject({
    name: about(
      z.string().nullable(),
      "The operator's name in the co-signer set; null for a key that the report's set does not have.",
      'recounter-1',
    ),
    key: about(hexText(32), "The co-signer's Ed25519 key, hex.", COSIGNER),
    signature: about(
      hexText(64),
      'Over the 128 bytes of `print`, hex; of a dissent over the same bytes with the magic `assayDS1`.',
      '0b2a12196a8cbc0e32ad36e85a66f2f3b4a6fcc646e60d568f00bc6cb7b0519fe853b7cb0ef8344c748ba21c65ef914916fa77d5e9c97f5c2c62d7a7a7c0650b',
    ),
    statement: about(statement, 'What it says.'),
    statement_signature: about(
      hexText(64),
      'Over the statement, hex.',
      'da053dc26d404236f44c27993d8a2ba3f9090adfeb85025532d131ec4a1ad0d015a32c18a69eecec13c49d7c57d019ebb8d59bcbf7d2919db3216ca94f62a407',
    ),
    seq: about(z.int(), 'The entry of the log that holds it.', 63),
  }),
  'Cosignature',
  "One co-signer's word on a report.",
);

export const quorum: z.ZodType<Plain<Quorum>> = named(
  z.looseObject({
    required: about(z.int(), "How many of the report's co-signers a settlement needs.", 2),
    have: about(z.int(), 'How many of them have signed its print.', 2),
    reached_at: about(
      timeText.nullable(),
      'When the log had as many as are needed, UTC; null until then.',
      '2026-07-30T14:31:06Z',
    ),
  }),
  'Quorum',
  'How far the recount of a report is.',
);
