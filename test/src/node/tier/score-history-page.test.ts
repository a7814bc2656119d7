import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { utcGrid } from '@assay/core/terminal/calendar/grid';
import { CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import { DAY_SECONDS, formatTime, parseTime } from '@assay/core/time/time';
import { assetRow, type AssetRow } from '@assay/core/view/assets';
import { FigureRights } from '@assay/node/tier/rights';
import { scoreHistoryPayload, type ScoreHistoryPayload } from '@assay/node/tier/score-history-page';
import { StoredTicks } from '@assay/node/tier/stored-ticks';
import { MARKET_START } from '../../core/terminal/terminal-log.ts';
import { sha256 } from '../../core/fixture/fixture.ts';
import { tierWorld, type TierWorld, withSourceFrom } from './tier-world.ts';

async function historyOf(
  { log, ticks, market }: TierWorld,
  symbol: string,
  days: number,
  shown: readonly string[] = ['sample'],
): Promise<ScoreHistoryPayload> {
  const rights = new FigureRights(shown);
  const parts = { state: log.views, ticks, rights, grid: utcGrid, now: market.newest };
  return scoreHistoryPayload(parts, assetRow(log.views, symbol) as AssetRow, days);
}

async function world(t: TestContext, days = 3, thinFrom: number | null = null): Promise<TierWorld> {
  return tierWorld(t, days, thinFrom);
}

test('score history: every stored tick is there, with what was read and scored', async (t) => {
  const made = await world(t);
  const { points, asset, since, missing } = await historyOf(made, 'ETH', 365);
  assert.deepEqual(asset, { symbol: 'ETH', name: 'Ethereum', class: 'crypto' });
  assert.equal(since, formatTime(made.market.newest - 365 * DAY_SECONDS));
  assert.deepEqual(missing, []);
  const values = made.market.values.filter(({ symbol }) => symbol === 'ETH');
  assert.equal(points.length, 3 * 96 + 1);
  for (const [i, point] of points.entries()) {
    const own = values[i];
    assert.ok(own !== undefined);
    assert.equal(point.ts, own.ts);
    assert.equal(point.price, Number(own.price));
    assert.equal(point.vol_24h, Number(own.volume_24h));
    assert.equal((point as unknown as { heat: unknown }).heat, point.score);
    // A day after the first tick, the move is that of the prices.
    const before = values[i - 96];
    // A return may begin some ticks later.
    if (i < 96 - CRYPTO_RULE.returns.tolerance) assert.equal(point.move_24h, null, own.ts);
    if (before === undefined) continue;
    const move = Math.round((Number(own.price) / Number(before.price) - 1) * 10_000) / 100;
    assert.ok(Math.abs((point.move_24h ?? 0) - move) < 0.011, own.ts);
  }
  assert.ok(points.some(({ score }) => score === 72));
});

test('score history: the days that were asked for, and no others', async (t) => {
  const made = await world(t);
  const { points, since } = await historyOf(made, 'ETH', 1);
  assert.equal(points.length, 97);
  assert.equal(points[0]?.ts, since);
  // Its moves rest on ticks before the first of them.
  assert.notEqual(points[0]?.move_24h, null);
});

test('score history: a source whose terms do not allow it is left out, and named', async (t) => {
  const made = await world(t);
  const { points, missing } = await historyOf(made, 'ETH', 3, ['another']);
  assert.ok(points.every(({ price, vol_24h: volume }) => price === null && volume === null));
  assert.ok(points.every(({ move_24h: move }) => move === null));
  assert.ok(points.some(({ score }) => score !== null));
  const fields = ['price', 'vol_24h', 'move_24h'];
  assert.deepEqual(missing, [{ source: 'sample', fields, reason: 'rights' }]);
});

test('score history: a move is shown only where the sources of both of its prices are', async (t) => {
  const made = await world(t);
  const whole = (await historyOf(made, 'ETH', 3)).points;
  const since = MARKET_START + DAY_SECONDS;
  const ticks = withSourceFrom(made, since, 'later');
  const row = { source: 'sample', reason: 'rights' };
  const later = await historyOf({ ...made, ticks }, 'ETH', 3, ['later']);
  // The last move that begins at a tick of the other source.
  const last = since + DAY_SECONDS;
  let mixed = 0;
  for (const [i, point] of later.points.entries()) {
    const ts = parseTime(point.ts);
    const before = whole[i];
    assert.ok(before !== undefined);
    assert.equal(point.price, ts < since ? null : before.price, point.ts);
    assert.equal(point.move_24h, ts < last ? null : before.move_24h, point.ts);
    if (ts >= since && ts < last && before.move_24h !== null) mixed += 1;
  }
  assert.equal(mixed, 96);
  const all = ['price', 'vol_24h', 'move_24h'];
  assert.deepEqual(later.missing, [{ ...row, fields: all }]);
  // In the last two days the prices are of the source that is shown, and the first moves are not.
  const two = await historyOf({ ...made, ticks }, 'ETH', 2, ['later']);
  assert.ok(two.points.every(({ price }) => price !== null));
  assert.deepEqual(two.missing, [{ ...row, fields: ['move_24h'] }]);
  assert.deepEqual((await historyOf({ ...made, ticks }, 'ETH', 1, ['later'])).missing, []);
  // The other way around, a move ends at a price that is not shown.
  const earlier = await historyOf({ ...made, ticks }, 'ETH', 3, ['sample']);
  for (const [i, point] of earlier.points.entries()) {
    const isEarlier = parseTime(point.ts) < since;
    assert.equal(point.move_24h, isEarlier ? whole[i]?.move_24h : null, point.ts);
  }
  assert.deepEqual(earlier.missing, [{ ...row, source: 'later', fields: all }]);
});

test('score history: a tick that is not good has no score and no figures', async (t) => {
  const made = await world(t);
  const { points } = await historyOf(made, 'HID', 3);
  const silent = points.filter(({ ts }) => parseTime(ts) > MARKET_START + 50 * 900);
  assert.ok(silent.length > 100);
  assert.ok(silent.every((each) => each.score === null && each.price === null));
  assert.ok(silent.every((each) => each.vol_24h === null && each.move_24h === null));
});

test('score history: thinned ticks stay, without figures, and without moves that rest on them', async (t) => {
  const made = await world(t, 3, 0);
  const whole = await historyOf(made, 'SOL', 3);
  const kept = MARKET_START + 3600;
  // Everything but the hours of the first day.
  await made.openings.thin(MARKET_START + 46 * DAY_SECONDS, () => (ts) => ts === kept);
  const { points, missing } = await historyOf(made, 'SOL', 3);
  const row = { source: null, class: 'crypto', reason: 'not_stored' };
  assert.deepEqual(whole.missing, []);
  assert.deepEqual(missing, [{ ...row, fields: ['price', 'vol_24h', 'move_24h'] }]);
  // Of the last two days everything is stored, but not what their first moves begin at.
  const late = await historyOf(made, 'SOL', 2);
  assert.deepEqual(late.missing, [{ ...row, fields: ['move_24h'] }]);
  assert.deepEqual((await historyOf(made, 'SOL', 1)).missing, []);
  assert.equal(points.length, whole.points.length);
  for (const [i, point] of points.entries()) {
    const ts = parseTime(point.ts);
    const before = whole.points[i];
    assert.ok(before !== undefined);
    assert.equal(point.score, before.score);
    const isStored = ts >= MARKET_START + DAY_SECONDS || ts % 3600 === 0;
    assert.equal(point.price, isStored ? before.price : null, point.ts);
    const first = ts - DAY_SECONDS;
    const isMoved = isStored && (first >= MARKET_START + DAY_SECONDS || first % 3600 === 0);
    assert.equal(point.move_24h, isMoved ? before.move_24h : null, point.ts);
  }
});

test('score history: an opening that is not of its leaf, and leaves that are gone, are errors', async (t) => {
  const made = await world(t, 1);
  const { blobs, openings } = made;
  const bent = new StoredTicks({
    blobs,
    sha256,
    openings: {
      crypto: {
        day: async (name) => {
          const day = await openings.day(name);
          const [first, second] = [...(day?.ticks.entries() ?? [])];
          if (day === undefined || first === undefined || second === undefined) return day;
          // The values of the second tick in the place of the first.
          return { ...day, ticks: new Map([...day.ticks, [first[0], second[1]]]) };
        },
      },
    },
  });
  const code = async (ticks: StoredTicks): Promise<unknown> =>
    historyOf({ ...made, ticks }, 'ETH', 3).then(
      () => 'an answer',
      (error: unknown) => faultCode(error),
    );
  assert.equal(await code(bent), 'replay_differs');
  const gone = { read: async () => undefined };
  assert.equal(await code(new StoredTicks({ blobs: gone, sha256, openings: {} })), 'blob_missing');
  // A service that does not make the ticks has the scores alone.
  const bare = new StoredTicks({ blobs, sha256, openings: {} });
  const { points, missing } = await historyOf({ ...made, ticks: bare }, 'ETH', 3);
  assert.deepEqual(missing, [
    {
      source: null,
      class: 'crypto',
      fields: ['price', 'vol_24h', 'move_24h'],
      reason: 'not_watched',
    },
  ]);
  assert.ok(points.every(({ price, move_24h: move }) => price === null && move === null));
  assert.ok(points.some(({ score }) => score !== null));
});
