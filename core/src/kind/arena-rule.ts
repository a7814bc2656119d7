import { type ArenaRule, arenaRuleParser } from '../arena/rule/arena-rule.ts';
import type { Sha256 } from '../hash/hash.ts';
import { object, type Parse } from '../wire/schema.ts';

/** An arena rule that is in force for the questions and rounds that are made after it. */
export interface ArenaRuleEntry {
  readonly rule: ArenaRule;
}

/** A parser of the bodies of `arena-rule/1`, which throws `malformed`. */
export function arenaRuleEntryParser(sha256: Sha256): Parse<ArenaRuleEntry> {
  return object<ArenaRuleEntry>({ rule: arenaRuleParser(sha256) });
}
