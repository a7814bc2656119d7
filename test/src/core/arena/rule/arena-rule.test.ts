import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleHash, arenaRuleParser } from '@assay/core/arena/rule/arena-rule';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { bodyParser } from '@assay/core/kind/kinds';
import { formatWire, parseWire, type WireObject } from '@assay/core/wire/wire';
import { sha256, vectors } from '../../fixture/fixture.ts';
import { ARENA_RULES } from '../arena-rule-fixture.ts';

const parse = arenaRuleParser(sha256);

test('arena rule: exact bytes and their hash', () => {
  assert.equal(ARENA_RULES.length, 3);
  for (const { name, rule, canonical, hash } of ARENA_RULES) {
    assert.equal(Buffer.from(formatWire(rule)).toString(), canonical, name);
    const read = parse(parseWire(formatUtf8(canonical)), 'rule');
    assert.deepEqual(read, rule, name);
    assert.equal(arenaRuleHash(sha256, read), hash, name);
    const body = { rule: parseWire(formatUtf8(canonical)) };
    assert.deepEqual(bodyParser(sha256)('arena-rule/1', body), { kind: 'arena-rule/1', body });
  }
});

test('arena rule: what is none is refused, with its place', () => {
  interface Refused {
    readonly name: string;
    readonly rule: WireObject;
    readonly at: string;
  }
  const all = vectors<readonly Refused[]>('arena/refused-rules');
  assert.ok(all.length > 20);
  for (const { name, rule, at } of all) {
    assert.throws(() => parse(rule, 'rule'), { code: 'malformed', at }, name);
  }
});
