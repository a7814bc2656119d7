import { z } from 'zod';
import { ASSET_CLASSES } from '@assay/core/terminal/tick/asset-symbol';
import { about, hashText, timeText } from './field.ts';

/** The `data` of an entry in the stream. */
export const eventData: z.ZodType<object> = z.looseObject({
  seq: about(z.int().min(0), 'The number of the entry.', 1866),
  leaf_hash: about(hashText, 'Its leaf hash (RFC 6962), in hex.', '9c'.repeat(32)),
  kind: about(z.string(), 'The kind of the entry, with its version.', 'report/1'),
  at: about(timeText, 'The time that the entry claims, UTC.', '2026-11-20T13:30:05Z'),
  ticker: about(z.string().nullable(), 'The index that it is about, or null.', 'LAYOFFS'),
  symbol: about(z.string().nullable(), 'The asset that it is about, or null.', null),
  entry: about(
    z.string(),
    'The exact bytes of the entry as text.',
    '{"at":"2026-11-20T13:30:05Z"}',
  ),
});

/** The `data` of an event that moves the place from which a client comes back. */
export const positionData: z.ZodType<object> = z.looseObject({
  size: about(z.int().min(1), 'The size of the published log.', 1867),
});

/** The `data` of live scores in the stream. */
export const tickData: z.ZodType<object> = z.looseObject({
  class: about(z.enum(ASSET_CLASSES), 'The class of the assets.', 'crypto'),
  ts: about(timeText, 'The time of the tick, UTC.', '2026-11-20T13:30:00Z'),
  scores: about(
    z.record(z.string(), z.int().min(0).max(100).nullable()),
    'The activity score of each asset by its symbol; null where it has none.',
    { SOL: 41 },
  ),
});
