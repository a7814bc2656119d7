import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { formatTime, parseTime } from '@assay/core/time/time';
import {
  assetRow,
  assetRowAt,
  assetRows,
  isListable,
  relistSeconds,
} from '@assay/core/view/assets';
import { GENESIS, SampleLog } from '../fixture/fixture.ts';

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
    delisted_after: null,
  });
  assert.deepEqual(
    [...assetRows(log.views)].map(({ symbol }) => symbol),
    ['BTC', 'ETH'],
  );
});

test('assets view: an asset as it was at any earlier entry', () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('asset/1', ASSET);
  log.append('asset/1', { ...ASSET, symbol: 'BTC' });
  log.append('asset/1', { ...ASSET, name: 'Ether' });
  log.append('asset/1', { ...ASSET, name: 'Ether II', display: false });
  const at = (seq: number): unknown => {
    const row = assetRowAt(log.views, 'ETH', seq);
    return row && [row.name, row.display];
  };
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(at), [
    undefined,
    ['Ethereum', true],
    ['Ethereum', true],
    ['Ether', true],
    ['Ether II', false],
    ['Ether II', false],
  ]);
  assert.equal(assetRowAt(log.views, 'DOGE', 9), undefined);
});

test('assets view: one that was delisted is not listed again before its receipts would all have been said', () => {
  const log = new SampleLog();
  const hash = 'ab'.repeat(32);
  const tick = (ts: string): void => {
    log.append('tick/1', { class: 'crypto', ts, rule: hash, size: 1, root: hash, blob: hash });
  };
  const listed = (is: boolean): void => {
    log.append('asset/1', { ...ASSET, listed: is });
  };
  const listable = (): boolean => isListable(log.views, 'ETH');
  const since = (): string | null | undefined => assetRow(log.views, 'ETH')?.delisted_after;
  log.append('genesis/1', GENESIS);
  assert.equal(listable(), true);
  log.append('score-rule/1', { rule: CRYPTO_RULE });
  listed(false);
  // Before the first tick there is nothing that a delisting changes.
  assert.deepEqual([since(), listable()], [null, true]);
  tick('2026-07-01T00:00:00Z');
  assert.deepEqual([since(), listable()], [null, true]);
  listed(true);
  listed(false);
  const DELISTED = '2026-07-01T00:00:00Z';
  assert.deepEqual([since(), listable()], [DELISTED, true]);
  tick('2026-07-01T00:15:00Z');
  assert.deepEqual([since(), listable()], [DELISTED, false]);
  // An entry that changes something else does not begin anew.
  listed(false);
  assert.deepEqual([since(), listable()], [DELISTED, false]);
  assert.equal(relistSeconds(log.views, { class: 'crypto' }), 37 * 86_400);
  assert.equal(relistSeconds(log.views, { class: 'stock' }), 30 * 86_400);
  const end = parseTime(DELISTED) + 37 * 86_400;
  tick(formatTime(end - 900));
  assert.equal(listable(), false);
  tick(formatTime(end));
  assert.equal(listable(), true);
  listed(true);
  assert.deepEqual([since(), listable()], [null, true]);
});
