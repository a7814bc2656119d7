import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arenaRuleParser } from '@assay/core/arena/rule/arena-rule';
import { DAY_SECONDS, HOUR_SECONDS } from '@assay/core/time/time';
import { wire } from '@assay/core/wire/wire';
import {
  DEVELOPMENT_ARENA_RULE,
  developmentArenaRule,
} from '@assay/node/dev/development-arena-rule';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { ARENA } from '../../core/arena/arena-log.ts';
import { developmentNetwork } from '@assay/node/dev/development-indices';

const RULE = developmentArenaRule(ARENA.drand, ARENA.witnesses.keys.toReversed());

test('development arena rule: both versions are arena rules, and the second follows the first', () => {
  const parse = arenaRuleParser(nodeSha256);
  for (const rule of [DEVELOPMENT_ARENA_RULE, RULE]) assert.deepEqual(parse(wire(rule), ''), rule);
  assert.deepEqual([DEVELOPMENT_ARENA_RULE.version, RULE.version], [1, 2]);
  assert.deepEqual(RULE.referee, DEVELOPMENT_ARENA_RULE.referee);
});

test('development arena rule: at each hour of the day a daily round is open', async () => {
  const { indices } = await developmentNetwork(nodeSha256);
  const open = new Set<number>();
  for (const { ticker, window_s, close_before_s } of RULE.arena?.indices ?? []) {
    const rule = indices.flatMap(({ rules }) => rules).findLast((each) => each.ticker === ticker);
    assert.ok(rule !== undefined, ticker);
    if (rule.period !== 'utc_day') continue;
    assert.deepEqual([rule.release.zone, rule.release.days_after], ['UTC', 0]);
    const [hours = 0] = rule.release.local.split(':').map(Number);
    const closes = DAY_SECONDS + hours * HOUR_SECONDS - close_before_s;
    for (let at = closes - window_s; at < closes; at += HOUR_SECONDS) {
      open.add((at % DAY_SECONDS) / HOUR_SECONDS);
    }
  }
  assert.deepEqual(
    [...open].sort((a, b) => a - b),
    Array.from({ length: 24 }, (_, hour) => hour),
  );
});
