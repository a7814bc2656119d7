import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { count, duration, grouped, textRows, wrap } from '@assay/cli/text/text-rows';
import type { Terminal } from '@assay/cli/command/tty';

const TERMINAL: Terminal = {
  out: () => undefined,
  error: () => undefined,
  colour: false,
  columns: 40,
  progress: undefined,
};

test('a row goes on under itself, and shows what would move the cursor', () => {
  assert.deepEqual(textRows('next', 'one two three four five six', TERMINAL), [
    '  next         one two three four five',
    '               six',
  ]);
  assert.deepEqual(textRows('x', 'a\nb\u001b[2J', TERMINAL), ['  x            a\\u{a}b\\u{1b}[2J']);
  assert.deepEqual(textRows('x', '', TERMINAL), ['  x            ']);
  const painted = textRows('x', 'a', { ...TERMINAL, colour: true }, 'red');
  assert.deepEqual(painted, ['  x            \u001b[31ma\u001b[39m']);
});

test('wrap: every word once, in order, and no line too long that has a space', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 40 }), (all, width) => {
      const lines = wrap(all.join(' '), width);
      assert.equal(lines.join(' '), all.join(' '));
      for (const line of lines) assert.ok(line.length <= width || !line.includes(' '));
    }),
  );
});

test('numbers and durations as text', () => {
  assert.deepEqual([0, 999, 1000, 832_608, 1e9].map(grouped), [
    '0',
    '999',
    '1,000',
    '832,608',
    '1,000,000,000',
  ]);
  assert.deepEqual(
    [count(0, 'byte'), count(1, 'byte'), count(2, 'entry', 'entries')],
    ['0 bytes', '1 byte', '2 entries'],
  );
  const words = [0, 1, 119, 120, 7199, 7200, 172_799, 172_800].map(duration);
  assert.deepEqual(words, [
    '0 seconds',
    '1 second',
    '119 seconds',
    '2 minutes',
    '119 minutes',
    '2 hours',
    '47 hours',
    '2 days',
  ]);
});
