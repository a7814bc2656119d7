import { z } from 'zod';
import { HASH_TEXT } from '@assay/core/answer/routes';

/**
 * The shape with what a reader needs to know of it: what it means, its unit, and an example. Answers
 * are described loosely (`z.looseObject`): a member that is added must not break who reads them.
 */
export function about<T extends z.ZodType>(
  shape: T,
  description: string,
  ...examples: readonly z.input<T>[]
): T {
  return shape.meta(
    examples.length === 0 ? { description } : { description, examples: [...examples] },
  ) as T;
}

/** A shape with a name of its own in the document. */
export function named<T extends z.ZodType>(shape: T, id: string, description: string): T {
  return shape.meta({ id, description }) as T;
}

/** A type without its brands: what of it stands in JSON. */
export type Plain<T> = T extends string
  ? keyof T extends keyof string
    ? T
    : string
  : T extends object
    ? { readonly [K in keyof T]: Plain<T[K]> }
    : T;

/** `YYYY-MM-DD`. */
export const dateText: z.ZodString = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .meta({ format: 'date' });

/** `YYYY-MM-DDTHH:MM:SSZ`. */
export const timeText: z.ZodString = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
  .meta({ format: 'date-time' });

/** A SHA-256, 64 lower-case hex digits. */
export const hashText: z.ZodString = z.string().regex(HASH_TEXT, 'not 64 lower-case hex digits');

/** Lower-case hex of `length` bytes. */
export function hexText(length: number): z.ZodString {
  return z.string().regex(new RegExp(`^[0-9a-f]{${2 * length}}$`));
}

/** Base58: an address, a key or a signature of Solana. */
export const base58Text: z.ZodString = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,88}$/);

/** A plain decimal, exact. */
export const decimalText: z.ZodString = z.string().regex(/^-?\d+(\.\d+)?$/);

/** A whole number as text: scaled values may pass 2^53. */
export const integerText: z.ZodString = z.string().regex(/^(0|-?[1-9]\d*)$/);

/** A link to follow. */
export const linkText: z.ZodString = z
  .string()
  .regex(/^https?:\/\/\S+$/)
  .meta({ format: 'uri' });

/** The bounds of a whole number in a query, both inclusive, and what stands for it where it is not given. */
export interface NumberBounds {
  readonly from: number;
  readonly to: number;
  readonly usual?: number;
}

/**
 * A whole number in a query. Its text has one form (no sign, no leading zero) and is what a route gets; the document
 * calls it an integer, with its bounds and its default.
 */
export function wholeNumber(
  { from, to, usual }: NumberBounds,
  description: string,
  example: number,
  otherwise: string = `not a whole number from ${from} to ${to}`,
): z.ZodOptional<z.ZodString> {
  const isTaken = (text: string): boolean =>
    /^(0|[1-9][0-9]{0,14})$/.test(text) && Number(text) >= from && Number(text) <= to;
  return z
    .string()
    .refine(isTaken, otherwise)
    .optional()
    .meta({
      description,
      type: 'integer',
      minimum: from,
      maximum: to,
      ...(usual === undefined ? {} : { default: usual }),
      examples: [example],
    });
}
