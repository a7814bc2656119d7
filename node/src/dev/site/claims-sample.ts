import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import { isDate, parseDate } from '@assay/core/time/time';
import { z } from 'zod';

/** One week of a claims series: the day number of its Saturday, and claims in persons. */
export interface Week {
  readonly period: number;
  readonly claims: number;
}

/** The figures as they were on one release day. The last week is that week's first print. */
export interface Vintage {
  /** Day number. */
  readonly asOf: number;
  readonly weeks: readonly Week[];
}

const schema = z.strictObject({
  about: z.string(),
  unit: z.literal('thousand claims'),
  vintages: z
    .array(
      z.strictObject({
        as_of: z.string().refine(isDate),
        first_week: z.string().refine(isDate),
        claims: z.array(z.int().positive()).min(1),
      }),
    )
    .min(1),
});

/** The typed-in vintages of a samples file, oldest first. Throws `malformed`. */
export async function readClaimsSample(path: string | URL): Promise<readonly Vintage[]> {
  const text = await readFile(path, 'utf8');
  try {
    return schema.parse(JSON.parse(text)).vintages.map((vintage) => ({
      asOf: parseDate(vintage.as_of),
      weeks: vintage.claims.map((thousands, i) => ({
        period: parseDate(vintage.first_week) + 7 * i,
        claims: thousands * 1000,
      })),
    }));
  } catch (cause) {
    throw new Fault('malformed', 'claims sample', { found: messageOf(cause), cause });
  }
}
