import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CosignerSet } from '@assay/core/report/cosigner-set';
import { MemoryViews } from '@assay/core/view/state';
import { checkCosignerSet } from '@assay/verifier/check/cosigner-set-check';
import { Findings } from '@assay/verifier/verdict/finding';
import { parseRule } from '@assay/core/rule/rule';
import { parseTime, type TimeText } from '@assay/core/time/time';
import { type WireValue, wire } from '@assay/core/wire/wire';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { forcePrint } from '../../node/fixture/forced-print.ts';
import {
  CLAIMS_RULE,
  type TestNode,
  testNode,
  verdictOn,
} from '../../node/fixture/round-fixture.ts';
import { setOf } from '../fixture/chained-log.ts';

const AT = '2026-07-01T00:00:00Z' as TimeText;

function found(set: CosignerSet, required = 0): readonly string[] {
  const findings = new Findings();
  const policies = { cosigners_required: required, witnesses_required: 0, witness_max_age_s: 0 };
  checkCosignerSet(set, AT, 'entry 1', { policies }, new MemoryViews(), nodeSha256, findings);
  return findings.list.map(({ code, expected }) => `${code}: ${expected}`);
}

test('the first set of a log, with as many as the policy asks', () => {
  assert.deepEqual(found(setOf(0, 2, 'ada', 'ben'), 2), []);
  assert.deepEqual(found(setOf(0, 1, 'ada')), []);
});

test('below the policy, out of its order, and both', () => {
  assert.deepEqual(found(setOf(0, 2, 'ada', 'ben', 'cleo'), 3), [
    "cosigners_not_allowed: a threshold of 3 at least, the policy's",
  ]);
  assert.deepEqual(found(setOf(1, 1, 'ada'), 2), [
    'cosigners_not_allowed: set 0',
    "cosigners_not_allowed: a threshold of 2 at least, the policy's",
  ]);
});

test('each key that is none is named with its operator', () => {
  const cosigners = ['00', 'ff'].map((byte, i) => ({ name: `op ${i}`, key: byte.repeat(32) }));
  assert.deepEqual(found({ number: 0, threshold: 2, cosigners }), [
    'cosigners_not_allowed: an Ed25519 key of the prime-order group for op 0',
    'cosigners_not_allowed: an Ed25519 key of the prime-order group for op 1',
  ]);
});

const WEEK = '2026-08-01';
/** Nobody is asked for later figures, so that a final takes the reads of its provisional. */
const RULE = parseRule(nodeSha256, {
  ...wire(CLAIMS_RULE),
  applies_from: WEEK,
  revision: { settles: 'first_published', freeze_after_s: 7200, provider: null },
} as WireValue);

/** A node on which a week is provisional, with sets that were recorded at these times. */
async function nodeWith(sets: readonly (readonly [string, CosignerSet])[]): Promise<TestNode> {
  const node = await testNode('2026-07-20T00:00:00Z', {}, RULE);
  node.source.show({ [WEEK]: 193_000 });
  const provisional = '2026-08-06T12:30:00Z';
  const record = async (early: boolean): Promise<void> => {
    for (const [at, set] of sets) {
      if (at < provisional !== early) continue;
      node.at(at);
      await node.ledger.write(() => [{ kind: 'cosigners/1', body: set as never }]);
    }
  };
  await record(true);
  node.at(provisional);
  await node.round(WEEK);
  await record(false);
  return node;
}

/** The codes and places of a log whose final is recorded at one time and says another. */
async function finalAt(node: TestNode, recorded: string, said: string): Promise<readonly string[]> {
  node.at(recorded);
  const publishedAt = parseTime(said);
  assert.equal(await forcePrint(node.parts, RULE, WEEK, { publishedAt }), true);
  const verdict = await verdictOn(node);
  if (verdict.outcome === 'verified') return [];
  return verdict.findings.map(({ code, expected }) => `${code}: ${expected.replace(/, .*/, '')}`);
}

test('a report that is recorded behind its set is not published before it', async () => {
  const first = [['2026-08-06T14:30:01Z', setOf(0, 2, 'ada', 'ben', 'cleo')]] as const;
  const late = '2026-08-06T15:30:00Z';
  assert.deepEqual(await finalAt(await nodeWith(first), late, '2026-08-06T14:30:00Z'), [
    'report_times: published at 2026-08-06T14:30:01Z or later',
  ]);
  assert.deepEqual(await finalAt(await nodeWith(first), late, '2026-08-06T14:30:01Z'), []);
  // Who is first is first: a set of the same second binds what comes behind it alone.
  const honest = await nodeWith(first.map(([, set]) => ['2026-08-06T12:30:00Z', set]));
  assert.deepEqual(await finalAt(honest, late, late), []);
});

test('nor is it published under a set that another has replaced when it is recorded', async () => {
  // A week behind its entry the second set is in force: at 15:00 on the day of the release.
  const sets = [
    ['2026-07-21T00:00:00Z', setOf(0, 1, 'ada')],
    ['2026-07-30T15:00:00Z', setOf(1, 2, 'ada', 'ben')],
  ] as const;
  assert.deepEqual(
    await finalAt(await nodeWith(sets), '2026-08-06T15:40:00Z', '2026-08-06T14:59:59Z'),
    ['report_times: published at 2026-08-06T15:00:00Z or later'],
  );
  const begin = '2026-08-06T15:00:00Z';
  assert.deepEqual(await finalAt(await nodeWith(sets), begin, begin), []);
  const before = '2026-08-06T14:59:59Z';
  assert.deepEqual(await finalAt(await nodeWith(sets), before, before), []);
});
