import { z } from 'zod';
import type { StatementEntry } from '@assay/core/kind/statement-entry';
import { STATUSES } from '@assay/core/report/report';
import { COSIGNER, quorum, statement } from './cosign.ts';
import { about, dateText, hashText, hexText, named, type Plain, timeText } from './field.ts';

/** What follows from the log in an answer that does not. */
function folded<T extends z.ZodType>(shape: T, description: string): T {
  return shape.meta({ description, 'x-assay-basis': 'folded' }) as T;
}

const LEAF = '6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e6e';
const SIGNATURE =
  'da053dc26d404236f44c27993d8a2ba3f9090adfeb85025532d131ec4a1ad0d015a32c18a69eecec13c49d7c57d019ebb8d59bcbf7d2919db3216ca94f62a407';
const PRINT_SIGNATURE =
  '0b2a12196a8cbc0e32ad36e85a66f2f3b4a6fcc646e60d568f00bc6cb7b0519fe853b7cb0ef8344c748ba21c65ef914916fa77d5e9c97f5c2c62d7a7a7c0650b';

export const word: z.ZodType<Plain<StatementEntry>> = named(
  z.looseObject({
    statement: folded(statement, 'What it says.'),
    signature: about(hexText(64), "The co-signer's, over the statement, hex.", SIGNATURE),
    print_signature: about(
      hexText(64).nullable(),
      'Of an agreement: over the 128 bytes of `print`, hex. Null for any other statement.',
      PRINT_SIGNATURE,
    ),
    dissent_signature: about(
      hexText(64).nullable(),
      'Of a dissent: over the same bytes with the magic `assayDS1`, hex. Null for any other statement.',
      null,
    ),
  }),
  'Word',
  "A co-signer's word on a report: the body of a `statement/1` entry of its own log.",
);

const quorumNow = folded(quorum, 'How far the recount of the report is.');

export const received: z.ZodType<object> = named(
  z.looseObject({
    state: about(
      z.enum(['recorded', 'known', 'unpublished', 'noted']),
      '`recorded`: it is in the log. `known`: it was. `unpublished`: it is committed, and no checkpoint that is shown holds it yet; send it again for the proof. `noted`: an abstention, for which the log has no place.',
      'recorded',
    ),
    entry: about(
      z
        .looseObject({
          seq: about(z.int(), 'Its place.', 63),
          leaf: about(hashText.nullable(), 'Its leaf hash; null while it is unpublished.', LEAF),
        })
        .nullable(),
      'The entry of the log that holds the statement; null for an abstention.',
    ),
    quorum: quorumNow,
    proof: about(
      z.string().nullable(),
      'A C2SP tlog-proof@v1 that the entry is in a published checkpoint: keep it. Null while there is none.',
      'c2sp.org/tlog-proof@v1\nindex 63\nbm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm5ubm4=\n\nexample.org/assay\n64\nGg4XcYrJpsz9Ks2lRG6H9fb4lzGSzzK0xWdNRXlQvCg=\n\n— example.org/assay bMs78hWpGk2O8vYJmXH1KxqZ0sJtV3r9dN7cLwA4eUfTyBiPoQ==\n',
    ),
  }),
  'Received',
  'What became of a statement.',
);

export const statementsAnswer: z.ZodType<object> = named(
  z.looseObject({
    report: about(hashText, "The report's hash.", LEAF),
    seq: about(z.int(), 'The entry of the log that holds it.', 61),
    ticker: about(z.string(), 'The index, in capitals.', 'LAYOFFS'),
    period: about(dateText, 'The date that names the period.', '2026-07-25'),
    status: about(z.enum(STATUSES), 'The status of the report.', 'final'),
    quorum: quorumNow,
    words: about(
      z.array(
        z.looseObject({
          name: about(
            z.string().nullable(),
            "The operator's name in the report's set of co-signers; null for a key that is not in it.",
            'recounter-1',
          ),
          seq: about(z.int(), 'The entry that holds it.', 63),
          at: about(timeText, 'When that entry says it was written, UTC.', '2026-07-30T14:31:06Z'),
          word: about(word, 'The statement, as it was signed.'),
        }),
      ),
      'Agreements and dissents in the log, oldest first.',
    ),
    abstentions: about(
      z.array(
        z.looseObject({
          name: about(z.string(), "The operator's name in the set.", 'recounter-2'),
          key: about(hexText(32), 'Its key, hex.', COSIGNER),
          reason: about(z.string(), 'A code for the reason.', 'unread'),
        }),
      ),
      'Co-signers that have abstained at this service since its start.',
    ),
  }),
  'Statements',
  'The co-signers’ statements on one report.',
);
