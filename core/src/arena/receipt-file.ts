import { parseSubmissionReceipt, type SubmissionReceipt } from '../intake/submission-receipt.ts';
import { type Forecast, parseForecast } from '../kind/forecast.ts';
import { hex, literal, nullable, object, type Parse, string } from '../wire/schema.ts';

/** What is kept of a forecast that was made: what it holds, and what the server signed for it. */
export interface ReceiptFile {
  readonly type: 'assay-forecast/1';
  /** The server that took it. */
  readonly url: string;
  /** The entry's body, from which its leaf can be made again. */
  readonly forecast: Forecast;
  /** The forecast as decimal text, which nobody else knows while it is sealed. */
  readonly value: string;
  /** 32 bytes, hex: what it was sealed with, or the salt of its commitment. */
  readonly random: string;
  readonly receipt: SubmissionReceipt;
  /** The key of the handle's first forecast, hex; null for a handle without one. */
  readonly key: string | null;
}

/** A kept forecast, or `malformed`. */
export const parseReceiptFile: Parse<ReceiptFile> = object<ReceiptFile>({
  type: literal('assay-forecast/1'),
  url: string(1, 2048),
  forecast: parseForecast,
  value: string(1, 40),
  random: hex(32),
  receipt: parseSubmissionReceipt,
  key: nullable(hex(32)),
});
