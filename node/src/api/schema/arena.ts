import { z } from 'zod';
import { ROUND_STATES } from '@assay/core/answer/arena-round';
import { nextCursor } from './page.ts';
import { about, dateText, hashText, hexText, named, timeText } from './field.ts';

/** What pages in docs/spec describe. */
const body = z.record(z.string(), z.unknown());
const handleId = hexText(16);
const HANDLE_EXAMPLE = '6f1d9a0be24c5d7788aa01f3c2b4d5e6';

/** The arena number, or that there is none yet. */
const arenaNumber = about(
  z.looseObject({
    value: about(z.number().nullable(), 'The number; null where nobody counts in it.', 231_000),
    n: about(z.int(), 'How many forecasts it is made of.', 7),
  }),
  'The arena number, which is not official. Null while the round is open, and until its forecasts have been opened.',
);

/** A question of the Arena, as the lists have it. */
export const arenaQuestion: z.ZodType<object> = named(
  z.looseObject({
    id: about(z.string(), 'The id of the round.', 'layoffs-2026-11-21'),
    ticker: about(z.string(), 'The index, in capitals.', 'LAYOFFS'),
    slug: about(z.string(), 'The index, as paths have it.', 'layoffs'),
    name: about(z.string(), 'The name of the index.', 'Initial jobless claims'),
    statement: about(
      z.string(),
      'What is asked.',
      'What will LAYOFFS be for 2026-11-21, as first published?',
    ),
    unit: about(z.string(), 'The unit of the number.', 'claims'),
    format: about(
      z.enum(['count', 'usd', 'percent']),
      'How the number is written. `percent` is an addition to the list of formats.',
      'count',
    ),
    decimals: about(z.int(), 'Decimals of the number; a forecast may have no more.', 0),
    step: about(
      z.int(),
      'Days from one period to the next: 1, 7, or 30, which stands for a month.',
      7,
    ),
    period: about(dateText, 'The period that is forecast.', '2026-11-21'),
    ref_period: about(dateText, 'The period of the reference.', '2026-11-14'),
    ref_value: about(z.number(), 'The number of that period, as first published.', 229_000),
    opens_at: about(timeText, 'When the round opened.', '2026-11-23T12:30:00Z'),
    closes_at: about(
      timeText,
      'When the last forecast may come: before the number can be known.',
      '2026-11-26T12:30:00Z',
    ),
    drand_round: about(z.int(), 'The round of drand that opens sealed forecasts.', 34_219_877),
    opens_forecasts_at: about(
      timeText,
      'When that round is out, and the forecasts can be read.',
      '2026-11-26T12:40:00Z',
    ),
    state: about(
      z.enum(ROUND_STATES),
      '`closed` from `closes_at` on, `graded` once the number has been printed or the round is void.',
      'open',
    ),
    forecasts: about(z.int(), 'How many handles have a forecast here.', 12),
    arena: arenaNumber.nullable(),
    print: about(
      z.number().nullable(),
      'The number by which forecasts were graded; null before, and of a void round.',
      231_000,
    ),
    void_reason: about(
      z.string().nullable(),
      'Why the round is void; null where it is not.',
      'unwitnessed',
    ),
    house: about(
      z.array(
        z.looseObject({
          handle: about(z.string(), 'The name of the forecaster.', 'house-last'),
          value: about(z.number(), 'What it expects.', 229_000),
        }),
      ),
      'What the two forecasters of the operator expect, by a published formula.',
    ),
    url: about(
      z.string(),
      'Where everything about the round is.',
      '/v1/arena/rounds/layoffs-2026-11-21',
    ),
  }),
  'ArenaQuestion',
  'A round of the Arena: forecasts of one period of an index.',
);

/** What the log shows of a handle's forecasts. */
export const arenaStanding: z.ZodType<object> = named(
  z.looseObject({
    handle: about(z.string(), 'The name; the id where the name was forgotten.', 'ada'),
    handle_id: about(handleId, 'The id that entries of the log hold.', HANDLE_EXAMPLE),
    graded: about(z.int(), 'How many forecasts were graded.', 14),
    mean_points: about(z.number(), 'Points for each graded forecast, two decimals.', 88.21),
    total_points: about(z.int(), 'All points.', 1235),
    streak: about(z.int(), 'Graded forecasts in a row with 50 points or more, up to now.', 4),
    best_streak: about(z.int(), 'The longest such row.', 9),
    ranked: about(z.boolean(), 'Whether there are enough graded forecasts for a rank.', true),
    skill: about(
      z.number(),
      'Points above those of the last value, drawn towards 0 where there are few forecasts. The order is by it.',
      3.4167,
    ),
    secured_by: about(
      z.enum(['key', 'secret', 'house']),
      '`key`: nobody but its holder can forecast for it. `secret`: that rests on the word of the operator. `house`: the operator forecasts, by a published formula.',
      'key',
    ),
  }),
  'ArenaStanding',
  'A handle among the others.',
);

export const arenaAnswer: z.ZodType<object> = named(
  z.looseObject({
    generated_at: about(timeText, 'When the answer was made.', '2026-11-23T12:31:00Z'),
    rules: z.looseObject({
      points: about(
        z.string(),
        'How points are computed.',
        'round(100 × max(0, 1 − absolute percent error ÷ 25%)), graded on the number as first published',
      ),
      ranked_from: about(z.int(), 'Graded forecasts from which on a handle is ranked.', 3),
      arena_number: about(
        z.string(),
        'What the arena number is.',
        'Arena, not official: the points-weighted mean of the 10 best ranked handles that answered, frozen at the close.',
      ),
      submit: about(z.string(), 'How a forecast is made.', 'POST /v1/arena/forecast'),
      caveats: about(
        z.string(),
        'What sealing does not protect from.',
        'If drand stops, the round is void.',
      ),
      rule: about(
        hashText.nullable(),
        'Hash of the arena rule in force; null where the log has none.',
        'f1df0d80f1fd1a0c1f87aa3f1bd3a4ddea11a1b8d7a97a43a9b0fbb0f0b2a7c5',
      ),
    }),
    open: about(z.array(arenaQuestion), 'Rounds that take forecasts, the first to close first.'),
    recent: about(z.array(arenaQuestion), 'Rounds that have closed, the last to close first.'),
    voided: about(
      z.array(
        z.looseObject({
          ticker: about(z.string(), 'The index.', 'LAYOFFS'),
          rounds: about(z.int(), 'Rounds that were graded or voided.', 14),
          voided: about(z.int(), 'Those that were voided.', 1),
        }),
      ),
      'By index, how many rounds were graded or voided, and how many of them were voided.',
    ),
    standings: about(z.array(arenaStanding), 'Handles with graded forecasts, the best first.'),
  }),
  'Arena',
  'What can be forecast, what was, and who forecasts well. Nothing here is official.',
);

export const arenaHandleAnswer: z.ZodType<object> = named(
  z.looseObject({
    handle: about(z.string(), 'The name.', 'ada'),
    handle_id: about(handleId, 'The id that entries of the log hold.', HANDLE_EXAMPLE),
    salt: about(
      hexText(32).nullable(),
      'What the id was made of beside the name; null for a handle with a key.',
      '5a'.repeat(32),
    ),
    key: about(hexText(32).nullable(), 'The key of the handle, if it has one.', '7c'.repeat(32)),
    standing: arenaStanding.nullable(),
  }),
  'ArenaHandle',
  'A handle, and the id under which the log has it.',
);

export const arenaRoundAnswer: z.ZodType<object> = named(
  z.looseObject({
    id: about(z.string(), 'The id of the round.', 'layoffs-2026-11-21'),
    log: about(hashText.nullable(), 'The id of the log.', '0'.repeat(64)),
    state: about(
      z.enum(ROUND_STATES),
      'What the log says: `closed` once it is frozen, `graded` once all grades are there.',
      'open',
    ),
    seq: about(z.int(), 'The entry of the round.', 1201),
    at: about(timeText, 'The time of that entry.', '2026-11-23T12:30:00Z'),
    round: about(body, 'The body of its `round/1` entry.', { id: 'layoffs-2026-11-21' }),
    rule: about(body.nullable(), 'The arena rule that the round names.', {
      type: 'assay-arena-rule/1',
    }),
    forecasts: about(z.int(), 'How many handles have a forecast.', 12),
    places: about(z.int(), 'How many forecasts there are, replaced ones included.', 15),
    freeze: about(
      body.nullable(),
      'The freeze, with the `seq`, `at` and `body` of its entry; null before it.',
      { seq: 1300 },
    ),
    unseal: about(
      body.nullable(),
      'What opened it, with the `seq`, `at` and `body` of its entry; null before it.',
      { seq: 1302 },
    ),
    grade: about(
      body.nullable(),
      'Its grades without the results, which are in the entries `seqs`; null before them.',
      { seqs: [1310] },
    ),
    forecast: about(
      body.optional(),
      'With `place`: the forecast of that place with its entry, its leaf, and its proof in the frozen root, which is null before the freeze.',
      {
        seq: 1205,
      },
    ),
  }),
  'ArenaRound',
  'Everything that the log states about a round.',
);

export const arenaRounds: z.ZodType<object> = named(
  z.looseObject({
    rounds: about(z.array(arenaQuestion), 'The rounds, those that close last first.'),
    next_cursor: nextCursor,
  }),
  'ArenaRounds',
  'A page of all rounds of the Arena.',
);
