import { z } from 'zod';
import { about } from './field.ts';

/** The end of a page, in the lists that are read by a cursor. */
export const nextCursor: z.ZodNullable<z.ZodString> = about(
  z.string().nullable(),
  'The `cursor` of the page that follows; null where there is none now.',
  'cmVjZWlwdHMgNDE',
);
