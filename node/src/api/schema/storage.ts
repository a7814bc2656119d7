import { z } from 'zod';
import { DAMAGE_STATES, STORED_PARTS } from '../../scrub/damage-log.ts';
import { about, timeText } from './field.ts';

const damage = z.looseObject({
  part: about(z.enum(STORED_PARTS), 'What it is.', 'blob'),
  name: about(
    z.string(),
    'Which: the number of an entry, level and index of a hash tile, table and key of a view row (`all` for all of them), the sha256 of a blob or of evidence, the commitment of an opening, class and day of tick openings, the path of a settlement file.',
    '3b7e0c0d5c1f4d0aa0a2a1a8a5b0b6de6f5cf42cc3e4dd4be3f0b6a2d7c0e911',
  ),
  copy_of: about(
    z.string().nullable(),
    "Whose log it is a copy of, where a recounter keeps it: `publisher` or an address. Null for the service's own data.",
    null,
  ),
  found_at: about(timeText, 'When it was found, UTC.', '2026-07-30T03:12:44Z'),
  state: about(
    z.enum(DAMAGE_STATES),
    '`damaged`, `missing`, or `repaired`: it was derived or fetched again, and is sound now.',
    'damaged',
  ),
});

const scrub = z.looseObject({
  stage: about(z.string().nullable(), 'What is gone over now; null between two rounds.', 'blobs'),
  share: about(z.number().min(0).max(1), 'How much of the round is done.', 0.42),
  began_at: about(
    timeText.nullable(),
    'When the round that is under way began, UTC; null between two rounds.',
    '2026-07-30T00:00:12Z',
  ),
  last_ended_at: about(
    timeText.nullable(),
    'When the last round that went over everything ended, UTC; null before the first.',
    '2026-07-29T21:36:05Z',
  ),
  rounds: about(z.int().min(0), 'Rounds that have ended since the start.', 3),
  bytes: about(z.int().min(0), 'Bytes that it has read since the start.', 734003200),
  round_s: about(z.number(), 'Seconds in which a round is to end.', 86400),
});

/** What is stored: what was found damaged, and how far the scrub is. */
export const storageMember: z.ZodType<object> = about(
  z.looseObject({
    damaged: about(z.int().min(0), 'Things that are damaged or missing now.', 0),
    repaired: about(z.int().min(0), 'How often something was repaired since the start.', 0),
    found: about(z.array(damage), 'The newest 20 of both, the newest last.', []),
    scrub: about(
      scrub.nullable(),
      'The background check of everything that is stored; null where the record cannot be read.',
    ),
  }),
  'What is stored: whether it is sound.',
);
