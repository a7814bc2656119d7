import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KeptFiles } from '@assay/node/ledger/store/kept-files';
import { temporaryFolder } from '../ledger-fixture.ts';

/** A folder with the files of a database, as text. */
async function database(t: TestContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'ledger');
  await mkdir(folder);
  for (const name of ['000004.ldb', '000006.log', 'MANIFEST-000005', 'CURRENT', 'LOCK', 'LOG']) {
    await writeFile(join(folder, name), `old ${name}`);
  }
  return folder;
}

/** What LevelDB does to them: a new state, and the old files deleted. */
async function opened(folder: string): Promise<void> {
  await writeFile(join(folder, '000007.log'), '');
  await writeFile(join(folder, 'MANIFEST-000008'), 'new');
  await rm(join(folder, 'CURRENT'));
  await writeFile(join(folder, 'CURRENT'), 'new CURRENT');
  await appendFile(join(folder, 'LOG'), ' and more');
  for (const name of ['000004.ldb', '000006.log', 'MANIFEST-000005']) await rm(join(folder, name));
}

async function files(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    found[name] = await readFile(join(folder, name), 'utf8');
  }
  return found;
}

const beside = (folder: string): Promise<string[]> => readdir(join(folder, '..'));

test('kept files: what was deleted and replaced comes back', async (t) => {
  const folder = await database(t);
  const before = await files(folder);
  const kept = await KeptFiles.keep(folder);
  assert.deepEqual(await files(folder), before, 'keeping changes nothing');
  assert.equal(kept?.holdRows, true);
  await opened(folder);
  await kept.putBack();
  const after = await files(folder);
  for (const name of ['000004.ldb', '000006.log', 'MANIFEST-000005', 'CURRENT']) {
    assert.equal(after[name], before[name], name);
  }
  assert.deepEqual(await beside(folder), ['ledger']);
});

test('kept files: put back over files that never changed, they are the same', async (t) => {
  const folder = await database(t);
  const before = await files(folder);
  await (await KeptFiles.keep(folder))?.putBack();
  assert.deepEqual(await files(folder), before);
  assert.deepEqual(await beside(folder), ['ledger']);
});

test('kept files: dropped, they are gone, and so are those of starts that were cut short', async (t) => {
  const folder = await database(t);
  await KeptFiles.keep(folder);
  await KeptFiles.keep(folder);
  await mkdir(`${folder}.mine`);
  await mkdir(join(folder, '..', 'other.00.start'));
  const kept = await KeptFiles.keep(folder);
  assert.equal((await beside(folder)).length, 6);
  await opened(folder);
  const after = await files(folder);
  await kept?.drop();
  assert.deepEqual((await beside(folder)).sort(), ['ledger', 'ledger.mine', 'other.00.start']);
  assert.deepEqual(await files(folder), after);
});

test('kept files: forgotten, the database is left alone', async (t) => {
  const folder = await database(t);
  const others = await KeptFiles.keep(folder);
  const kept = await KeptFiles.keep(folder);
  await opened(folder);
  const after = await files(folder);
  await kept?.forget();
  assert.deepEqual(await files(folder), after);
  assert.equal((await beside(folder)).length, 2);
  await others?.putBack();
  assert.equal((await files(folder))['CURRENT'], 'old CURRENT');
});

test('kept files: cut off anywhere while they are put back, they can be put back again', async (t) => {
  for (const step of [0, 1, 2]) {
    const folder = await database(t);
    const before = await files(folder);
    const kept = await KeptFiles.keep(folder);
    await opened(folder);
    const [name] = (await beside(folder)).filter((each) => each.endsWith('.start'));
    const back = ['000004.ldb', '000006.log', 'MANIFEST-000005'].slice(0, step);
    for (const each of back) {
      await writeFile(join(folder, each), await readFile(join(folder, '..', name ?? '', each)));
    }
    await kept?.putBack();
    const after = await files(folder);
    assert.equal(after['000006.log'], before['000006.log']);
    assert.equal(after['CURRENT'], before['CURRENT']);
  }
});

test('kept files: nothing to keep where there is no database', async (t) => {
  const folder = join(await temporaryFolder(t), 'ledger');
  assert.equal(await KeptFiles.keep(folder), undefined);
  await mkdir(folder);
  await writeFile(join(folder, 'LOCK'), '');
  assert.equal(await KeptFiles.keep(folder), undefined);
  await writeFile(join(folder, 'MANIFEST-000001'), '');
  assert.equal((await KeptFiles.keep(folder))?.holdRows, false);
});

test('kept files: a link that fails leaves nothing behind', async (t) => {
  const folder = await database(t);
  await mkdir(join(folder, 'a-folder'));
  await assert.rejects(KeptFiles.keep(folder), { code: 'EPERM' });
  assert.deepEqual(await beside(folder), ['ledger']);
});
