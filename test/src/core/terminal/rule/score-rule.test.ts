import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  handoverFault,
  parseScoreRule,
  scoreRuleHash,
  studyVersion,
} from '@assay/core/terminal/rule/score-rule';
import { CRYPTO_RULE, LIVE_RULES, STOCK_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../../fixture/fixture.ts';
import { SCORE_RULES, scoreRule } from '../score-rule-fixture.ts';

test('score rule: exact bytes and their hash', () => {
  for (const { name, rule, canonical, hash } of SCORE_RULES) {
    assert.equal(Buffer.from(formatWire(rule)).toString(), canonical, name);
    const read = parseScoreRule(parseWire(formatUtf8(canonical)), 'rule');
    assert.deepEqual(read, rule, name);
    assert.equal(scoreRuleHash(sha256, read), hash, name);
  }
});

test('score rule: those that Assay runs are the vectors', () => {
  assert.deepEqual([CRYPTO_RULE, STOCK_RULE], [scoreRule('crypto'), scoreRule('stock')]);
  const second = SCORE_RULES.find(({ name }) => name === 'crypto, with studies of version 2');
  assert.deepEqual(LIVE_RULES.crypto, second?.rule);
});

test('score rule: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly rule: WireObject;
    readonly at: string;
  }
  for (const { name, rule, at } of vectors<readonly Refused[]>('score/refused')) {
    assert.throws(() => parseScoreRule(rule, 'rule'), { code: 'malformed', at }, name);
  }
});

test('score rule: behind a version comes the next of its class, with the same receipts', () => {
  const [crypto, stock] = [scoreRule('crypto'), scoreRule('stock')];
  const next = { ...crypto, version: 2, event: { ...crypto.event, open: 80 } };
  assert.equal(handoverFault(crypto, next), undefined);
  assert.deepEqual(handoverFault(crypto, { ...next, version: 3 }), {
    expected: 'version 2 of crypto',
    found: 'version 3 of crypto',
  });
  assert.equal(handoverFault(next, crypto)?.expected, 'version 3 of crypto');
  assert.equal(handoverFault(crypto, { ...stock, version: 2 })?.found, 'version 2 of stock');
  const second = { ...next, type: 'assay-score-rule/2', study: 2 } as const;
  assert.equal(handoverFault(crypto, second), undefined);
  assert.equal(handoverFault(second, { ...second, version: 3 }), undefined);
  assert.deepEqual(handoverFault(second, { ...next, version: 3 }), {
    expected: 'a rule of the type assay-score-rule/2',
    found: 'assay-score-rule/1',
  });
  assert.deepEqual([studyVersion(crypto), studyVersion(second)], [1, 2]);
  const receipts = { ...crypto.receipts, void_after_s: 1 };
  assert.match(handoverFault(crypto, { ...next, receipts })?.found ?? '', /"void_after_s":1/);
});
