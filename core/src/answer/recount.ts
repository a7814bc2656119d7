import type { Cosigner } from '../report/cosigner-set.ts';
import { type Quorum, quorumOf } from '../round/quorum.ts';
import { governingRule } from '../round/governing.ts';
import type { Ticker } from '../rule/ticker.ts';
import { isPeriod } from '../rule/period.ts';
import { type DateText, formatTime, parseDate } from '../time/time.ts';
import { reportCosigners, setByHash } from '../view/cosigner-sets.ts';
import { reportsOf } from '../view/reports.ts';
import type { ViewState } from '../view/view.ts';
import { type CosignPayload, cosignPayloads } from './cosign.ts';
import { currentRule, nextPeriod } from './index.ts';

/** Who recounts a period of an index, and what they have stated about it. */
export interface RecountPayload {
  readonly ticker: string;
  readonly period: DateText;
  /** The source's scheduled release; null before the first version of the rule applies. */
  readonly release_at: string | null;
  /** Hash of the set of co-signers: the report's, and of a period without a report the set in force at its release. */
  readonly set: string | null;
  /** How many of them must sign before the period settles. */
  readonly required: number;
  readonly cosigners: readonly Cosigner[];
  /** The newest report of the period; null while there is none. */
  readonly report: string | null;
  /** Null while there is no report. */
  readonly quorum: Quorum | null;
  readonly cosignatures: readonly CosignPayload[];
  readonly dissents: readonly CosignPayload[];
}

/** The recount of a period, and of the next one where none is named; undefined for what is no period of the index. */
export function recountPayload(
  state: ViewState,
  ticker: Ticker,
  period: DateText = nextPeriod(state, ticker),
): RecountPayload | undefined {
  const governing = governingRule(state, ticker, period);
  const isReal = governing !== undefined && isPeriod(governing.rule.period, parseDate(period));
  const release = isReal ? governing.release : undefined;
  const row = reportsOf(state, ticker, period).at(-1);
  if (row === undefined && release === undefined) return undefined;
  const { set, required } = row?.report.cosigners ?? reportCosigners(state, release ?? 0);
  return {
    ticker: currentRule(state, ticker).rule.display,
    period,
    release_at: release === undefined ? null : formatTime(release),
    set,
    required,
    cosigners: set === null ? [] : (setByHash(state, set)?.cosigners ?? []),
    report: row?.hash ?? null,
    quorum: row === undefined ? null : quorumOf(state, row),
    ...(row === undefined ? { cosignatures: [], dissents: [] } : cosignPayloads(state, row)),
  };
}
