import { readFile } from 'node:fs/promises';
import { Fault, messageOf } from '@assay/core/fault';
import type { Sha256 } from '@assay/core/hash/hash';
import { parseRule, type Rule, ruleHash } from '@assay/core/rule/rule';
import { successionFaults } from '@assay/core/round/succession';
import type { WireValue } from '@assay/core/wire/wire';
import { logRow } from '@assay/core/view/log';
import { ruleVersions } from '@assay/core/view/rules';
import type { Ledger } from '../ledger/ledger.ts';

/** Reads a rule from a JSON file, which people may format as they like: its hash is of the canonical form. */
export async function readRuleFile(sha256: Sha256, path: string | URL): Promise<Rule> {
  try {
    return parseRule(sha256, JSON.parse(await readFile(path, 'utf8')) as WireValue);
  } catch (cause) {
    throw new Fault('bad_config', 'rule file', {
      at: String(path),
      expected: 'a rule',
      found: messageOf(cause),
      cause,
    });
  }
}

/**
 * Appends a rule that the log does not have; returns whether it did. Throws `bad_config` for one that may not
 * come next, or that differs from the version in the log.
 */
export async function enactRule(ledger: Ledger, sha256: Sha256, rule: Rule): Promise<boolean> {
  const hash = ruleHash(sha256, rule);
  const written = await ledger.write(({ views, at: recordedAt }) => {
    const at = `${rule.ticker} version ${rule.version}`;
    const known = ruleVersions(views, rule.ticker).find((row) => row.rule.version === rule.version);
    if (known?.hash === hash) return [];
    if (known !== undefined) {
      const expected = `${known.hash}, which the log has: a changed rule is a new version`;
      throw new Fault('bad_config', 'rule', { at, expected, found: hash });
    }
    const log = logRow(views);
    if (log === undefined) throw new TypeError('enactRule: a log without genesis');
    const [fault] = successionFaults(rule, log.network, views, recordedAt);
    if (fault !== undefined) throw new Fault('bad_config', 'rule', { at, ...fault });
    return [{ kind: 'rule/1', body: { rule } }];
  });
  return written.length > 0;
}
