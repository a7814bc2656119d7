import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@assay/core/fault';
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
  await assert.rejects(
    reader.newest('crypto'),
    (error) => error instanceof Fault && error.code === 'malformed',
  );
  assert.equal(await reader.newest('stock'), undefined);
});
