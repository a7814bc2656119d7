import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkArenaRule } from '@assay/verifier/arena/arena-rule-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { arenaRule } from '../../core/arena/arena-rule-fixture.ts';
import { GENESIS, SampleLog } from '../../core/fixture/fixture.ts';

test('arena rule check: the first version is 1, and each one after it is the next', () => {
  const rule = arenaRule('whole');
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const found = (version: number): readonly string[] => {
    const findings = new Findings();
    checkArenaRule({ rule: { ...rule, version } }, 'entry 1', log.views, findings);
    return findings.list.map(({ code, expected }) => `${code}: ${expected}`);
  };
  assert.deepEqual(found(1), []);
  assert.deepEqual(found(2), ['arena_rule_not_allowed: version 1']);
  log.append('arena-rule/1', { rule });
  assert.deepEqual(found(2), []);
  assert.deepEqual(found(1), ['arena_rule_not_allowed: version 2']);
  assert.deepEqual(found(3), ['arena_rule_not_allowed: version 2']);
});
