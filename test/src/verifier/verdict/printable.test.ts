import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { excerpt, printable } from '@assay/verifier/verdict/printable';

test('text that only shows itself stays as it is', () => {
  const plain = 'LAYOFFS 2026-07-25: "232000", 価値 é 😀 — expected';
  assert.equal(printable(plain), plain);
});

test('what would move the cursor, hide or turn text is spelt out', () => {
  assert.equal(printable('\u001b[2J\u001b[1;1HVERIFIED'), '\\u{1b}[2J\\u{1b}[1;1HVERIFIED');
  assert.equal(printable('a\nb\r\tc\u007f'), 'a\\u{a}b\\u{d}\\u{9}c\\u{7f}');
  // C1 controls, which some terminals obey in UTF-8 too: CSI, OSC.
  assert.equal(printable('\u009b31m\u009d'), '\\u{9b}31m\\u{9d}');
  assert.equal(
    printable('\u202e\u2066\u200b\ufeff\u2028'),
    '\\u{202e}\\u{2066}\\u{200b}\\u{feff}\\u{2028}',
  );
  assert.equal(printable('\ud800'), '\\u{d800}');
  assert.equal(printable('\u{e0041}'), '\\u{e0041}');
});

test('whatever goes in, nothing that is hidden comes out, and no more than was asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.integer({ min: 3, max: 40 }),
      (text, length) => {
        assert.doesNotMatch(printable(text), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        assert.equal(excerpt(text, length).length <= length, true);
        if (printable(text).length <= length) assert.equal(excerpt(text, length), printable(text));
      },
    ),
  );
});
