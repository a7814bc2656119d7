import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadBinary } from '@assay/node/http/native-binary';

async function folderOf(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-native-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An addon that is there on each platform of LevelDB's, and may be loaded more than once. */
function someAddon(): string | undefined {
  const require = createRequire(import.meta.resolve('@assay/node/ledger/store/level-store'));
  const glibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header;
  if (process.platform !== 'linux' || process.arch !== 'x64' || !glibc) return undefined;
  const name = 'classic-level/prebuilds/linux-x64/classic-level.node';
  try {
    return createRequire(require.resolve('level')).resolve(name);
  } catch {
    return undefined;
  }
}

test('native binary: a changed one is refused before any of it runs', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'a.node');
  // What would end this process if it were loaded is no addon, but the hash comes first.
  const bytes = Buffer.from('not what was tried');
  await writeFile(path, bytes);
  const dlopen = t.mock.method(process, 'dlopen', () => assert.fail('loaded'));
  await assert.rejects(loadBinary(path, new Set(['0'.repeat(64)])), (error: unknown) => {
    const { code, found } = error as { code: string; found: string };
    assert.deepEqual([code, found], ['binary_differs', hashOf(bytes)]);
    return true;
  });
  await assert.rejects(loadBinary(path, new Set()), { code: 'binary_differs' });
  assert.equal(dlopen.mock.callCount(), 0);
});

test('native binary: none, and one that does not load, is undefined', async (t) => {
  const folder = await folderOf(t);
  const path = join(folder, 'a.node');
  assert.equal(await loadBinary(path, new Set()), undefined);
  const bytes = Buffer.from('no addon at all');
  await writeFile(path, bytes);
  assert.equal(await loadBinary(path, new Set([hashOf(bytes)])), undefined);
});

test('native binary: what is loaded is what was hashed, whatever becomes of the file', async (t) => {
  const addon = someAddon();
  if (addon === undefined) return t.skip('no addon of this platform to load');
  const path = join(await folderOf(t), 'a.node');
  await copyFile(addon, path);
  const bytes = await readFile(path);
  const loaded: string[] = [];
  const dlopen = process.dlopen.bind(process);
  t.mock.method(process, 'dlopen', (module: object, from: string) => {
    loaded.push(from);
    dlopen(module, from);
  });
  const before = await readdir(tmpdir());
  const exported = (await loadBinary(path, new Set([hashOf(bytes)]))) as Record<string, unknown>;
  assert.equal(typeof exported['db_open'], 'function');
  assert.equal(loaded.length, 1);
  assert.notEqual(loaded[0], path);
  const left = (await readdir(tmpdir())).filter((name) => name.startsWith('assay-binary-'));
  assert.deepEqual(
    left.filter((name) => !before.includes(name)),
    [],
    'the copy is taken away',
  );

  // Where nothing may be run from there, the file itself is loaded, by its descriptor.
  process.dlopen = ((module: object, from: string) => {
    loaded.push(from);
    if (from.includes('assay-binary-')) throw new Error('failed to map segment from shared object');
    dlopen(module, from);
  }) as typeof process.dlopen;
  assert.ok((await loadBinary(path, new Set([hashOf(bytes)]))) !== undefined);
  assert.match(loaded.at(-1) ?? '', /^\/proc\/self\/fd\/[0-9]+$/);
});
