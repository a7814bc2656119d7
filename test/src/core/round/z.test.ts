import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zScoreOf } from '@assay/core/round/z';
import fc from 'fast-check';
import { layoffsRule, vectors } from '../fixture/fixture.ts';

const { bands } = layoffsRule();

test('z: standings computed apart, in exact fractions', () => {
  interface Case {
    name: string;
    history: string[];
    value: string;
    window: number;
    min: number;
    z: string | null;
    band: string | null;
  }
  for (const { name, history, value, window, min, z, band } of vectors<Case[]>('z/standings')) {
    assert.deepEqual(
      zScoreOf(BigInt(value), history.map(BigInt), { window, min }, bands),
      { z, band },
      `${name}: ${value}`,
    );
  }
});

test('z: bands meet at their edges', () => {
  // A history with a MAD of 100,000: one tenth of z is 14,826.
  const history = [0n, 100_000n, -100_000n, 100_000n, -100_000n];
  const bandAt = (tenths: bigint): string | null =>
    zScoreOf(tenths * 14_826n, history, { window: 9, min: 1 }, bands).band;
  const expected: readonly (readonly [bigint, string])[] = [
    [-31n, 'very_low'],
    [-30n, 'very_low'],
    [-29n, 'low'],
    [-15n, 'low'],
    [-14n, 'normal'],
    [14n, 'normal'],
    [15n, 'high'],
    [29n, 'high'],
    [30n, 'very_high'],
  ];
  for (const [tenths, band] of expected) assert.equal(bandAt(tenths), band, `${tenths}`);
});

test('z: scaling and mirroring a history does the same to z', () => {
  const histories = fc.array(fc.bigInt({ min: -1000n, max: 1000n }), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(
      histories,
      fc.bigInt({ min: -3000n, max: 3000n }),
      fc.bigInt({ min: 1n, max: 10n ** 12n }),
      (history, value, by) => {
        const baseline = { window: 12, min: 1 };
        const { z } = zScoreOf(value, history, baseline, bands);
        const scaled = zScoreOf(
          value * by,
          history.map((each) => each * by),
          baseline,
          bands,
        );
        assert.equal(scaled.z, z);
        const mirrored = zScoreOf(
          -value,
          history.map((each) => -each),
          baseline,
          bands,
        );
        assert.equal(
          mirrored.z === null ? null : Number(mirrored.z) + 0,
          z === null ? null : -Number(z) + 0,
        );
        assert.equal(zScoreOf(value, history, { window: 12, min: 13 }, bands).z, null);
      },
    ),
  );
});
