import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTickValues, tickCommitment } from '@assay/core/terminal/tick/tick-values';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openedInput } from '@assay/node/terminal/tick/opened-input';
import { formatTime } from '@assay/core/time/time';
import { START } from '../tick-world.ts';

const source = { provider: 'one', price: '12.5', volume_24h: '3', stamped_at: formatTime(START) };

test('opened input: the values of an opening that is of its leaf, and of no other', () => {
  const bytes = formatTickValues({
    type: 'assay-tick-values/1',
    symbol: 'ADA',
    ts: formatTime(START),
    price: '12.5',
    volume_24h: '3',
    sources: [source],
  });
  const opening = { symbol: 'ADA', salt: new Uint8Array(32).fill(7), bytes };
  const commitment = tickCommitment(nodeSha256, opening.salt, bytes);
  assert.deepEqual(openedInput(nodeSha256, START, opening, commitment), {
    price: '12.5',
    volume24h: '3',
    sources: [source],
  });
  const salted = { ...opening, salt: new Uint8Array(32) };
  for (const [each, of] of [
    [salted, commitment],
    [opening, undefined],
  ] as const) {
    assert.throws(() => openedInput(nodeSha256, START, each, of), { code: 'replay_differs' });
  }
});
