import assert from 'node:assert/strict';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { faultOf, grow, noteText, openNode, restored, SIZE } from './restore-world.ts';

/** A data folder whose database lost the newest two entries with the power, and whose journal has them. */
async function powerless(t: TestContext): Promise<string> {
  const folder = await ownData(t);
  const [data, before] = [join(folder, 'data'), join(folder, 'before')];
  await cp(join(data, 'ledger'), before, { recursive: true });
  const { ledger, data: opened } = await openNode(data);
  for (const text of ['a', 'b']) {
    await ledger.write(() => [{ kind: 'note/1', body: { text } }]);
  }
  // As it is before anything is settled.
  await cp(join(data, 'guard'), join(folder, 'guard'), { recursive: true });
  await ledger.close();
  await opened.guard.close();
  for (const [kept, name] of [
    [before, 'ledger'],
    [join(folder, 'guard'), 'guard'],
  ] as const) {
    await rm(join(data, name), { recursive: true });
    await cp(kept, join(data, name), { recursive: true });
  }
  return data;
}

test('journal entries: a restore takes what the database lost from the journal beside it', async (t) => {
  const data = await powerless(t);
  await rm(join(data, 'head'));
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
  assert.equal(await noteText(data, SIZE + 1), 'b');
  assert.equal(await grow(data, 'on'), SIZE + 3);
});

test('journal entries: without the journal nothing is restored from a database that is behind its signed head', async (t) => {
  const data = await powerless(t);
  await rm(join(data, 'guard'), { recursive: true });
  const [code, words] = await faultOf(restored(data, [data], { unconfirmed: true }));
  assert.equal(code, 'not_found', words);
});
