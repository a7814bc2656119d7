import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { rulePayload } from '@assay/core/answer/rule';
import { ruleHash } from '@assay/core/rule/rule';
import type { Ticker } from '@assay/core/rule/ticker';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { layoffsRule, sha256 } from '../fixture/fixture.ts';
import { smallLog } from '../view/small-log.ts';

test('rule payload: the exact bytes with their hash, and every version', () => {
  const log = smallLog();
  const second = layoffsRule({ version: 2, applies_from: '2026-08-08' });
  log.append('rule/1', { rule: second });
  const { canonical, ...payload } = rulePayload(log.views, 'LAYOFFS' as Ticker);
  const hash = ruleHash(sha256, layoffsRule());
  assert.deepEqual(payload, {
    ticker: 'LAYOFFS',
    version: 1,
    applies_from: '2026-07-25',
    hash,
    rule: layoffsRule(),
    versions: [
      { version: 1, applies_from: '2026-07-25', hash, seq: 1 },
      { version: 2, applies_from: '2026-08-08', hash: ruleHash(sha256, second), seq: 11 },
    ],
  });
  assert.equal(hashHex(contentHash(sha256, formatUtf8(canonical))), hash);
  assert.deepEqual(JSON.parse(canonical), layoffsRule());
});
