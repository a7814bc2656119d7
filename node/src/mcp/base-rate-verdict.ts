import { isDeepStrictEqual } from 'node:util';
import {
  type NoRatePayload,
  type RatePayload,
  studiedRate,
  studiedReasons,
} from '../terminal/answer/base-rate.ts';
import { groupIn } from '../terminal/answer/base-rate-group.ts';
import { withheldText } from '../terminal/answer/base-rate-text.ts';
import { type CheckedStudy, checkedStudy } from './proven-study.ts';
import type { ToolFailure } from './tool.ts';
import { failed } from './tool-call.ts';
import type { Verification, Voucher } from './voucher.ts';

const PROVEN =
  'The verifier of this machine proved, with the key that it was given, that the log has the study of `study` and which bytes it has. It made every group of the study again from the openings in those bytes';

const RATE = `${PROVEN}, and took everything of the answer from them but \`symbol\`, \`score_now\`, \`threshold\`, \`ts\`, \`opened_at\`, \`move_24h\` and \`benchmark\`. That this is the newest study, and that \`bucket\` and \`breadth\` are those of the event, is as the server states it. \`assay verify\` checks the openings against the log.`;

const WITHHELD = `${PROVEN}, and took \`numbers.study\`, \`numbers.group\` and \`detail\` from them: no rate of that group is given. That this is the newest study, and that the event is of that group, is as the server states it.`;

const NO_RATE =
  'There is no rate, and no group of a study behind that, and so nothing to verify. Why there is none is as the server states it.';

/** An answer for which there is a verdict, and what of it may be shown. */
export interface RateVerdict {
  readonly shown: Readonly<Record<string, unknown>>;
  readonly verification: Verification;
}

type Failed = { readonly error: ToolFailure };

/** Proves what of an answer rests on a study. `error` where the study says otherwise: then nothing may be shown. */
export async function rateVerdict(
  voucher: Voucher,
  served: RatePayload | NoRatePayload,
): Promise<RateVerdict | Failed> {
  if ('base_rate' in served) return withheldVerdict(voucher, served);
  const { seq } = served.source;
  const study = await checkedStudy(voucher, seq);
  if ('error' in study) return study;
  const group = groupIn(study.blob, served);
  if (group === undefined || group.withheld.length > 0) return differs(seq, 'group');
  const studied = studiedRate(study, group, served.symbol);
  const other = otherMember(served, studied);
  if (other !== undefined) return differs(seq, other);
  const { symbol, score_now, threshold, ts, opened_at, move_24h, benchmark } = served;
  const stated = { symbol, score_now, threshold, ts, opened_at, move_24h };
  return {
    shown: { ...stated, ...studied, ...(benchmark === undefined ? {} : { benchmark }) },
    verification: verified(RATE, study),
  };
}

/** The same of an answer without a rate: what a study says of a group for which none is given. */
async function withheldVerdict(
  voucher: Voucher,
  served: NoRatePayload,
): Promise<RateVerdict | Failed> {
  const { study: source, group: like } = served.numbers;
  if (source === null || like === null) {
    return { shown: { ...served }, verification: { verdict: null, why: NO_RATE, numbers: [] } };
  }
  const study = await checkedStudy(voucher, source.seq);
  if ('error' in study) return study;
  const group = groupIn(study.blob, like);
  if (group === undefined || group.withheld.length === 0 || served.reason !== 'group_withheld') {
    return differs(source.seq, 'reason');
  }
  const studied = studiedReasons(study, group);
  const other =
    otherMember(served.numbers, studied) ??
    otherMember(served, { detail: withheldText(group, study.blob.number) });
  if (other !== undefined) return differs(source.seq, other);
  const { symbol, reason, detail } = served;
  const { score_now, threshold, ts, opened_at } = served.numbers;
  const numbers = { score_now, threshold, ts, opened_at, ...studied };
  return {
    shown: { symbol, base_rate: null, reason, detail, numbers },
    verification: verified(WITHHELD, study),
  };
}

function verified(why: string, { row, class: of }: CheckedStudy): Verification {
  const study = { seq: row.seq, class: of, blob: row.blob };
  return { verdict: 'verified', why, numbers: [], study };
}

function differs(seq: number, what: string): Failed {
  const text = `The server shows an answer with another \`${what}\` than the study at entry ${seq}, and nothing of it is shown.`;
  return { error: failed('differs', text) };
}

/**
 * The first member that is otherwise in `found` than in `expected`. A member may be added to any object of an answer; it
 * is not shown, because nothing proves it.
 */
function otherMember<T extends object>(found: T, expected: Partial<T>): string | undefined {
  return Object.entries(expected).find(([name, value]) => {
    return !isDeepStrictEqual(ownMembers(found[name as keyof T], value), value);
  })?.[0];
}

/** What was found, without members that what is expected does not have. */
function ownMembers(found: unknown, expected: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(expected)) {
    return found.map((each, i) => ownMembers(each, expected[i]));
  }
  const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isPlain(found) || !isPlain(expected)) return found;
  return Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) =>
      Object.hasOwn(expected, name) ? [[name, ownMembers(value, expected[name])]] : [],
    ),
  );
}
