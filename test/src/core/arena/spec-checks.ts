import assert from 'node:assert/strict';
import { arenaRuleHash, arenaRuleParser } from '@assay/core/arena/rule/arena-rule';
import type { WireObject } from '@assay/core/wire/wire';
import { sha256 } from '../fixture/fixture.ts';
import type { SpecCheck } from '../terminal/spec-checks.ts';
import { arenaRule } from './arena-rule-fixture.ts';

/** What the examples of the pages about questions and forecasts have to be, by the tags of their blocks. */
export const ARENA_CHECKS: Readonly<Record<string, SpecCheck>> = {
  'json arena-rule': (text) => {
    const rule = arenaRuleParser(sha256)(JSON.parse(text) as WireObject, 'rule');
    assert.deepEqual(rule, arenaRule('whole'));
  },
  'text arena-rule-hash': (text) => {
    assert.equal(text, arenaRuleHash(sha256, arenaRule('whole')));
  },
};

/** Pages and the examples whose every member they name. */
export const ARENA_MEMBERS: readonly (readonly [string, string])[] = [
  ['arena-rule', 'json arena-rule'],
];
