import { z } from 'zod';
import { QUESTION_ID } from '@assay/core/answer/routes';
import { QUESTION_STATES } from '@assay/core/answer/referee/question';
import { BREADTHS, BUCKETS } from '@assay/core/kind/event-group';
import { SERVICE_BASES } from '@assay/core/kind/question';
import { ANSWERS } from '@assay/core/referee/answer-leaf';
import { nextCursor } from './page.ts';
import { about, hashText, hexText, named, timeText } from './field.ts';
import { submissionReceipt } from './submission-receipt.ts';
import { eventIdText, EVENT_ID_EXAMPLE, score, symbolText } from './terminal-event.ts';

const HASH = '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752';

/** A question's id: a UUID, version 8. */
export const questionIdText: z.ZodString = z
  .string()
  .regex(QUESTION_ID, 'not the id of a question')
  .meta({ format: 'uuid' });

export const QUESTION_ID_EXAMPLE = 'd7d39887-3885-8360-a0be-f81a5cf45c30';

const percent = z.int().min(0).max(100);
const fraction = z.string().regex(/^(0|-?[1-9]\d*)\/[1-9]\d*$/);
const decimal = z.string().regex(/^-?\d+\.\d+$/);

const recordProof = named(
  z.looseObject({
    digest: about(
      hashText,
      "SHA-256 of the canonical body of the record's entry: what is stamped.",
      HASH,
    ),
    stamped_at: about(
      timeText.nullable(),
      'When its batch was sent to the calendars that took it, UTC; null while it waits for a batch.',
      '2026-09-21T14:30:03Z',
    ),
    bitcoin_height: about(
      z.int().nullable(),
      'Height of the Bitcoin block that holds it; null while no block is known.',
      963412,
    ),
    proof_url: about(
      z.string().nullable(),
      "The OpenTimestamps proof, from the service's address on; null while it waits for a batch.",
      `/proof/${HASH}?format=ots`,
    ),
  }),
  'RecordProof',
  'How far the stamp of a record of the Referee is.',
);

const nulls = z.looseObject({
  persistence: about(percent, 'The score stays above the threshold: always 100.', 100),
  always_under: about(percent, 'The score falls below the threshold: always 0.', 0),
  climatology: about(percent, 'The share of yes among the outcomes before; 50 without one.', 38),
});

const service = z.looseObject({
  p: about(percent, "The service's answer, whole percent of yes.", 42),
  basis: about(
    z.enum(SERVICE_BASES),
    'Which earlier outcomes it is the share of: those of the group, all, or none.',
    'group',
  ),
  group: about(
    z.looseObject({ bucket: z.enum(BUCKETS), breadth: z.enum(BREADTHS) }).nullable(),
    'The group of the event; null where it has none.',
    { bucket: 'up_15', breadth: 'some' },
  ),
  yes: about(z.int(), 'How many of those outcomes are yes.', 10),
  of: about(z.int(), 'How many they are.', 24),
});

const crowd = z.looseObject({
  count: about(z.int(), 'The number of answers.', 3),
  yes: about(z.int(), 'Of these, yes.', 2),
  no: about(z.int(), 'Of these, no.', 1),
  p: about(fraction.nullable(), 'The share of yes as a fraction; null without an answer.', '2/3'),
  root: about(hashText, 'RFC 6962 root over the leaves of the answers.', HASH),
  openings_url: about(
    z.string().nullable(),
    "What opens every leaf, from the service's address on; null without an answer.",
    `/blob/${HASH}`,
  ),
});

const scores = z.looseObject({
  service: about(fraction, "Brier score of the service's answer, exact.", '841/2500'),
  persistence: about(fraction, 'Of the persistence null.', '0/1'),
  always_under: about(fraction, 'Of the always-under null.', '1/1'),
  climatology: about(fraction, 'Of the climatology null.', '961/2500'),
  crowd: about(fraction.nullable(), "Of the crowd's share; null where nobody answered.", '1/9'),
});

const members = {
  id: about(questionIdText, "The question's id.", QUESTION_ID_EXAMPLE),
  event_id: about(eventIdText, 'The event that it is about.', EVENT_ID_EXAMPLE),
  symbol: about(symbolText, 'The asset.', 'SOL'),
  name: about(z.string(), "The asset's name.", 'Solana'),
  question: about(
    z.string(),
    'The question as a sentence.',
    'Will the Activity score of SOL be 40 or more at its first good tick from 2026-03-02T00:00:00Z on?',
  ),
  state: about(
    z.enum(QUESTION_STATES),
    '`open` until the log has its answers opened; `closed` until it has an outcome; `resolved`: it has one, or is void.',
    'resolved',
  ),
  opened_at: about(timeText, 'When the event opened, UTC.', '2026-03-01T00:00:00Z'),
  closes_at: about(timeText, 'Answers are taken before this time, UTC.', '2026-03-01T04:00:00Z'),
  resolves_at: about(
    timeText,
    'A tick at this time or later decides, UTC.',
    '2026-03-02T00:00:00Z',
  ),
  threshold: about(score, 'The score from which on the outcome is yes.', 40),
  tolerance_s: about(z.int(), 'Seconds in which a tick can decide; void without one.', 3600),
  rule: about(hashText, 'Hash of the arena rule.', HASH),
  score_rule: about(hashText, 'Hash of the score rule of the event.', HASH),
  nulls: about(
    nulls,
    'Forecasts that need no knowledge of the event, whole percent of yes, frozen when the question was made.',
  ),
  service: about(service, "The service's own answer, frozen when the question was made."),
  answers: about(z.int(), 'How many answers the log has.', 3),
  crowd: about(crowd.nullable(), 'What the answers were; null until they close.'),
  outcome: about(
    z.enum(['yes', 'no']).nullable(),
    'Null until it is resolved, and of a void.',
    'yes',
  ),
  void: about(z.boolean(), 'Whether no tick could decide it.', false),
  score: about(score.nullable(), 'The score that decided; null without one.', 55),
  resolved_at: about(
    timeText.nullable(),
    'The tick that decided, UTC; null without one.',
    '2026-03-02T00:00:00Z',
  ),
  scores: about(scores.nullable(), 'Brier scores as exact fractions; null without an outcome.'),
  proof: about(recordProof, 'The stamp of the question as it was asked.'),
};

export const question: z.ZodType<object> = named(
  z.looseObject(members),
  'Question',
  'A question on an event, with its nulls, the answer of the service, and what became of it.',
);

export const questionDetail: z.ZodType<object> = named(
  z.looseObject({
    ...members,
    canonical_json: about(
      z.string(),
      'The canonical JSON of the question as its entry holds it.',
      '{"closes_at":"2026-03-01T04:00:00Z"}',
    ),
    digest_sha256: about(hashText, 'SHA-256 of `canonical_json`: what is stamped.', HASH),
    proofs: about(
      z.looseObject({
        question: recordProof,
        answers: about(recordProof.nullable(), 'Of the batch of answers; null until they close.'),
        outcome: about(recordProof.nullable(), 'Of the outcome; null until there is one.'),
      }),
      'The stamps of its records.',
    ),
  }),
  'QuestionDetail',
  'A question with the bytes that are stamped, and its proofs.',
);

const byNull = (each: z.ZodType): z.ZodType =>
  z.looseObject({ persistence: each, always_under: each, climatology: each });

export const questionsAnswer: z.ZodType<object> = named(
  z.looseObject({
    questions: about(z.array(question), 'Questions, those of the newest events first.'),
    scores: about(
      z.looseObject({
        resolved: about(z.int(), 'Questions that came out yes or no.', 120),
        void: about(z.int(), 'Questions that no tick decided.', 2),
        service: about(fraction.nullable(), 'Mean Brier score of the service, exact.', '31/150'),
        nulls: about(byNull(fraction).nullable(), 'Mean Brier scores of the nulls, exact.', {
          persistence: '3/5',
          always_under: '2/5',
          climatology: '6/25',
        }),
        skill: about(
          byNull(decimal.nullable()).nullable(),
          '1 minus the mean of the service over that of the null, four decimals; null where the null has 0.',
          { persistence: '0.6556', always_under: '0.4833', climatology: '0.1389' },
        ),
        crowd: about(
          z.looseObject({ n: z.int(), mean: decimal }).nullable(),
          'Over the questions that somebody answered: how many, and the mean Brier score of the share of yes, six decimals.',
          { n: 80, mean: '0.198333' },
        ),
      }),
      'Scores over every resolved question of the log.',
    ),
    calibration: about(
      z.array(
        z.looseObject({
          from: about(percent, 'The bin begins with this answer, percent.', 40),
          to: about(percent, 'It ends before this one; the last bin has 100.', 50),
          n: about(z.int(), 'Resolved questions; void ones do not count.', 31),
          yes: about(z.int(), 'Of these, yes.', 13),
          mean_p: about(decimal.nullable(), 'The mean answer, percent.', '44.19'),
          yes_share: about(decimal.nullable(), 'The share of yes.', '0.4194'),
          wilson: about(
            z.looseObject({ low: decimal, high: decimal }).nullable(),
            'The 95 % interval of that share (Wilson).',
            { low: '0.2642', high: '0.5923' },
          ),
        }),
      ),
      "Ten bins of the service's answers over every resolved question.",
    ),
    next_cursor: nextCursor,
  }),
  'Questions',
  'Questions, and how good the answers to the resolved ones were.',
);

export const answerBody: z.ZodType<object> = named(
  z.strictObject({
    answer: about(z.enum(ANSWERS), 'Whether the score will be at the threshold or above.', 'yes'),
    nonce: about(
      hexText(32),
      '32 random bytes of your own, hex. Keep them: with the same nonce the receipt is given again.',
      '3c'.repeat(32),
    ),
  }),
  'Answer',
  'An answer to a question.',
);

export const answered: z.ZodType<object> = named(
  z.looseObject({
    recorded: about(z.literal(true).optional(), 'The answer is in the log.', true),
    already_answered: about(
      z.literal(true).optional(),
      'The caller has answered before: the first answer counts, and is not repeated here.',
      true,
    ),
    receipt: submissionReceipt.optional(),
    salt: about(
      hexText(32).optional(),
      'With it, the nonce and your answer you make the leaf yourself.',
      '4d'.repeat(32),
    ),
  }),
  'Answered',
  'What became of an answer. The receipt and the salt are given to whoever knows the nonce.',
);
