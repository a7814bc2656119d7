import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { figuresOf } from '@assay/core/round/vintage';
import { SentSeries, seriesColumns } from '@assay/verifier/task/sent-series';

const series = fc
  .array(
    fc.tuple(
      fc.integer({ min: -700_000, max: 2_900_000 }),
      fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    ),
    { maxLength: 40 },
  )
  .map((rows) => new Map(rows));

test('sent series: it is the series that was sent, in every way to look at it', () => {
  fc.assert(
    fc.property(series, (map) => {
      const sent = new SentSeries(structuredClone(seriesColumns(map)));
      assert.equal(sent.size, map.size);
      // First, because it must not need the map that the others make.
      assert.deepEqual(figuresOf(sent), figuresOf(map));
      assert.deepEqual([...sent], [...map]);
      assert.deepEqual([...sent.entries()], [...map]);
      assert.deepEqual([...sent.keys()], [...map.keys()]);
      assert.deepEqual([...sent.values()], [...map.values()]);
      const met: (readonly [number, bigint | null])[] = [];
      for (const [period, value] of map) {
        assert.equal(sent.has(period), true);
        assert.equal(sent.get(period), value);
      }
      sent.forEach((value, period) => met.push([period, value]));
      assert.deepEqual(met, [...map]);
      assert.equal(sent.get(3_000_000), undefined);
      assert.equal(sent.has(3_000_000), false);
    }),
  );
});
