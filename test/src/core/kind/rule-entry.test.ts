import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleEntryParser } from '@assay/core/kind/rule-entry';
import { wire } from '@assay/core/wire/wire';
import { layoffsRule, sha256 } from '../fixture/fixture.ts';

test('rule entry: a whole rule', () => {
  const parse = ruleEntryParser(sha256);
  const entry = { rule: wire(layoffsRule()) };
  assert.deepEqual(parse(entry, 'body'), entry);
  const rule = wire({ ...layoffsRule(), version: 0 });
  assert.throws(() => parse({ rule }, 'body'), { code: 'malformed', at: 'body.rule.version' });
});
