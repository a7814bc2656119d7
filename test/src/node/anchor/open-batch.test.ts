import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TimeText } from '@assay/core/time/time';
import type { HashHex } from '@assay/core/hash/hash';
import {
  answerBytes,
  FileOpenBatch,
  MemoryOpenBatch,
  openAnswer,
  type OpenBatch,
} from '@assay/node/anchor/open-batch';
import fc from 'fast-check';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';
import { AnchorWorld } from './anchor-fixture.ts';

const HASH = 'ab'.repeat(32) as HashHex;

const BATCH: OpenBatch = {
  from: 3,
  to: 9,
  root: HASH,
  salt: HASH,
  tip: HASH,
  made_at: '2026-07-30T14:40:03Z' as TimeText,
  answers: [openAnswer('https://a.example', Uint8Array.of(0, 255, 7))],
};

interface Kept {
  readonly store: FileOpenBatch;
  readonly path: string;
  readonly told: string[];
}

async function kept(t: TestContext): Promise<Kept> {
  const folder = join(await temporaryFolder(t), 'stamps');
  const told: string[] = [];
  const store = new FileOpenBatch(folder, (reason) => told.push(reason));
  return { store, path: join(folder, 'open-batch.json'), told };
}

test('open batch: kept, replaced and forgotten, in a folder that need not be there', async (t) => {
  const { store, path, told } = await kept(t);
  assert.equal(await store.get(), undefined);
  await store.set(undefined);
  await store.set(BATCH);
  assert.deepEqual(await store.get(), BATCH);
  await store.set({ ...BATCH, to: 10, answers: [] });
  assert.deepEqual(await store.get(), { ...BATCH, to: 10, answers: [] });
  assert.deepEqual(await readdir(join(path, '..')), ['open-batch.json'], 'no stage is left');
  await store.set(undefined);
  assert.equal(await store.get(), undefined);
  assert.deepEqual(told, []);
});

test('open batch: any bytes of an answer come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
      const back = answerBytes(openAnswer('https://a.example', bytes));
      assert.deepEqual(new Uint8Array(back), bytes);
    }),
  );
});

test('open batch: what cannot be read is reported and given up, whatever it is', async (t) => {
  const { store, path, told } = await kept(t);
  await store.set(BATCH);
  const text = await readFile(path, 'utf8');
  const spoilt = [
    '',
    'no JSON',
    text.slice(0, -5),
    `${text} `,
    text.replace('"from"', '"front"'),
    text.replace('"to":9', '"to":0'),
    text.replace('00ff07', '00ff0'),
    text.replace('00ff07', ''),
    '\u0000'.repeat(text.length),
  ];
  for (const [i, each] of spoilt.entries()) {
    await writeFile(path, each);
    assert.equal(await store.get(), undefined, each);
    assert.equal(told.length, i + 1);
  }
});

test('open batch: a file that may not be opened is not given up', async (t) => {
  const { store, path } = await kept(t);
  await store.set(BATCH);
  await store.set(undefined);
  await mkdir(path);
  await assert.rejects(store.get(), { code: 'EISDIR' });
});

test('open batch: with an unreadable file nothing of the log is lost', async (t) => {
  const { store, path, told } = await kept(t);
  const world = await AnchorWorld.make({ openBatch: store });
  world.behave.set('http://bob.calendar.test', () => {
    throw new Error('ECONNREFUSED');
  });
  await world.poll();
  await writeFile(path, '{');
  world.behave.clear();
  await world.restart();
  await world.poll(600);
  assert.equal(told.length, 1);
  assert.equal(world.rows().length, 1);
  assert.equal(world.rows()[0]?.from, 0);
  assert.equal(await store.get(), undefined);
  await world.requireSound();
});

test('open batch: in memory', async () => {
  const store = new MemoryOpenBatch();
  assert.equal(await store.get(), undefined);
  await store.set(BATCH);
  assert.deepEqual(await store.get(), BATCH);
  await store.set(undefined);
  assert.equal(await store.get(), undefined);
});
