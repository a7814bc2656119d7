import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { formatTime, parseTime } from '@assay/core/time/time';
import { assetRow, type AssetRow } from '@assay/core/view/assets';
import { pastBoardPayload, type PastBoardPayload } from '@assay/node/tier/past-board';
import { FigureRights } from '@assay/node/tier/rights';
import { scoreHistoryPayload } from '@assay/node/tier/score-history-page';
import { StoredTicks } from '@assay/node/tier/stored-ticks';
import { sha256 } from '../../core/fixture/fixture.ts';
import { MARKET_START } from '../../core/terminal/terminal-log.ts';
import { tierWorld, type TierWorld, withSourceFrom } from './tier-world.ts';

const GRIDS = { crypto: utcGrid, stock: utcGrid };

function boardAt(
  { log, ticks }: TierWorld,
  at: number,
  shown = ['sample'],
): Promise<PastBoardPayload> {
  const rights = new FigureRights(shown);
  return pastBoardPayload({ state: log.views, ticks, rights, grids: GRIDS }, at);
}

test('past board: each displayed asset with its newest reading, the highest score first', async (t) => {
  const made = await tierWorld(t, 3);
  const at = MARKET_START + 2 * 86_400 + 100;
  const { assets, at: asked, missing } = await boardAt(made, at);
  assert.equal(asked, formatTime(at));
  assert.deepEqual(missing, []);
  const symbols = assets.map(({ symbol }) => symbol).sort();
  assert.deepEqual(symbols, ['BTC', 'ETH', 'SOL']);
  const scores = assets.map(({ score }) => score);
  assert.deepEqual(
    scores,
    scores.toSorted((a, b) => b - a),
  );
  for (const row of assets) {
    // The same figures as in the history of the asset.
    const rights = new FigureRights(['sample']);
    const parts = { state: made.log.views, ticks: made.ticks, rights, grid: utcGrid, now: at };
    const asset = assetRow(made.log.views, row.symbol) as AssetRow;
    const { points } = await scoreHistoryPayload(parts, asset, 3);
    const { symbol: _, name: _name, class: _class, ...own } = row;
    assert.deepEqual(
      own,
      points.findLast(({ score }) => score !== null),
    );
    assert.equal(row.ts, formatTime(MARKET_START + 2 * 86_400));
  }
});

test('past board: what lies more than two hours back is not on it, nor what came later', async (t) => {
  const made = await tierWorld(t, 1);
  const { newest } = made.market;
  assert.equal((await boardAt(made, newest + 7200)).assets.length, 3);
  assert.deepEqual((await boardAt(made, newest + 7201)).assets, []);
  assert.deepEqual((await boardAt(made, MARKET_START - 1)).assets, []);
  const early = await boardAt(made, MARKET_START + 900);
  assert.ok(early.assets.every(({ ts }) => parseTime(ts) <= MARKET_START + 900));
});

test('past board: figures of a source without the right are left out', async (t) => {
  const made = await tierWorld(t, 2);
  const { assets, missing } = await boardAt(made, made.market.newest, []);
  assert.ok(assets.length > 0);
  assert.ok(assets.every(({ price, vol_24h: volume }) => price === null && volume === null));
  assert.ok(assets.every(({ move_24h: move }) => move === null));
  const fields = ['price', 'vol_24h', 'move_24h'];
  assert.deepEqual(missing, [{ source: 'sample', fields, reason: 'rights' }]);
});

test('past board: a move that begins at a price of a source without the right is left out', async (t) => {
  const made = await tierWorld(t, 3);
  const since = MARKET_START + 86_400;
  const ticks = withSourceFrom(made, since, 'later');
  const mixed = await boardAt({ ...made, ticks }, since + 900, ['later']);
  assert.equal(mixed.assets.length, 3);
  assert.ok(mixed.assets.every(({ price, move_24h: move }) => price !== null && move === null));
  assert.deepEqual(mixed.missing, [{ source: 'sample', fields: ['move_24h'], reason: 'rights' }]);
  const whole = await boardAt({ ...made, ticks }, since + 900, ['later', 'sample']);
  assert.ok(whole.assets.every(({ move_24h: move }) => move !== null));
  assert.deepEqual(whole.missing, []);
  assert.deepEqual((await boardAt({ ...made, ticks }, since + 86_400, ['later'])).missing, []);
});

test('past board: figures that nobody reads here, or that are no longer stored, are named', async (t) => {
  const made = await tierWorld(t, 3, 0);
  const { blobs, openings } = made;
  const at = MARKET_START + 2 * 86_400;
  const bare = new StoredTicks({ blobs, sha256, openings: {} });
  const unwatched = await boardAt({ ...made, ticks: bare }, at);
  assert.equal(unwatched.assets.length, 3);
  const row = { source: null, class: 'crypto' };
  const fields = ['price', 'vol_24h', 'move_24h'];
  assert.deepEqual(unwatched.missing, [{ ...row, fields, reason: 'not_watched' }]);
  assert.deepEqual((await boardAt({ ...made, ticks: bare }, MARKET_START - 1)).missing, []);
  // The first two days are thinned to nothing; the third is whole.
  await openings.thin(MARKET_START + 47 * 86_400, () => () => false);
  const later = await boardAt(made, at + 1800);
  assert.deepEqual(later.missing, [{ ...row, fields: ['move_24h'], reason: 'not_stored' }]);
  assert.ok(later.assets.every(({ price, move_24h: move }) => price !== null && move === null));
  const thinned = await boardAt(made, at - 900);
  assert.deepEqual(thinned.missing, [{ ...row, fields, reason: 'not_stored' }]);
});
