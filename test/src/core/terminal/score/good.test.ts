import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeTick, type TickInput } from '@assay/core/terminal/score/good';
import { CRYPTO_REPLAY_RULE, CRYPTO_RULE } from '@assay/core/terminal/rule/score-rules';
import type { TickSource } from '@assay/core/terminal/tick/tick-values';
import { formatTime } from '@assay/core/time/time';

/** 2026-03-01T00:00:00Z. */
const TS = 1_772_323_200;

/** Two sources, 20 minutes, 5 %. */
const LIVE = CRYPTO_RULE.sources;
const RECORDED = CRYPTO_REPLAY_RULE.sources;

function source(provider: string, price: string | null, late: number | null = 0): TickSource {
  const stamped_at = late === null ? null : formatTime(TS + late);
  return { provider, price, volume_24h: null, stamped_at };
}

function input(sources: readonly TickSource[], volume24h: string | null = '12.5'): TickInput {
  return { price: sources.find((each) => each.price !== null)?.price ?? null, volume24h, sources };
}

/** The price in cents, or undefined where the tick is not good. */
function cents(sources: readonly TickSource[], rule: typeof LIVE = LIVE): number | undefined {
  return judgeTick(rule, TS, 2, input(sources))?.price;
}

test('good: two fresh sources that agree; the first is what is scored', () => {
  const sources = [source('aggregate', '100.00'), source('exchange', '101.00')];
  assert.deepEqual(judgeTick(LIVE, TS, 2, input(sources)), { price: 10_000, volume: 13 });
});

test('good: one source is enough where the rule says so, and not where it does not', () => {
  assert.equal(cents([source('recorded', '100')], RECORDED), 10_000);
  assert.equal(cents([source('aggregate', '100')]), undefined);
  assert.equal(cents([source('aggregate', '100'), source('exchange', null)]), undefined);
  assert.equal(cents([], RECORDED), undefined);
});

test('good: one provider twice is one', () => {
  assert.equal(cents([source('aggregate', '100'), source('aggregate', '100')]), undefined);
});

test('good: a stamp is within the age before and the reading after, and its absence is no stamp', () => {
  const beside = source('exchange', '100');
  for (const late of [-1200, 0, 300]) {
    assert.equal(cents([source('aggregate', '100', late), beside]), 10_000, String(late));
  }
  for (const late of [-1201, 301, 1200, null]) {
    assert.equal(cents([source('aggregate', '100', late), beside]), undefined, String(late));
    assert.equal(cents([beside, source('aggregate', '100', late)]), undefined, String(late));
    assert.equal(cents([source('recorded', '100', late)], RECORDED), undefined, String(late));
  }
});

test('good: prices are apart by at most 5 % of the lower, exactly', () => {
  const apart = (a: string, b: string): number | undefined =>
    cents([source('aggregate', a), source('exchange', b)]);
  assert.equal(apart('100.00', '105.00'), 10_000);
  assert.equal(apart('105.00', '100.00'), 10_500);
  assert.equal(apart('100.00', '105.01'), undefined);
  assert.equal(apart('105.01', '100.00'), undefined);
  assert.equal(apart('90071992547409.91', '85782850045152.30'), 9_007_199_254_740_991);
  assert.equal(apart('90071992547409.91', '85782850045152.29'), undefined);
});

test('good: all that are fresh agree; what is not fresh or has no price does not count', () => {
  const two = [source('a', '100'), source('b', '101')];
  assert.equal(cents([...two, source('c', '200')]), undefined);
  assert.equal(cents([...two, source('c', '200', -9000)]), 10_000);
  assert.equal(cents([...two, source('c', '0')]), 10_000);
  assert.equal(cents([source('c', null), ...two]), 10_000);
  assert.equal(cents([source('c', '100', -9000), ...two]), undefined, 'what is scored is fresh');
  assert.equal(cents([source('c', '0'), ...two]), undefined, 'what is scored is a price');
});

test('good: a price of no source, or not of the first, is not scored', () => {
  const sources = [source('a', '100'), source('b', '101')];
  for (const each of ['101', '100.0', '99', null]) {
    assert.equal(judgeTick(LIVE, TS, 2, { ...input(sources), price: each }), undefined, each ?? '');
  }
});

test('good: a volume out of range is none, and the tick stays good', () => {
  const sources = [source('a', '100'), source('b', '100')];
  const volume = (text: string | null): number | null | undefined =>
    judgeTick(LIVE, TS, 2, input(sources, text))?.volume;
  assert.equal(volume('0'), 0);
  for (const each of [null, '-1', '9007199254740992']) assert.equal(volume(each), null, each ?? '');
});

test('good: a price that is no decimal is malformed', () => {
  assert.throws(() => cents([source('a', '1e5'), source('b', '1')]), { code: 'malformed' });
});
