import { interpret, interpretSeries, type Reading, type ScaledSeries } from './rule/interpret.ts';
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

/** Outcomes of a document that is what the rule expects, whether or not it has the period's number. */
const SOUND: ReadonlySet<string> = new Set(['ok', 'not_published', 'no_source', 'superseded']);

/**
 * What the revision provider's answer, asked for `period`, shows for every period. Undefined where the
 * rule refuses the document for that period (a failed check included), or where it is no series: what
 * may not be printed may not revise either.
 */
export function readSeries(
  rule: Rule,
  pages: readonly PageBytes[],
  period: number,
): ScaledSeries | undefined {
  const provider = rule.providers.find(({ id }) => id === rule.revision.provider);
  if (provider === undefined || pages.length === 0) return undefined;
  if (!SOUND.has(readPages(rule, provider, pages, period).outcome)) return undefined;
  return interpretSeries(
    rule,
    pages.map(({ bytes }) => bytes),
  );
}
