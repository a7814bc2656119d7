import { type FaultCode, faultCode, messageOf } from '@assay/core/fault';
import type { Finding, FindingCode, Findings } from '../verdict/finding.ts';
import { excerpt } from '../verdict/printable.ts';
import type { Verdict } from '../verdict/verdict.ts';

/**
 * Why there is no answer: what the verifier found, or what kept it from finding anything. `superseded`: a later report
 * of the period is in the log, and the server did not show it. `head_stale`: the newest entry is too old.
 * `incomplete`: the verification did not end.
 */
export type RefusalCode = FindingCode | FaultCode | 'superseded' | 'head_stale' | 'incomplete';

/** A verdict that is no yes. */
type Doubt = Exclude<Verdict, { readonly outcome: 'verified' }>;

/** Characters of a `why`, some of which a server may have written. */
const MAX_WHY = 1000;

/** There is no value in it, and no verdict that says yes, so that it cannot be taken for an answer. */
export interface Refusal {
  readonly ok: false;
  readonly code: RefusalCode;
  /** Without characters that a terminal would act on. */
  readonly why: string;
  readonly findings: readonly Finding[];
  /** Null where the verifier has nothing against what it was shown, or was shown nothing. */
  readonly verdict: Doubt | null;
}

export function refusal(code: RefusalCode, why: string, verdict: Doubt | null = null): Refusal {
  const findings = verdict?.outcome === 'findings' ? verdict.findings : [];
  return { ok: false, code, why: excerpt(why, MAX_WHY), findings, verdict };
}

/** The refusal by the first finding of a verdict, or of `findings` where there is none. */
export function refusedBy(findings: Findings, verdict: Doubt | null = null): Refusal {
  const list = verdict?.outcome === 'findings' ? verdict.findings : findings.list;
  const [first] = list;
  if (first === undefined) return refusal('incomplete', 'the head was not accepted', verdict);
  const why = `${first.place}: expected ${first.expected}, found ${first.found}`;
  return { ...refusal(first.code, why, verdict), findings: list };
}

/** The refusal by an error, whatever threw it. */
export function refusedFor(error: unknown): Refusal {
  return refusal(faultCode(error) ?? 'incomplete', messageOf(error));
}

/** The refusal because the newest entry of a production log is older than `maxAgeS` seconds. */
export function staleHead(maxAgeS: number): Refusal {
  return refusal('head_stale', `the newest entry is over ${maxAgeS} s old`);
}
