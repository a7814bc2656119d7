import assert from 'node:assert/strict';
import { test } from 'node:test';
import { elfLength } from '@assay/chain/deploy/elf';
import { concatBytes } from '@assay/core/bytes/bytes';
import fc from 'fast-check';
import { PROGRAM_BYTES } from '../fixture/world.ts';

/** An ELF of one segment and one section, whose ends are as given. */
function elf(change: {
  readonly segment?: number;
  readonly section?: number;
  readonly type?: number;
}): Uint8Array {
  const bytes = new Uint8Array(64 + 56 + 64 + 100);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(32, 64n, true);
  view.setBigUint64(40, 120n, true);
  for (const [at, value] of [
    [54, 56],
    [56, 1],
    [58, 64],
    [60, 1],
  ] as const) {
    view.setUint16(at, value, true);
  }
  view.setBigUint64(64 + 8, 10n, true);
  view.setBigUint64(64 + 32, BigInt((change.segment ?? 10) - 10), true);
  view.setUint32(120 + 4, change.type ?? 1, true);
  view.setBigUint64(120 + 24, 20n, true);
  view.setBigUint64(120 + 32, BigInt((change.section ?? 20) - 20), true);
  return bytes;
}

test('elf: it ends with its last table, segment or section', () => {
  assert.equal(elfLength(elf({})), 184);
  assert.equal(elfLength(elf({ segment: 200 })), 200);
  assert.equal(elfLength(elf({ section: 284 })), 284);
  // A section without bytes in the file takes none.
  assert.equal(elfLength(elf({ section: 284, type: 8 })), 184);
  assert.equal(elfLength(elf({ segment: 285 })), undefined);
  assert.equal(elfLength(elf({}).subarray(0, 183)), undefined);
});

test('elf: what is none has no length', () => {
  assert.equal(elfLength(new Uint8Array(200)), undefined);
  for (const [at, value] of [
    [4, 1],
    [5, 2],
    [54, 55],
    [58, 0],
    [39, 0xff],
    [47, 0xff],
  ] as const) {
    const bytes = elf({});
    bytes[at] = value;
    assert.equal(elfLength(bytes), undefined, `byte ${at}`);
  }
});

test('elf: the program’s file is as long as it says, whatever follows', () => {
  const { length } = PROGRAM_BYTES;
  assert.equal(elfLength(PROGRAM_BYTES), length);
  assert.equal(elfLength(concatBytes(PROGRAM_BYTES, new Uint8Array(1000))), length);
});

test('elf: no bytes make it fail', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (more) => {
      const bytes = concatBytes(elf({}).subarray(0, 32), more);
      const found = elfLength(bytes);
      assert.ok(found === undefined || (found >= 64 && found <= bytes.length));
    }),
  );
});
