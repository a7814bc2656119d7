import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileOutgoing, NOTHING_OUT, type Outgoing } from '@assay/node/feed/outgoing';
import { temporaryFolder } from '../ledger/ledger-fixture.ts';

const OUT: Outgoing = {
  out: [
    {
      of: `print/${'a'.repeat(64)}`,
      transaction: '5'.repeat(88),
      last_valid_block_height: 7,
      rent: 45_991_680,
    },
    { of: 'set/LAYOFFS/1', transaction: '4'.repeat(64), last_valid_block_height: 9, rent: 0 },
  ],
  spent: [{ day: 20_000, lamports: 12, once: 3 }],
};

test('outgoing: what was kept is there for the next process, for the owner alone', async (t) => {
  const path = join(await temporaryFolder(t), 'chain', 'outgoing.json');
  assert.deepEqual(await new FileOutgoing(path).get(), NOTHING_OUT);
  const store = new FileOutgoing(path);
  await store.set(OUT);
  await store.set({ ...OUT, out: OUT.out.slice(1) });
  assert.deepEqual(await new FileOutgoing(path).get(), { ...OUT, out: OUT.out.slice(1) });
  assert.equal((await stat(path)).mode & 0o077, 0);
  assert.equal((await readFile(path, 'utf8')).startsWith('{"out":['), true);
});

test('outgoing: what cannot be read is reported, not forgotten: it may be out', async (t) => {
  const path = join(await temporaryFolder(t), 'outgoing.json');
  for (const text of [
    '',
    '{}',
    '{"out":[],"spent":[],"more":1}',
    '{"out":[{"last_valid_block_height":-1,"of":"a/b","rent":0,"transaction":"5"}],"spent":[]}',
  ]) {
    await writeFile(path, text);
    await assert.rejects(new FileOutgoing(path).get(), { name: 'Fault' }, text);
  }
});
