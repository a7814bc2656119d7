import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Attestation,
  compareAttestations,
  readAttestation,
  writeAttestation,
} from '@assay/core/ots/attestation';
import { cursorOf } from '@assay/core/ots/cursor';
import { emptyOutput, written } from '@assay/core/ots/output';
import fc from 'fast-check';
import { attestations } from './fixture.ts';

function bytesOf(attestation: Attestation): Uint8Array {
  const output = emptyOutput();
  writeAttestation(output, attestation);
  return written(output);
}

test('attestation: written and read, whole and never less', () => {
  fc.assert(
    fc.property(attestations, fc.nat(), (attestation, cut) => {
      const bytes = bytesOf(attestation);
      const cursor = cursorOf(bytes);
      assert.deepEqual(readAttestation(cursor), attestation);
      assert.equal(cursor.at, bytes.length);
      const short = bytes.subarray(0, cut % bytes.length);
      assert.throws(() => readAttestation(cursorOf(short)), { code: 'bad_proof' });
    }),
  );
});

test('attestation: what no proof can hold is not written', () => {
  const unknown = { kind: 'unknown', payload: new Uint8Array(0) } as const;
  const wrong: readonly Attestation[] = [
    { kind: 'bitcoin', height: -1 },
    { kind: 'bitcoin', height: 1.5 },
    { kind: 'litecoin', height: 2 ** 53 },
    { kind: 'ethereum', height: Number.NaN },
    { kind: 'pending', uri: 'http://a b' },
    { kind: 'pending', uri: 'é' },
    // As a byte, its lower half would be a letter.
    { kind: 'pending', uri: '\u0161' },
    { kind: 'pending', uri: 'a'.repeat(1001) },
    { ...unknown, tag: '0588960d73d71901' },
    { ...unknown, tag: '83dfe30d2ef90c8e' },
    { ...unknown, tag: '01' },
    { ...unknown, tag: 'FFFFFFFFFFFFFFFF' },
    { kind: 'unknown', tag: '0102030405060708', payload: new Uint8Array(8193) },
  ];
  for (const each of wrong) assert.throws(() => bytesOf(each), TypeError, JSON.stringify(each));
});

test('attestation: the order is total, and 0 says the same bytes', () => {
  fc.assert(
    fc.property(attestations, attestations, attestations, (a, b, c) => {
      assert.equal(Math.sign(compareAttestations(a, b)) + Math.sign(compareAttestations(b, a)), 0);
      assert.equal(compareAttestations(a, b) === 0, Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
      if (compareAttestations(a, b) < 0 && compareAttestations(b, c) < 0) {
        assert.ok(compareAttestations(a, c) < 0);
      }
    }),
  );
});

test('attestation: heights are ordered as numbers, not as bytes', () => {
  const bitcoin = (height: number): Attestation => ({ kind: 'bitcoin', height });
  assert.ok(compareAttestations(bitcoin(255), bitcoin(256)) < 0);
  assert.ok(compareAttestations(bitcoin(2 ** 53 - 1), bitcoin(2 ** 53 - 2)) > 0);
  assert.ok(compareAttestations(bitcoin(9), { kind: 'litecoin', height: 1 }) < 0);
});
