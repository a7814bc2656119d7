import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from '@assay/core/checkpoint';
import { Fault } from '@assay/core/fault';
import { toHash } from '@assay/core/hash';
import { formatHex, parseHex } from '@assay/core/hex';
import fc from 'fast-check';
import { vectors } from './fixture.ts';

interface Checkpoints {
  readonly accepted: readonly { origin: string; size: number; root: string; text: string }[];
  readonly refused: readonly { name: string; text: string; fault: string }[];
}
const { accepted, refused } = vectors<Checkpoints>('checkpoint/checkpoints');

test('checkpoint: three lines, by example', () => {
  for (const { origin, size, root, text } of accepted) {
    const parsed = parseCheckpoint(text);
    assert.deepEqual([parsed.origin, parsed.size, formatHex(parsed.root)], [origin, size, root]);
    assert.equal(formatCheckpoint({ origin, size, root: toHash(parseHex(root)) }), text);
  }
  for (const { name, text, fault } of refused) {
    assert.throws(() => parseCheckpoint(text), { code: fault }, name);
  }
});

test('checkpoint: text that is taken formats to itself', () => {
  const pieces = fc.constantFrom('\n', ' ', '0', '1', '-', '+', '=', 'A', 'x', '.');
  fc.assert(
    fc.property(
      fc.constantFrom(...accepted.map(({ text }) => text)),
      fc.nat(),
      pieces,
      fc.boolean(),
      (text, at, piece, insert) => {
        const i = at % text.length;
        const changed = text.slice(0, i) + piece + text.slice(insert ? i : i + 1);
        let checkpoint: Checkpoint;
        try {
          checkpoint = parseCheckpoint(changed);
        } catch (error) {
          assert.ok(error instanceof Fault && /^bad_(note|base64)$/.test(error.code));
          return;
        }
        assert.equal(formatCheckpoint(checkpoint), changed);
      },
    ),
    { numRuns: 2000 },
  );
});
