import { CURSOR_TEXT } from '@assay/core/answer/page';
import { isDate } from '@assay/core/time/time';
import { z } from 'zod';
import type { AnswerHeader } from '../../http/operation.ts';
import { about } from '../schema/field.ts';

// What the lists that are read in pages have in common (docs/adr/0050).

type Text = z.ZodOptional<z.ZodString>;

export const cursorParameter: Text = about(
  z.string().regex(CURSOR_TEXT, 'not a cursor').optional(),
  'Where the page begins: `next_cursor` of the page before, as it is. Empty for the first page. Entries that are added meanwhile neither repeat a row nor hide one. The other parameters stay as they were; `Link` has them all.',
  '',
);

/** The first or the last day of what a list has. */
export function dayParameter(description: string): Text {
  const day = z
    .string()
    .refine((text) => isDate(text), 'not a date YYYY-MM-DD')
    .meta({ format: 'date' });
  return about(day.optional(), description, '2026-09-21');
}

export const symbolParameter: Text = about(
  z
    .string()
    .regex(/^[A-Za-z0-9]{1,16}$/, 'not the symbol of an asset')
    .optional(),
  'Only what is about this asset, in any case.',
  'ETH',
);

export const nextLink: AnswerHeader = {
  name: 'Link',
  description:
    'Where another page follows: its query as a reference to resolve against the address that was asked for (RFC 8288, RFC 3986), with `rel="next"`.',
  example: '<?limit=30&cursor=cmVjZWlwdHMgNDE>; rel="next"',
  always: false,
};
