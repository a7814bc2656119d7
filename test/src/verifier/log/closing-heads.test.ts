import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHash } from '@assay/core/hash/hash';
import { formatCheckpoint } from '@assay/core/log/checkpoint';
import { formatNote } from '@assay/core/log/note';
import { MAX_CLOSING_LAG } from '@assay/core/view/key/checkpoint-keys';
import { ClosingHeads } from '@assay/verifier/log/closing-heads';

const ROOT = toHash(new Uint8Array(32).fill(7));
const SIZE = 9;

test('closing heads: the root of one that lies further back than the limit is not looked up', async () => {
  const text = formatCheckpoint({ origin: 'development/closing', size: SIZE, root: ROOT });
  const line = { name: 'development/closing', keyId: '00000001', signature: new Uint8Array(64) };
  const note = formatNote({ text, signatures: [line] });
  for (const [seq, root] of [
    [SIZE + MAX_CLOSING_LAG, ROOT],
    [SIZE + MAX_CLOSING_LAG + 1, undefined],
  ] as const) {
    const closing = new ClosingHeads(() => Promise.resolve(note));
    await closing.take(0, seq, () => ROOT);
    assert.deepEqual(closing.found.get(0), { note, root });
  }
});
