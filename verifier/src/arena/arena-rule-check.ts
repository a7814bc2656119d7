import type { ArenaRuleEntry } from '@assay/core/kind/arena-rule';
import { newestArenaRule } from '@assay/core/view/arena-rules';
import type { ViewState } from '@assay/core/view/view';
import type { Findings } from '../verdict/finding.ts';

/** Checks that an arena rule is the first version, or the one after the newest that the log has. */
export function checkArenaRule(
  { rule }: ArenaRuleEntry,
  place: string,
  state: ViewState,
  findings: Findings,
): void {
  const due = (newestArenaRule(state)?.rule.version ?? 0) + 1;
  if (rule.version === due) return;
  findings.add('arena_rule_not_allowed', place, `version ${due}`, `version ${rule.version}`);
}
