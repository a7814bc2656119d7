import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { SeqTimes } from '@assay/core/time/seq-times';
import fc from 'fast-check';

test('seq times: have each time that was noted, by seq, in whatever order they came', () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.nat(2 ** 40), fc.nat(4_000_000_000)), {
    selector: ([seq]) => seq,
    maxLength: 60,
  });
  fc.assert(
    fc.property(pairs, fc.nat(60), (all, cut) => {
      let times = new SeqTimes();
      const model = new Map<number, TimeText>();
      for (const [i, [seq, seconds]] of all.entries()) {
        if (i === cut) {
          const { kept } = times;
          times = new SeqTimes();
          times.resume(kept);
        }
        times.note(seq, formatTime(seconds));
        model.set(seq, formatTime(seconds));
      }
      assert.deepEqual(
        [...times],
        [...model].sort(([a], [b]) => a - b),
      );
      for (const [seq] of all) {
        assert.equal(times.get(seq), model.get(seq));
        assert.equal(times.get(seq + 1), model.get(seq + 1));
      }
      assert.equal(new SeqTimes().get(0), undefined);
    }),
  );
});
