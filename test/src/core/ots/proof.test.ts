import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { HASH_BYTES, type OtsHashName } from '@assay/core/ots/hashes';
import { formatProof, parseProof, proofHeadBytes } from '@assay/core/ots/proof';
import type { Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { ROOT, vectors } from '../fixture/fixture.ts';
import { BITCOIN, chainOf, DIGEST, HASHES, timestamps } from './fixture.ts';

interface Accepted {
  readonly name: string;
  readonly hex: string;
  readonly hash: OtsHashName;
  readonly digest: string;
  readonly attestations: readonly object[];
}

interface Refused {
  readonly name: string;
  readonly hex: string;
  readonly fault: string;
  readonly at: string;
}

const ACCEPTED = vectors<readonly Accepted[]>('ots/accepted');

test('proof: the accepted vectors, their attestations and messages, and the same bytes', () => {
  assert.ok(ACCEPTED.length >= 28);
  for (const { name, hex, hash, digest, attestations } of ACCEPTED) {
    const proof = parseProof(parseHex(hex));
    assert.deepEqual([proof.hash, formatHex(proof.digest)], [hash, digest], name);
    const found = evaluate(proof.timestamp, proof.digest, HASHES).map(
      ({ attestation, message }) => ({
        ...attestation,
        ...('payload' in attestation ? { payload: formatHex(attestation.payload) } : {}),
        message: formatHex(message),
      }),
    );
    assert.deepEqual(found, attestations, name);
    assert.equal(formatHex(formatProof(proof)), hex, name);
  }
});

test('proof: the refused vectors, each at its place', () => {
  const refused = vectors<readonly Refused[]>('ots/refused');
  assert.ok(refused.length >= 62);
  for (const { name, hex, fault, at } of refused) {
    assert.throws(() => parseProof(parseHex(hex)), { code: fault, at }, name);
  }
});

test('proof: cut short anywhere, or followed by anything, it is refused', () => {
  for (const { name, hex } of ACCEPTED) {
    const bytes = parseHex(hex);
    // Every place of a short proof; of a long one the last hundred.
    for (let cut = 1; cut <= Math.min(bytes.length, 100); cut += 1) {
      const short = bytes.subarray(0, bytes.length - cut);
      assert.throws(() => parseProof(short), { code: 'bad_proof' }, `${name}, ${cut} bytes short`);
    }
    for (const byte of [0x00, 0x08, 0xff]) {
      const longer = concatBytes(bytes, Uint8Array.of(byte));
      assert.throws(() => parseProof(longer), { code: 'bad_proof', at: `byte ${bytes.length}` });
    }
  }
});

test('proof: written and read, with any hash', () => {
  const names = fc.constantFrom(...(Object.keys(HASH_BYTES) as OtsHashName[]));
  fc.assert(
    fc.property(names, timestamps, (hash, timestamp) => {
      const proof = { hash, digest: DIGEST.slice(0, HASH_BYTES[hash]), timestamp };
      const bytes = formatProof(proof);
      assert.deepEqual(parseProof(bytes), proof);
      assert.deepEqual(bytes.subarray(33, proofHeadBytes(hash)), proof.digest);
    }),
  );
});

test('proof: one that no reader would take is not written', () => {
  const timestamp: Timestamp = { items: [BITCOIN] };
  const write = (digest: Uint8Array, tree: Timestamp): Uint8Array =>
    formatProof({ hash: 'sha256', digest, timestamp: tree });
  assert.throws(() => write(DIGEST.subarray(1), timestamp), { code: 'bad_length' });
  assert.throws(() => write(DIGEST, chainOf(256)), { code: 'bad_proof' });
  const appended = (length: number, next: Timestamp = timestamp): Timestamp => ({
    items: [{ operation: { op: 'append', argument: new Uint8Array(length) }, next }],
  });
  assert.equal(write(DIGEST, appended(4064)).length, 65 + 3 + 4064 + 11);
  assert.throws(() => write(DIGEST, appended(4065)), { code: 'bad_proof' });
  const hashed = (count: number): Timestamp => ({
    items: Array.from({ length: count }, () => ({
      operation: { op: 'sha1' as const },
      next: timestamp,
    })),
  });
  assert.doesNotThrow(() => parseProof(write(DIGEST, appended(4064, hashed(4095)))));
  assert.throws(() => write(DIGEST, appended(4064, hashed(4096))), { code: 'bad_proof' });
});

test('proof: the example on the page is a file of the batch vectors, about the tip', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/ots.md'), 'utf8');
  const [, example = ''] = /^```hex\n(.*?)\n```$/ms.exec(page) ?? [];
  const lines = example.split('\n').map((line) => line.split(/ {2,}| (?=digest)/)[0]);
  const hex = lines.join('').replaceAll(' ', '');
  const [, , three] =
    vectors<readonly { readonly tip: string; readonly files: string[] }[]>('ots/batch');
  assert.equal(hex, three?.files[2]);
  const proof = parseProof(parseHex(hex));
  const [found] = evaluate(proof.timestamp, proof.digest, HASHES);
  assert.deepEqual(found?.attestation, { kind: 'pending', uri: 'http://calendar.example' });
  assert.equal(formatHex(found.message), three?.tip);
  assert.ok(page.includes(`\`${three?.tip}\``), 'the tip');
});

test('proof: a file over the limit is refused unread', () => {
  const bytes = concatBytes(parseHex(ACCEPTED[0]?.hex ?? ''), new Uint8Array(1_048_576));
  assert.throws(() => parseProof(bytes), { code: 'bad_proof', at: 'byte 1048576' });
});
