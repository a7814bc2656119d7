import { type ArenaRule, arenaRuleHash } from '../arena/rule/arena-rule.ts';
import type { HashHex } from '../hash/hash.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const TABLE = 'arena-rules';

export interface ArenaRuleRow {
  readonly hash: HashHex;
  readonly seq: number;
  /** The time at which it was recorded, as its entry claims. */
  readonly at: TimeText;
  readonly rule: ArenaRule;
}

/** Every version of the arena rule. Where two entries have one version, the first counts. */
export const arenaRulesView: View = {
  name: 'arena-rules',
  apply(entry, state, sha256) {
    if (entry.kind !== 'arena-rule/1') return [];
    const { rule } = entry.body;
    const key = String(rule.version).padStart(7, '0');
    if (state.get(TABLE, key) !== undefined) return [];
    const { seq, at } = entry;
    const row: ArenaRuleRow = { hash: arenaRuleHash(sha256, rule), seq, at, rule };
    return [{ table: TABLE, key, value: wire(row) }];
  },
};

/** The versions of the arena rule, oldest first. */
export function arenaRules(state: ViewState): readonly ArenaRuleRow[] {
  return [...state.list(TABLE)].map(([, row]) => row as unknown as ArenaRuleRow);
}

/** The arena rule with this hash; undefined where the log has none. */
export function arenaRuleOf(state: ViewState, hash: HashHex): ArenaRuleRow | undefined {
  return arenaRules(state).find((row) => row.hash === hash);
}

/** The newest arena rule, by which questions and rounds are made. */
export function newestArenaRule(state: ViewState): ArenaRuleRow | undefined {
  for (const [, row] of state.descend(TABLE)) return row as unknown as ArenaRuleRow;
  return undefined;
}
