import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import {
  formatSnapshot,
  keptBlobs,
  parseSnapshot,
  type Snapshot,
  snapshotHash,
} from '@assay/core/read/snapshot';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { formatWire, type WireObject, wire } from '@assay/core/wire/wire';
import { sha256, vectors } from '../fixture/fixture.ts';

interface SnapshotVector {
  readonly name: string;
  readonly snapshot: WireObject;
  readonly canonical: string;
  readonly hash: string;
}
const SNAPSHOTS = vectors<readonly SnapshotVector[]>('snapshot/snapshots');

test('snapshot: exact bytes and address', () => {
  for (const { name, snapshot, canonical, hash } of SNAPSHOTS) {
    const parsed = parseSnapshot(formatUtf8(canonical));
    assert.deepEqual(parsed, snapshot, name);
    assert.equal(Buffer.from(formatSnapshot(parsed)).toString(), canonical);
    assert.equal(snapshotHash(sha256, parsed), hash);
  }
});

test('snapshot: the closed shape', () => {
  const good = SNAPSHOTS[0]?.snapshot as WireObject;
  const page = wire((good as unknown as Snapshot).pages[0] ?? {});
  const bad: Readonly<Record<string, WireObject>> = {
    'snapshot.type': { type: 'assay-snapshot/2' },
    'snapshot.provider': { provider: '' },
    'snapshot.pages': { pages: [] },
    'snapshot.pages[0].status': { pages: [{ ...page, status: 99 }] },
    'snapshot.pages[0].sha256': { pages: [{ ...page, sha256: 'x' }] },
    'snapshot.pages[0].length': { pages: [{ ...page, length: 33_554_433 }] },
    'snapshot.pages[0].content_type': { pages: [{ ...page, content_type: 1 }] },
    'snapshot.extractor.version': {
      extractor: { name: 'unpdf', version: '', text_sha256: '0'.repeat(64) },
    },
    'snapshot.retain': { retain: 'some' },
    'snapshot.request.url': { request: { ...(good['request'] as WireObject), url: 'x' } },
    snapshot: { read_at: '2026-07-25T00:00:00Z' },
  };
  for (const [at, change] of Object.entries(bad)) {
    assert.throws(() => parseSnapshot(formatWire({ ...good, ...change })), {
      code: 'malformed',
      at,
    });
  }
  assert.throws(() => parseSnapshot(formatUtf8(JSON.stringify(good, null, 1))), {
    code: 'not_canonical',
  });
});

test('snapshot: what is kept beside it follows from its terms', () => {
  const good = SNAPSHOTS[0]?.snapshot as unknown as Snapshot;
  const hashes = good.pages.map(({ sha256: hash }) => hash);
  const extractor = { name: 'x', version: '1', text_sha256: 'ab'.repeat(32) as HashHex };
  assert.deepEqual(keptBlobs({ ...good, retain: 'bytes', extractor: null }), hashes);
  assert.deepEqual(keptBlobs({ ...good, retain: 'bytes', extractor }), [
    ...hashes,
    extractor.text_sha256,
  ]);
  for (const retain of ['hash', 'none'] as const) {
    assert.deepEqual(keptBlobs({ ...good, retain, extractor }), []);
  }
});
