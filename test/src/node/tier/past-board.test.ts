import assert from 'node:assert/strict';
import { test } from 'node:test';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { formatTime, parseTime } from '@assay/core/time/time';
import { assetRow, type AssetRow } from '@assay/core/view/assets';
import { pastBoardPayload, type PastBoardPayload } from '@assay/node/tier/past-board';
import { FigureRights } from '@assay/node/tier/rights';
import { scoreHistoryPayload } from '@assay/node/tier/score-history-page';
import { MARKET_START } from '../../core/terminal/terminal-log.ts';
import { tierWorld, type TierWorld } from './tier-world.ts';

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
  assert.ok(assets.every(({ move_24h: move }) => move !== null));
  assert.deepEqual(
    missing.map(({ source }) => source),
    ['sample'],
  );
});
