import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptFiles } from '@assay/verifier/client/kept-files';
import type { Answer } from '@assay/verifier/reader/log-reader';

/** A server that counts what it is asked for, and answers with so many bytes. */
function counting(answer: (path: string) => Promise<Answer> | Answer): {
  readonly files: KeptFiles;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const get = async (path: string): Promise<Answer> => {
    asked.push(path);
    return answer(path);
  };
  return { files: new KeptFiles({ live: true, get }, 1000), asked };
}

const bytes = (count: number): Answer => ({
  status: 200,
  body: new Uint8Array(count),
  logSize: undefined,
});

test('kept files: tiles and blobs are asked for once, other paths each time', async () => {
  const { files, asked } = counting(() => bytes(10));
  for (const path of ['/tile/0/000', '/blob/ab', '/checkpoint', '/indices/A/report']) {
    await Promise.all([files.get(path), files.get(path)]);
    await files.get(path);
  }
  assert.deepEqual(
    asked.filter((path) => /^\/(tile|blob)/.test(path)),
    ['/tile/0/000', '/blob/ab'],
  );
  assert.equal(asked.length, 2 + 3 + 3);
  files.clear();
  await files.get('/blob/ab');
  assert.equal(asked.length, 9);
});

test('kept files: what was not used for longest goes first', async () => {
  const { files, asked } = counting(() => bytes(400));
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await files.get(`/blob/${name}`);
  // With `c` there is no room for `b`, which comes back and takes the place of `c`.
  assert.deepEqual(asked.join(' '), '/blob/a /blob/b /blob/c /blob/b');
  await files.get('/blob/a');
  assert.equal(asked.length, 4);
});

test('kept files: nothing larger than the room is kept', async () => {
  const { files, asked } = counting(() => bytes(2000));
  await files.get('/blob/a');
  await files.get('/blob/a');
  assert.equal(asked.length, 2);
});

test('kept files: an answer that is none is asked for again', async () => {
  let fails = true;
  const { files, asked } = counting(() => {
    if (fails) throw new Error('reset');
    return { ...bytes(0), status: 404 };
  });
  await assert.rejects(files.get('/tile/0/000'), /reset/);
  fails = false;
  assert.equal((await files.get('/tile/0/000')).status, 404);
  assert.equal((await files.get('/tile/0/000')).status, 404);
  assert.equal(asked.length, 3);
});
