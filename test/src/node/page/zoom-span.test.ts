import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Zoom {
  readonly stepped: (step: string, shown: Span, whole: Span) => Span;
  readonly spanText: (
    scores: readonly { readonly ts: string; readonly score: number | null }[],
    span: Span,
  ) => string;
}

const { stepped, spanText } = (await import(
  new URL('../../../../../node/browser/dist/zoom-span.js', import.meta.url).href
)) as Zoom;

const HOUR = 3600;
const DAY = 24 * HOUR;
const WHOLE = { from: 0, to: 30 * DAY };

test('zoom: in halves the span around its middle, and out takes that back', () => {
  const half = stepped('in', WHOLE, WHOLE);
  assert.deepEqual(half, { from: 7.5 * DAY, to: 22.5 * DAY });
  assert.deepEqual(stepped('out', half, WHOLE), WHOLE);
  assert.deepEqual(stepped('earlier', half, WHOLE), { from: 0, to: 15 * DAY });
  assert.deepEqual(stepped('later', half, WHOLE), { from: 15 * DAY, to: 30 * DAY });
  assert.deepEqual(stepped('all', half, WHOLE), WHOLE);
});

test('zoom: whatever the steps, the span stays within the scores and is never shorter than six hours', () => {
  const steps = fc.array(fc.constantFrom('in', 'out', 'earlier', 'later', 'all'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 40 * DAY }), (all, length) => {
      const whole = { from: 1_753_000_000, to: 1_753_000_000 + length };
      let shown: Span = whole;
      for (const step of all) {
        shown = stepped(step, shown, whole);
        assert.ok(shown.from >= whole.from && shown.to <= whole.to);
        assert.ok(shown.to - shown.from >= Math.min(length, 6 * HOUR));
      }
    }),
  );
});

test('zoom: the sentence has the times, the readings, and the lowest and highest of them', () => {
  const scores = [40, null, 71, 12].map((score, hour) => ({
    ts: new Date(Date.UTC(2026, 6, 1, hour)).toISOString(),
    score,
  }));
  const at = (hour: number): number => Date.UTC(2026, 6, 1, hour) / 1000;
  assert.equal(
    spanText(scores, { from: at(0), to: at(2) }),
    'From 1 Jul, 00:00 UTC to 1 Jul, 02:00 UTC: 2 readings, from 40 to 71.',
  );
  assert.match(spanText(scores, { from: at(3), to: at(3) }), /: 1 reading, from 12 to 12\.$/);
  assert.match(spanText(scores, { from: at(1), to: at(1) }), / there is no reading\.$/);
});
