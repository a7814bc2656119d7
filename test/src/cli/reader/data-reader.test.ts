import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDataFolder } from '@assay/cli/reader/data-reader';
import { ownData } from '../fixture/data-folder.ts';
import { commands } from '../fixture/all-commands.ts';
import { assay, assayProcess, scratch } from '../fixture/run.ts';

/** Names, sizes and times of all files below a folder. */
async function listing(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true });
  const lines = names.map(async (name) => {
    const { size, mtimeMs } = await stat(join(folder, name));
    return `${name} ${size} ${mtimeMs}`;
  });
  return (await Promise.all(lines)).sort();
}

async function copies(): Promise<number> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('assay-verify-')).length;
}

test('looking at a folder leaves no trace in it, and none elsewhere', async (t) => {
  const data = join(await ownData(t), 'data');
  const before = await listing(data);
  const opened = await openDataFolder(data);
  let rows = 0;
  for await (const row of opened.folder.rows()) rows += row.part === 'entry' ? 1 : 0;
  assert.equal(rows > 256, true);
  assert.notEqual(await opened.folder.guard(), undefined);
  await opened.close();
  assert.deepEqual(await listing(data), before);
});

test('a folder that changes under the copy is at work, and is refused', async (t) => {
  const data = join(await ownData(t), 'data');
  const log = join(
    data,
    'ledger',
    (await readdir(join(data, 'ledger'))).find((name) => name.endsWith('.log')) ?? '',
  );
  const bytes = await readFile(log);
  let more = 1;
  const stop = new AbortController();
  const node = (async () => {
    while (!stop.signal.aborted) {
      await writeFile(log, Buffer.concat([bytes, Buffer.alloc((more += 1))]));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  try {
    await assert.rejects(openDataFolder(data), { code: 'refused' });
  } finally {
    stop.abort();
    await node;
  }
});

test('a link or a folder where a file of the ledger should be is refused', async (t) => {
  const data = join(await ownData(t), 'data');
  await rm(join(data, 'ledger', 'CURRENT'));
  await symlink('/dev/zero', join(data, 'ledger', 'CURRENT'));
  await assert.rejects(openDataFolder(data), { code: 'refused' });
});

test('a copy that cannot be made is reported with a code', async (t) => {
  const folder = await ownData(t);
  const args = ['export', 'data', '-o', 'site'];
  const { code, err } = await assayProcess(folder, args, { TMPDIR: join(folder, 'none') });
  assert.equal(code, 3);
  assert.match(err, /^assay export: temporary folder: .* \[storage_failed\]\n$/);
});

test('a folder that is none leaves no copy behind', async (t) => {
  const folder = await scratch(t);
  const before = await copies();
  await assert.rejects(openDataFolder(join(folder, 'nowhere')), { code: 'not_found' });
  assert.equal((await copies()) <= before, true);
});

test('what no database is made of is not copied, and a file of any size is refused before it is', async (t) => {
  const data = join(await ownData(t), 'data');
  const sparse = async (name: string, bytes: number): Promise<string> => {
    const path = join(data, 'ledger', name);
    await writeFile(path, '');
    await truncate(path, bytes);
    return path;
  };
  // They take no room where they lie, and their copies would.
  await sparse('LOG.old', 2 ** 40);
  await sparse('0.dbtmp', 2 ** 40);
  await (await openDataFolder(data)).close();
  const before = await copies();
  for (const name of ['000999.log', '000999.ldb', 'MANIFEST-000999']) {
    const path = await sparse(name, 2 ** 40);
    await assert.rejects(openDataFolder(data), { code: 'too_large' }, name);
    await rm(path);
  }
  await assert.rejects(openDataFolder(data, { aborted: true }), { code: 'timeout' });
  assert.ok((await copies()) <= before);
});

/** What each command that reads a data folder is given, with the folder NO. */
const RPC = ['--rpc', 'http://127.0.0.1:1'] as const;
const READERS: Readonly<Record<string, readonly string[]>> = {
  verify: ['NO'],
  'chain status': ['--data', 'NO', ...RPC],
  'chain init-feed': ['--data', 'NO', ...RPC, '--index', 'LAYOFFS'],
  'chain rotate': ['--data', 'NO', ...RPC],
  'chain cancel': ['--data', 'NO', ...RPC, '--index', 'LAYOFFS', '--recovery', 'k'],
  'keys show': ['NO'],
  'keys rotate': ['NO', '--yes'],
  'keys recover': ['NO', '--yes'],
  'keys promise-checkpoint': ['NO', '--yes'],
  'keys rotate-checkpoint': ['NO', '--yes'],
  'keys recover-checkpoint': ['NO', '--yes'],
  'keys settle': ['NO'],
  'handles forget': ['NO', 'ada', '--yes'],
  export: ['NO', '-o', 'out'],
  backup: ['NO', '-o', 'out'],
  rebuild: ['NO'],
  recover: ['NO'],
  'receipts check': ['--data', 'NO', '--openings', '.'],
  'webhooks list': ['NO'],
  'webhooks remove': ['NO', 'ada@example.com'],
};
/** They make a data folder, or bring one back. */
const MAKERS = ['init', 'replay', 'restore', 'serve', 'signer init'];

test('a data folder that is not there is a mistake, and no command writes anything', async (t) => {
  const takers = commands.filter(
    ({ operands, options }) => 'data' in operands || 'data' in options,
  );
  assert.deepEqual(
    [...takers.map(({ name }) => name), 'verify'].toSorted(),
    [...Object.keys(READERS), ...MAKERS].toSorted(),
  );
  for (const make of [false, true]) {
    const folder = await scratch(t);
    if (make) await mkdir(join(folder, 'NO'));
    const before = await listing(folder);
    for (const [name, args] of Object.entries(READERS)) {
      const { code, out, err } = await assay(folder, [...name.split(' '), ...args]);
      assert.deepEqual([code, out], [2, ''], `${name}: ${err}`);
      assert.match(err, /^assay [a-z -]+: \S*NO (?:is no|holds n)/, name);
      assert.deepEqual(await listing(folder), before, name);
    }
  }
});

test('a folder without a signed head is not backed up or exported, and nothing is written', async (t) => {
  const folder = await scratch(t);
  await mkdir(join(folder, 'data', 'ledger'), { recursive: true });
  const before = await listing(folder);
  for (const name of ['backup', 'export']) {
    const { code, err } = await assay(folder, [name, 'data', '-o', 'out']);
    assert.equal(code, 3, err);
    assert.deepEqual(await listing(folder), before, name);
  }
});
