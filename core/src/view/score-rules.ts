import type { HashHex } from '../hash/hash.ts';
import type { AssetClass } from '../terminal/tick/asset-symbol.ts';
import { type ScoreRule, scoreRuleHash } from '../terminal/rule/score-rule.ts';
import type { TimeText } from '../time/time.ts';
import { wire } from '../wire/wire.ts';
import type { View, ViewState } from './view.ts';

const rulesTable = (of: AssetClass): string => `score-rules/${of}`;

export interface ScoreRuleRow {
  readonly hash: HashHex;
  readonly seq: number;
  /** The time at which it was recorded, as its entry claims. */
  readonly at: TimeText;
  readonly rule: ScoreRule;
}

/** Every version of every class's score rule. Where two entries have one version, the first counts. */
export const scoreRulesView: View = {
  name: 'score-rules',
  apply(entry, state, sha256) {
    if (entry.kind !== 'score-rule/1') return [];
    const { rule } = entry.body;
    const table = rulesTable(rule.class);
    const key = String(rule.version).padStart(7, '0');
    if (state.get(table, key) !== undefined) return [];
    const row: ScoreRuleRow = {
      hash: scoreRuleHash(sha256, rule),
      seq: entry.seq,
      at: entry.at,
      rule,
    };
    return [{ table, key, value: wire(row) }];
  },
};

/** The versions of a class's score rule, oldest first. */
export function scoreRules(state: ViewState, of: AssetClass): readonly ScoreRuleRow[] {
  return [...state.list(rulesTable(of))].map(([, row]) => row as unknown as ScoreRuleRow);
}

/** The score rule of a class with this hash; undefined where the log has none. */
export function scoreRuleOf(
  state: ViewState,
  of: AssetClass,
  hash: HashHex,
): ScoreRuleRow | undefined {
  return scoreRules(state, of).find((row) => row.hash === hash);
}

/** The newest score rule of a class. */
export function newestScoreRule(state: ViewState, of: AssetClass): ScoreRuleRow | undefined {
  for (const [, row] of state.descend(rulesTable(of))) return row as unknown as ScoreRuleRow;
  return undefined;
}
