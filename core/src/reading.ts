import { interpret, type Reading } from './rule/interpret.ts';
import type { Provider, Rule } from './rule/rule.ts';

/** One page of an answer with its bytes. */
export interface PageBytes {
  /** HTTP status. */
  readonly status: number;
  readonly bytes: Uint8Array;
}

/**
 * What a provider's answer says about a period: an answer other than 200 is `bad_status` whatever it
 * holds, and the rule runs on the rest. Publisher and verifier both read by this.
 */
export function readPages(
  rule: Rule,
  provider: Provider,
  pages: readonly PageBytes[],
  period: number,
): Reading {
  const bad = pages.find(({ status }) => status !== 200);
  if (bad !== undefined) return { outcome: 'bad_status', detail: `HTTP ${bad.status}` };
  return interpret(
    rule,
    provider,
    pages.map(({ bytes }) => bytes),
    period,
  );
}
