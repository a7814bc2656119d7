import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { RatePayload } from '@assay/node/terminal/answer/base-rate';
import { formatStudyBlob, type StudyBlob } from '@assay/core/terminal/study/study-blob';
import { formatTime } from '@assay/core/time/time';
import { sha256, SOME_HASH } from '../../core/fixture/fixture.ts';
import { studyWith } from '../../core/terminal/study-fixture.ts';
import { CRYPTO_RULE_HASH, TerminalMarket } from '../../core/terminal/terminal-log.ts';
import { type TerminalWorld, terminalWorld } from './terminal-world.ts';

type Loose = Readonly<Record<string, unknown>>;

/** A market whose BTC opened an event at its newest tick: its score is 90. */
async function hotWorld(t: TestContext): Promise<TerminalWorld> {
  const world = await terminalWorld(t, 'node', 2);
  // A tick in which BTC has the score that opened its event: that of the market's own.
  const { drafts, blobs } = new TerminalMarket(2);
  const hot = drafts.find(
    ({ kind, body }) => kind === 'tick/1' && (body as Loose)['ts'] === '2026-08-27T03:00:00Z',
  );
  assert.ok(hot !== undefined);
  const blob = blobs.get((hot.body as { blob: never }).blob) as Uint8Array;
  const ts = world.market.newest + 900;
  const moved = new Uint8Array(blob);
  const view = new DataView(moved.buffer);
  for (let at = 30; at < moved.length; at += 72) view.setBigInt64(at, BigInt(ts), true);
  const named = await world.blobs.put(moved);
  const body = { class: 'crypto', ts: formatTime(ts), rule: CRYPTO_RULE_HASH, size: 4 };
  world.log.append('tick/1', { ...body, root: SOME_HASH, blob: named }, formatTime(ts + 60));
  world.now = ts + 60;
  for (const [symbol, move] of [
    ['BTC', 900],
    ['ETH', -20],
    ['HID', null],
    ['SOL', 30],
  ] as const) {
    world.readings.set(symbol, { ts, move, volMult: 400 });
  }
  return world;
}

/** Freezes a study in the log. */
async function freeze(world: TerminalWorld, study: StudyBlob): Promise<void> {
  const blob = await world.blobs.put(formatStudyBlob(study));
  const { from, to, rule } = study;
  const body = { class: study.class, from, to, rule, blob };
  world.log.append('study/1', body, formatTime(world.now));
}

const reasonOf = async (world: TerminalWorld, symbol: string): Promise<unknown> => {
  const body = (await world.ask(`/base-rate/${symbol}`)).json<Loose>();
  assert.equal(body['symbol'], symbol.toUpperCase());
  assert.equal(body['base_rate'], null);
  return body['reason'];
};

test('base rate: a rate of the group of the move, from the newest study', async (t) => {
  const world = await hotWorld(t);
  // One of three assets with a move has moved up by 5 % or more: broad.
  await freeze(world, studyWith({ bucket: 'up_5', breadth: 'alone' }));
  assert.equal(await reasonOf(world, 'btc'), 'group_withheld');
  await freeze(world, studyWith({ bucket: 'up_5', breadth: 'broad' }));
  const answer = await world.ask('/v1/base-rate/btc');
  assert.equal(answer.status, 200);
  const { plain, caveat, source, ...rate } = answer.json<RatePayload>();
  const statistics = { n: 64, up_share: 0.5938, median_ret_pct: 2.14, median_excess_pct: -1.07 };
  const horizons = { '1d': statistics, '7d': statistics, '30d': statistics };
  assert.deepEqual(rate, {
    symbol: 'BTC',
    move_24h: 9,
    bucket: 'up_5',
    breadth: 'broad',
    coin_in_study: false,
    n: 64,
    n_dates: 41,
    top_date_share: 0.0938,
    horizons,
    ordinary: horizons,
    edge_7d_pts: 2.3,
    edge_7d_ci: [0.4, 4.1],
  });
  assert.match(plain, /64 events on 41 dates/);
  assert.match(caveat, /41 dates, not 64 events/);
  assert.equal(source.seq, world.log.entries.length - 1);
});

test('base rate: each reason for which there is none', async (t) => {
  const world = await hotWorld(t);
  assert.equal(await reasonOf(world, 'BTC'), 'group_withheld');
  assert.match(
    String((await world.ask('/base-rate/BTC')).json<Loose>()['detail']),
    /no study is frozen yet/,
  );
  assert.equal(await reasonOf(world, 'SOL'), 'below_threshold');
  await freeze(world, studyWith({ bucket: 'up_5', breadth: 'broad' }));
  // The move of that tick is not known here: said only where it would be needed.
  const { newest } = world.market;
  world.readings.set('BTC', { ts: newest, move: 900, volMult: 400 });
  world.readingsVersion += 1;
  assert.equal(await reasonOf(world, 'BTC'), 'not_current');
  assert.match((await world.ask('/base-rate/BTC')).text, /move .* is not known here/);
  world.readings.delete('SOL');
  world.readingsVersion += 1;
  assert.equal(await reasonOf(world, 'SOL'), 'below_threshold');
  world.readings.set('SOL', { ts: newest + 900, move: 30, volMult: 400 });
  world.readings.set('BTC', { ts: newest + 900, move: 900, volMult: 400 });
  world.readingsVersion += 1;
  assert.equal((await world.ask('/base-rate/BTC')).json<Loose>()['base_rate'], undefined);
  world.now = newest + 900 + 1800;
  assert.equal(await reasonOf(world, 'BTC'), 'not_current');
  const hidden = await world.ask('/base-rate/HID');
  assert.deepEqual([hidden.status, hidden.json<Loose>()['error']], [404, 'not_listed']);
});

test('base rate: a study whose blob is not there is reported, not taken for none', async (t) => {
  const world = await hotWorld(t);
  const study = studyWith({ bucket: 'up_5', breadth: 'broad' });
  const blob = hashHex(contentHash(sha256, formatStudyBlob(study)));
  const body = { class: 'crypto', from: 0, to: 9, rule: CRYPTO_RULE_HASH, blob };
  world.log.append('study/1', body, formatTime(world.now));
  const answer = await world.ask('/base-rate/BTC');
  assert.deepEqual([answer.status, answer.json<Loose>()['error']], [503, 'halted']);
  await world.blobs.put(formatStudyBlob(study));
  assert.equal((await world.ask('/base-rate/BTC')).status, 200);
});
