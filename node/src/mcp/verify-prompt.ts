import { z } from 'zod';
import { INDEX_NAME } from '@assay/core/answer/routes';
import { isDate } from '@assay/core/time/time';
import { about } from '../api/schema/field.ts';
import type { Vouching } from './voucher.ts';

export const PROMPT_NAME = 'verify_a_number';
export const PROMPT_TITLE = 'Verify a number';
export const PROMPT_ABOUT =
  'How one published number is checked without trusting whoever publishes it.';

interface NumberArguments {
  readonly ticker: string;
  readonly period: string;
}

export const promptArguments: z.ZodType<NumberArguments> = z.object({
  ticker: about(
    z.string().regex(INDEX_NAME, 'not a ticker or slug'),
    'The ticker or the slug of the index.',
    'LAYOFFS',
  ),
  period: about(
    z.string().refine((text) => isDate(text), 'not a date YYYY-MM-DD'),
    'The date that names the period.',
    '2026-07-25',
  ),
});

/** What to do to verify a number of the service at `base`. */
export function promptText(
  { ticker, period }: NumberArguments,
  base: string,
  { by }: Vouching,
): string {
  const local =
    by === 'verifier'
      ? 'The member `verification` of its answer is the verdict of the verifier on this machine. Report `verdict`, and of the number `status`, `settleable` and `lacks`.'
      : 'The member `verification` of its answer says that nothing was verified: do not call the number verified.';
  return [
    `Check the number of the index ${ticker} for the period ${period}, published at ${base}.`,
    `1. Call the tool get_bundle with ticker ${ticker} and period ${period}. ${local}`,
    `2. To verify without these tools, run: assay bundle ${base} --index ${ticker} --period ${period} -o number.json, and then: assay verify number.json --key KEY --index ${ticker} --period ${period}. KEY is the verifier key of the log. It must come from somebody other than the server at ${base}.`,
    '3. Exit code 0 means that the number is proven under KEY. Any other outcome means that it is not. Say which it was, and never that a number is verified because the server says so.',
  ].join('\n');
}
