import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scoreRuleHash } from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE, STOCK_RULE } from '@assay/core/terminal/rule/score-rules';
import { newestScoreRule, scoreRuleOf, scoreRules } from '@assay/core/view/score-rules';
import { GENESIS, SampleLog, sha256, SOME_HASH } from '../fixture/fixture.ts';

test('score rules view: each version of each class, the first entry of each', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const second = { ...CRYPTO_RULE, version: 10 };
  log.append('score-rule/1', { rule: second });
  log.append('score-rule/1', { rule: CRYPTO_RULE });
  log.append('score-rule/1', { rule: STOCK_RULE });
  log.append('score-rule/1', {
    rule: { ...CRYPTO_RULE, event: { ...CRYPTO_RULE.event, open: 71 } },
  });
  const { views } = log;
  assert.deepEqual(
    scoreRules(views, 'crypto').map(({ hash, seq, rule }) => [hash, seq, rule]),
    [
      [scoreRuleHash(sha256, CRYPTO_RULE), 2, CRYPTO_RULE],
      [scoreRuleHash(sha256, second), 1, second],
    ],
  );
  assert.equal(newestScoreRule(views, 'crypto')?.seq, 1);
  assert.equal(newestScoreRule(views, 'stock')?.seq, 3);
  assert.equal(scoreRuleOf(views, 'crypto', scoreRuleHash(sha256, second))?.seq, 1);
  assert.equal(scoreRuleOf(views, 'stock', scoreRuleHash(sha256, second)), undefined);
  assert.equal(scoreRuleOf(views, 'crypto', SOME_HASH), undefined);
});
