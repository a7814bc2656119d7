import assert from 'node:assert/strict';
import {
  copyFile,
  link,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { keyHash, keysOf } from '@assay/core/view/key/keys';
import { type DataFolder, dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { type KeyChangeParts, recoverReportKey, rotateReportKey } from '@assay/node/key/key-change';
import { settleKeys } from '@assay/node/key/settle-keys';
import { createKey, readPublicKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { openRest } from '@assay/node/data/open-rest';
import { keyFiles } from '@assay/node/key/report-keys';
import { NOON, temporaryFolder } from '../ledger/ledger-fixture.ts';

const ORIGIN = 'development/keys';

async function made(t: TestContext, passphrase?: string): Promise<DataFolder> {
  const folder = dataFolder(join(await temporaryFolder(t), 'data'));
  await initData(folder, nodeSha256, () => NOON, {
    origin: ORIGIN,
    passphrase,
    policies: NO_POLICIES,
  });
  return folder;
}

async function opened<T>(
  folder: DataFolder,
  work: (parts: KeyChangeParts) => Promise<T>,
  passphrase?: string,
): Promise<T> {
  const parts = await openRest(folder, nodeSha256, () => NOON, { passphrase, mirrors: [] });
  try {
    return await work(parts);
  } finally {
    await parts.ledger.close();
  }
}

/** The report key that a node starts with. */
async function started(folder: DataFolder, passphrase?: string): Promise<string> {
  const data = await openData(folder, nodeSha256, { passphrase });
  await data.store.close();
  await data.guard.close();
  return formatHex(data.report.publicKey);
}

const publicKey = async (folder: DataFolder, name: string): Promise<string> =>
  formatHex(await readPublicKey(join(folder.keys, `${name}.json`)));

test('key change: a rotation promises a key that it makes, keeps the old one, and the node starts with the new one', async (t) => {
  const folder = await made(t);
  const [first, second] = [
    await publicKey(folder, 'report'),
    await publicKey(folder, 'next-report'),
  ];
  const entry = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.deepEqual([entry.replaces, entry.key, entry.number], [first, second, 1]);
  assert.equal(await publicKey(folder, 'report'), second);
  assert.equal(await publicKey(folder, 'report-0'), first);
  const next = await publicKey(folder, 'next-report');
  assert.equal(keyHash(nodeSha256, next), entry.next_key_sha256);
  assert.equal(await started(folder), second);
  for (const name of await readdir(folder.keys)) {
    assert.equal((await stat(join(folder.keys, name))).mode & 0o777, 0o600, name);
  }
  assert.deepEqual((await readdir(folder.keys)).sort(), [
    'checkpoint.json',
    'next-report.json',
    'recovery.json',
    'report-0.json',
    'report.json',
  ]);
  const again = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.deepEqual([again.replaces, again.key, again.number], [second, next, 2]);
  assert.equal(await started(folder), next);
});

test('key change: the promised key and the recovery key come from where they are kept', async (t) => {
  const folder = await made(t, 'words');
  const away = join(folder.root, 'away');
  await rename(keyPath(folder, 'next-report'), `${away}-next`);
  await rename(keyPath(folder, 'recovery'), `${away}-recovery`);
  const change = { revoked: false, next: `${away}-next` };
  await assert.rejects(
    opened(folder, (parts) => rotateReportKey(parts, { revoked: false }), 'words'),
    { code: 'key_missing' },
  );
  await createKey(`${away}-other`, { passphrase: 'words' });
  await assert.rejects(
    opened(
      folder,
      (parts) => rotateReportKey(parts, { ...change, next: `${away}-other` }),
      'words',
    ),
    { code: 'refused' },
  );
  const entry = await opened(folder, (parts) => rotateReportKey(parts, change), 'words');
  assert.equal(await started(folder, 'words'), entry.key);
  const stolen = { revoked: true, fresh: true };
  await assert.rejects(
    opened(folder, (parts) => recoverReportKey(parts, stolen), 'words'),
    { code: 'key_missing' },
  );
  for (const [recovery, code] of [
    [`${away}-other`, 'refused'],
    [`${away}-nowhere`, 'key_missing'],
  ] as const) {
    const choices = { ...stolen, recovery };
    await assert.rejects(
      opened(folder, (parts) => recoverReportKey(parts, choices), 'words'),
      { code },
    );
  }
  const recovery = `${away}-recovery`;
  const found = await opened(
    folder,
    (parts) => recoverReportKey(parts, { ...stolen, recovery }),
    'words',
  );
  assert.equal(found.recovery_key, formatHex(await readPublicKey(recovery)));
  assert.equal(await started(folder, 'words'), found.key);
  const later = await publicKey(folder, 'recovery');
  assert.equal(keyHash(nodeSha256, later), found.next_recovery_key_sha256);
  assert.notEqual(later, found.recovery_key);
});

test('key change: a lost key is no bar, with the promised one or a fresh one', async (t) => {
  for (const fresh of [false, true]) {
    const folder = await made(t);
    await rm(keyPath(folder, 'report'));
    await assert.rejects(started(folder), { code: 'key_missing' });
    const entry = await opened(folder, (parts) =>
      recoverReportKey(parts, { revoked: false, fresh }),
    );
    assert.equal(await started(folder), entry.key);
    assert.equal(await publicKey(folder, 'report'), entry.key);
    assert.equal(await publicKey(folder, 'recovery-1'), entry.recovery_key);
    // The promise that was not kept names its key no more.
    const names = await readdir(folder.keys);
    assert.ok(names.includes('next-report.json'));
  }
});

/** A change that is cut short as soon as `done` files have been made or renamed. */
async function cutShort(
  folder: DataFolder,
  choices: { fresh: boolean } | undefined,
): Promise<void> {
  await opened(folder, async (parts) => {
    const write = parts.ledger.write.bind(parts.ledger);
    const ledger = new Proxy(parts.ledger, {
      get(target, name) {
        if (name === 'write') {
          return async (...args: Parameters<typeof write>) => {
            await write(...args);
            throw new Error('power');
          };
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const cut = { ...parts, ledger };
    await assert.rejects(
      choices === undefined
        ? rotateReportKey(cut, { revoked: false })
        : recoverReportKey(cut, { revoked: true, ...choices }),
      /power/,
    );
  });
}

test('key change: cut short behind the entry, the folder starts with the new key, and is put in order', async (t) => {
  for (const choices of [undefined, { fresh: true }, { fresh: false }]) {
    const folder = await made(t);
    const first = await publicKey(folder, 'report');
    await cutShort(folder, choices);
    const now = await started(folder);
    assert.notEqual(now, first);
    const before = [...(await keyFiles(folder)).values()].sort();
    await opened(folder, settleKeys);
    assert.equal(await publicKey(folder, 'report'), now);
    assert.equal(await publicKey(folder, 'report-0'), first);
    assert.deepEqual([...(await keyFiles(folder)).values()].sort(), before, 'no key is lost');
    assert.equal(await started(folder), now);
    // The next change goes on from there.
    const next = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
    assert.equal(next.replaces, now);
    assert.equal(await started(folder), next.key);
  }
});

test('key change: cut short before the entry, nothing has changed, and what was made is used', async (t) => {
  const folder = await made(t);
  const first = await publicKey(folder, 'report');
  const later = await createKey(join(folder.keys, 'later-report.json'));
  assert.equal(await started(folder), first);
  const entry = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.equal(entry.next_key_sha256, keyHash(nodeSha256, formatHex(later.publicKey)));
});

test('key change: cut short at each rename, nothing is lost and the folder starts', async (t) => {
  // What a rename does, step by step: a second name, then the first one gone.
  const moves = [
    ['report', 'report-0'],
    ['next-report', 'report'],
    ['later-report', 'next-report'],
  ] as const;
  for (let steps = 0; steps <= 2 * moves.length; steps += 1) {
    const folder = await made(t);
    await cutShort(folder, undefined);
    const keys = new Set((await keyFiles(folder)).values());
    const now = await started(folder);
    for (let step = 0; step < steps; step += 1) {
      const [from, to] = moves[step >> 1] as (typeof moves)[number];
      const [source, target] = [from, to].map((name) => join(folder.keys, `${name}.json`));
      if (step % 2 === 0) await link(source as string, target as string);
      else await unlink(source as string);
    }
    assert.equal(await started(folder), now, `${steps} steps`);
    await opened(folder, settleKeys);
    assert.deepEqual(new Set((await keyFiles(folder)).values()), keys);
    assert.equal(await publicKey(folder, 'report'), now);
    // The checkpoint key, and four others.
    assert.equal((await keyFiles(folder)).size, 5);
  }
});

test('key change: a file of another key is never overwritten', async (t) => {
  const folder = await made(t);
  const other = join(folder.keys, 'report-0.json');
  await createKey(other);
  const before = await readFile(other);
  const first = await publicKey(folder, 'report');
  const entry = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.deepEqual(await readFile(other), before);
  assert.ok([...(await keyFiles(folder)).values()].includes(first));
  assert.equal(await started(folder), entry.key);
});

/** Spoils the private half of a key file. */
async function rot(path: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const spoiled = text.replace(/"private_key": "......../, '"private_key": "00000000');
  assert.notEqual(spoiled, text);
  await writeFile(path, spoiled, { mode: 0o600 });
}

test('key change: a fresh key, and what comes with it, is of no file that lay there', async (t) => {
  for (const [choices, names] of [
    [{ revoked: true, fresh: true }, ['later-report', 'fresh-report', 'later-recovery']],
    [{ revoked: false, fresh: true }, ['later-report', 'fresh-report', 'later-recovery']],
    [{ revoked: true, fresh: false }, ['later-report', 'later-recovery']],
    [{ revoked: false, fresh: false }, ['later-recovery']],
  ] as const) {
    const folder = await made(t);
    const before = new Map<string, Buffer>();
    for (const name of names) {
      const path = join(folder.keys, `${name}.json`);
      await createKey(path);
      before.set(name, await readFile(path));
    }
    const known = new Set((await keyFiles(folder)).values());
    const entry = await opened(folder, (parts) => recoverReportKey(parts, choices));
    const hashes = new Set([...known].map((key) => keyHash(nodeSha256, key)));
    assert.equal(known.has(entry.key), !choices.fresh);
    assert.equal(hashes.has(entry.next_key_sha256), false);
    assert.equal(hashes.has(entry.next_recovery_key_sha256), false);
    for (const [name, bytes] of before) {
      assert.deepEqual(await readFile(join(folder.keys, `unused-${name}.json`)), bytes);
    }
    assert.equal(await started(folder), entry.key);
  }
});

test('key change: of two files of one key the one that opens is used, and both stay', async (t) => {
  const folder = await made(t);
  const path = keyPath(folder, 'recovery');
  const good = await readFile(path);
  await writeFile(join(folder.keys, 'recovery-9.json'), good, { mode: 0o600 });
  await rot(path);
  const rotten = await readFile(path);
  const stolen = { revoked: true, fresh: false };
  const entry = await opened(folder, (parts) => recoverReportKey(parts, stolen));
  const all = await Promise.all(
    (await readdir(folder.keys)).map((name) => readFile(join(folder.keys, name), 'utf8')),
  );
  for (const bytes of [good, rotten]) assert.ok(all.includes(bytes.toString()));
  assert.equal(await started(folder), entry.key);
});

test('key change: a damaged file of the key in force does not hide its copy', async (t) => {
  const folder = await made(t);
  const path = keyPath(folder, 'report');
  await writeFile(join(folder.keys, 'report-copy-1.json'), await readFile(path), { mode: 0o600 });
  await rot(path);
  const first = await publicKey(folder, 'report');
  assert.equal(await started(folder), first);
  const entry = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.equal(await started(folder), entry.key);
  const next = await opened(folder, (parts) => rotateReportKey(parts, { revoked: false }));
  assert.equal(await started(folder), next.key);
});

test('key change: a file that does not open is not brought, and bars no other', async (t) => {
  const folder = await made(t);
  const away = join(folder.root, 'medium.json');
  await rename(keyPath(folder, 'next-report'), away);
  const rotten = `${away}-rotten`;
  await writeFile(rotten, await readFile(away), { mode: 0o600 });
  await rot(rotten);
  const rotate = (next: string) =>
    opened(folder, (parts) => rotateReportKey(parts, { revoked: false, next }));
  await assert.rejects(rotate(rotten), { code: 'malformed' });
  assert.equal((await readdir(folder.keys)).includes('next-report.json'), false);
  // One that an earlier version brought is no bar either.
  await writeFile(keyPath(folder, 'next-report'), await readFile(rotten), { mode: 0o600 });
  const entry = await rotate(away);
  assert.equal(await started(folder), entry.key);
});

test('key change: what the log has of it', async (t) => {
  const folder = await made(t);
  await copyFile(keyPath(folder, 'recovery'), join(folder.root, 'recovery'));
  await opened(folder, (parts) => rotateReportKey(parts, { revoked: true }));
  const rows = await opened(folder, async ({ ledger }) => keysOf(ledger.tip));
  assert.deepEqual(
    rows.map(({ number, cause, revoked }) => [number, cause, revoked]),
    [
      [0, 'genesis', true],
      [1, 'rotation', false],
    ],
  );
});
