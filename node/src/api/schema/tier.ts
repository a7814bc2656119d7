import { z } from 'zod';
import { STAMP_POINTS } from '@assay/core/answer/terminal/terminal-event';
import { deprecated } from './basis.ts';
import { about, dateText, hashText, named, timeText } from './field.ts';
import { datasetColumns } from './receipts.ts';
import { className, score, symbolText } from './terminal-event.ts';

const asset = {
  symbol: about(symbolText, 'Its symbol.', 'ETH'),
  name: about(z.string(), 'Its name.', 'Ethereum'),
  class: about(className, 'What kind of asset it is.', 'crypto'),
};

const market = {
  price: about(
    z.number().nullable(),
    'Its price; null where the tick was not good, and where `missing` says why.',
    4183.25,
  ),
  move_24h: about(
    z.number().nullable(),
    'Its move over a day, percent; null where it has none, or where a price of it is no longer stored, or may not be sold.',
    8.42,
  ),
  vol_24h: about(
    z.number().nullable(),
    'Its volume over a day; null as its price is, and where its source had none.',
    18_250_000_000,
  ),
};

/** Only in a sample. */
const isSample = about(
  z.literal(true).optional(),
  'Only in a sample: its figures are invented.',
  true,
);

const missing = about(
  z.array(
    z.looseObject({
      source: about(
        z.string().nullable(),
        'The source whose figures they are; null where the reason is none of a source.',
        'coingecko',
      ),
      class: about(
        className.optional(),
        'The kind of asset that the reason is about. Not there for `rights`.',
        'stock',
      ),
      fields: about(z.array(z.string()), 'What is null because of it.', [
        'price',
        'vol_24h',
        'move_24h',
      ]),
      reason: about(
        z.enum(['rights', 'not_watched', 'not_stored']),
        "`rights`: the source's terms do not allow that its figures are sold, nor a move from or to a price of it. `not_watched`: this service does not read the prices of the class. `not_stored`: what was read at some of the ticks is no longer stored.",
        'rights',
      ),
    }),
  ),
  'Figures that are left out of the answer, and why.',
);

export const scoreHistory: z.ZodType<object> = named(
  z.looseObject({
    asset: about(z.looseObject(asset), 'The asset.'),
    since: about(timeText, 'The first time that was asked for, UTC.', '2026-06-23T14:15:00Z'),
    points: about(
      z.array(
        z.looseObject({
          ts: about(timeText, 'The tick, UTC.', '2026-09-21T14:15:00Z'),
          score: about(score.nullable(), 'Its score; null where it has none.', 72),
          heat: deprecated(about(score.nullable(), 'Use `score`.', 72)),
          ...market,
        }),
      ),
      'Every stored tick, oldest first.',
    ),
    missing,
    sample: isSample,
  }),
  'ScoreHistory',
  'The stored ticks of an asset.',
);

export const pastBoard: z.ZodType<object> = named(
  z.looseObject({
    at: about(timeText, 'The time that was asked for, UTC.', '2026-09-21T14:20:00Z'),
    assets: about(
      z.array(
        z.looseObject({
          ...asset,
          ts: about(timeText, 'The tick of its newest reading then, UTC.', '2026-09-21T14:15:00Z'),
          score: about(score, 'Its score.', 72),
          heat: deprecated(about(score, 'Use `score`.', 72)),
          ...market,
        }),
      ),
      'Every displayed asset with a score in the two hours before, the highest score first.',
    ),
    missing,
    sample: isSample,
  }),
  'PastBoard',
  'The board as it was.',
);

const record = named(
  z.looseObject({
    canonical_json: about(z.string(), 'The canonical JSON that was hashed.', '{"symbol":"ETH"}'),
    digest: about(
      hashText,
      'Its SHA-256.',
      '7f998b4742166e6ce51f887ccb8493a67e777932b83b377af3ffc68988255752',
    ),
    bitcoin_height: about(
      z.int().nullable(),
      'Height of the Bitcoin block that holds it; null until it is known.',
      963412,
    ),
    ots: about(
      z.string().nullable(),
      'The OpenTimestamps proof, base64; null while it waits for a batch.',
      'AE9wZW5UaW1lc3RhbXBz',
    ),
  }),
  'StampedRecord',
  'A record with what stamps it.',
);

export const fullReceipts: z.ZodType<object> = named(
  z.looseObject({
    rows: about(
      z.array(
        z.looseObject({
          ...datasetColumns,
          ...Object.fromEntries(
            STAMP_POINTS.map((point) => [
              `record_${point}`,
              about(
                record.nullable(),
                point === 'open' ? 'The event as it was called.' : `Its receipt at ${point}.`,
              ),
            ]),
          ),
        }),
      ),
      'The rows of the dataset with their records.',
    ),
    next_offset: about(
      z.int().nullable(),
      'What `offset` has for the rows that follow; null where there are none.',
      null,
    ),
    halted: about(z.literal(false), 'True in the problem that replaces it.', false),
    since: about(dateText, 'The first day (UTC) of openings, as it was taken.', '2026-08-27'),
    sample: isSample,
  }),
  'FullReceipts',
  'Closed events as flat rows with the bytes that were hashed.',
);
