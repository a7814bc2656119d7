import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assetRow, assetRows } from '@assay/core/view/assets';
import { GENESIS, SampleLog } from '../fixture.ts';

const ASSET = {
  symbol: 'ETH',
  name: 'Ethereum',
  class: 'crypto',
  decimals: 2,
  listed: true,
  display: true,
};

test('assets view: the newest entry stands, with the class and the decimals of the first', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  assert.equal(assetRow(log.views, 'ETH'), undefined);
  log.append('asset/1', ASSET);
  log.append('asset/1', { ...ASSET, symbol: 'BTC', name: 'Bitcoin' });
  log.append('asset/1', { ...ASSET, name: 'Ether', class: 'stock', decimals: 8, listed: false });
  assert.deepEqual(assetRow(log.views, 'ETH'), {
    ...ASSET,
    name: 'Ether',
    listed: false,
    seq: 3,
    at: '2026-07-30T12:00:00Z',
  });
  assert.deepEqual(
    [...assetRows(log.views)].map(({ symbol }) => symbol),
    ['BTC', 'ETH'],
  );
});
