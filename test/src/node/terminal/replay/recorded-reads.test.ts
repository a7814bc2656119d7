import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTime } from '@assay/core/time/time';
import { recordedReads } from '@assay/node/terminal/replay/recorded-reads';

test('recorded reads: one source, stamped with the time of its row; of those that are wanted', () => {
  const ts = parseTime('2025-01-01T00:15:00Z');
  const readings = new Map([
    ['BTC', { price: '93000.10', volume24h: 1_234 }],
    ['ETH', { price: '3300', volume24h: null }],
  ]);
  const stamped_at = '2025-01-01T00:15:00Z';
  const btc = { provider: 'recorded', price: '93000.10', volume_24h: '1234', stamped_at };
  const eth = { provider: 'recorded', price: '3300', volume_24h: null, stamped_at };
  assert.deepEqual(
    [...recordedReads({ ts, readings })],
    [
      ['BTC', { price: '93000.10', volume24h: '1234', sources: [btc] }],
      ['ETH', { price: '3300', volume24h: null, sources: [eth] }],
    ],
  );
  const some = recordedReads({ ts, readings }, (symbol) => symbol === 'ETH');
  assert.deepEqual([...some.keys()], ['ETH']);
});
