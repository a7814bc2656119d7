import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatTime } from '@assay/core/time/time';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CRYPTO_FORMAT } from '@assay/node/terminal/replay/market-formats';
import { MarketFolder } from '@assay/node/terminal/replay/market-folder';
import { foundOutliers } from '@assay/node/terminal/replay/found-outliers';
import { replayMarket } from '@assay/node/terminal/replay/replay-market';
import { temporaryFolder } from '../../ledger/ledger-fixture.ts';
import { fileText, type MadeRow, makeMarket } from '../made-market.ts';
import { ALL, FROM } from '../replay-world.ts';

/** Two hundred quarter hours of three assets, whose rows `change` may have changed. */
async function replayed(
  folder: string,
  change: (row: MadeRow, k: number, symbol: string) => readonly MadeRow[],
): Promise<{ readonly root: string; readonly outliers: unknown; readonly decimals: unknown }> {
  const market = join(folder, 'market');
  const { rows } = await makeMarket(market, {
    symbols: ['BTC', 'ETH', 'SOL'],
    from: FROM,
    ticks: 200,
    seed: 4,
    gaps: 1000,
  });
  for (const [symbol, all] of rows) {
    if (symbol === 'ETH') continue;
    const text = fileText(all.flatMap((row) => change(row, (row.ts - FROM) / 900, symbol)));
    await writeFile(join(market, `${symbol}USDT.15m.csv`), text);
  }
  const data = dataFolder(join(folder, 'data'));
  const { root, outliers } = await replayMarket(nodeSha256, { market, span: ALL, data });
  const { files } = await MarketFolder.open(market, CRYPTO_FORMAT);
  return { root, outliers, decimals: files.map((file) => file.decimals) };
}

test('found outliers: a bad print is as if its row were not there, and is told', async (t) => {
  const folders = [await temporaryFolder(t), await temporaryFolder(t), await temporaryFolder(t)];
  const isBad = (k: number, symbol: string): boolean =>
    symbol === 'BTC' ? k === 150 : k === 120 || k === 121;
  const [whole, bad, without] = [
    await replayed(folders[0] as string, (row) => [row]),
    // With more decimals, and higher, than any other close.
    await replayed(folders[1] as string, (row, k, symbol) => {
      return [isBad(k, symbol) ? { ...row, close: `9${row.close}1234567` } : row];
    }),
    await replayed(folders[2] as string, (row, k, symbol) => (isBad(k, symbol) ? [] : [row])),
  ];
  assert.equal(whole.outliers, undefined);
  assert.notEqual(bad.root, whole.root);
  assert.equal(bad.root, without.root);
  assert.deepEqual(bad.decimals, whole.decimals);
  assert.equal(without.outliers, undefined);
  const ts = FROM + 900 * 120;
  assert.deepEqual(bad.outliers, {
    count: 3,
    symbol: 'SOL',
    path: join(folders[1] as string, 'market', 'SOLUSDT.15m.csv'),
    line: 122,
    ts,
  });
  assert.equal(formatTime(ts), '2025-01-02T06:00:00Z');
});

test('found outliers: none of no files', () => assert.equal(foundOutliers([]), undefined));
