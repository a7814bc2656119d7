import { isDeepStrictEqual } from 'node:util';
import { faultCode } from '@assay/core/fault';
import { parseStudyBlob, type StudyBlob } from '@assay/core/terminal/study/study-blob';
import { type RatePayload, studiedRate } from '../terminal/answer/base-rate.ts';
import type { ToolFailure } from './tool.ts';
import { failed } from './tool-call.ts';
import type { Verification, Voucher } from './voucher.ts';

const COVERED =
  'The verifier of this machine proved, with the key that it was given, that the log has the study of `study` and which bytes it has, and took every statistic of the answer from them: `n`, `n_dates`, `top_date_share`, `horizons`, `ordinary`, `edge_7d_pts`, `edge_7d_ci`, `coin_in_study` and both texts. That this is the newest study, and that `bucket` and `breadth` are those of the asset now, is as the server states it, and so are `move_24h` and `benchmark`. `assay verify` makes every study of the log again.';

const NO_RATE =
  'There is no rate, and so nothing to verify. Why there is none is as the server states it.';

/** An answer for which there is a verdict, and what of it may be shown. */
export interface RateVerdict {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly verification: Verification;
}

/** Proves the statistics of a base rate by its study. `error` where they are not those of the study: then nothing may be shown. */
export async function rateVerdict(
  voucher: Voucher,
  served: RatePayload | { readonly base_rate: null },
): Promise<RateVerdict | { readonly error: ToolFailure }> {
  if ('base_rate' in served) {
    return { shown: { ...served }, verification: { verdict: null, why: NO_RATE, numbers: [] } };
  }
  const { seq } = served.source;
  const proven = await voucher.study(seq);
  if (!proven.ok) {
    const text = `The study at entry ${seq} was not verified, and nothing of the answer is shown: ${proven.why}`;
    return { error: failed(proven.code, text) };
  }
  const { body, bytes } = proven;
  const blob = studyIn(bytes);
  const group = blob?.groups.find(
    (each) => each.bucket === served.bucket && each.breadth === served.breadth,
  );
  if (blob === undefined || group === undefined || group.withheld.length > 0) {
    return { error: differs(seq, 'group') };
  }
  const studied = studiedRate({ row: { ...body, seq }, blob }, group, served.symbol);
  for (const [name, value] of Object.entries(studied)) {
    const found = served[name as keyof typeof studied];
    // A member may be added to any object of an answer; it is not shown, because nothing proves it.
    if (!isDeepStrictEqual(ownMembers(found, value), value)) return { error: differs(seq, name) };
  }
  const { symbol, move_24h, benchmark } = served;
  const study = { seq, class: body.class, blob: body.blob };
  return {
    shown: { symbol, move_24h, ...studied, ...(benchmark === undefined ? {} : { benchmark }) },
    verification: { verdict: 'verified', why: COVERED, numbers: [], study },
  };
}

function differs(seq: number, what: string): ToolFailure {
  const text = `The server shows a rate with another \`${what}\` than the study at entry ${seq}, and nothing of the answer is shown.`;
  return failed('differs', text);
}

function studyIn(bytes: Uint8Array): StudyBlob | undefined {
  try {
    return parseStudyBlob(bytes);
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    return undefined;
  }
}

/** What was found, without members that what is expected does not have. */
function ownMembers(found: unknown, expected: unknown): unknown {
  const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isPlain(found) || !isPlain(expected)) return found;
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) =>
      Object.hasOwn(expected, name) ? [[name, ownMembers(value, expected[name])]] : [],
    ),
  );
}
