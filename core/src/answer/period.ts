import type { HashHex } from '../hash/hash.ts';
import { type Quorum, signedBy } from '../round/quorum.ts';
import { formatScaled } from '../number/rational.ts';
import type { PeriodRow } from '../view/periods.ts';
import type { ViewState } from '../view/view.ts';
import { periodProof, type PeriodProof } from './proof.ts';

/** Why money may not settle on a period now, the first that holds. */
export const UNSETTLED = [
  'history', // loaded from a source without a first print
  'void', // its source gave no number in time
  'provisional', // not final yet
  'withheld', // its level is not public
  'terms', // its rule or the terms of its source do not allow it
  'quorum', // fewer co-signers have signed it than its report requires
] as const;
export type Unsettled = (typeof UNSETTLED)[number];

/** One period in the index payloads. Each number that money rests on is also given as decimal text. */
export interface PeriodPayload extends PeriodProof {
  readonly period: string;
  /** `history` for a period loaded from a source without a first print. */
  readonly status: 'provisional' | 'final' | 'corrected' | 'void' | 'history';
  readonly value: number | null;
  readonly value_decimal: string | null;
  readonly settlement_value: number | null;
  readonly settlement_value_decimal: string | null;
  readonly revised: number | null;
  readonly revised_decimal: string | null;
  readonly revised_on: string | null;
  readonly z: number | null;
  readonly band: string | null;
  /** Money may settle on `settlement_value` now: allowed by rule and terms, and the quorum has signed it. */
  readonly settleable: boolean;
  /** How many co-signers of the first final have signed it; null while there is none. */
  readonly quorum: Pick<Quorum, 'required' | 'have'> | null;
  readonly withheld: boolean;
  readonly commitment: string | null;
  readonly report_hash: string | null;
  readonly published_at: string | null;
  /**
   * Why money may not settle on it now; null where it may. Absent from `/indices` and from settlement files, whose bytes
   * stay.
   */
  readonly unsettled?: Unsettled | null | undefined;
}

export function periodPayload(state: ViewState, period: string, row: PeriodRow): PeriodPayload {
  const quorum = finalQuorum(state, row);
  return {
    period,
    status: row.status ?? 'history',
    value: plain(row.value, row.decimals),
    value_decimal: decimalText(row.value, row.decimals),
    settlement_value: plain(row.settlement_value, row.decimals),
    settlement_value_decimal: decimalText(row.settlement_value, row.decimals),
    revised: plain(row.revised, row.decimals),
    revised_decimal: decimalText(row.revised, row.decimals),
    revised_on: row.revised_on,
    z: row.z === null ? null : Number(row.z),
    band: row.band,
    settleable: row.settleable && quorum !== null && quorum.have >= quorum.required,
    quorum,
    withheld: row.withheld,
    commitment: row.commitment,
    report_hash: row.report,
    published_at: row.published_at,
    ...periodProof(state, provenReport(row)),
  };
}

function finalQuorum(
  state: ViewState,
  { final_report: final, cosigners }: PeriodRow,
): PeriodPayload['quorum'] {
  if (final === null || cosigners === null) return null;
  return { required: cosigners.required, have: signedBy(state, final, cosigners).length };
}

/** The report whose proof a period shows: the one that settles, or else the newest. */
export function provenReport({ final_report: final, report }: PeriodRow): HashHex | null {
  return final ?? report;
}

/** A scaled integer as decimal text. */
export function decimalText(scaled: string | null, decimals: number): string | null {
  return scaled === null ? null : formatScaled(BigInt(scaled), decimals);
}

/** A scaled integer as a plain number; null beyond 2^53-1, where a double would be wrong. */
function plain(scaled: string | null, decimals: number): number | null {
  if (scaled === null || !Number.isSafeInteger(Number(scaled))) return null;
  return Number(formatScaled(BigInt(scaled), decimals));
}
