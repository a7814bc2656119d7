import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { grow } from '../../node/restore/restore-world.ts';
import { ownData } from '../fixture/data-folder.ts';
import { assay, scratch } from '../fixture/run.ts';

test('backup: a second run writes what is new alone; neither head guard nor keys are in it', async (t) => {
  const folder = await ownData(t);
  const first = await assay(folder, ['backup', 'data', '-o', 'copy', '--json']);
  assert.deepEqual([first.code, first.err], [0, '']);
  const one = JSON.parse(first.out);
  assert.deepEqual([one.size, one.kept, one.lacking], [277, 0, []]);
  await grow(join(folder, 'data'), 'more');
  const second = await assay(folder, ['backup', 'data', '-o', 'copy', '--json']);
  const two = JSON.parse(second.out);
  // The last bundle and the tiles at the right edge.
  assert.deepEqual([two.size, two.written, two.kept], [278, 2, one.written - 2]);
  const names = await readdir(join(folder, 'copy'), { recursive: true });
  const files = names.filter((name) => !name.startsWith('blob') && !name.startsWith('tile'));
  assert.deepEqual(files.toSorted(), ['.assay-backup', 'assay-backup.json']);
  const keys = await readdir(join(folder, 'data', 'keys'));
  const secret = JSON.parse(
    await readFile(join(folder, 'data', 'keys', keys[0] as string), 'utf8'),
  );
  for (const name of names) {
    const path = join(folder, 'copy', name);
    if (!(await stat(path)).isFile()) continue;
    assert.equal((await readFile(path)).includes(secret.private_key), false, name);
  }
});

test('backup: the assets of the Terminal are in it; keys and files that are not are named', async (t) => {
  const folder = await ownData(t);
  const data = join(folder, 'data');
  const terminal = { assets: 'assets.json', crypto: null, stock: null };
  const config = { data: '.', contact: 'a@b.example', rules: ['../rule.json'], terminal };
  await writeFile(join(data, 'assay.json'), JSON.stringify(config));
  await writeFile(join(data, 'assets.json'), '{"assets":[],"splits":[]}');
  await writeFile(join(data, 'keys', 'tick-seed'), `${'0'.repeat(64)}\n`);
  await mkdir(join(data, 'tick-openings', 'crypto'), { recursive: true });
  await writeFile(join(data, 'tick-openings', 'crypto', '2026-11-22.ticks'), 'kept');
  const ofArena = ['handles/handles.jsonl', 'forecasts/layoffs-2026-08-01', 'freezes/a.note'];
  const own = 'forecasts/.request-key';
  for (const path of [...ofArena, own]) {
    await mkdir(dirname(join(data, path)), { recursive: true });
    await writeFile(join(data, path), path);
  }
  const question = 'd7d39887-3885-8360-a0be-f81a5cf45c30';
  for (const part of ['answers', 'callers']) {
    await mkdir(join(data, part), { recursive: true });
    await writeFile(join(data, part, question), `${part} of a question\n`);
  }
  const backup = await assay(folder, ['backup', 'data', '-o', 'copy']);
  assert.deepEqual([backup.code, backup.err], [0, '']);
  assert.match(backup.out, /--with-keys was not given[^]*\n {2}keys\/checkpoint\.json\n/);
  assert.match(backup.out, /\n {2}keys\/tick-seed\n/);
  assert.match(backup.out, /outside the data folder[^]*rule\.json\n/);
  // As the runbook had it: only two of the keys were kept.
  await mkdir(join(folder, 'safe'));
  for (const name of ['checkpoint.json', 'report.json']) {
    await cp(join(data, 'keys', name), join(folder, 'safe', name));
  }
  const args = ['--from', 'copy', '--unconfirmed', '--acknowledged', '277', '--json'];
  const restored = await assay(folder, ['restore', 'new', '--keys', 'safe', ...args]);
  assert.equal(restored.code, 1, restored.err);
  const { lacking, sources } = JSON.parse(restored.out);
  assert.deepEqual(
    lacking.files.map((each: { readonly path: string }) => each.path),
    ['keys/tick-seed'],
  );
  assert.deepEqual(sources[0].config, ['assay.json', 'assets.json']);
  assert.equal((await readFile(join(folder, 'new', 'assets.json'), 'utf8')).length, 25);
  for (const path of ofArena) {
    assert.equal(await readFile(join(folder, 'new', path), 'utf8'), path);
  }
  await assert.rejects(readFile(join(folder, 'new', own)), { code: 'ENOENT' });
  // What opens answers comes back; who gave them is in no backup and so in no restored folder.
  const back = await readFile(join(folder, 'new', 'answers', question), 'utf8');
  assert.equal(back, 'answers of a question\n');
  assert.equal(existsSync(join(folder, 'new', 'callers')), false);
  const copied = await readdir(join(folder, 'copy'), { recursive: true, withFileTypes: true });
  for (const each of copied.filter((entry) => entry.isFile())) {
    const text = await readFile(join(each.parentPath, each.name), 'latin1');
    assert.equal(text.includes('callers of a question'), false, each.name);
  }
  // And with the seed among them nothing is missing.
  await cp(join(data, 'keys', 'tick-seed'), join(folder, 'safe', 'tick-seed'));
  const whole = await assay(folder, ['restore', 'whole', '--keys', 'safe', ...args]);
  assert.deepEqual([whole.code, JSON.parse(whole.out).lacking.files], [0, []]);
  const seed = await readFile(join(folder, 'whole', 'keys', 'tick-seed'), 'utf8');
  assert.equal(seed.trim(), '0'.repeat(64));
});

test('backup: not into the data folder, nor over anything else', async (t) => {
  const folder = await ownData(t);
  assert.equal((await assay(folder, ['backup', 'data', '-o', 'data/copy'])).code, 2);
  assert.equal((await assay(folder, ['backup', 'data', '-o', 'data'])).code, 2);
  const over = await assay(folder, ['backup', 'data', '-o', '.']);
  assert.deepEqual([over.code, over.out], [3, '']);
  assert.match(over.err, /\[not_empty\]\n$/);
});

test('backup: usage, and a folder without a log', async (t) => {
  const folder = await scratch(t);
  for (const args of [[], ['data'], ['data', 'more', '-o', 'x']]) {
    assert.equal((await assay(folder, ['backup', ...args])).code, 2, args.join(' '));
  }
  const none = await assay(folder, ['backup', 'nowhere', '-o', 'copy']);
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /^assay backup: nowhere holds no data of a node\n/);
  assert.deepEqual(await readdir(folder), []);
});
