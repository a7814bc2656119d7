import { parseUtf8 } from '../bytes/utf8.ts';
import { formatRule, type Rule } from '../rule/rule.ts';
import type { Ticker } from '../rule/ticker.ts';
import { ruleVersions } from '../view/rules.ts';
import type { ViewState } from '../view/view.ts';
import { currentRule } from './index.ts';

export interface RulePayload {
  readonly ticker: string;
  readonly version: number;
  readonly applies_from: string;
  /** sha256 of `canonical`. */
  readonly hash: string;
  /** The exact bytes of the rule, as text. */
  readonly canonical: string;
  readonly rule: Rule;
  /** Every version with the first period that it applies to, oldest first. */
  readonly versions: readonly {
    readonly version: number;
    readonly applies_from: string;
    readonly hash: string;
    /** The entry that introduced it. */
    readonly seq: number;
  }[];
}

export function rulePayload(state: ViewState, ticker: Ticker): RulePayload {
  const { rule, hash } = currentRule(state, ticker);
  return {
    ticker: rule.display,
    version: rule.version,
    applies_from: rule.applies_from,
    hash,
    canonical: parseUtf8(formatRule(rule)),
    rule,
    versions: ruleVersions(state, ticker).map((row) => ({
      version: row.rule.version,
      applies_from: row.rule.applies_from,
      hash: row.hash,
      seq: row.seq,
    })),
  };
}
