import {
  parseSubmissionReceipt,
  submissionMessage,
  type SubmissionReceipt,
} from '@assay/core/intake/submission-receipt';
import { parseHex } from '@assay/core/bytes/hex';
import { hashHex, type Sha256 } from '@assay/core/hash/hash';
import { type Forecast, forecastLeaf, parseForecast } from '@assay/core/kind/forecast';
import { hex, literal, nullable, object, type Parse, string } from '@assay/core/wire/schema';
import { nodeVerifySignature } from '@assay/node/platform/node-signature';

/** What `assay forecast make` keeps of a forecast: what it holds, and what the server signed for it. */
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

/** What is wrong with a receipt for a forecast, one line each; empty where it is good for it. */
export function receiptFaults(
  sha256: Sha256,
  forecast: Forecast,
  receipt: SubmissionReceipt,
): readonly string[] {
  const leaf = hashHex(forecastLeaf(sha256, forecast));
  const pairs: readonly (readonly [what: string, expected: string, found: string])[] = [
    ['round', forecast.round, receipt.subject],
    ['place', `${forecast.ordinal}`, `${receipt.ordinal}`],
    ['nonce', forecast.nonce, receipt.nonce],
    ['leaf', leaf, receipt.leaf],
  ];
  const faults = pairs.flatMap(([what, expected, found]) =>
    expected === found ? [] : [`its ${what} is ${found}, and that of the forecast is ${expected}`],
  );
  const message = submissionMessage(sha256, receipt);
  const [key, signature] = [parseHex(receipt.key, 32), parseHex(receipt.signature, 64)];
  if (!nodeVerifySignature(key, message, signature)) {
    faults.push(`its signature is not one of ${receipt.key}`);
  }
  return faults;
}
