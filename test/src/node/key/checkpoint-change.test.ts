import assert from 'node:assert/strict';
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { parseNote } from '@assay/core/log/note';
import { checkpointTerms, MAX_CLOSING_LAG } from '@assay/core/view/key/checkpoint-keys';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { ledgerParts, openData } from '@assay/node/data/open-data';
import { openRest } from '@assay/node/data/open-rest';
import {
  promiseCheckpointKey,
  recoverCheckpointKey,
  rotateCheckpointKey,
} from '@assay/node/key/checkpoint-change';
import { folderNotes } from '@assay/node/key/folder-notes';
import { type KeyChangeParts, recoverReportKey, rotateReportKey } from '@assay/node/key/key-change';
import { createKey, openKey, readPublicKey } from '@assay/node/key/keystore';
import { settleKeys } from '@assay/node/key/settle-keys';
import { checkpointReader, checkpointSigner } from '@assay/node/ledger/checkpoint-signer';
import { ClosingHeads } from '@assay/node/ledger/closing-heads';
import { Ledger } from '@assay/node/ledger/ledger';
import { type DataFolder, dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const ORIGIN = 'development/checkpoints';
const NOTE = { kind: 'note/1', body: { text: 'a note' } } as const;

async function made(t: TestContext, passphrase?: string): Promise<DataFolder> {
  const folder = dataFolder(join(await temporaryFolder(t), 'data'));
  const choices = { origin: ORIGIN, passphrase, policies: NO_POLICIES };
  await initData(folder, nodeSha256, () => NOON, choices);
  return folder;
}

async function opened<T>(
  folder: DataFolder,
  work: (parts: KeyChangeParts) => Promise<T>,
  { unsigned = false }: { readonly unsigned?: boolean } = {},
): Promise<T> {
  const options = { passphrase: undefined, mirrors: [], unsigned };
  const parts = await openRest(folder, nodeSha256, () => NOON, options);
  try {
    return await work(parts);
  } finally {
    await parts.ledger.close();
  }
}

const promise = (folder: DataFolder) => opened(folder, (parts) => promiseCheckpointKey(parts, {}));
const rotate = (folder: DataFolder) => opened(folder, (parts) => rotateCheckpointKey(parts, {}));
const recover = (folder: DataFolder, notes?: readonly Uint8Array[]) =>
  opened(
    folder,
    async (parts) =>
      recoverCheckpointKey(parts, { notes: notes ?? (await folderNotes(parts.folder)) }),
    { unsigned: true },
  );

/** Runs a node for as long as `work` takes. */
async function run<T>(folder: DataFolder, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const data = await openData(folder, nodeSha256, { passphrase: undefined });
  let ledger: Ledger;
  try {
    ledger = await Ledger.open({
      ...ledgerParts(data),
      sha256: nodeSha256,
      now: () => NOON,
      askHeads: null,
    });
  } catch (error) {
    await data.guard.close();
    await data.store.close();
    throw error;
  }
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** Appends a note by a node, and returns the head that it signs. */
const append = (folder: DataFolder): Promise<Uint8Array> =>
  run(folder, async (ledger) => {
    await ledger.write(() => [NOTE]);
    return ledger.newest?.note as Uint8Array;
  });

const publicKey = (folder: DataFolder, name: string): Promise<Uint8Array> =>
  readPublicKey(join(folder.keys, `${name}.json`));

const sizeOf = (note: Uint8Array): number => parseCheckpoint(parseNote(note).text).size;

/** Which of the keys have a good line on a note. */
function signersOf(note: Uint8Array, keys: readonly Uint8Array[]): readonly boolean[] {
  return keys.map((key) => {
    try {
      checkpointReader(nodeSha256, ORIGIN, key).open(note);
      return true;
    } catch {
      return false;
    }
  });
}

const names = async (folder: DataFolder): Promise<readonly string[]> =>
  (await readdir(folder.keys)).sort();

test('checkpoint keys: a promise is signed by the recovery key, and is made once', async (t) => {
  const folder = await made(t);
  await assert.rejects(rotate(folder), { code: 'refused', message: /^checkpoint key/ });
  const away = join(folder.root, 'away.json');
  await rename(keyPath(folder, 'recovery'), away);
  await assert.rejects(promise(folder), { code: 'key_missing' });
  await createKey(join(folder.root, 'other.json'), {});
  const other = { recovery: join(folder.root, 'other.json') };
  await assert.rejects(
    opened(folder, (parts) => promiseCheckpointKey(parts, other)),
    { code: 'refused', message: /^recovery key/ },
  );
  const body = await opened(folder, (parts) => promiseCheckpointKey(parts, { recovery: away }));
  assert.equal(body.number, 1);
  assert.deepEqual(await names(folder), [
    'checkpoint.json',
    'next-checkpoint.json',
    'next-report.json',
    'recovery.json',
    'report.json',
  ]);
  assert.notDeepEqual(await readPublicKey(away), await publicKey(folder, 'recovery'));
  await assert.rejects(promise(folder), { code: 'refused' });
  // The recovery key that came with the promise is the one that a report key is recovered by.
  await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  const by = await publicKey(folder, 'recovery');
  const entry = await opened(folder, (parts) =>
    recoverReportKey(parts, { revoked: true, fresh: true }),
  );
  assert.equal(entry.recovery_key, formatHex(by));
  await append(folder);
});

test('checkpoint keys: a rotation ends with a head of both keys, and the node goes on with the new one', async (t) => {
  const folder = await made(t);
  const closing = new ClosingHeads(folder.root);
  await promise(folder);
  await append(folder);
  const keys = [await publicKey(folder, 'checkpoint'), await publicKey(folder, 'next-checkpoint')];
  const body = await rotate(folder);
  assert.deepEqual([body.number, body.last_size, body.cause], [1, 4, 'rotation']);
  const handover = (await closing.read(0)) as Uint8Array;
  assert.equal(sizeOf(handover), 4);
  assert.deepEqual(signersOf(handover, keys), [true, true]);
  assert.deepEqual(await publicKey(folder, 'checkpoint'), keys[1]);
  assert.deepEqual(await publicKey(folder, 'checkpoint-0'), keys[0]);
  // The old key is not needed again, not even for a start at the handover head.
  await rename(join(folder.keys, 'checkpoint-0.json'), join(folder.root, 'safe.json'));
  await run(folder, async (ledger) => {
    assert.deepEqual(ledger.newest?.note, handover);
    assert.deepEqual(await ledger.closingHead(0), handover);
    assert.equal(await ledger.closingHead(1), undefined);
  });
  const next = await append(folder);
  assert.deepEqual(signersOf(next, keys), [false, true]);
  keys.push(await publicKey(folder, 'next-checkpoint'));
  const again = await rotate(folder);
  assert.deepEqual([again.number, again.last_size], [2, 6]);
  assert.deepEqual(signersOf((await closing.read(1)) as Uint8Array, keys), [false, true, true]);
  await run(folder, async (ledger) => {
    assert.deepEqual(
      checkpointTerms(ledger.tip).map(({ above, last_size: last }) => [above, last]),
      [
        [0, 4],
        [4, 6],
        [6, null],
      ],
    );
    assert.deepEqual(await ledger.closingHead(0), handover);
  });
});

test('checkpoint keys: a lost key is replaced without it, and its newest head is kept', async (t) => {
  const folder = await made(t);
  const closing = new ClosingHeads(folder.root);
  await promise(folder);
  const newest = await append(folder);
  const old = await publicKey(folder, 'checkpoint');
  await rename(keyPath(folder, 'checkpoint'), join(folder.root, 'lost.json'));
  const recovery = await publicKey(folder, 'recovery');
  const body = await recover(folder);
  assert.deepEqual([body.cause, body.last_size], ['recovery', 3]);
  assert.equal(body.recovery_key, formatHex(recovery));
  assert.deepEqual(await closing.read(0), newest);
  assert.deepEqual(await publicKey(folder, 'recovery-checkpoint-1'), recovery);
  const key = await publicKey(folder, 'checkpoint');
  const after = await append(folder);
  assert.equal(sizeOf(after), 5);
  assert.deepEqual(signersOf(after, [old, key]), [false, true]);
  // A head that the thief signs is not this log's any more.
  const thief = checkpointSigner(
    nodeSha256,
    ORIGIN,
    await openKey(join(folder.root, 'lost.json'), {}),
  );
  await opened(folder, async ({ checkpoints, ledger }) => {
    const root = await ledger.rootAt(4);
    assert.throws(() => checkpoints.open(thief.sign(4, root)), { code: 'bad_note' });
    assert.equal(checkpoints.open(thief.sign(3, await ledger.rootAt(3))).size, 3);
  });
});

test('checkpoint keys: a closing head of a recovery covers the promise, and is of this ledger', async (t) => {
  const folder = await made(t);
  const early = await append(folder);
  await promise(folder);
  const newest = await append(folder);
  const old = await openKey(keyPath(folder, 'checkpoint'), {});
  const signer = checkpointSigner(nodeSha256, ORIGIN, old);
  const { root } = parseCheckpoint(parseNote(early).text);
  const stranger = checkpointSigner(
    nodeSha256,
    ORIGIN,
    await openKey(keyPath(folder, 'report'), {}),
  );
  const fault = (code: string, title: string) => ({ code, message: new RegExp(`^${title}`) });
  await assert.rejects(recover(folder, []), fault('refused', 'closing head'));
  await assert.rejects(recover(folder, [early]), fault('refused', 'closing head'));
  await assert.rejects(recover(folder, [stranger.sign(4, root)]), fault('refused', 'closing head'));
  await assert.rejects(recover(folder, [signer.sign(4, root)]), fault('ledger_differs', 'ledger'));
  await assert.rejects(recover(folder, [signer.sign(9, root)]), fault('ledger_behind', 'ledger'));
  // What was refused has changed nothing.
  await append(folder);
  await recover(folder, [early, newest]);
  assert.deepEqual(await new ClosingHeads(folder.root).read(0), newest);
});

/** Ends a change where `at` says, as a crash would. */
async function cut(
  folder: DataFolder,
  at: 'sign' | 'keep' | 'keepPrepared' | 'write',
  change: (parts: KeyChangeParts) => Promise<unknown>,
): Promise<void> {
  const crash = (): never => {
    throw new Error('a crash');
  };
  await opened(
    folder,
    async (parts) => {
      const { ledger, checkpoints, closing } = parts;
      const place = at === 'sign' ? checkpoints : at === 'write' ? ledger : closing;
      Object.defineProperty(place, at, { value: crash });
      await assert.rejects(change(parts));
    },
    { unsigned: true },
  );
}

const rotation = (parts: KeyChangeParts) => rotateCheckpointKey(parts, {});
const recovery = async (parts: KeyChangeParts) =>
  recoverCheckpointKey(parts, { notes: await folderNotes(parts.folder) });

for (const [what, change, places] of [
  ['rotation', rotation, ['sign', 'keep']],
  ['recovery', recovery, ['sign', 'keepPrepared']],
] as const) {
  for (const place of places) {
    test(`checkpoint keys: a ${what} that is cut at ${place} is finished by the next command`, async (t) => {
      const folder = await made(t);
      await promise(folder);
      const newest = await append(folder);
      const key = await publicKey(folder, 'next-checkpoint');
      await cut(folder, place, change);
      await assert.rejects(append(folder), { code: 'key_missing', message: /assay keys settle/ });
      await opened(folder, settleKeys);
      assert.deepEqual(await publicKey(folder, 'checkpoint'), key);
      const kept = (await new ClosingHeads(folder.root).read(0)) as Uint8Array;
      assert.equal(sizeOf(kept), what === 'rotation' ? 4 : 3);
      if (what === 'recovery') assert.deepEqual(kept, newest);
      assert.equal(sizeOf(await append(folder)), 5);
      const before = await names(folder);
      await opened(folder, settleKeys);
      assert.deepEqual(await names(folder), before);
    });
  }

  test(`checkpoint keys: a ${what} that is cut before its entry has changed nothing, and no key of it is used`, async (t) => {
    const folder = await made(t);
    await promise(folder);
    await append(folder);
    await cut(folder, 'write', change);
    const known = await publicKey(folder, 'later-checkpoint');
    await append(folder);
    await opened(folder, change, { unsigned: true });
    assert.deepEqual(await publicKey(folder, 'unused-later-checkpoint'), known);
    await append(folder);
  });
}

test('checkpoint keys: files without their names, or a closing head that is gone, keep a node from starting', async (t) => {
  const folder = await made(t);
  await promise(folder);
  const key = await publicKey(folder, 'next-checkpoint');
  await rotate(folder);
  for (const [from, to] of [
    ['next-checkpoint', 'later-checkpoint'],
    ['checkpoint', 'next-checkpoint'],
    ['checkpoint-0', 'checkpoint'],
  ] as const) {
    await rename(join(folder.keys, `${from}.json`), join(folder.keys, `${to}.json`));
  }
  await assert.rejects(append(folder), { code: 'key_missing', message: /assay keys settle/ });
  await opened(folder, settleKeys);
  assert.deepEqual(await publicKey(folder, 'checkpoint'), key);
  await append(folder);
  const file = join(folder.root, 'closing-head', '0');
  const handover = await readFile(file);
  await rm(file);
  await assert.rejects(append(folder), { code: 'key_missing', message: /^closing head/ });
  // Both keys are there, and so the same head is signed again.
  await opened(folder, settleKeys);
  assert.deepEqual(await readFile(file), handover);
  await rm(file);
  await rm(join(folder.keys, 'checkpoint-0.json'));
  await assert.rejects(opened(folder, settleKeys), {
    code: 'key_missing',
    message: /^closing head/,
  });
});

test('checkpoint keys: files that cannot be read stop no ceremony that does without them', async (t) => {
  const folder = await made(t);
  await promise(folder);
  for (const name of ['checkpoint-7', 'later-checkpoint', 'recovery-promise-9']) {
    await writeFile(join(folder.keys, `${name}.json`), '', { mode: 0o600 });
  }
  await chmod(join(folder.keys, 'recovery-promise-1.json'), 0o644);
  await rotate(folder);
  await append(folder);
  assert.ok((await names(folder)).includes('unused-later-checkpoint.json'));
  // The key that is lost here is the one that a rotation needs.
  await writeFile(keyPath(folder, 'checkpoint'), '');
  await assert.rejects(rotate(folder), { code: 'key_missing' });
  assert.equal((await recover(folder)).number, 2);
  await assert.rejects(append(folder), {
    code: 'key_missing',
    message: /next-checkpoint\.json has: assay keys settle .*found a damaged file: move it away/,
  });
  await rename(keyPath(folder, 'checkpoint'), join(folder.root, 'damaged.json'));
  await opened(folder, settleKeys);
  await append(folder);
});

test('checkpoint keys: what fails behind the entry says that it is committed, and a settle says that it finished it', async (t) => {
  const folder = await made(t);
  await promise(folder);
  await append(folder);
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  await opened(folder, async (parts) => {
    Object.defineProperty(parts.closing, 'keep', { value: () => Promise.reject(full) });
    await assert.rejects(rotation(parts), {
      code: 'no_room',
      message: /^the entry of the change is committed, and assay keys settle .* finishes it; /,
    });
  });
  // The key in force is in the folder, and not in a safe.
  await rename(keyPath(folder, 'checkpoint'), join(folder.root, 'old.json'));
  await assert.rejects(append(folder), {
    code: 'key_missing',
    message: /which next-checkpoint\.json has: assay keys settle .*found none there/,
  });
  await rename(join(folder.root, 'old.json'), keyPath(folder, 'checkpoint'));
  assert.equal(await opened(folder, settleKeys), true);
  assert.equal(await opened(folder, settleKeys), false);
  await append(folder);
});

test('checkpoint keys: a closing head that verifiers do not reach, or that the key has not signed, is refused', async (t) => {
  const folder = await made(t);
  await promise(folder);
  const newest = await append(folder);
  const before = await names(folder);
  await opened(
    folder,
    async (parts) => {
      const { ledger } = parts;
      const notes = [newest];
      for (const note of [Buffer.from('no note'), Buffer.from(newest.toReversed())]) {
        const brought = [{ at: 'head.txt', note }];
        await assert.rejects(recoverCheckpointKey(parts, { notes, brought }), {
          code: 'refused',
          at: 'head.txt',
        });
      }
      const { nextSeq } = ledger;
      const far = sizeOf(newest) + MAX_CLOSING_LAG + 1;
      Object.defineProperty(ledger, 'nextSeq', { value: far, configurable: true });
      await assert.rejects(recoverCheckpointKey(parts, { notes }), {
        code: 'refused',
        message: /^closing head: expected a head of at least 4 entries/,
      });
      assert.deepEqual(await names(folder), before);
      Object.defineProperty(ledger, 'nextSeq', { value: far - 1, configurable: true });
      assert.equal((await recoverCheckpointKey(parts, { notes })).last_size, nextSeq);
    },
    { unsigned: true },
  );
});

test('checkpoint keys: a settle without the key in force says what replaces it', async (t) => {
  const folder = await made(t);
  await promise(folder);
  await rm(join(folder.root, 'head'));
  await rm(keyPath(folder, 'checkpoint'));
  await assert.rejects(
    opened(folder, settleKeys),
    (error: Error) =>
      /assay keys recover-checkpoint/.test(error.message) && !/settle/.test(error.message),
  );
});

test('checkpoint keys: the ledger refuses a key that may not follow, and one with a bad signature', async (t) => {
  const folder = await made(t);
  await opened(folder, async (parts) => {
    const { ledger } = parts;
    const body = await promiseCheckpointKey(parts, {});
    const again = { kind: 'key/2', body } as const;
    await assert.rejects(
      ledger.write(() => [again]),
      { code: 'refused', message: /^checkpoint key/ },
    );
  });
  const other = await made(t);
  await opened(other, async (parts) => {
    const { ledger } = parts;
    const write = ledger.write.bind(ledger);
    Object.defineProperty(ledger, 'write', {
      value: (draft: Parameters<typeof write>[0]) =>
        write((tip) =>
          [...draft(tip)].map((each) => ({
            ...each,
            body: { ...each.body, signature: '11'.repeat(64) } as never,
          })),
        ),
    });
    await assert.rejects(promiseCheckpointKey(parts, {}), {
      code: 'refused',
      at: 'entry 1/signature',
    });
  });
});
