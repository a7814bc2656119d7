import { z } from 'zod';
import type { Study } from '@assay/core/kind/study';
import type { NumberAnswer } from '@assay/verifier/client/number-answer';
import type { Refusal } from '@assay/verifier/client/refusal';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { about, hashText } from '../api/schema/field.ts';

/** The verifier that runs beside the tools, with a key that somebody other than the server vouched for. */
export interface Voucher {
  /** The newest report of a period, proven; or why it is not. Never throws because of what the server answers. */
  readonly number: (index: string, period: string) => Promise<NumberAnswer>;
  /** The verdict on the file that is to prove a number. */
  readonly bundle: (
    bytes: Uint8Array,
    asked: { readonly index: string; readonly period: string },
  ) => Promise<Verdict>;
  /** The study at an entry of the log, proven to be there; or why it is not. Never throws because of what the server answers. */
  readonly study: (seq: number) => Promise<ProvenStudy | Refusal>;
}

/** A study that is in the log, with the bytes whose hash its entry has. */
export interface ProvenStudy {
  readonly ok: true;
  readonly body: Study;
  readonly bytes: Uint8Array;
}

/** Who vouches for what the tools answer. `publisher`: they run where the numbers are published. `nobody`: no key. */
export type Vouching =
  | { readonly by: 'publisher' }
  | { readonly by: 'nobody' }
  | { readonly by: 'verifier'; readonly voucher: Voucher };

/** A number with a verdict that has no finding. */
export interface VouchedNumber {
  readonly ticker: string;
  readonly period: string;
  readonly value: string | null;
  readonly unit: string;
  readonly status: string;
  readonly settleable: boolean;
  readonly lacks: readonly string[];
}

/** What stands beside every answer about its truth. */
export interface Verification {
  readonly verdict: 'verified' | null;
  readonly why: string;
  readonly numbers: readonly VouchedNumber[];
  /** The study that a base rate was proven by. */
  readonly study?: VouchedStudy;
}

/** A study whose entry and bytes were proven. */
interface VouchedStudy {
  readonly seq: number;
  readonly class: string;
  /** The SHA-256 of its bytes. */
  readonly blob: string;
}

export const verification: z.ZodType<Verification> = z.looseObject({
  verdict: about(
    z.enum(['verified']).nullable(),
    '`verified`: the verifier that runs beside this tool has proven every number in `numbers`, or the statistics of a base rate by the study in `study`. Null: nothing was verified, and `why` says why.',
    'verified',
  ),
  why: about(z.string(), 'What the verdict covers, or why there is none.', 'No key was given.'),
  numbers: about(
    z.array(
      z.looseObject({
        ticker: about(z.string(), 'The index.', 'LAYOFFS'),
        period: about(z.string(), 'The period.', '2026-07-25'),
        value: about(z.string().nullable(), 'The proven value as exact decimal text.', '215000'),
        unit: about(z.string(), 'Its unit.', 'claims'),
        status: about(z.string(), 'The status of its report.', 'final'),
        settleable: about(
          z.boolean(),
          'Whether money may settle on it by this proof alone.',
          false,
        ),
        lacks: about(z.array(z.string()), 'What keeps `settleable` from being true.', [
          'own_cosigners',
        ]),
      }),
    ),
    'The numbers that were proven.',
  ),
  study: about(
    z
      .looseObject({
        seq: about(z.int(), 'Its entry of the log.', 165),
        class: about(z.string(), 'The class of assets that it is about.', 'crypto'),
        blob: about(hashText, 'The SHA-256 of its bytes.', '7f'.repeat(32)),
      })
      .optional(),
    'The study that the statistics of a base rate were proven by; absent elsewhere.',
  ),
}) as unknown as z.ZodType<Verification>;

const NOT_HERE: Verification = {
  verdict: null,
  why: 'The server that publishes the numbers gives no verdict on itself. Run the tools with `assay mcp URL --key KEY`, or check with `assay verify`.',
  numbers: [],
};

const NO_KEY: Verification = {
  verdict: null,
  why: 'No key was given, so nobody vouches for what the server answers and nothing was verified. Give `--key` the verifier key of the log, from somebody other than its server.',
  numbers: [],
};

/** What is said of an answer that no verifier has checked. `notNumbers` says why, where there is a verifier. */
export function unverified(vouching: Vouching, notNumbers: string): Verification {
  if (vouching.by === 'publisher') return NOT_HERE;
  if (vouching.by === 'nobody') return NO_KEY;
  return { verdict: null, why: notNumbers, numbers: [] };
}

export function vouched(answer: Extract<NumberAnswer, { readonly ok: true }>): VouchedNumber {
  const { ticker, period, value, unit, status, settleable, lacks } = answer;
  return { ticker, period, value, unit, status, settleable, lacks };
}
