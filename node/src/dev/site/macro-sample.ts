import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { shiftPeriod } from '@assay/core/rule/period';
import { isDate, parseDate } from '@assay/core/time/time';
import { z } from 'zod';

/** One month of a series: the level as published, or null if it never was. */
export interface Month {
  /** Day number of its first day. */
  readonly period: number;
  readonly level: string | null;
}

/** A series as a release showed it. Its last month is that month's first print. */
export interface MacroVintage {
  /** Day number of the release. */
  readonly released: number;
  readonly months: readonly Month[];
}

export interface MacroSample {
  /** The publisher's name of the series. */
  readonly series: string;
  /** Oldest first. */
  readonly vintages: readonly MacroVintage[];
}

const schema = z.strictObject({
  about: z.string(),
  series: z.string().regex(/^[A-Z0-9]+$/),
  vintages: z
    .array(
      z.strictObject({
        as_of: z.string().refine(isDate),
        released: z.string().refine(isDate),
        first_month: z.string().refine((text) => isDate(text) && text.endsWith('-01')),
        values: z
          .array(
            z
              .string()
              .regex(/^[0-9]+(\.[0-9]+)?$/)
              .nullable(),
          )
          .min(1),
      }),
    )
    .min(1),
});

/** The typed-in vintages of a samples file. Throws `malformed`. */
export async function readMacroSample(path: string | URL): Promise<MacroSample> {
  const text = await readFile(path, 'utf8');
  try {
    const { series, vintages } = schema.parse(JSON.parse(text));
    return {
      series,
      vintages: vintages.map(({ released, first_month: first, values }) => ({
        released: parseDate(released),
        months: values.map((level, i) => ({
          period: shiftPeriod('month', parseDate(first), i),
          level,
        })),
      })),
    };
  } catch (cause) {
    throw new Fault('malformed', 'macro sample', { found: messageOf(cause), cause });
  }
}
