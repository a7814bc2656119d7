import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  MAX_ARGUMENT_BYTES,
  MAX_HANDLED_BYTES,
  MAX_HEIGHT,
  MAX_HEXLIFY_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_NESTED_OPERATIONS,
  MAX_NODES,
  MAX_PAYLOAD_BYTES,
  MAX_PROOF_BYTES,
  MAX_URI_BYTES,
  passedLimit,
} from '@assay/core/ots/limits';
import { ROOT } from '../fixture/fixture.ts';

test('limits: the figures', () => {
  assert.deepEqual(
    [
      MAX_ARGUMENT_BYTES,
      MAX_MESSAGE_BYTES,
      MAX_HEXLIFY_BYTES,
      MAX_PAYLOAD_BYTES,
      MAX_URI_BYTES,
      MAX_NESTED_OPERATIONS,
      MAX_HEIGHT,
      MAX_PROOF_BYTES,
      MAX_NODES,
      MAX_HANDLED_BYTES,
    ],
    [4096, 4096, 2048, 8192, 1000, 255, 2 ** 53 - 1, 1_048_576, 50_000, 16_777_216],
  );
});

test('limits: the page names them', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/ots.md'), 'utf8');
  for (const [limit, words] of [
    [MAX_ARGUMENT_BYTES, '1 to 4096 bytes'],
    [MAX_MESSAGE_BYTES, '4096 bytes'],
    [MAX_HEXLIFY_BYTES, '2048 bytes'],
    [MAX_PAYLOAD_BYTES, '8192 bytes'],
    [MAX_URI_BYTES, '1000 characters'],
    [MAX_NESTED_OPERATIONS, '255'],
    [MAX_PROOF_BYTES, '1,048,576 bytes'],
    [MAX_NODES, '50,000'],
    [MAX_HANDLED_BYTES, '16,777,216'],
  ] as const) {
    assert.ok(page.includes(`| ${words} |`), words);
    assert.ok(words.replaceAll(',', '').includes(String(limit)), words);
  }
});

test('limits: each is met before it is passed', () => {
  assert.equal(passedLimit(50_000, 255, 16_777_216), undefined);
  assert.match(passedLimit(50_001, 0, 0) ?? '', /50000 nodes/);
  assert.match(passedLimit(0, 256, 0) ?? '', /255 nested/);
  assert.match(passedLimit(0, 0, 16_777_217) ?? '', /16777216 bytes/);
});
