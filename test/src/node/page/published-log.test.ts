import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyInclusion } from '@assay/core/log/tree';
import { parseTlogProof } from '@assay/core/log/tlog-proof';
import { PageFailure, type PageRequest } from '@assay/node/page/page';
import { PublishedLog } from '@assay/node/page/published-log';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { firstClose, withDemo } from '../fixture/demo-node.ts';

function requestTo(base: string): Pick<PageRequest, 'bytes'> {
  return {
    async bytes(target) {
      const answer = await fetch(`${base}${target}`);
      const body = new Uint8Array(await answer.arrayBuffer());
      const { status } = answer;
      return status === 200
        ? { status, body, detail: undefined }
        : { status, body: undefined, detail: 'No.' };
    },
  };
}

test('published log: entries, their proofs, and the first of a time, as anybody reads them', async () => {
  await withDemo({}, async (base) => {
    await firstClose(base);
    const log = await PublishedLog.open(requestTo(base), nodeSha256);
    const all = await log.entries(0, log.size);
    assert.equal(all.length, log.size);
    assert.ok(log.size > 20, String(log.size));
    assert.deepEqual(
      all.map(({ entry }) => entry.seq),
      all.map((_, seq) => seq),
    );
    for (const { entry, leaf } of all) {
      const proof = parseTlogProof(await log.proof(entry.seq));
      assert.equal(proof.index, entry.seq);
      const { size, root } = log.checkpoint;
      verifyInclusion(nodeSha256, leaf, entry.seq, size, proof.hashes, root);
    }
    const times = all.map(({ entry }) => entry.at);
    for (const time of [...new Set(times), '2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z']) {
      const expected = times.findIndex((each) => each >= time);
      assert.equal(await log.firstAt(time), expected === -1 ? log.size : expected, time);
    }
    assert.deepEqual(await log.entries(log.size, log.size + 9), []);
    assert.equal((await log.entries(-5, 2)).length, 2);
  });
});

test('published log: where no log is served the page fails with the status of the answer', async () => {
  const bytes: PageRequest['bytes'] = () =>
    Promise.resolve({ status: 503, body: undefined, detail: 'The record cannot be read.' });
  await assert.rejects(
    PublishedLog.open({ bytes }, nodeSha256),
    (error) => error instanceof PageFailure && error.status === 503 && /record/.test(error.message),
  );
});
