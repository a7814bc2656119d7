import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleEntryParser } from '@assay/core/kind/rule-entry';
import type { WireValue } from '@assay/core/wire/wire';
import { layoffsRule, sha256 } from '../fixture/fixture.ts';

test('rule entry: a whole rule', () => {
  const parse = ruleEntryParser(sha256);
  const entry = { rule: layoffsRule() as unknown as WireValue };
  assert.deepEqual(parse(entry, 'body'), entry);
  const rule = { ...layoffsRule(), version: 0 } as unknown as WireValue;
  assert.throws(() => parse({ rule }, 'body'), { code: 'malformed', at: 'body.rule.version' });
});
