import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readingConcerns, type TickReading } from '@assay/node/terminal/tick/tick-reading';
import { START } from '../tick-world.ts';

const reasons = (count: number, reason: string): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: count }, (_, i) => [`A${i}`, reason]));

const WELL: TickReading = {
  ts: START,
  asked: 80,
  good: 78,
  named: new Map([
    ['first', 80],
    ['second', 79],
  ]),
  missing: new Map([['second', reasons(2, 'no price')]]),
  unnamed: [],
  noBenchmark: undefined,
};

const says = (change: Partial<TickReading>): readonly string[] =>
  readingConcerns('crypto', { ...WELL, ...change });

test('tick reading: nothing where all is well', () => {
  assert.deepEqual(says({}), []);
  assert.deepEqual(says({ good: 40 }), []);
});

test('tick reading: a provider that answers nothing is named, also where it has no name of some', () => {
  const missing = new Map([['second', reasons(79, 'status 503')]]);
  assert.deepEqual(says({ missing, good: 0 }), ['second had no price for crypto: status 503.']);
});

test('tick reading: a provider that lacks half is named with the reason of most', () => {
  const why = new Map([...reasons(50, 'timeout'), ['B', 'no price'] as const]);
  assert.deepEqual(says({ missing: new Map([['second', why]]), good: 28 }), [
    'second had no price for 51 of 79 assets of crypto: timeout.',
  ]);
});

test('tick reading: sources that all answer and do not agree', () => {
  assert.deepEqual(says({ good: 39 }), [
    'Of 80 assets of crypto 39 had a good price at 2026-10-01T00:00:00Z: of the others the sources disagree, are too old or too few.',
  ]);
});

test('tick reading: names that are missing, of assets and of providers, and the benchmark', () => {
  const named = new Map([['first', 80]]);
  assert.deepEqual(says({ named: named.set('second', 0), missing: new Map() }), [
    'second has no name for any asset of crypto.',
  ]);
  const unnamed = ['A', 'B', 'C', 'D', 'E'];
  assert.deepEqual(says({ unnamed }), ['No source has a name for A, B, C, D, E.']);
  assert.deepEqual(says({ unnamed: [...unnamed, 'F', 'G'] }), [
    'No source has a name for A, B, C, D, E and 2 more.',
  ]);
  assert.deepEqual(says({ noBenchmark: 'BTC' }), [
    'BTC, which crypto is compared with, is not listed.',
  ]);
  assert.deepEqual(says({ asked: 0, good: 0 }), ['No asset of crypto is listed.']);
});

test('tick reading: any asset that a provider refuses by its name is reported', () => {
  const why = new Map([...reasons(2, 'refused alone'), ['B', 'no price'] as const]);
  assert.deepEqual(says({ missing: new Map([['second', why]]) }), [
    'second refuses 2 of 79 assets of crypto by their names: A0, A1.',
  ]);
  const many = new Map([['first', reasons(7, 'refused alone')]]);
  assert.deepEqual(says({ missing: many, good: 39 }), [
    'Of 80 assets of crypto 39 had a good price at 2026-10-01T00:00:00Z: of the others the sources disagree, are too old or too few.',
    'first refuses 7 of 80 assets of crypto by their names: A0, A1, A2, A3, A4 and 2 more.',
  ]);
});
