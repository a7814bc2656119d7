import { Fault } from '@assay/core/fault';
import { type DateText, isDate, toDate } from '@assay/core/time/time';
import { z } from 'zod';
import type { FeedProgress } from '../api/status.ts';
import type { Concern } from '../health/concern.ts';
import type { StorageStatus } from '../scrub/storage-status.ts';

/** What a publisher says of itself to those who follow it, at once and every second. */
export interface WriterState {
  /** The publisher's clock in unix seconds. On a development network it is not that of the machine. */
  readonly now: number;
  /** The entries that it has published. */
  readonly size: number;
  readonly concerns: readonly Concern[];
  /** Null if it posts nothing. */
  readonly feeds: FeedProgress | null;
  readonly storage: StorageStatus;
  readonly setting: WriterSetting;
}

/** What does not change while a publisher runs. */
export interface WriterSetting {
  /** The checkpoint key of the log. */
  readonly vkey: string;
  readonly publicUrl: string | null;
  readonly mirrorUrl: string | null;
  readonly notice: string | null;
  readonly datasetStart: DateText | null;
  /** Whether there is a machine tier, so that it can be found. */
  readonly hasTier: boolean;
  /** What each paid path costs, for the OpenAPI document. */
  readonly prices: Readonly<Record<string, object>>;
}

const setting = z.object({
  vkey: z.string().min(1).max(512),
  publicUrl: z.string().max(2000).nullable(),
  mirrorUrl: z.string().max(2000).nullable(),
  notice: z.string().max(10_000).nullable(),
  datasetStart: z
    .string()
    .refine((text) => isDate(text))
    .transform((text) => toDate(text))
    .nullable(),
  hasTier: z.boolean(),
  prices: z.record(z.string(), z.looseObject({})),
});

const state = z.object({
  now: z.number(),
  size: z.int().min(0),
  concerns: z.array(z.object({ level: z.enum(['degraded', 'halted']), reason: z.string() })),
  feeds: z.looseObject({}).nullable(),
  storage: z.looseObject({ damaged: z.int(), repaired: z.int(), found: z.array(z.unknown()) }),
  setting,
});

/** Parses what a publisher says of itself. Throws `malformed`. */
export function parseWriterState(value: unknown): WriterState {
  const { data, error } = state.safeParse(value);
  if (data !== undefined) return data as unknown as WriterState;
  throw new Fault('malformed', 'state of the publisher', { found: z.prettifyError(error) });
}
