import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { toHashHex } from '@assay/core/hash/hash';
import type { Promoted } from '@assay/node/standby/promotion';
import {
  answerPromoted,
  answerRefused,
  askStandby,
  REQUEST_MS,
  takeRequest,
} from '@assay/node/standby/promotion-request';

const PROMOTED: Promoted = {
  grounds: { kind: 'fenced', words: 'it is off' },
  epoch: 3,
  before: 'a',
  size: 9,
  replayed: 1,
  lacking: [toHashHex('ab'.repeat(32))],
};

async function folderOf(t: TestContext): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'assay-request-'));
  t.after(() => rm(root, { recursive: true }));
  return root;
}

test('promotion request: a standby finds it once, and the operator its answer', async (t) => {
  const root = await folderOf(t);
  assert.equal(await takeRequest(root), undefined);
  let tries = 0;
  const pause = async (): Promise<void> => {
    tries += 1;
    if (tries < 2) return;
    const request = await takeRequest(root);
    if (request === undefined) return;
    assert.equal(request.fenced, 'it is off');
    await answerPromoted(root, request.id, PROMOTED);
  };
  assert.deepEqual(await askStandby(root, 'it is off', { tries: 5, pause }), PROMOTED);
  assert.deepEqual(await readdir(root), [], 'nothing is left for a later one');
});

test('promotion request: a refusal has its code and its words', async (t) => {
  const root = await folderOf(t);
  const pause = async (): Promise<void> => {
    const request = await takeRequest(root);
    assert.equal(request?.fenced, null);
    await answerRefused(root, request?.id ?? '', { code: 'not_fenced', message: 'no grounds' });
  };
  await assert.rejects(askStandby(root, undefined, { tries: 3, pause }), {
    code: 'not_fenced',
    message: 'no grounds',
  });
});

test('promotion request: the answer to an earlier one is none, and no answer takes the request back', async (t) => {
  const root = await folderOf(t);
  const pause = (): Promise<void> =>
    answerPromoted(root, '3d7a0a04-6a5c-4c30-8f5c-1d5c5b7a5c11', PROMOTED);
  await assert.rejects(askStandby(root, undefined, { tries: 2, pause }), { code: 'timeout' });
  assert.equal(await takeRequest(root), undefined);
});

test('promotion request: a file that is none is taken away', async (t) => {
  const root = await folderOf(t);
  for (const text of ['', '{}', '{"id":"x","at":1,"fenced":null}', '{"fenced":1}']) {
    await writeFile(join(root, 'promotion-request.json'), text);
    assert.equal(await takeRequest(root), undefined, text);
    assert.deepEqual(await readdir(root), []);
  }
});

test('promotion request: one that was left behind promotes nobody on another day', async (t) => {
  const root = await folderOf(t);
  const id = '3d7a0a04-6a5c-4c30-8f5c-1d5c5b7a5c11';
  const text = JSON.stringify({ id, at: 1_000_000, fenced: 'the drill of last month' });
  for (const [now, holds] of [
    [1_000_000 + REQUEST_MS, true],
    [1_000_001 + REQUEST_MS, false],
    [999_999 - REQUEST_MS, false],
  ] as const) {
    await writeFile(join(root, 'promotion-request.json'), text);
    assert.equal((await takeRequest(root, now))?.id, holds ? id : undefined);
    assert.deepEqual(await readdir(root), [], 'it is taken away');
  }
});

test('promotion request: one that was taken and not answered leaves open whether there was a promotion', async (t) => {
  const root = await folderOf(t);
  const pause = async (): Promise<void> => void (await takeRequest(root));
  await assert.rejects(askStandby(root, 'it is off', { tries: 2, pause }), /may still be promoted/);
  const none = (): Promise<void> => Promise.resolve();
  await assert.rejects(
    askStandby(root, 'it is off', { tries: 2, pause: none }),
    /nothing was promoted/,
  );
});
