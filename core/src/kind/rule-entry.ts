import type { Sha256 } from '../hash/hash.ts';
import { parseRule, type Rule } from '../rule/rule.ts';
import { object, type Parse } from '../wire/schema.ts';

/** A rule that is in force for the periods from its `applies_from` on. */
export interface RuleEntry {
  readonly rule: Rule;
}

export function ruleEntryParser(sha256: Sha256): Parse<RuleEntry> {
  return object<RuleEntry>({ rule: (value, at) => parseRule(sha256, value, at) });
}
