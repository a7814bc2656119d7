import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatEdgeStudy } from '@assay/core/terminal/edge/edge-blob';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { StudyReader } from '@assay/node/terminal/study/study-reader';
import { GENESIS, SampleLog, SOME_HASH } from '../../../core/fixture/fixture.ts';
import { edgeStudyWith } from '../../../core/terminal/edge/edge-study.ts';
import { shownRecord } from '../../api/terminal-world.ts';

test('study reader: the newest study, read once; one that is not there, and one that is none', async () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  const store = new MemoryBlobStore();
  let reads = 0;
  const blobs = {
    read: (hash: Parameters<MemoryBlobStore['read']>[0]) => {
      reads += 1;
      return store.read(hash);
    },
  };
  const reader = new StudyReader(shownRecord(log), blobs, nodeSha256);
  assert.equal(await reader.newest('crypto'), undefined);
  const study = edgeStudyWith({ bucket: 'up_5', breadth: 'some' });
  const entry = { class: 'crypto', from: 0, to: 100, rule: study.rule };
  log.append('study/1', { ...entry, blob: SOME_HASH });
  assert.equal(await reader.newest('crypto'), undefined, 'nothing is answered from version 1');
  log.append('study/2', { ...entry, blob: await store.put(formatEdgeStudy(study)) });
  for (let i = 0; i < 2; i += 1) {
    const found = await reader.newest('crypto');
    assert.ok(typeof found === 'object');
    assert.deepEqual([found.row.seq, found.blob], [2, study]);
  }
  assert.equal(reads, 1);
  log.append('study/2', { ...entry, blob: SOME_HASH });
  assert.equal(await reader.newest('crypto'), 'unreadable');
  log.append('study/2', { ...entry, blob: await store.put(new Uint8Array([0x7b, 0x7d])) });
  reads = 0;
  for (let i = 0; i < 2; i += 1) assert.equal(await reader.newest('crypto'), 'unreadable');
  assert.equal(reads, 1, 'bytes that are no study are not read again');
  assert.equal(await reader.newest('stock'), undefined);
});

test('study reader: a disk that gives no bytes makes it unreadable, and a mistake in the code is none of the disk', async () => {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS);
  log.append('study/2', { class: 'crypto', from: 0, to: 1, rule: SOME_HASH, blob: SOME_HASH });
  const readerOf = (failure: Error): StudyReader =>
    new StudyReader(shownRecord(log), { read: () => Promise.reject(failure) }, nodeSha256);
  const ofDisk = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  assert.equal(await readerOf(ofDisk).newest('crypto'), 'unreadable');
  await assert.rejects(readerOf(new TypeError('x')).newest('crypto'), TypeError);
});
