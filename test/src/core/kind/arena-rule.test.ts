import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleEntryParser } from '@assay/core/kind/arena-rule';
import { bodyParser } from '@assay/core/kind/kinds';
import { wire, type WireObject } from '@assay/core/wire/wire';
import { ARENA_RULES } from '../arena/arena-rule-fixture.ts';
import { sha256 } from '../fixture/fixture.ts';

test('arena-rule/1: a body is a rule and nothing else', () => {
  const parse = arenaRuleEntryParser(sha256);
  for (const { name, rule } of ARENA_RULES) {
    const body = wire({ rule }) as WireObject;
    assert.deepEqual(parse(body, 'body'), body, name);
    assert.deepEqual(bodyParser(sha256)('arena-rule/1', body), { kind: 'arena-rule/1', body });
    assert.throws(() => parse(wire({ rule, hash: '' }), 'body'), { code: 'malformed', at: 'body' });
  }
  assert.throws(() => parse({}, 'body'), { code: 'malformed', at: 'body' });
});
