import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
import type { AssetPayload } from '@assay/node/terminal/answer/asset';
import type { BoardPayload } from '@assay/node/terminal/answer/board';
import type { ScoreEventsPayload } from '@assay/node/terminal/answer/score-events';
import { NO_VENUES } from '@assay/node/terminal/answer/venues';
import { formatTime } from '@assay/core/time/time';
import { SHIPS } from '@assay/node/api/changelog/ships';
import { CLASS_GRIDS } from '@assay/node/api/terminal-routes';
import { unreadableRecord } from '@assay/node/ledger/record';
import { marketEvent } from '../../core/terminal/terminal-log.ts';
import { terminalWorld } from './terminal-world.ts';
import { noTransport, TRANSPORTS } from './world-service.ts';

type Loose = Readonly<Record<string, unknown>>;

for (const transport of TRANSPORTS) {
  const options = { skip: noTransport(transport) };

  test(`terminal routes over ${transport}: the board`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const { newest } = world.market;
    world.readings.set('ETH', { ts: newest, move: -1234, volMult: 317 });
    world.readings.set('BTC', { ts: newest - 900, move: 1, volMult: 1 });
    const first = await world.ask('/v1/board');
    assert.equal(first.status, 200);
    assert.equal(first.header('assay-log-size'), String(world.log.entries.length));
    const board = first.json<BoardPayload>();
    assert.deepEqual([board.halted, board.halted_classes], [false, []]);
    assert.deepEqual(
      board.assets.map(({ symbol }) => symbol),
      [...board.assets].sort((a, b) => (b.score ?? 0) - (a.score ?? 0)).map(({ symbol }) => symbol),
    );
    assert.deepEqual(board.assets.map(({ symbol }) => symbol).sort(), ['BTC', 'ETH', 'SOL']);
    const eth = board.assets.find(({ symbol }) => symbol === 'ETH');
    assert.deepEqual(
      { ...eth },
      {
        symbol: 'ETH',
        name: 'Ethereum',
        class: 'crypto',
        ts: formatTime(newest),
        current: true,
        score: 60,
        heat: 60,
        score_1h: 71,
        heat_1h: 71,
        measured: true,
        move_24h: -12.34,
        vol_mult: 3.17,
        open_event: {
          id: marketEvent('ETH', 9 * 96 - 4),
          opened_at: formatTime(newest - 4 * 900),
          score_at_open: 71,
          peak_score: 74,
          peak_heat: 74,
          heat_at_open: 74,
        },
      },
    );
    // A reading of another tick than the one that is shown says nothing of it.
    const btc = board.assets.find(({ symbol }) => symbol === 'BTC');
    assert.deepEqual([btc?.move_24h, btc?.vol_mult, btc?.open_event], [null, null, null]);
    assert.deepEqual([btc?.measured, btc?.current], [false, true]);

    const etag = first.header('etag') ?? '';
    assert.equal((await world.ask('/board', { 'if-none-match': etag })).status, 304);
    world.readings.set('ETH', { ts: newest, move: 5, volMult: null });
    world.readingsVersion += 1;
    const second = (await world.ask('/board', { 'if-none-match': etag })).json<BoardPayload>();
    assert.equal(second.assets.find(({ symbol }) => symbol === 'ETH')?.move_24h, 0.05);
    // Nothing was written, and the readings are of now no more.
    world.now = newest + 1800;
    const stale = await world.ask('/board');
    const { halted, halted_classes, assets } = stale.json<BoardPayload>();
    assert.deepEqual([stale.status, halted, halted_classes, assets], [503, true, ['crypto'], []]);
    assert.equal((await world.ask('/changelog')).json<Loose>()['score_halted'], true);
    assert.match(
      (await world.ask('/status')).text,
      /"The Terminal is halted for crypto: no good tick since 2026-09-05T00:00:00Z\."/,
    );
    const asset = await world.ask('/asset/ETH');
    assert.equal(asset.json<AssetPayload>().latest?.current, false);
  });

  test(`terminal routes over ${transport}: an asset`, options, async (t) => {
    const world = await terminalWorld(t, transport, 31);
    const answer = await world.ask('/asset/eTh');
    const asset = answer.json<AssetPayload>();
    assert.equal(answer.status, 200);
    assert.deepEqual(asset.asset, {
      symbol: 'ETH',
      name: 'Ethereum',
      class: 'crypto',
      listed: true,
    });
    assert.deepEqual(
      [asset.latest?.score, asset.latest?.move_24h, asset.vol_mult],
      [60, null, null],
    );
    // 30 days of full hours, both ends among them.
    assert.equal(asset.scores_30d.length, 721);
    const times = asset.scores_30d.map(({ ts }) => ts);
    assert.deepEqual(times, [...times].sort());
    assert.equal(times.at(-1), formatTime(world.market.newest));
    const old = (asset as unknown as { heat_7d: readonly Loose[] }).heat_7d;
    assert.deepEqual(
      old,
      asset.scores_30d.map(({ ts, score }) => ({ ts, heat: score })),
    );
    assert.deepEqual(
      asset.past_events.map(({ id, status, peak_score }) => [id, status, peak_score]),
      [[marketEvent('ETH', 8), 'resolved', 81]],
    );
    assert.equal(asset.open_event?.id, marketEvent('ETH', 31 * 96 - 4));
    assert.deepEqual(asset.venues, NO_VENUES);
    assert.equal((await world.ask('/v1/asset/ETH')).text, answer.text);
    for (const name of ['HID', 'NOPE', '%20', 'x'.repeat(300)]) {
      const none = await world.ask(`/asset/${name}`);
      assert.deepEqual([none.status, none.json<Loose>()['error']], [404, 'not_listed'], name);
    }
    const off = { name: 'Ethereum', class: 'crypto', decimals: 2, listed: false, display: true };
    world.log.append('asset/1', { symbol: 'ETH', ...off }, formatTime(world.now));
    assert.equal((await world.ask('/asset/ETH')).json<AssetPayload>().asset.listed, false);
    assert.equal((await world.ask('/base-rate/ETH')).status, 404);
  });

  test(`terminal routes over ${transport}: the changelog`, options, async (t) => {
    const world = await terminalWorld(t, transport, 9);
    const { newest } = world.market;
    const log = (await world.ask('/v1/changelog')).json<Loose>();
    assert.deepEqual(Object.keys(log), [
      'generated_at',
      'ships',
      'score_events',
      'heat_events',
      'score_halted',
      'heat_halted',
    ]);
    assert.equal(log['generated_at'], formatTime(world.now));
    assert.deepEqual(log['ships'], SHIPS);
    const events = log['score_events'] as ScoreEventsPayload['score_events'];
    assert.deepEqual(
      events.map(({ symbol, kind, peak_score, opened_at }) => [
        symbol,
        kind,
        peak_score,
        opened_at,
      ]),
      [
        ['ETH', 'open', 74, formatTime(newest - 3600)],
        ['BTC', 'closed', 95, '2026-08-27T03:00:00Z'],
        ['ETH', 'closed', 81, '2026-08-27T02:00:00Z'],
      ],
    );
    assert.deepEqual(
      log['heat_events'],
      events.map((each) => (each.kind === 'closed' ? { ...each, kind: 'resolved' } : each)),
    );
    assert.deepEqual([log['score_halted'], log['heat_halted']], [false, false]);
  });

  test(`terminal routes over ${transport}: a record that cannot be read`, options, async (t) => {
    const record = unreadableRecord(new Fault('ledger_corrupt', 'ledger'));
    const world = await terminalWorld(t, transport, 1, { record });
    const board = await world.ask('/board');
    assert.equal(board.status, 503);
    const body = board.json<Loose>();
    assert.deepEqual([body['error'], body['halted'], body['assets']], ['halted', true, []]);
    assert.deepEqual(body['halted_classes'], []);
    for (const path of ['/asset/ETH', '/base-rate/ETH']) {
      assert.equal((await world.ask(path)).json<Loose>()['error'], 'halted', path);
    }
    const log = await world.ask('/changelog');
    assert.deepEqual([log.status, log.json<Loose>()['score_halted']], [200, true]);
  });
}

test('terminal routes: the grid of a class says how long a reading is of now', async (t) => {
  const night = {
    indexOf: (ts: number) => ts,
    timeOf: (index: number) => index + 60_000,
    end: Number.MAX_SAFE_INTEGER,
  };
  const world = await terminalWorld(t, 'node', 1, {
    terminal: { grids: { ...CLASS_GRIDS, crypto: night } },
  });
  world.now = world.market.newest + 60_300;
  assert.equal((await world.ask('/asset/BTC')).json<AssetPayload>().latest?.current, true);
  world.now += 101;
  assert.equal((await world.ask('/asset/BTC')).json<AssetPayload>().latest?.current, false);
});
