import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import { otsTree } from '@assay/cli/ots/tree';
import { chainOf, DIGEST, HASHES, timestamps } from '../../core/ots/fixture.ts';

test('every attestation is shown once, in file order, under it the message that it is about', () => {
  fc.assert(
    fc.property(timestamps, (timestamp) => {
      const attested = evaluate(timestamp, DIGEST, HASHES);
      const lines = [...otsTree(timestamp, attested, true)];
      const shown = lines.flatMap((line, i) =>
        line.trimStart().startsWith('= ') ? [lines[i + 1]?.trim().replace('commitment ', '')] : [],
      );
      const expected = attested.map(({ attestation, message }) =>
        formatHex(attestation.kind === 'bitcoin' ? message.toReversed() : message),
      );
      assert.deepEqual(shown, expected);
    }),
  );
});

test('a deep tree stays on the page, and a long one takes no stack', () => {
  let timestamp: Timestamp = { items: [{ attestation: { kind: 'bitcoin', height: 1 } }] };
  for (let i = 0; i < 250; i += 1) {
    const items: Item[] = [
      { attestation: { kind: 'pending', uri: `${i}` } },
      { operation: { op: 'sha256' }, next: timestamp },
    ];
    timestamp = { items };
  }
  const lines = [...otsTree(timestamp, evaluate(timestamp, DIGEST, HASHES), false)];
  assert.equal(lines.filter((line) => line.includes('= ')).length, 251);
  for (const line of lines) assert.ok(line.length <= 110);
  const chain = chainOf(255);
  assert.equal([...otsTree(chain, evaluate(chain, DIGEST, HASHES), false)].length, 257);
});
