import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes';
import { MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import { emptyOutput, writeByte, writeBytes, writeVarbytes, written } from '@assay/core/ots/output';
import fc from 'fast-check';

test('output: parts stand one after the other, whatever room there was', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 3000 })), fc.nat({ max: 9 }), (parts, room) => {
      const output = emptyOutput(room);
      for (const part of parts) writeBytes(output, part);
      assert.deepEqual(written(output), concatBytes(...parts));
    }),
  );
});

test('output: bytes with their length', () => {
  const output = emptyOutput();
  writeByte(output, 9);
  writeVarbytes(output, new Uint8Array(200).fill(7));
  assert.deepEqual(written(output).subarray(0, 4), Uint8Array.of(9, 0xc8, 1, 7));
  assert.equal(written(output).length, 203);
});

test('output: as much as a reader takes, and not one byte more', () => {
  const output = emptyOutput(2 * MAX_PROOF_BYTES);
  writeBytes(output, new Uint8Array(MAX_PROOF_BYTES - 1));
  writeByte(output, 1);
  assert.throws(() => writeByte(output, 1), { code: 'bad_proof' });
  assert.equal(written(output).length, MAX_PROOF_BYTES);
});
