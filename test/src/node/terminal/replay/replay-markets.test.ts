import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openReplayMarkets } from '@assay/node/terminal/replay/replay-markets';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';

test('replay markets: crypto first, each by its own rule; one symbol in both is refused', async (t) => {
  const [market, stocks] = [await temporaryFolder(t), await temporaryFolder(t)];
  const crypto = 'close_time,close,volume\n2025-01-10T20:00:00Z,1.5,2\n';
  await writeFile(join(market, 'BTCUSDT.15m.csv'), crypto);
  const stock = 'close_time_new_york,close,volume\n2025-01-10T15:45:00,580.5,1000\n';
  await writeFile(join(stocks, 'SPY.15m.csv'), stock);
  const both = await openReplayMarkets({ market, stocks });
  assert.deepEqual(
    both.map(({ rule, folder }) => [rule.class, folder.files.map(({ symbol }) => symbol)]),
    [
      ['crypto', ['BTC']],
      ['stock', ['SPY']],
    ],
  );
  assert.deepEqual(await openReplayMarkets({}), []);
  const second = join(stocks, 'BTC.15m.csv');
  await writeFile(second, stock);
  await assert.rejects(openReplayMarkets({ market, stocks }), { code: 'malformed', at: second });
});
