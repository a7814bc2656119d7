import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHashHex } from '@assay/core/hash';
import { formatUtf8, parseUtf8 } from '@assay/core/utf8';
import { formatHead, parseHead } from '@assay/node/ledger/head';

const ROOT = toHashHex('5e'.repeat(32));

test('head: canonical JSON of size and root', () => {
  const text = `{"root":"${ROOT}","size":257}`;
  assert.equal(parseUtf8(formatHead({ size: 257, root: ROOT })), text);
  assert.deepEqual(parseHead(formatUtf8(text)), { size: 257, root: ROOT });
  const largest = { size: Number.MAX_SAFE_INTEGER, root: ROOT };
  assert.deepEqual(parseHead(formatHead(largest)), largest);
});

test('head: any other bytes are refused', () => {
  for (const [text, code] of [
    ['', 'not_canonical'],
    [`{"size":1,"root":"${ROOT}"}`, 'not_canonical'],
    [`{"root": "${ROOT}","size":1}`, 'not_canonical'],
    [`{"root":"${ROOT}","size":1.0}`, 'not_canonical'],
    [`{"root":"${ROOT}","size":0}`, 'malformed'],
    [`{"root":"${ROOT}","size":-1}`, 'malformed'],
    [`{"root":"${ROOT}","size":"1"}`, 'malformed'],
    [`{"root":"${ROOT.toUpperCase()}","size":1}`, 'malformed'],
    [`{"root":"${ROOT.slice(2)}","size":1}`, 'malformed'],
    [`{"root":"${ROOT}"}`, 'malformed'],
    [`{"more":1,"root":"${ROOT}","size":1}`, 'malformed'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
  ] as const) {
    assert.throws(() => parseHead(formatUtf8(text)), { name: 'Fault', code }, text);
  }
});
