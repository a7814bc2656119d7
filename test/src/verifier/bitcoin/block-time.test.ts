import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime, toTime } from '@assay/core/time/time';
import { checkAfterBlock, checkBeforeBlock } from '@assay/verifier/bitcoin/block-time';
import { Findings } from '@assay/verifier/verdict/finding';
import {
  type BitcoinTrust,
  type BlockFacts,
  NotCheckedList,
} from '@assay/verifier/verdict/verdict';

const NOON = Date.UTC(2026, 6, 10, 12) / 1000;

/** What comes of a time so many seconds from that of a block. */
function judged(
  check: typeof checkAfterBlock,
  seconds: number,
  trust: BitcoinTrust = 'work',
): readonly [number, number] {
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const block: BlockFacts = {
    height: 9,
    block: '00'.repeat(32),
    time: formatTime(NOON),
    headers: 7,
    work: '14',
    trust,
    doubt: null,
  };
  const at = toTime(formatTime(NOON + seconds));
  check({ how: 'recorded', at, place: 'entry 4' }, block, { findings, notChecked });
  assert.equal(
    findings.list.every(({ code }) => code === 'time_refuted'),
    true,
  );
  return [findings.count, notChecked.list.length];
}

test('two hours before a block that was known, and no second more', () => {
  assert.deepEqual(judged(checkAfterBlock, -7200), [0, 0]);
  assert.deepEqual(judged(checkAfterBlock, -7201), [1, 0]);
  assert.deepEqual(judged(checkAfterBlock, 9_999_999), [0, 0]);
});

test('two hours after a block that holds it, and no second more', () => {
  assert.deepEqual(judged(checkBeforeBlock, 7200), [0, 0]);
  assert.deepEqual(judged(checkBeforeBlock, 7201), [1, 0]);
  assert.deepEqual(judged(checkBeforeBlock, -9_999_999), [0, 0]);
});

test('a block that nothing vouches for refutes nothing, and is named', () => {
  for (const trust of ['none', 'explorer'] as const) {
    assert.deepEqual(judged(checkAfterBlock, -7201, trust), [0, 1]);
    assert.deepEqual(judged(checkBeforeBlock, 7201, trust), [0, 1]);
  }
  assert.deepEqual(judged(checkAfterBlock, -7201, 'headers'), [1, 0]);
});
