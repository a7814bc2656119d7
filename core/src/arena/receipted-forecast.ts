import { parseHex } from '../bytes/hex.ts';
import { hashHex, type Sha256 } from '../hash/hash.ts';
import { submissionMessage, type SubmissionReceipt } from '../intake/submission-receipt.ts';
import type { Forecast } from '../kind/forecast.ts';
import { forecastLeaf } from '../kind/forecast-leaf.ts';
import type { Draft } from './forecast/draft.ts';

/** What a receipt is checked with. */
export interface ReceiptTools {
  readonly sha256: Sha256;
  /** Whether a signature (64 bytes) is that of an Ed25519 key (32 bytes) on a message. */
  readonly verifySignature: (
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ) => boolean | Promise<boolean>;
}

/** What is wrong with a receipt for a forecast, one line each; empty where it is good for it. */
export async function receiptFaults(
  { sha256, verifySignature }: ReceiptTools,
  forecast: Forecast,
  receipt: SubmissionReceipt,
): Promise<readonly string[]> {
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
  if (!(await verifySignature(key, message, signature))) {
    faults.push(`its signature is not one of ${receipt.key}`);
  }
  return faults;
}

/**
 * The entry that a receipt for a request is for, and what is wrong with the receipt. The first entry of a handle with a key
 * holds the key; the leaf says which it is.
 */
export async function receiptedForecast(
  tools: ReceiptTools,
  { request, handle, sealed, commitment }: Draft,
  receipt: SubmissionReceipt,
): Promise<{ readonly forecast: Forecast; readonly faults: readonly string[] }> {
  const later: Forecast = {
    round: request.question,
    ordinal: receipt.ordinal,
    handle,
    key: null,
    counter: request.counter ?? null,
    sealed,
    commitment,
    nonce: request.nonce,
    signature: request.signature ?? null,
  };
  const first = { ...later, key: request.key ?? null };
  const isFirst = (await receiptFaults(tools, first, receipt)).length === 0;
  const forecast = isFirst ? first : later;
  return { forecast, faults: await receiptFaults(tools, forecast, receipt) };
}
