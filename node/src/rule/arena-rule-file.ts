import { readFile } from 'node:fs/promises';
import { type ArenaRule, arenaRuleHash, arenaRuleParser } from '@assay/core/arena/rule/arena-rule';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { arenaRules, newestArenaRule } from '@assay/core/view/arena-rules';
import type { WireValue } from '@assay/core/wire/wire';
import type { Ledger } from '../ledger/ledger.ts';

/** Reads an arena rule from a JSON file, which people may format as they like. Throws `bad_config`. */
export async function readArenaRuleFile(sha256: Sha256, path: string): Promise<ArenaRule> {
  try {
    return arenaRuleParser(sha256)(JSON.parse(await readFile(path, 'utf8')) as WireValue, 'rule');
  } catch (cause) {
    throw new Fault('bad_config', 'arena rule file', {
      at: path,
      expected: 'an arena rule',
      found: messageOf(cause),
      cause,
    });
  }
}

/**
 * Appends an arena rule that the log does not have; returns whether it did. Throws `bad_config` for one that may not come
 * next, or that differs from the version in the log.
 */
export async function enactArenaRule(
  ledger: Pick<Ledger, 'write'>,
  sha256: Sha256,
  rule: ArenaRule,
): Promise<boolean> {
  const found = arenaRuleHash(sha256, rule);
  const at = `arena rule version ${rule.version}`;
  const written = await ledger.write(({ views }) => {
    const known = arenaRules(views).find((row) => row.rule.version === rule.version);
    if (known?.hash === found) return [];
    if (known !== undefined) {
      const expected = `${known.hash}, which the log has: a changed rule is a new version`;
      throw new Fault('bad_config', 'arena rule', { at, expected, found });
    }
    const next = (newestArenaRule(views)?.rule.version ?? 0) + 1;
    if (rule.version !== next) {
      throw new Fault('bad_config', 'arena rule', { at, expected: `version ${next}` });
    }
    return [{ kind: 'arena-rule/1', body: { rule } }];
  });
  return written.length > 0;
}
