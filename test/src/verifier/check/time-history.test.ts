import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTime, type TimeText } from '@assay/core/time/time';
import { TimeHistory } from '@assay/verifier/check/time-history';

test('the time of each of the last entries, however many share one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.option(fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 0, max: 20 }),
      (steps, depth) => {
        const times = steps.map((step): TimeText | undefined =>
          step === null ? undefined : formatTime(step),
        );
        const history = new TimeHistory(depth);
        for (const [seq, at] of times.entries()) {
          history.note(seq, at);
          for (let back = 0; back <= Math.min(depth, seq); back += 1) {
            assert.equal(history.of(seq - back), times[seq - back]);
          }
        }
      },
    ),
  );
});

test('nothing is reported of entries that have not come', () => {
  assert.equal(new TimeHistory(4).of(0), undefined);
});
