import { z } from 'zod';
import type { LatestPayload, OpenEventPayload } from '../../terminal/answer/board.ts';
import { deprecated, folded } from './basis.ts';
import { about, named, timeText } from './field.ts';
import { mergedProblem } from './problem.ts';
import { className, EVENT_ID_EXAMPLE, eventIdText, score, symbolText } from './terminal-event.ts';

const MOVE_WORDS =
  'The move over a day, percent with two decimals; null where there was no good tick a day before, and where `measured` is false.';
const MULTIPLE_WORDS =
  "Volume of the last 24 hours against the asset's own 30-day average, two decimals; null under 14 days of it, where the scored source gave no volume, and where `measured` of the reading is false.";

/** The members of a reading that the board and an asset share. */
const reading = {
  current: about(
    z.boolean(),
    'Whether the reading is of now: not half an hour old, or of less than half an hour before a pause that is not over for longer than its first tick takes, which over a closed market is 20 minutes after the next open.',
    true,
  ),
  score: folded(
    about(score.nullable(), 'Activity score, 0 to 100; null without enough history.', 42),
  ),
  heat: deprecated(folded(about(score.nullable(), 'Use `score`.', 42))),
  score_1h: folded(
    about(
      score.nullable(),
      'The score of the tick an hour before; null where it is not there.',
      38,
    ),
  ),
  heat_1h: deprecated(folded(about(score.nullable(), 'Use `score_1h`.', 38))),
  measured: about(
    z.boolean(),
    'Whether this service knows the move and the multiple of that tick: of the last 96 ticks that it made. Where it is false, as on a service that makes no ticks, both are null and say nothing of the asset.',
    true,
  ),
  move_24h: about(z.number().nullable(), MOVE_WORDS, 4.17),
  vol_mult: about(z.number().nullable(), MULTIPLE_WORDS, 2.31),
};

export const multipleField: z.ZodType<number | null> = about(
  z.number().nullable(),
  MULTIPLE_WORDS,
  2.31,
);

export const latest: z.ZodType<LatestPayload> = named(
  z.looseObject({
    ts: folded(about(timeText, 'The tick, UTC.', '2026-09-21T14:15:00Z')),
    ...reading,
  }),
  'LatestReading',
  'The newest good reading of an asset.',
);

export const openEvent: z.ZodType<OpenEventPayload> = named(
  z.looseObject({
    id: about(eventIdText, "The event's id.", EVENT_ID_EXAMPLE),
    opened_at: about(timeText, 'The tick that opened it, UTC.', '2026-09-21T14:15:00Z'),
    score_at_open: about(score, 'The score that opened it.', 72),
    peak_score: about(score, 'The highest score so far.', 81),
    peak_heat: deprecated(about(score, 'Use `peak_score`.', 81)),
    heat_at_open: deprecated(about(score, 'Use `peak_score`: it is the peak.', 81)),
  }),
  'OpenEvent',
  'An event that is open.',
);

const boardAsset: z.ZodType<object> = named(
  z.looseObject({
    symbol: folded(about(symbolText, 'The asset.', 'ETH')),
    name: folded(about(z.string(), 'Its name.', 'Ethereum')),
    class: folded(about(className, 'What kind of asset it is.', 'crypto')),
    ts: folded(
      about(
        timeText.nullable(),
        'Its newest good tick, UTC; null where it has had none in 30 days.',
        '2026-09-21T14:15:00Z',
      ),
    ),
    ...reading,
    open_event: folded(about(openEvent.nullable(), 'Its event that is open, if any.')),
  }),
  'BoardAsset',
  'An asset on the board.',
);

export const boardAnswer: z.ZodType<object> = named(
  z.looseObject({
    halted: about(z.literal(false), 'True in the problem that replaces it.', false),
    halted_classes: about(
      z.array(className),
      'Classes whose newest good tick is not of now: none of their assets is here.',
      ['stock'],
    ),
    assets: about(
      z.array(boardAsset),
      'Every listed asset of the other classes that is shown, the highest score first.',
    ),
  }),
  'Board',
  'The Terminal at this moment.',
);

export const haltedBoard: z.ZodType<object> = mergedProblem(
  {
    halted: about(
      z.literal(true),
      'No class has a good tick of now, or the record cannot be read.',
      true,
    ),
    halted_classes: about(
      z.array(className),
      'All classes of the Terminal; none where the record cannot be read.',
      ['crypto', 'stock'],
    ),
    assets: about(z.array(z.never()), 'None.', []),
  },
  'HaltedBoard',
  'The board of a halted service: a problem with the members of the board beside it.',
);
