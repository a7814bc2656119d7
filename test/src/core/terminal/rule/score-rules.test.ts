import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  handoverFault,
  parseScoreRule,
  type ScoreRule,
  scoreRuleHash,
} from '@assay/core/terminal/rule/score-rule';
import {
  CRYPTO_REPLAY_RULE,
  CRYPTO_RULE,
  LIVE_RULES,
  REPLAY_RULES,
  STOCK_REPLAY_RULE,
  STOCK_RULE,
} from '@assay/core/terminal/rule/score-rules';
import { formatWire, parseWire } from '@assay/core/wire/wire';
import { sha256 } from '../../fixture/fixture.ts';

const RULES = [
  CRYPTO_RULE,
  CRYPTO_REPLAY_RULE,
  STOCK_RULE,
  STOCK_REPLAY_RULE,
  LIVE_RULES.crypto,
  REPLAY_RULES.crypto,
];

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
    [LIVE_RULES.crypto, REPLAY_RULES.crypto],
  ];
  for (const [live, replay] of pairs) {
    assert.deepEqual([live.sources.required, replay.sources.required], [2, 1]);
    assert.deepEqual({ ...replay, sources: { ...replay.sources, required: 2 } }, live);
  }
});

test('score rules: crypto has gone over to studies of version 2, and stocks to nothing', () => {
  assert.deepEqual(LIVE_RULES, {
    crypto: { ...CRYPTO_RULE, type: 'assay-score-rule/2', study: 2, version: 2 },
    stock: STOCK_RULE,
  });
  assert.equal(handoverFault(CRYPTO_RULE, LIVE_RULES.crypto), undefined);
  assert.equal(REPLAY_RULES.stock, STOCK_REPLAY_RULE);
});

test('score rules: they are frozen', () => {
  assert.deepEqual(
    RULES.map((rule) => scoreRuleHash(sha256, rule)),
    [
      '1ca8e8e92541efe8c2c08a6cdd0bbf7ab138109db3d36076a8c82aba60ed8e77',
      '65da83d5fc47d5f72004b048571f6141b4f115b0c5208895ec184f756d2814ad',
      '7a429b8abe0c13b56d78f902eeb5f6af46c70410997eb0c27709df9d17695f3d',
      '41c1c2ad833afafcb95fba8ad243a667630738509a1bbbd694c348990c1f1817',
      'b1856548c92b24ada31e306fb309f08e499d87b42fb33a4bc1449040c1a7bd76',
      '2119b471f3d25acb0bc594ad1e1b05a9f50c14e242a14a618154ec0ce1d6be1e',
    ],
  );
});
