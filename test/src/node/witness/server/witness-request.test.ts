import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultCode } from '@assay/core/fault';
import { toHash } from '@assay/core/hash/hash';
import { formatUtf8, parseUtf8 } from '@assay/core/bytes/utf8';
import {
  formatWitnessRequest,
  parseWitnessRequest,
} from '@assay/node/witness/server/witness-request';
import fc from 'fast-check';
import { ROOT, vectors } from '../../../core/fixture/fixture.ts';

interface RequestVector {
  readonly name: string;
  readonly text: string;
  readonly old?: number;
  readonly proof?: readonly string[];
  readonly checkpoint?: string;
}

test('witness request: the vectors parse and format to themselves, or are refused', () => {
  const all = vectors<readonly RequestVector[]>('witness/request');
  assert.ok(all.length > 10);
  for (const { name, text, old, proof, checkpoint } of all) {
    const bytes = formatUtf8(text);
    if (old === undefined) {
      const refused = (): unknown => parseWitnessRequest(bytes);
      assert.throws(refused, (error) => faultCode(error) === 'malformed', name);
      continue;
    }
    const request = parseWitnessRequest(bytes);
    assert.equal(request.old, old, name);
    assert.deepEqual(
      request.proof.map((hash) => Buffer.from(hash).toString('base64')),
      proof,
      name,
    );
    assert.equal(parseUtf8(request.checkpoint), checkpoint, name);
    assert.deepEqual(formatWitnessRequest(request), bytes, name);
  }
});

test('witness request: the example of the page is a vector', () => {
  const page = readFileSync(join(ROOT, 'docs/spec/witness.md'), 'utf8');
  const example = /\n```\n(old .*?)```\n/s.exec(page)?.[1];
  const all = vectors<readonly RequestVector[]>('witness/request');
  assert.equal(example, all.find(({ name }) => name === 'two hashes')?.text);
});

test('witness request: what is formatted parses to itself', () => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash);
  const request = fc.record(
    {
      old: fc.maxSafeNat(),
      proof: fc.array(hash, { maxLength: 63 }),
      checkpoint: fc.string({ unit: 'grapheme' }).map(formatUtf8),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(request, (each) => {
      assert.deepEqual(parseWitnessRequest(formatWitnessRequest(each)), each);
    }),
  );
});

test('witness request: bytes that are no UTF-8 are refused', () => {
  const bytes = Uint8Array.of(...formatUtf8('old 0\n\n'), 0xff);
  assert.throws(() => parseWitnessRequest(bytes), { code: 'malformed' });
});
