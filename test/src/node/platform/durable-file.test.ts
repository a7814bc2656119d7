import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ensureFolder, errorCode, writeDurable } from '@assay/node/platform/durable-file';

async function scratch(t: TestContext): Promise<string> {
  const folder = await fs.mkdtemp(join(tmpdir(), 'assay-durable-'));
  t.after(() => fs.rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The prototype of every file handle. */
async function handles(folder: string): Promise<fs.FileHandle> {
  const handle = await fs.open(folder);
  const prototype = Object.getPrototypeOf(handle) as fs.FileHandle;
  await handle.close();
  return prototype;
}

/** Watches the calls that make a write durable, in order. */
async function watched(t: TestContext, folder: string): Promise<string[]> {
  const calls: string[] = [];
  const prototype = await handles(folder);
  const sync = Reflect.get(prototype, 'sync') as () => Promise<void>;
  t.mock.method(prototype, 'sync', async function (this: fs.FileHandle) {
    const stats = await this.stat();
    calls.push(stats.isDirectory() ? 'sync folder' : `sync ${stats.size} bytes`);
    await sync.call(this);
  });
  for (const name of ['rename', 'link', 'mkdir'] as const) {
    const real = fs[name] as (...args: unknown[]) => Promise<unknown>;
    t.mock.method(fs, name, (...args: unknown[]) => {
      calls.push(name);
      return real(...args);
    });
  }
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return calls;
}

test('writeDurable: bytes and mode, over what was there, and nothing beside it', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'file');
  await writeDurable(path, Uint8Array.of(1, 2, 3, 4), { mode: 0o600 });
  await writeDurable(path, Uint8Array.of(5));
  await writeDurable(join(folder, 'empty'), new Uint8Array(0), { mode: 0o400 });
  assert.deepEqual([...(await fs.readFile(path))], [5]);
  assert.equal((await fs.stat(join(folder, 'empty'))).mode & 0o777, 0o400);
  assert.deepEqual((await fs.readdir(folder)).sort(), ['empty', 'file']);
});

test('writeDurable: the bytes are synced before the name, the folder after it', async (t) => {
  const folder = await scratch(t);
  const calls = await watched(t, folder);
  await writeDurable(join(folder, 'a'), new Uint8Array(7));
  assert.deepEqual(calls.splice(0), ['sync 7 bytes', 'rename', 'sync folder']);
  await writeDurable(join(folder, 'b'), new Uint8Array(9), { exclusive: true });
  assert.deepEqual(calls, ['sync 9 bytes', 'link', 'sync folder']);
});

test('writeDurable: exclusive leaves a file alone', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'file');
  await writeDurable(path, Uint8Array.of(1), { exclusive: true });
  await assert.rejects(writeDurable(path, Uint8Array.of(2), { exclusive: true }), {
    code: 'EEXIST',
  });
  assert.deepEqual([...(await fs.readFile(path))], [1]);
  assert.deepEqual(await fs.readdir(folder), ['file']);
});

test('writeDurable: of many exclusive writers one wins', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'file');
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) =>
      writeDurable(path, Uint8Array.of(i), { exclusive: true }).then(() => i),
    ),
  );
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  assert.deepEqual([...(await fs.readFile(path))], won);
});

test('writeDurable: a failed sync is reported, and the old bytes stay', async (t) => {
  const folder = await scratch(t);
  const path = join(folder, 'file');
  await writeDurable(path, Uint8Array.of(1));
  const failed = new Error('EIO');
  const mock = t.mock.method(await handles(folder), 'sync', () => Promise.reject(failed));
  await assert.rejects(writeDurable(path, Uint8Array.of(2)), failed);
  mock.mock.restore();
  assert.deepEqual([...(await fs.readFile(path))], [1]);
  assert.deepEqual(await fs.readdir(folder), ['file']);
});

test('writeDurable: staged elsewhere, nothing is left there', async (t) => {
  const folder = await scratch(t);
  const stage = join(folder, 'stage');
  await ensureFolder(stage);
  await writeDurable(join(folder, 'file'), Uint8Array.of(1), { stage });
  assert.deepEqual(await fs.readdir(stage), []);
  await assert.rejects(writeDurable(join(folder, 'no', 'file'), Uint8Array.of(1), { stage }), {
    code: 'ENOENT',
  });
  assert.deepEqual(await fs.readdir(stage), []);
});

test('ensureFolder: each folder is made and synced before the one below', async (t) => {
  const folder = await scratch(t);
  const calls = await watched(t, folder);
  await ensureFolder(join(folder, 'a', 'b'), { mode: 0o700 });
  assert.deepEqual(calls.splice(0), [
    'mkdir', // b, too early
    'mkdir', // a
    'sync folder', // names a
    'mkdir', // b
    'sync folder', // names b
  ]);
  assert.equal((await fs.stat(join(folder, 'a', 'b'))).mode & 0o777, 0o700);
  await ensureFolder(join(folder, 'a', 'b'));
  assert.deepEqual(calls, ['mkdir', 'sync folder'], 'one that is there is synced all the same');
});

test('ensureFolder: a file in its place is an error', async (t) => {
  const folder = await scratch(t);
  await fs.writeFile(join(folder, 'file'), '');
  await assert.rejects(ensureFolder(join(folder, 'file')), { code: 'EEXIST' });
});

test('errorCode: the code of a system error alone', async () => {
  assert.equal(errorCode(await fs.stat('/no/such').catch((error: unknown) => error)), 'ENOENT');
  assert.equal(errorCode(new Error('plain')), undefined);
  assert.equal(errorCode({ code: 'ENOENT' }), undefined);
});
