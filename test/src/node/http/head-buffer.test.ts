import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { HeadBuffer } from '@assay/node/http/head-buffer';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 3000 });
const part = fc.oneof(
  ascii.map((text) => ({ add: (head: HeadBuffer) => head.addText(text), text })),
  ascii.map((text) => ({ add: (head: HeadBuffer) => head.addBytes(Buffer.from(text)), text })),
  fc
    .maxSafeNat()
    .map((value) => ({ add: (head: HeadBuffer) => head.addNumber(value), text: String(value) })),
);

test('head buffer: what is added, in its order, one head after the other in the same memory', () => {
  const head = new HeadBuffer();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      head.clear();
      for (const { add } of parts) add(head);
      const text = parts.map((each) => each.text).join('');
      assert.equal(Buffer.from(head.view).toString('latin1'), text);
    }),
  );
});

test('head buffer: whole numbers as texts show them', () => {
  const head = new HeadBuffer();
  for (const value of [0, 1, 9, 10, 99, 100, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    head.clear();
    head.addNumber(value);
    assert.equal(Buffer.from(head.view).toString('latin1'), String(value));
  }
});

test('head buffer: a head of a length that was there before the memory grew', () => {
  const head = new HeadBuffer();
  for (const text of ['abc', 'x'.repeat(9000), 'def']) {
    head.clear();
    head.addText(text);
    assert.equal(Buffer.from(head.view).toString('latin1'), text);
  }
});
