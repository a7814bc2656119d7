import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ClosingHeads } from '@assay/node/ledger/closing-heads';
import { parseLoss } from '@assay/core/kind/loss';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { replaceCheckpointKey } from '../fixture/checkpoint-ceremony.ts';
import {
  backupOf,
  faultOf,
  grow,
  loseDisk,
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

test('restore: a log whose checkpoint key was replaced twice comes back with its closing heads', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  for (const cause of ['promise', 'rotation', 'recovery'] as const) {
    await replaceCheckpointKey(data, cause);
    await grow(data, `after the ${cause}`);
  }
  const size = await grow(data, 'on');
  const kept = await Promise.all([0, 1].map((number) => new ClosingHeads(data).read(number)));
  await backupOf(data, copy);
  await loseDisk(data);
  const url = await serveBackup(t, copy);
  const result = await restored(data, [url], { acknowledged: size, verify: passed });
  assert.deepEqual([result.size, result.lacking.files], [size, []]);
  const closing = new ClosingHeads(data);
  assert.deepEqual(await Promise.all([0, 1].map((number) => closing.read(number))), kept);
  assert.equal(await grow(data, 'further'), size + 1);
  // Without a closing head the log comes back, and says what it lacks; with one of another key it is not taken.
  for (const given of [undefined, kept[1]]) {
    await loseDisk(data);
    const other = await serveBackup(t, copy, (path, bytes) =>
      path === '/closing-head/0' ? given : bytes,
    );
    const left = await restored(data, [other], { acknowledged: size, verify: passed });
    assert.deepEqual(
      left.lacking.files.map(({ path }) => path),
      ['closing-head/0'],
    );
    assert.equal((await faultOf(grow(data, 'on')))[0], 'key_missing');
  }
  // What lies in the folder and is another head is not taken for it.
  await loseDisk(data);
  await new ClosingHeads(data).keep(0, kept[1] as Uint8Array);
  const barred = await restored(data, [url], { acknowledged: size, verify: passed });
  assert.match(barred.lacking.files[0]?.reason ?? '', /bad_note|good signature/);
  // An older key does not go on with the log.
  await loseDisk(data);
  await rename(join(data, 'keys/checkpoint.json'), join(data, 'keys/away.json'));
  await rename(join(data, 'keys/checkpoint-1.json'), join(data, 'keys/checkpoint.json'));
  const [code] = await faultOf(restored(data, [url], { acknowledged: size, verify: passed }));
  assert.equal(code, 'not_found');
});

/** The verifier is tried elsewhere. */
const passed = () => Promise.resolve({ outcome: 'verified' } as never);

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
