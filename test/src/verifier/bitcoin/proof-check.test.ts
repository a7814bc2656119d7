import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { otsHashes } from '@assay/core/ots/hashes';
import type { Timestamp } from '@assay/core/ots/timestamp';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { attestationsOf, wrongRoot } from '@assay/verifier/bitcoin/proof-check';
import { minedRun } from '../fixture/mined-run.ts';

const MESSAGE = new Uint8Array(32).fill(3);
const HASHES = otsHashes(nodeSha256);

test('attestations by kind: calendars with their state, blocks by height, others by name', () => {
  const below: Timestamp = {
    items: [
      { attestation: { kind: 'pending', uri: 'http://b.invalid' } },
      { attestation: { kind: 'bitcoin', height: 9 } },
    ],
  };
  const timestamp: Timestamp = {
    items: [
      { attestation: { kind: 'pending', uri: 'http://a.invalid' } },
      { attestation: { kind: 'unknown', tag: 'ab'.repeat(8), payload: new Uint8Array(1) } },
      { operation: { op: 'sha256' }, next: below },
      {
        operation: { op: 'reverse' },
        next: { items: [{ attestation: { kind: 'bitcoin', height: 5 } }] },
      },
    ],
  };
  const said = attestationsOf(timestamp, MESSAGE, HASHES);
  assert.deepEqual(said.others, ['unknown']);
  assert.deepEqual([...said.bitcoin.keys()], [5, 9]);
  assert.deepEqual(said.bitcoin.get(9)?.map(formatHex), [formatHex(nodeSha256(MESSAGE))]);
  const calendars = said.calendars.map(({ uri, attested }) => `${uri} ${attested}`);
  assert.deepEqual(calendars, ['http://a.invalid true', 'http://b.invalid true']);
});

test('every message of a height must be the root, not only the first', () => {
  const header = minedRun(MESSAGE).slice(0, 80);
  const other = new Uint8Array(32).fill(4);
  assert.equal(wrongRoot([MESSAGE], header), undefined);
  assert.equal(wrongRoot([], header), undefined);
  const expected = { expected: formatHex(MESSAGE), found: formatHex(other) };
  assert.deepEqual(wrongRoot([MESSAGE, other], header), expected);
  assert.equal(wrongRoot([MESSAGE.slice(0, 31)], header)?.found, '03'.repeat(31));
});
