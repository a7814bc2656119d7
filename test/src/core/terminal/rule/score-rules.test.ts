import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  parseScoreRule,
  type ScoreRule,
  scoreRuleHash,
} from '@assay/core/terminal/rule/score-rule';
import {
  CRYPTO_REPLAY_RULE,
  CRYPTO_RULE,
  STOCK_REPLAY_RULE,
  STOCK_RULE,
} from '@assay/core/terminal/rule/score-rules';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { sha256 } from '../../fixture/fixture.ts';

const RULES = [CRYPTO_RULE, CRYPTO_REPLAY_RULE, STOCK_RULE, STOCK_REPLAY_RULE];

test('score rules: each is one, and they tell themselves apart', () => {
  for (const rule of RULES) {
    const bytes = formatWire(rule);
    assert.deepEqual(parseScoreRule(parseWire(bytes), 'rule'), rule);
  }
  assert.equal(new Set(RULES.map((rule) => scoreRuleHash(sha256, rule))).size, RULES.length);
});

test('score rules: a replay has one source and differs in nothing else', () => {
  const pairs: readonly (readonly [ScoreRule, ScoreRule])[] = [
    [CRYPTO_RULE, CRYPTO_REPLAY_RULE],
    [STOCK_RULE, STOCK_REPLAY_RULE],
  ];
  for (const [live, replay] of pairs) {
    assert.deepEqual([live.sources.required, replay.sources.required], [2, 1]);
    assert.deepEqual({ ...replay, sources: { ...replay.sources, required: 2 } }, live);
  }
});

test('score rules: they are frozen', () => {
  assert.deepEqual(
    RULES.map((rule) => scoreRuleHash(sha256, rule)),
    [
      '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
      '65da83d5fc47d5f72004b048571f6141b4f115b0c5208895ec184f756d2814ad',
      '7a429b8abe0c13b56d78f902eeb5f6af46c70410997eb0c27709df9d17695f3d',
      '41c1c2ad833afafcb95fba8ad243a667630738509a1bbbd694c348990c1f1817',
    ],
  );
});
