import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import type { NoRatePayload, RatePayload } from '@assay/node/terminal/answer/base-rate';
import { RATE_PARTS } from '@assay/node/terminal/answer/base-rate-group';
import { formatEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import type { EdgePart } from '@assay/core/terminal/edge/edge-part';
import type { EdgeNumbers } from '@assay/node/terminal/answer/edge-numbers';
import { formatTime } from '@assay/core/time/time';
import { sha256, SOME_HASH } from '../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../core/terminal/edge/edge-study.ts';
import { CRYPTO_RULE_HASH } from '../../core/terminal/terminal-log.ts';
import { freezeStudy, hotTick, hotWorld } from './hot-world.ts';
import { type TerminalWorld } from './terminal-world.ts';

type Loose = Readonly<Record<string, unknown>>;

const noRate = async (world: TerminalWorld, symbol: string): Promise<NoRatePayload> => {
  const body = (await world.ask(`/base-rate/${symbol}`)).json<NoRatePayload>();
  assert.equal(body.symbol, symbol.toUpperCase());
  assert.equal(body.base_rate, null);
  return body;
};

test('base rate: a rate of the group of the event, from the newest study', async (t) => {
  const world = await hotWorld(t);
  // One of three assets with a move has moved up by 5 % or more: broad.
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'alone' }));
  assert.equal((await noRate(world, 'btc')).reason, 'group_withheld');
  const study = edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }, { number: 3 });
  await freezeStudy(world, study);
  const answer = await world.ask('/v1/base-rate/btc');
  assert.equal(answer.status, 200);
  const { plain, caveat, caveats, source, parts, horizons, ordinary, ...rate } =
    answer.json<RatePayload>();
  const group = study.groups.find(({ withheld }) => withheld.length === 0);
  assert.ok(group !== undefined);
  const { low, high, n_weeks, n_assets } = group.whole;
  assert.ok(low.mean !== null && low.ci !== null && low.t !== null);
  assert.ok(high.mean !== null && high.ci !== null && high.t !== null);
  const opened = formatTime(world.market.newest + 900);
  assert.deepEqual(rate, {
    symbol: 'BTC',
    score_now: 90,
    threshold: 70,
    ts: opened,
    opened_at: opened,
    move_24h: 9,
    bucket: 'up_5',
    breadth: 'broad',
    coin_in_study: false,
    n: 50,
    n_weeks,
    n_assets,
    n_dates: group.n_dates,
    top_date_share: group.top_date_share / 10_000,
    edge_7d_pts: Number(group.horizons['7d'].mean_excess) / 100,
    edge_7d_ci: [Math.min(low.ci[0], high.ci[0]) / 100, Math.max(low.ci[1], high.ci[1]) / 100],
    edge_7d_low_pts: low.mean / 100,
    edge_7d_high_pts: high.mean / 100,
    edge_7d_low_t: low.t / 1000,
    edge_7d_high_t: high.t / 1000,
    // The level family/2 with 16 assets.
    t_needed: 4.806,
  });
  for (const name of RATE_PARTS) {
    const part: EdgeNumbers = parts[name];
    const own: EdgePart = group[name];
    assert.deepEqual([part.n, part.edge_7d_low_pts], [own.n, Number(own.low.mean) / 100], name);
    assert.ok((part.t_needed ?? 9) < (part.edge_7d_low_t ?? 0), name);
  }
  const seven = group.horizons['7d'];
  assert.deepEqual(horizons['7d'], {
    n: 50,
    gone: 0,
    up_share: Number(seven.up_share) / 10_000,
    median_ret_pct: Number(seven.median_ret) / 100,
    mean_excess_pct: Number(seven.mean_excess) / 100,
    quarter_excess_pct: Number(seven.quarter_excess) / 100,
    median_excess_pct: Number(seven.median_excess) / 100,
    three_quarter_excess_pct: Number(seven.three_quarter_excess) / 100,
  });
  assert.equal(ordinary['7d'].median_ret_pct, Number(group.ordinary['7d'].median_ret) / 100);
  assert.match(plain, /50 events opened, on 16 assets in 50 weeks/);
  assert.equal(caveat, caveats.join(' '));
  assert.match(caveat, /50 weeks and 16 assets, and not 50 events/);
  assert.equal(source.seq, world.log.entries.length - 1);
  assert.deepEqual([source.number, source.error_one_in], [3, { group: 4320, study: 240 }]);
});

test('base rate: each reason for which there is none, with its numbers', async (t) => {
  const world = await hotWorld(t);
  const opened = formatTime(world.market.newest + 900);
  const stood = { score_now: 90, threshold: 70, ts: opened, opened_at: opened };
  const unstudied = await noRate(world, 'BTC');
  assert.deepEqual(unstudied.numbers, { ...stood, study: null, group: null });
  assert.match(unstudied.detail, /No study of crypto is frozen/);
  // A study of version 1 is no study of which a rate is given.
  const first = { class: 'crypto', from: 0, to: 9, rule: CRYPTO_RULE_HASH, blob: SOME_HASH };
  world.log.append('study/1', first, formatTime(world.now));
  assert.match((await noRate(world, 'BTC')).detail, /No study of crypto is frozen/);
  assert.equal((await noRate(world, 'SOL')).reason, 'below_threshold');

  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'some' }));
  const { reason, detail, numbers } = await noRate(world, 'BTC');
  assert.equal(reason, 'group_withheld');
  assert.deepEqual([numbers.group?.bucket, numbers.group?.breadth], ['up_5', 'broad']);
  assert.equal(numbers.study?.number, 1);
  const withheld = numbers.group?.withheld ?? [];
  assert.deepEqual(
    withheld.map((each) => each.reason),
    ['few_weeks', 'few_assets', 'family', 'two_against', 'not_chosen', 'later', 'other_assets'],
  );
  assert.equal(
    detail,
    withheld
      .slice(0, 2)
      .map((each) => each.detail)
      .join(' '),
  );
  const { numbers: low } = await noRate(world, 'SOL');
  assert.deepEqual([low.threshold, low.opened_at, low.group], [70, null, null]);
  assert.ok((low.score_now ?? 99) < 70);

  const hidden = await world.ask('/base-rate/HID');
  assert.deepEqual([hidden.status, hidden.json<Loose>()['error']], [404, 'not_listed']);
});

test('base rate: in the middle of an event there is none, whatever the score', async (t) => {
  const world = await hotWorld(t);
  await hotTick(world, world.market.newest + 1800);
  world.now = world.market.newest + 1860;
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const { reason, detail, numbers } = await noRate(world, 'BTC');
  const opened = formatTime(world.market.newest + 900);
  assert.equal(reason, 'not_current');
  assert.deepEqual(
    [numbers.score_now, numbers.ts, numbers.opened_at, numbers.group],
    [90, formatTime(world.market.newest + 1800), opened, null],
  );
  assert.ok(detail.includes(`opened at ${opened}`), detail);
});

test('base rate: a halted class has none, which is a problem, and an asset that is late is a reason', async (t) => {
  const world = await hotWorld(t);
  await freezeStudy(world, edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const status = async (symbol: string): Promise<number> =>
    (await world.ask(`/base-rate/${symbol}`)).status;
  // The tick of `hotWorld`, and one of the other assets half an hour later.
  const hot = world.market.newest + 900;
  world.now = hot + 1799;
  assert.equal(await status('BTC'), 200);
  await hotTick(world, hot + 1800, 'BTC');
  world.now = hot + 3599;
  const { reason, numbers } = await noRate(world, 'BTC');
  assert.deepEqual([reason, numbers.ts], ['not_current', formatTime(hot)]);
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

test('base rate: a study whose blob is not there or is none is reported, not taken for none', async (t) => {
  const world = await hotWorld(t);
  const bytes = formatEdgeStudy(edgeStudyWith({ bucket: 'up_5', breadth: 'broad' }));
  const blob = hashHex(contentHash(sha256, bytes));
  const body = { class: 'crypto', from: 0, to: 9, rule: CRYPTO_RULE_HASH, blob };
  world.log.append('study/2', body, formatTime(world.now));
  for (const path of ['/base-rate/BTC', '/base-rates']) {
    const answer = await world.ask(path);
    assert.deepEqual([answer.status, answer.json<Loose>()['error']], [503, 'halted'], path);
    const { halted, halted_classes: classes } = answer.json<Loose>();
    if (path !== '/base-rates') assert.deepEqual([halted, classes], [true, []]);
  }
  await world.blobs.put(bytes);
  assert.equal((await world.ask('/base-rate/BTC')).status, 200);
  assert.equal((await world.ask('/base-rates')).status, 200);
  // Bytes that are those of the entry, and no study.
  const none = await world.blobs.put(new Uint8Array([0x7b, 0x7d]));
  world.log.append('study/2', { ...body, blob: none }, formatTime(world.now));
  for (const path of ['/base-rate/BTC', '/base-rates']) {
    const answer = await world.ask(path);
    const { error, detail } = answer.json<Loose>();
    assert.deepEqual(
      [answer.status, error, detail],
      [503, 'halted', 'The study cannot be read now.'],
      path,
    );
  }
});
