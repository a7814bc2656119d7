import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import { formatHead, type Head, parseHead, parseOlderHead } from '@assay/core/view/head';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import { nodeSha256 } from '@assay/node/platform/node-sha256';

const ROOT = toHashHex('5e'.repeat(32));
const ROWS_ROOT = toHashHex('a7'.repeat(32));
const HEAD: Head = { size: 257, root: ROOT, rows: 12, rows_root: ROWS_ROOT };
const TEXT = `{"root":"${ROOT}","rows":12,"rows_root":"${ROWS_ROOT}","size":257}`;

/** Bytes of any text with the digest that a head has. */
function digested(text: string): Uint8Array {
  const tagged = Buffer.concat([Buffer.from('assay/head/v1\0'), Buffer.from(text)]);
  return new Uint8Array(Buffer.concat([Buffer.from(text), nodeSha256(tagged)]));
}

test('head: canonical JSON of size, root and rows, and its digest', () => {
  const bytes = formatHead(nodeSha256, HEAD);
  assert.equal(parseUtf8(bytes.subarray(0, -32)), TEXT);
  assert.deepEqual(bytes, digested(TEXT));
  assert.deepEqual(parseHead(nodeSha256, bytes), HEAD);
  const largest = { ...HEAD, size: Number.MAX_SAFE_INTEGER, rows: Number.MAX_SAFE_INTEGER };
  assert.deepEqual(parseHead(nodeSha256, formatHead(nodeSha256, largest)), largest);
  const none = { ...HEAD, rows: 0 };
  assert.deepEqual(parseHead(nodeSha256, formatHead(nodeSha256, none)), none);
});

test('head: a flipped bit anywhere is found', () => {
  const bytes = formatHead(nodeSha256, HEAD);
  for (let at = 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Uint8Array.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << bit);
      assert.throws(() => parseHead(nodeSha256, flipped), { code: 'ledger_corrupt' });
    }
  }
});

test('head: any other bytes are refused, also with their digest', () => {
  const short = { name: 'Fault', code: 'bad_length' };
  assert.throws(() => parseHead(nodeSha256, new Uint8Array(31)), short);
  for (const [text, code] of [
    ['', 'not_canonical'],
    [TEXT.replace('":', '": '), 'not_canonical'],
    [TEXT.replace('257', '257.0'), 'not_canonical'],
    [TEXT.replace('257', '0'), 'malformed'],
    [TEXT.replace('257', '-1'), 'malformed'],
    [TEXT.replace('257', '"1"'), 'malformed'],
    [TEXT.replace(ROOT, ROOT.toUpperCase()), 'malformed'],
    [TEXT.replace(ROOT, ROOT.slice(2)), 'malformed'],
    [TEXT.replace(ROWS_ROOT, ROWS_ROOT.slice(2)), 'malformed'],
    [TEXT.replace('"rows":12', '"rows":-1'), 'malformed'],
    [`{"root":"${ROOT}","size":257}`, 'malformed'],
    [`{"more":1,${TEXT.slice(1)}`, 'malformed'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
  ] as const) {
    assert.throws(() => parseHead(nodeSha256, digested(text)), { name: 'Fault', code }, text);
  }
});

test('head: one of the format before has size and root alone', () => {
  const older = formatUtf8(`{"root":"${ROOT}","size":257}`);
  assert.deepEqual(parseOlderHead(older), { size: 257, root: ROOT });
  assert.equal(parseOlderHead(formatHead(nodeSha256, HEAD)), undefined);
  assert.equal(parseOlderHead(formatUtf8(TEXT)), undefined);
  assert.equal(parseOlderHead(new Uint8Array(0)), undefined);
});
