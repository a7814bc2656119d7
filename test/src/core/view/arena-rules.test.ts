import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleHash } from '@assay/core/arena/rule/arena-rule';
import { arenaRuleOf, arenaRules, newestArenaRule } from '@assay/core/view/arena-rules';
import { arenaRule } from '../arena/arena-rule-fixture.ts';
import { GENESIS, SampleLog, sha256, SOME_HASH } from '../fixture/fixture.ts';

test('arena rules view: each version, the first entry of each', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  assert.equal(newestArenaRule(log.views), undefined);
  const first = arenaRule('whole');
  const tenth = { ...arenaRule('referee'), version: 10 };
  log.append('arena-rule/1', { rule: tenth });
  log.append('arena-rule/1', { rule: first });
  log.append('arena-rule/1', { rule: { ...arenaRule('referee'), version: 1 } });
  const { views } = log;
  assert.deepEqual(
    arenaRules(views).map(({ hash, seq, rule }) => [hash, seq, rule]),
    [
      [arenaRuleHash(sha256, first), 2, first],
      [arenaRuleHash(sha256, tenth), 1, tenth],
    ],
  );
  assert.equal(newestArenaRule(views)?.seq, 1);
  assert.equal(arenaRuleOf(views, arenaRuleHash(sha256, first))?.seq, 2);
  assert.equal(arenaRuleOf(views, SOME_HASH), undefined);
});
