import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashHex } from '@assay/core/hash/hash';
import { forecastLeaf } from '@assay/core/kind/forecast-leaf';
import {
  forecastAt,
  forecastCount,
  forecastsOf,
  handleCount,
  newestForecast,
} from '@assay/core/view/forecasts';
import { ArenaLog, secretForecaster } from '../arena/arena-log.ts';
import { sha256 } from '../fixture/fixture.ts';

const [ADA, BOB] = [secretForecaster('ada'), secretForecaster('bob')];
const AT = '2026-08-03T02:00:01Z';

function world(): { readonly log: ArenaLog; readonly id: string } {
  const log = new ArenaLog();
  log.print('2026-08-01', '1000', '2026-08-02T08:40:00Z');
  const [round] = log.open('2026-08-03T02:00:00Z');
  return { log, id: round?.id ?? '' };
}

test('forecasts: each is kept, and the newest of a handle is known', () => {
  const { log, id } = world();
  assert.equal(forecastCount(log.views, id), 0);
  assert.equal(newestForecast(log.views, id, ADA.handle), undefined);
  const first = log.take(id, ADA, 1000n, AT);
  log.take(id, BOB, 1001n, AT);
  const last = log.take(id, ADA, 1002n, AT);
  assert.equal(forecastCount(log.views, id), 3);
  assert.equal(handleCount(log.views, id), 2);
  assert.deepEqual(forecastAt(log.views, id, 0)?.body, first);
  assert.deepEqual(newestForecast(log.views, id, ADA.handle)?.body, last);
  const rows = [...forecastsOf(log.views, id)];
  assert.deepEqual(
    rows.map(({ body }) => body.ordinal),
    [0, 1, 2],
  );
  assert.equal(rows[2]?.leaf, hashHex(forecastLeaf(sha256, last)));
  assert.equal(forecastCount(log.views, 'layoffs-2026-08-09'), 0);
});

test('forecasts: none with another ordinal, of an unknown round, or after the freeze', () => {
  const { log, id } = world();
  log.take(id, ADA, 1000n, AT, { change: { ordinal: 1 } });
  log.take(id, ADA, 1000n, AT, { change: { round: 'layoffs-2026-08-09' } });
  assert.equal(forecastCount(log.views, id), 0);
  log.take(id, ADA, 1000n, AT);
  log.take(id, BOB, 1000n, AT, { change: { ordinal: 0 } });
  assert.equal(handleCount(log.views, id), 1);
  log.freeze(id, '2026-08-03T07:30:00Z');
  log.take(id, BOB, 1000n, AT);
  assert.equal(forecastCount(log.views, id), 1);
});

test('forecasts: of ten and more by number, not by text', () => {
  const { log, id } = world();
  for (let i = 0; i < 11; i += 1) log.take(id, ADA, BigInt(i), AT);
  const ordinals = [...forecastsOf(log.views, id)].map(({ body }) => body.ordinal);
  assert.deepEqual(ordinals, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
