import type { ArenaRule } from '@assay/core/arena/rule/arena-rule';
import { vectors } from '../fixture/fixture.ts';

export interface ArenaRuleVector {
  readonly name: string;
  readonly rule: ArenaRule;
  readonly canonical: string;
  readonly hash: string;
}

export const ARENA_RULES = vectors<readonly ArenaRuleVector[]>('arena/rules');

/** An arena rule of the vectors: `whole` has both parts, `referee` only asks questions. */
export function arenaRule(name: 'whole' | 'referee'): ArenaRule {
  const found = ARENA_RULES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no arena rule ${name}`);
  return found.rule;
}
