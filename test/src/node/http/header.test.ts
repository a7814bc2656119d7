import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadBuffer } from '@assay/node/http/head-buffer';
import { type HeaderBlock, headerBlock, requireHeaders } from '@assay/node/http/header';
import fc from 'fast-check';

function linesOf(block: HeaderBlock): string {
  const head = new HeadBuffer();
  block.addTo(head);
  return Buffer.from(head.view).toString('latin1');
}

void test('header: a block is laid out for both transports', () => {
  const block = headerBlock([
    ['etag', '"a"'],
    ['vary', 'accept'],
  ]);
  assert.equal(linesOf(block), '\r\netag: "a"\r\nvary: accept');
  assert.deepEqual(block.flat, ['etag', '"a"', 'vary', 'accept']);
  assert.deepEqual(linesOf(headerBlock([])), '');
});

void test('header: whatever is taken has as many lines as headers', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
      try {
        const lines = linesOf(headerBlock([[name, value]]));
        assert.equal(lines.split(/[\r\n]+/).length, 2);
        assert.equal(lines, `\r\n${name}: ${value}`);
      } catch (error) {
        assert.ok(error instanceof TypeError);
      }
    }),
  );
});

void test('header: no value adds a line, and no name is more than a token', () => {
  for (const value of ['a\r\nb: c', 'a\nb', 'a\rb', 'a\0', 'é', '\x7f']) {
    assert.throws(() => requireHeaders([['x-a', value]]), TypeError);
  }
  for (const name of ['', 'X-A', 'a b', 'a:', 'a\r\nb']) {
    assert.throws(() => requireHeaders([[name, 'v']]), TypeError);
  }
  assert.deepEqual(requireHeaders([['x-a', 'tab\tand space']]), [['x-a', 'tab\tand space']]);
});
