import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseHeader } from '@assay/core/bitcoin/header';
import { checkRun } from '@assay/core/bitcoin/header-run';
import { concatBytes } from '@assay/core/bytes/bytes';
import { otsHashes } from '@assay/core/ots/hashes';
import { apply } from '@assay/core/ots/operation';
import { blockBody, mineHeader } from '@assay/node/dev/bitcoin/development-block';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { mined } from '../../bitcoin/mined-headers.ts';

const HASHES = otsHashes(nodeSha256);

test('development block: every commitment leads to the Merkle root, through a transaction', () => {
  for (const count of [1, 2, 5]) {
    const commitments = Array.from({ length: 2 * count }, (_, i) => ({
      calendar: i % 2 === 0 ? 'alice' : 'bob',
      bytes: new Uint8Array(44).fill(i),
    }));
    const body = blockBody({ height: 7, fork: 0, commitments });
    for (const [i, { bytes }] of commitments.entries()) {
      let message: Uint8Array = bytes;
      const lengths: number[] = [];
      for (const operation of body.pathOf(i)) {
        if (operation.op === 'append' || operation.op === 'prepend') {
          lengths.push(operation.argument.length);
        }
        message = apply(operation, message, HASHES);
      }
      assert.deepEqual(message, body.merkleRoot);
      // Version, one input, one output `OP_RETURN <32 bytes>`; then the lock time.
      assert.ok(lengths.includes(58), String(lengths));
    }
    assert.throws(() => body.pathOf(2 * count), TypeError);
  }
});

test('development block: height, fork and commitments make the root', () => {
  const commitments = [{ calendar: 'alice', bytes: new Uint8Array(44) }];
  const roots = [
    blockBody({ height: 7, fork: 0, commitments: [] }),
    blockBody({ height: 8, fork: 0, commitments: [] }),
    blockBody({ height: 7, fork: 1, commitments: [] }),
    blockBody({ height: 7, fork: 0, commitments }),
    blockBody({ height: 7, fork: 0, commitments: [...commitments, ...commitments] }),
  ].map(({ merkleRoot }) => String(merkleRoot));
  assert.equal(new Set(roots).size, 5);
});

test('development block: a mined header has its fields and its work', () => {
  const headers = mined(20).slice(1);
  assert.equal(checkRun(nodeSha256, DEVELOPMENT, concatBytes(...headers), 1).work, 40n);
  const prev = new Uint8Array(32).fill(1);
  const header = parseHeader(mineHeader(prev, new Uint8Array(32).fill(2), 1_800_000_000));
  assert.deepEqual(header.prev, prev);
  assert.deepEqual(
    [header.merkleRoot[0], header.time, header.bits],
    [2, 1_800_000_000, 0x207fffff],
  );
});
