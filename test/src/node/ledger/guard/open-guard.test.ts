import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FileNoteSlot } from '@assay/node/ledger/guard/file-note-slot';
import { type GuardPaths, type OpenGuard, openGuard } from '@assay/node/ledger/guard/open-guard';
import { Ledger } from '@assay/node/ledger/ledger';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { CHECKPOINTS, GENESIS_DRAFT, NOON, note, temporaryFolder } from '../ledger-fixture.ts';

async function paths(t: TestContext): Promise<GuardPaths & { readonly ledger: string }> {
  const folder = await temporaryFolder(t);
  const [ledger, guard, head] = ['ledger', 'guard', 'head'].map((name) => join(folder, name));
  return { ledger: ledger as string, guard: guard as string, head: head as string };
}

async function opened(at: GuardPaths & { readonly ledger: string }): Promise<Ledger> {
  const store = await openLevelStore(at.ledger);
  let held: OpenGuard | undefined;
  try {
    held = await openGuard(at);
    return await Ledger.open({
      sha256: nodeSha256,
      store,
      ...held,
      signer: CHECKPOINTS,
      now: () => NOON,
      askHeads: null,
    });
  } catch (error) {
    await held?.guard.close();
    await store.close();
    throw error;
  }
}

/** A folder whose node was stopped, with `notes` notes. */
async function stopped(
  t: TestContext,
  notes: number,
): Promise<GuardPaths & { readonly ledger: string }> {
  const at = await paths(t);
  const ledger = await opened(at);
  await ledger.write(() => [GENESIS_DRAFT]);
  for (let i = 0; i < notes; i += 1) await ledger.write(() => [note(`${i}`)]);
  await ledger.close();
  return at;
}

async function signedSize(at: GuardPaths): Promise<number | undefined> {
  const held = await FileNoteSlot.peek(at.head);
  return held && CHECKPOINTS.open(held.note).size;
}

/** Makes a folder what the release before left: the guard is the signed note. */
async function makeEarlier(at: GuardPaths): Promise<Uint8Array> {
  const held = await FileNoteSlot.peek(at.head);
  await rm(at.guard, { recursive: true });
  await rm(at.head);
  const slot = await FileNoteSlot.open(at.head);
  await slot.swap(undefined, held?.note as Uint8Array);
  await slot.close();
  return readFile(at.head);
}

test('open guard: a node that was stopped leaves the note of its newest head', async (t) => {
  const at = await stopped(t, 3);
  assert.equal(await signedSize(at), 4);
  const again = await opened(at);
  assert.equal(again.published?.size, 4);
  await again.write(() => [note('on')]);
  await again.close();
  assert.equal(await signedSize(at), 5);
});

test('open guard: a folder of the release before goes on from the head that it signed', async (t) => {
  const at = await stopped(t, 3);
  await makeEarlier(at);
  const again = await opened(at);
  assert.equal(again.published?.size, 4);
  await again.write(() => [note('on')]);
  await again.close();
  assert.deepEqual([await signedSize(at), (await FileNoteSlot.peek(at.head))?.kind], [5, 'signed']);
  const third = await opened(at);
  assert.equal(third.published?.size, 5);
  await third.close();
});

test('open guard: an older database under the guard of the release before is refused', async (t) => {
  const at = await stopped(t, 3);
  const older = await stopped(t, 1);
  await makeEarlier(at);
  const mixed = { ...at, ledger: older.ledger };
  await assert.rejects(opened(mixed), { code: 'ledger_behind' });
});

test('open guard: a folder whose guard is gone is refused, and a guard of nothing is none', async (t) => {
  const at = await stopped(t, 3);
  await rm(at.guard, { recursive: true });
  await assert.rejects(opened(at), { code: 'guard_missing' });
  await rm(at.head);
  await assert.rejects(opened(at), { code: 'guard_missing' });
});

test('open guard: a database behind the guard is refused, also where the note is gone', async (t) => {
  const at = await stopped(t, 3);
  const older = await stopped(t, 1);
  await assert.rejects(opened({ ...at, ledger: older.ledger }), { code: 'ledger_behind' });
  await rm(at.head);
  await assert.rejects(opened({ ...at, ledger: older.ledger }), { code: 'ledger_behind' });
  const again = await opened(at);
  assert.equal(again.published?.size, 4);
  await again.close();
  assert.equal(await signedSize(at), 4, 'it is signed again');
});

test('open guard: a note that is damaged is signed again, and without a guard it is an error', async (t) => {
  const at = await stopped(t, 3);
  await writeFile(at.head, 'cut');
  const again = await opened(at);
  assert.equal(again.published?.size, 4);
  await again.close();
  assert.equal(await signedSize(at), 4);
  await writeFile(at.head, 'cut');
  await rm(at.guard, { recursive: true });
  await assert.rejects(opened(at), { code: 'guard_corrupt' });
});

test('open guard: an older note beside the guard is nothing, a newer one means that both are behind', async (t) => {
  const at = await stopped(t, 3);
  const three = await readFile(at.head);
  const again = await opened(at);
  await again.write(() => [note('on')]);
  await again.close();
  const four = await readFile(at.head);
  await writeFile(at.head, three);
  const third = await opened(at);
  assert.equal(third.published?.size, 5);
  await third.close();
  const older = await stopped(t, 3);
  await writeFile(older.head, four);
  await assert.rejects(opened(older), { code: 'ledger_behind' });
});
