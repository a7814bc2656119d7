import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseLoss } from '@assay/core/kind/loss';
import { ownData } from '../../cli/fixture/data-folder.ts';
import {
  backupOf,
  faultOf,
  grow,
  lostDisk,
  noteText,
  openNode,
  restored,
  serveBackup,
  SIZE,
} from './restore-world.ts';

test('restore: from a mirror over HTTP; who lost the head guard says what he cannot exclude', async (t) => {
  const { data, copy } = await lostDisk(t);
  const url = await serveBackup(t, copy);
  const result = await restored(data, [url]);
  assert.equal(result.size, SIZE + 1);
  assert.equal(result.verdict.outcome, 'verified');
  assert.deepEqual(result.loss, { from: SIZE, to: null, root: null, known: 'nobody' });
  assert.deepEqual(parseLoss(await noteText(data, SIZE)), result.loss);
  assert.deepEqual(result.lacking, { blobs: [], openings: [], tick_openings: [], files: [] });
  assert.equal(result.blobs.restored > 0, true);
  // It goes on, and is restored from nothing twice.
  assert.equal(await grow(data, 'on'), SIZE + 2);
});

test('restore: whoever knows how many were acknowledged, and has them, needs no note', async (t) => {
  const { data, copy } = await lostDisk(t);
  const result = await restored(data, [await serveBackup(t, copy)], { acknowledged: SIZE });
  assert.deepEqual([result.size, result.loss], [SIZE, null]);
});

test('restore: a node that runs on the folder is left alone', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const { ledger } = await openNode(data);
  try {
    await backupOf(data, copy);
    assert.equal((await faultOf(restored(data, [copy])))[0], 'refused');
    await ledger.write(() => [{ kind: 'note/1', body: { text: 'on' } }]);
  } finally {
    await ledger.close();
  }
});

test('restore: a node that starts while the restore runs is left alone, and so is what it signed', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  // It runs on when the result is to be put into place, or has stopped again.
  for (const stops of [false, true]) {
    const opened: Awaited<ReturnType<typeof openNode>>[] = [];
    const [code, words] = await faultOf(
      restored(data, [copy], {
        unconfirmed: true,
        async verify() {
          const node = await openNode(data);
          opened.push(node);
          const text = 'written meanwhile';
          await node.ledger.write(() => [{ kind: 'note/1', body: { text } }]);
          if (stops) await node.ledger.close();
          return { outcome: 'verified' } as never;
        },
      }),
    );
    assert.equal(code, 'refused', words);
    assert.match(words, stops ? /has gone on with them/ : /a process has the folder open/);
    if (!stops) await opened[0]?.ledger.close();
    assert.equal(await noteText(data, stops ? SIZE + 1 : SIZE), 'written meanwhile');
  }
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
});
