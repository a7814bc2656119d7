import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { MAX_PROOF_BYTES } from '@assay/core/ots/limits';
import { emptyOutput, writeByte, writeBytes, writeVarbytes, written } from '@assay/core/ots/output';
import fc from 'fast-check';

test('output: parts come one after the other, whatever room there was', () => {
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
  for (const [room, first] of [
    [2 * MAX_PROOF_BYTES, 1],
    [0, 1],
    [0, MAX_PROOF_BYTES / 2 + 1],
  ] as const) {
    const output = emptyOutput(room);
    writeBytes(output, new Uint8Array(first));
    writeByte(output, 1);
    writeBytes(output, new Uint8Array(MAX_PROOF_BYTES - first - 1));
    assert.throws(() => writeByte(output, 1), { code: 'bad_proof' });
    assert.equal(written(output).length, MAX_PROOF_BYTES);
  }
  const whole = emptyOutput(0);
  writeBytes(whole, new Uint8Array(MAX_PROOF_BYTES));
  assert.throws(() => writeByte(whole, 1), { code: 'bad_proof' });
  assert.throws(() => writeBytes(emptyOutput(), new Uint8Array(MAX_PROOF_BYTES + 1)), {
    code: 'bad_proof',
  });
});
