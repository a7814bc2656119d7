import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageText } from '@assay/core/rule/page-text';

test('page text: one byte order mark goes, bytes that are no UTF-8 stop the read', () => {
  assert.equal(pageText(Uint8Array.of(0xef, 0xbb, 0xbf, 0x41)), 'A');
  assert.equal(pageText(Uint8Array.of(0x41, 0xef, 0xbb, 0xbf)), 'A\ufeff');
  assert.throws(() => pageText(Uint8Array.of(0xc3)), { name: 'ReadStopped', reason: 'malformed' });
});
