import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begins, differenceOf } from '../../tutorial/compare.ts';

test('tutorial: an output is what the page shows, line by line', () => {
  assert.equal(differenceOf(['a (b)', 'c'], 'a (b)  \nc\n'), undefined);
  assert.equal(differenceOf([], ''), undefined);
  assert.equal(differenceOf(['a', 'b'], 'a\nc\n'), 'b');
  assert.equal(differenceOf(['a'], 'a\nb\n'), 'no more lines');
  assert.equal(differenceOf([], 'b\n'), 'no more lines');
  assert.equal(differenceOf(['a.c'], 'abc\n'), 'a.c');
});

test('tutorial: what differs each time is left out, in a line or for lines', () => {
  assert.equal(differenceOf(['key …, seq …'], 'key 12, seq 3\n'), undefined);
  assert.equal(differenceOf(['key …, seq …'], 'key 12\n'), 'key …, seq …');
  assert.equal(differenceOf(['a', '…', 'z'], 'a\nb\nc\nz\n'), undefined);
  assert.equal(differenceOf(['a', '…', 'z'], 'a\nz\n'), undefined);
  assert.equal(differenceOf(['a', '…'], 'a\n'), undefined);
  assert.equal(differenceOf(['a', '…', 'z'], 'a\nb\n'), 'z');
});

test('tutorial: a service goes on to print after the lines of the page', () => {
  assert.ok(begins(['ready at …'], 'ready at 1\nmore\n'));
  assert.ok(!begins(['ready at …'], 'not yet\n'));
  assert.ok(begins(['…', 'ready at …'], 'not yet\nready at 1\n'));
});
