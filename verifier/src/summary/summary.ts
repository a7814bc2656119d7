import type { NotChecked, Verdict } from '../verdict/verdict.ts';
import { kindOf } from '../verdict/remedy.ts';
import type { Fact } from './fact.ts';
import { factsOf } from './facts.ts';
import { headlineOf } from './headline.ts';
import { type CheckOption, optionsOf } from './options.ts';
import type { Warning } from './warning.ts';
import { warningsOf } from './warnings.ts';

/**
 * What a verdict means to whoever acts on it, in sentences that a terminal and a page lay out as they like. All of it
 * follows from the verdict; nothing that money depends on is anywhere else.
 */
export interface Summary {
  /** One sentence, which begins with the outcome in capitals. */
  readonly headline: string;
  /** What the verdict is about: the number, if there is one, and the log. */
  readonly facts: readonly (readonly Fact[])[];
  /** What is not as it usually is, each with what to do. The headline has their number. */
  readonly warnings: readonly Warning[];
  /** What other checks would show. */
  readonly options: readonly CheckOption[];
  /** What no check lifts. */
  readonly limits: readonly NotChecked[];
}

/** The summary of a verdict. */
export function summarize(verdict: Verdict): Summary {
  const warnings = warningsOf(verdict);
  return {
    headline: headlineOf(verdict, warnings.length),
    facts: factsOf(verdict),
    warnings,
    options: optionsOf(verdict),
    limits: verdict.not_checked.filter(({ remedy }) => kindOf(remedy) === 'limit'),
  };
}
