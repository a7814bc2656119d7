import { parseScoreRule, type ScoreRule } from '@assay/core/terminal/rule/score-rule';
import { type WireObject, wire } from '@assay/core/wire/wire';
import { vectors } from '../fixture/fixture.ts';

interface RuleVector {
  readonly name: string;
  readonly rule: WireObject;
  readonly canonical: string;
  readonly hash: string;
}

export const SCORE_RULES: readonly RuleVector[] = vectors('score/rules');

/** The committed rule of a class. */
export function scoreRule(name: 'crypto' | 'stock'): ScoreRule {
  const found = SCORE_RULES.find((each) => each.name === name);
  if (found === undefined) throw new TypeError(`no score rule ${name}`);
  return parseScoreRule(found.rule, 'rule');
}

/** A rule with windows so short that a few hundred ticks use all of it. */
export function shortRule(change: Partial<ScoreRule> = {}): ScoreRule {
  const rule = scoreRule('crypto');
  return parseScoreRule(
    wire({
      ...rule,
      returns: { long: 8, short: 2, tolerance: 1, sample: 2, window: 40, min_samples: 6 },
      volume: { day: 8, days: 5, min_days: 3 },
      event: { open: 70, close: 55, consecutive: 4, max: 24, silent: 6, rearm: 10 },
      ...change,
    }),
    'rule',
  );
}
