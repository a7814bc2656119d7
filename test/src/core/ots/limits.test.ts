import assert from 'node:assert/strict';
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

test('limits: the figures that the page names', () => {
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

test('limits: each is met before it is passed', () => {
  assert.equal(passedLimit(50_000, 255, 16_777_216), undefined);
  assert.match(passedLimit(50_001, 0, 0) ?? '', /50000 nodes/);
  assert.match(passedLimit(0, 256, 0) ?? '', /255 nested/);
  assert.match(passedLimit(0, 0, 16_777_217) ?? '', /16777216 bytes/);
});
