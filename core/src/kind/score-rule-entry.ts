import { object, type Parse } from '../wire/schema.ts';
import { parseScoreRule, type ScoreRule } from '../terminal/rule/score-rule.ts';

/** A score rule that is in force for the ticks of its class that name it. */
export interface ScoreRuleEntry {
  readonly rule: ScoreRule;
}

export const parseScoreRuleEntry: Parse<ScoreRuleEntry> = object<ScoreRuleEntry>({
  rule: parseScoreRule,
});
