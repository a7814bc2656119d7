import type { Network } from '../network.ts';
import { isTicker } from '../rule/ticker.ts';
import { newestPrinted } from '../view/reports.ts';
import { parseTime, type TimeText } from '../time/time.ts';
import { newestRule, ruleVersions, tickers } from '../view/rules.ts';
import { coveredTooLate } from './governing.ts';
import type { ViewState } from '../view/view.ts';
import { isWithheld, type Provider, type Rule } from '../rule/rule.ts';

/** Why a rule may not come next; empty when it may. */
export type SuccessionFault = { readonly expected: string; readonly found: string };

/**
 * Checks what a new rule, recorded at `at`, must satisfy. It must be the next version, with a later first
 * period. It must not cover a period that is printed or, by the calendar of any version or its own, released.
 * It must have the same periods, decimals and level (z compares across versions), the log's network, and stored
 * bytes for every read that counts. Its ticker and slug must name no other index, existing or future. The
 * publisher and the verifier both use this function.
 */
export function successionFaults(
  rule: Rule,
  network: Network,
  state: ViewState,
  at: TimeText,
): readonly SuccessionFault[] {
  const last = newestRule(state, rule.ticker)?.rule;
  const printed = newestPrinted(state, rule.ticker);
  const version = (last?.version ?? 0) + 1;
  const faults: SuccessionFault[] = [];
  const demand = (holds: boolean, expected: string, found: string): void => {
    if (!holds) faults.push({ expected, found });
  };
  demand(rule.version === version, `version ${version}`, `version ${rule.version}`);
  demand(rule.network === network, `a rule of the ${network} network`, rule.network);
  const lost = unkeptProvider(rule);
  demand(lost === undefined, 'kept bytes of every read that counts', `${lost?.id} ${lost?.retain}`);
  const slug = slugFault(rule);
  if (slug !== undefined) faults.push(slug);
  for (const other of tickers(state)) {
    if (other === rule.ticker) continue;
    const names = new Set([
      other.toLowerCase(),
      ...ruleVersions(state, other).map((row) => row.rule.slug),
    ]);
    const taken = [rule.slug, rule.ticker.toLowerCase()].find((name) => names.has(name));
    demand(taken === undefined, `a name that ${other} does not have`, `${taken}`);
  }
  if (last !== undefined) {
    const { applies_from: from } = rule;
    demand(from > last.applies_from, `a first period after ${last.applies_from}`, from);
    const late = coveredTooLate(state, rule, parseTime(at));
    demand(late === undefined, `periods that no version has released by ${at}`, `${late}`);
    demand(rule.period === last.period, `periods of ${last.period}`, rule.period);
    demand(rule.decimals === last.decimals, `${last.decimals} decimals`, `${rule.decimals}`);
    demand(
      rule.rights.level === last.rights.level,
      `the level ${last.rights.level}`,
      rule.rights.level,
    );
    demand(rule.display === last.display, `the display name ${last.display}`, rule.display);
  }
  if (printed !== undefined) {
    const expected = `a first period after ${printed}, which is printed`;
    demand(rule.applies_from > printed, expected, rule.applies_from);
  }
  return faults;
}

/**
 * A slug that could be a ticker must be the index's own. Otherwise it could be the name of another index, existing or
 * future, and whoever asks for that one would be shown this one. Undefined where the slug is the index's own, and where
 * it could not be a ticker.
 */
export function slugFault({
  slug,
  ticker,
}: Pick<Rule, 'slug' | 'ticker'>): SuccessionFault | undefined {
  const own = ticker.toLowerCase();
  if (slug === own || !isTicker(slug.toUpperCase())) return undefined;
  return { expected: `the slug ${own}, or one that can be no ticker`, found: slug };
}

/**
 * A provider whose answer decides something and whose bytes the log would not store. For a withheld level
 * nothing is stored, and nothing settles on it.
 */
export function unkeptProvider(rule: Rule): Provider | undefined {
  const { providers, revision } = rule;
  if (isWithheld(rule)) return undefined;
  return providers.find(
    ({ id, role, retain }) => retain !== 'bytes' && (role !== 'check' || id === revision.provider),
  );
}
