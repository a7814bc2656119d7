import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { RatePayload } from '@assay/node/terminal/answer/base-rate';
import { formatStudyBlob } from '@assay/core/terminal/study/study-blob';
import { formatTime } from '@assay/core/time/time';
import { sha256 } from '../../core/fixture/fixture.ts';
import { studyWith } from '../../core/terminal/study-fixture.ts';
import { CRYPTO_RULE_HASH } from '../../core/terminal/terminal-log.ts';
import { freezeStudy, hotTick, hotWorld } from './hot-world.ts';
import { type TerminalWorld } from './terminal-world.ts';

type Loose = Readonly<Record<string, unknown>>;

const reasonOf = async (world: TerminalWorld, symbol: string): Promise<unknown> => {
  const body = (await world.ask(`/base-rate/${symbol}`)).json<Loose>();
  assert.equal(body['symbol'], symbol.toUpperCase());
  assert.equal(body['base_rate'], null);
  return body['reason'];
};

test('base rate: a rate of the group of the move, from the newest study', async (t) => {
  const world = await hotWorld(t);
  // One of three assets with a move has moved up by 5 % or more: broad.
  await freezeStudy(world, studyWith({ bucket: 'up_5', breadth: 'alone' }));
  assert.equal(await reasonOf(world, 'btc'), 'group_withheld');
  await freezeStudy(world, studyWith({ bucket: 'up_5', breadth: 'broad' }));
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
  await freezeStudy(world, studyWith({ bucket: 'up_5', breadth: 'broad' }));
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
  const hidden = await world.ask('/base-rate/HID');
  assert.deepEqual([hidden.status, hidden.json<Loose>()['error']], [404, 'not_listed']);
});

test('base rate: a halted class has none, which is a problem, and an asset that is late is a reason', async (t) => {
  const world = await hotWorld(t);
  await freezeStudy(world, studyWith({ bucket: 'up_5', breadth: 'broad' }));
  const status = async (symbol: string): Promise<number> =>
    (await world.ask(`/base-rate/${symbol}`)).status;
  // The tick of `hotWorld`, and one of the other assets half an hour later.
  const hot = world.market.newest + 900;
  world.now = hot + 1799;
  assert.equal(await status('BTC'), 200);
  await hotTick(world, hot + 1800, 'BTC');
  world.now = hot + 3599;
  assert.equal(await reasonOf(world, 'BTC'), 'not_current');
  world.now = hot + 3600;
  const answer = await world.ask('/v1/base-rate/btc');
  assert.deepEqual([answer.status, answer.header('retry-after')], [503, '30']);
  const { detail, ...problem } = answer.json<Loose>();
  assert.deepEqual(problem, {
    base_rate: null,
    halted: true,
    halted_classes: ['crypto'],
    type: '/problems/halted',
    title: 'The service is halted',
    status: 503,
    instance: '/v1/base-rate/btc',
    error: 'halted',
  });
  assert.match(String(detail), /^No asset of the class crypto has a good reading of now/);
  // Who is not listed is told so all the same.
  assert.equal(await status('HID'), 404);
});

test('base rate: a study whose blob is not there is reported, not taken for none', async (t) => {
  const world = await hotWorld(t);
  const study = studyWith({ bucket: 'up_5', breadth: 'broad' });
  const blob = hashHex(contentHash(sha256, formatStudyBlob(study)));
  const body = { class: 'crypto', from: 0, to: 9, rule: CRYPTO_RULE_HASH, blob };
  world.log.append('study/1', body, formatTime(world.now));
  const answer = await world.ask('/base-rate/BTC');
  const { error, halted, halted_classes: classes } = answer.json<Loose>();
  assert.deepEqual([answer.status, error, halted, classes], [503, 'halted', true, []]);
  await world.blobs.put(formatStudyBlob(study));
  assert.equal((await world.ask('/base-rate/BTC')).status, 200);
});
