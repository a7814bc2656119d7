import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { newestTick, tickRow, ticksBack } from '@assay/core/view/ticks';
import { SOME_HASH } from '../fixture/fixture.ts';
import { CRYPTO_RULE_HASH, MARKET_START, terminalLog } from '../terminal/terminal-log.ts';

test('ticks view: each tick of a class by its time, newest first; of a time the first entry', () => {
  const { log, market } = terminalLog(1);
  const { views } = log;
  assert.equal(newestTick(views, 'crypto'), formatTime(market.newest));
  assert.equal(newestTick(views, 'stock'), undefined);
  const first = formatTime(MARKET_START);
  const row = tickRow(views, 'crypto', first);
  assert.equal(row?.size, 4);
  assert.ok(row !== undefined && market.blobs.has(row.blob));
  log.append(
    'tick/1',
    {
      class: 'crypto',
      ts: first,
      rule: CRYPTO_RULE_HASH,
      size: 9,
      root: SOME_HASH,
      blob: SOME_HASH,
    },
    formatTime(market.newest + 60),
  );
  assert.deepEqual(tickRow(views, 'crypto', first), row);
  const times = [...ticksBack(views, 'crypto')].map(([ts]) => ts);
  assert.equal(times.length, 97);
  assert.deepEqual(times, [...times].sort().reverse());
  assert.deepEqual(
    [...ticksBack(views, 'crypto', times[95] as TimeText)].map(([ts]) => ts),
    [first],
  );
});
