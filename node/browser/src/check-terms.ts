import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import type { Limits } from '@assay/verifier/verdict/limits';

/** Which number somebody wants, and whose key they bring. */
export interface CheckTerms {
  /** The verifier key of the log that the visitor brought; null where none. */
  readonly key: string | null;
  /** The ticker; null for any. */
  readonly index: string | null;
  /** YYYY-MM-DD; null for any, or for the newest. */
  readonly period: string | null;
  /** Milliseconds after which the verifier gives up by itself. */
  readonly limitMs: number;
}

export function policyOf({ key }: Pick<CheckTerms, 'key'>): Policy {
  return key === null ? OPEN_POLICY : { ...OPEN_POLICY, checkpoint_keys: [key] };
}

/** The number as the verifier is asked for it; nothing where any will do. */
export function numberOf({ index, period }: CheckTerms): {
  readonly number?: { readonly index?: string; readonly period?: string };
} {
  if (index === null && period === null) return {};
  return {
    number: {
      ...(index === null ? {} : { index }),
      ...(period === null ? {} : { period }),
    },
  };
}

/** A deadline that holds for any input: it is looked at during the work, in which no timer can run. */
export function limitsOf({ limitMs }: Pick<CheckTerms, 'limitMs'>): Pick<Limits, 'signal'> {
  const end = performance.now() + limitMs;
  return {
    signal: {
      get aborted() {
        return performance.now() > end;
      },
    },
  };
}

/** The clock of this machine, in Unix seconds. */
export function nowS(): number {
  return Math.floor(Date.now() / 1000);
}
