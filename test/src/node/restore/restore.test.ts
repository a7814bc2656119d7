import assert from 'node:assert/strict';
import { cp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { equalBytes } from '@assay/core/bytes/bytes';
import { parseCheckpoint } from '@assay/core/log/checkpoint';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { parseLoss } from '@assay/core/kind/loss';
import { parseNoteEntry } from '@assay/core/kind/note';
import { formatUtf8 } from '@assay/core/bytes/utf8';
import { dataFolder } from '@assay/node/platform/data-folder';
import { openLevelStore } from '@assay/node/ledger/store/level-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { nodeVerifySignatureAsync } from '@assay/node/platform/node-signature';
import { parseProposal, SUCCESSION_FILE } from '@assay/node/restore/succession-proposal';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import { ownData } from '../../cli/fixture/data-folder.ts';
import { listen } from '../../cli/fixture/run.ts';
import { backupOf, faultOf, grow, openNode, restored, serveBackup } from './restore-world.ts';

const SIZE = 277;

/** A data folder of 277 entries with a backup of it, and the machine that has lost all but its keys. */
async function lostDisk(
  t: TestContext,
): Promise<{ readonly data: string; readonly copy: string; readonly folder: string }> {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await loseDisk(data);
  return { data, copy, folder };
}

/** An address at which nobody answers. */
async function deadAddress(t: TestContext): Promise<string> {
  const server = createServer();
  const url = await listen(t, server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return url;
}

/** Leaves the keys alone. */
async function loseDisk(data: string): Promise<void> {
  for (const name of await readdir(data)) {
    if (name !== 'keys') await rm(join(data, name), { recursive: true });
  }
}

/** What every file below a folder holds, by its path. */
async function contents(root: string): Promise<ReadonlyMap<string, string>> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  const pairs = files.map(
    async (path) => [path, (await readFile(path)).toString('base64')] as const,
  );
  return new Map((await Promise.all(pairs)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

async function noteText(data: string, seq: number): Promise<string> {
  const { ledger } = await openNode(data);
  const bytes = (await ledger.entry(seq)) as Uint8Array;
  await ledger.close();
  const layout = scanEntry(bytes);
  return parseNoteEntry(entryBody(bytes, layout), 'body').text;
}

test('restore: from a mirror over HTTP; who lost the head guard says what he cannot exclude', async (t) => {
  const { data, copy } = await lostDisk(t);
  const url = await serveBackup(t, copy);
  const result = await restored(data, [url]);
  assert.equal(result.size, SIZE + 1);
  assert.equal(result.verdict.outcome, 'verified');
  assert.deepEqual(result.loss, { from: SIZE, to: null, root: null, known: 'nobody' });
  assert.deepEqual(parseLoss(await noteText(data, SIZE)), result.loss);
  assert.deepEqual(result.lacking, { blobs: [], openings: [], tick_openings: [], files: [] });
  assert.equal(result.blobs.restored > 0, true);
  // It goes on, and is restored from nothing twice.
  assert.equal(await grow(data, 'on'), SIZE + 2);
});

test('restore: whoever knows how many were acknowledged, and has them, needs no note', async (t) => {
  const { data, copy } = await lostDisk(t);
  const result = await restored(data, [await serveBackup(t, copy)], { acknowledged: SIZE });
  assert.deepEqual([result.size, result.loss], [SIZE, null]);
});

test('restore: an entry and a blob that have rotted come back, and what was there is kept', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  const store = await openLevelStore(dataFolder(data).ledger);
  const bytes = new Uint8Array((await store.entry(3)) as Uint8Array);
  bytes[bytes.length - 4] = (bytes[bytes.length - 4] as number) ^ 1;
  const head = (await store.head()) as Uint8Array;
  await store.commit({ entries: [{ seq: 3, bytes }], tiles: [], views: [], head });
  await store.close();
  const [prefix] = await readdir(join(data, 'blobs')).then((names) =>
    names.filter((name) => name !== 'tmp'),
  );
  const [blob] = await readdir(join(data, 'blobs', prefix as string));
  const rotten = join('blobs', prefix as string, blob as string);
  await writeFile(join(data, rotten), 'rot');
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss, result.blobs.restored], [SIZE, null, 1]);
  assert.equal(result.verdict.outcome, 'verified');
  const aside = join(data, result.aside as string);
  assert.equal(await readFile(join(aside, rotten), 'utf8'), 'rot');
  const before = await openLevelStore(join(aside, 'ledger'));
  assert.equal(equalBytes((await before.entry(3)) as Uint8Array, bytes), true);
  await before.close();
});

test('restore: what is left on the disk is a source: entries that nobody else has come from there', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  assert.equal(await grow(data, 'a', 'b', 'c'), SIZE + 3);
  const store = await openLevelStore(dataFolder(data).ledger);
  const head = (await store.head()) as Uint8Array;
  const other = formatUtf8('not what the tree has there');
  await store.commit({ entries: [{ seq: 100, bytes: other }], tiles: [], views: [], head });
  await store.close();
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 3, null]);
  assert.equal(await noteText(data, SIZE + 2), 'c');
});

test('restore: a head guard that is gone comes back from the ledger itself, or from a mirror', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a', 'b');
  await rm(join(data, 'head'));
  // Nobody can say whether this is the newest.
  assert.equal((await faultOf(restored(data, [copy])))[0], 'unreachable');
  const result = await restored(data, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
  assert.equal(await grow(data, 'on'), SIZE + 3);
});

test('restore: a head guard that is gone, and nobody to ask: the ledger alone, with consent', async (t) => {
  const data = join(await ownData(t), 'data');
  await rm(join(data, 'head'));
  assert.equal((await faultOf(restored(data, [data])))[0], 'unreachable');
  const result = await restored(data, [data], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE, null]);
  assert.equal(await grow(data, 'on'), SIZE + 1);
});

test('restore: a head guard that is damaged counts as one that is gone', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'a');
  await writeFile(join(data, 'head'), 'cut');
  const result = await restored(data, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss], [SIZE + 1, null]);
  assert.equal(await readFile(join(data, result.aside as string, 'head'), 'utf8'), 'cut');
  assert.equal(await grow(data, 'on'), SIZE + 2);
});

test('restore: a folder that was rolled back gets what others have seen since', async (t) => {
  const folder = await ownData(t);
  const [data, old, copy] = ['data', 'old', 'copy'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, old, { recursive: true });
  await grow(data, 'a', 'b');
  await backupOf(data, copy);
  const result = await restored(old, [await serveBackup(t, copy)]);
  assert.deepEqual([result.size, result.loss, result.lacking.blobs], [SIZE + 2, null, []]);
  assert.equal(await noteText(old, SIZE + 1), 'b');
});

test('restore: a folder that was rolled back, its head guard too, confirms nothing by itself', async (t) => {
  const folder = await ownData(t);
  const [data, old] = [join(folder, 'data'), join(folder, 'old')];
  await cp(data, old, { recursive: true });
  await grow(data, 'a', 'b');
  const names = await readdir(old);
  const dead = { mirrors: [await deadAddress(t)], witnesses: [{ url: await deadAddress(t) }] };
  for (const from of [[old], [await deadAddress(t)]]) {
    const [code, words] = await faultOf(restored(old, from, dead));
    assert.equal(code, 'unreachable', words);
    assert.match(words, /nobody could be asked for a newer head: [^]*the mirror /);
  }
  assert.deepEqual(await readdir(old), names);
  const result = await restored(old, [old], { ...dead, unconfirmed: true });
  assert.deepEqual([result.size, result.silent.length], [SIZE, 2]);
});

test('restore: one place that lags is not enough where another that is named is silent', async (t) => {
  const { data, copy } = await lostDisk(t);
  const before = await contents(data);
  const mirror = await serveBackup(t, copy);
  const dead = await deadAddress(t);
  // It answers, and has nothing of this log.
  const empty = await serveBackup(t, copy, () => undefined);
  for (const [from, more, who] of [
    [[copy], { mirrors: [mirror, dead] }, `the mirror ${dead}: `],
    [[copy], { mirrors: [mirror, empty] }, `the mirror ${empty}: it has no head of this log`],
    [[copy], { mirrors: [mirror], witnesses: [{ url: dead }] }, `the witness ${dead}: `],
    [[mirror, dead], {}, `the source ${dead}: `],
    [[mirror, empty], {}, `the source ${empty}: it has no head of this log`],
  ] as const) {
    const [code, words] = await faultOf(restored(data, from, more));
    assert.equal(code, 'unreachable', words);
    assert.equal(words.includes(who), true, words);
    assert.equal(words.includes('nobody could be asked'), false, words);
  }
  assert.deepEqual(await contents(data), before);
  const all = await restored(data, [copy], { mirrors: [mirror], acknowledged: SIZE });
  assert.deepEqual([all.size, all.silent], [SIZE, []]);
});

test('restore: a tail that nobody held is written off with consent alone, in a note that says so', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  await grow(data, 'lost 1', 'lost 2');
  await rm(join(data, 'ledger'), { recursive: true });
  const before = await contents(data);
  const [code, words] = await faultOf(restored(data, [copy], { unconfirmed: true }));
  assert.equal(code, 'ledger_behind');
  assert.match(words, /entries 277 to 278[^]*--accept-loss/);
  assert.deepEqual(await contents(data), before);
  const result = await restored(data, [copy], { acceptLoss: true, unconfirmed: true });
  assert.deepEqual(
    [result.size, result.loss?.to, result.loss?.known],
    [SIZE + 1, SIZE + 2, 'guard'],
  );
  assert.equal(parseLoss(await noteText(data, SIZE)).root, result.loss?.root);
  // The operator's word does as well, where the guard is gone too.
  await loseDisk(data);
  const told = await restored(data, [copy], {
    acceptLoss: true,
    acknowledged: SIZE + 5,
    unconfirmed: true,
  });
  assert.deepEqual(
    [told.loss?.to, told.loss?.root, told.loss?.known],
    [SIZE + 5, null, 'operator'],
  );
});

test('restore: a head that others hold and whose entries nobody has is not gone on from', async (t) => {
  const folder = await ownData(t);
  const [data, copy, newer] = ['data', 'copy', 'newer'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await backupOf(data, copy);
  await grow(data, 'lost');
  await backupOf(data, newer);
  // A mirror that remembers the newest head, and has none of what it covers.
  const url = await serveBackup(t, newer, (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  await loseDisk(data);
  for (const more of [{ mirrors: [url] }, { witnesses: [] }]) {
    const from = 'mirrors' in more ? [copy] : [copy, url];
    const [code, words] = await faultOf(
      restored(data, from, { ...more, acceptLoss: true, unconfirmed: true }),
    );
    assert.equal(code, 'head_lost', words);
    assert.match(words, /would be a fork[^]*assay init --succeeds/);
  }
  assert.deepEqual((await readdir(data)).toSorted(), ['keys', SUCCESSION_FILE]);
  const { head, lost } = parseProposal(await readFile(join(data, SUCCESSION_FILE)));
  const sizes = [head, lost as Uint8Array].map(
    (note) => parseCheckpoint(Buffer.from(note).toString('utf8').split('\n\n')[0] + '\n').size,
  );
  assert.deepEqual(sizes, [SIZE, SIZE + 1]);
});

test('restore: two histories by one key are refused, and the evidence convicts', async (t) => {
  const folder = await ownData(t);
  const [data, copy, other] = ['data', 'copy', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, other, { recursive: true });
  await grow(data, 'one', 'two');
  await grow(other, 'another', 'history', 'with more');
  await backupOf(data, copy);
  await backupOf(other, join(folder, 'fork'));
  const hostile = await serveBackup(t, join(folder, 'fork'));
  await loseDisk(data);
  for (const from of [
    [copy, hostile],
    [hostile, copy],
  ]) {
    const [code, words] = await faultOf(restored(data, from, { acceptLoss: true }));
    assert.equal(code, 'ledger_differs', words);
    assert.match(words, /two: .*The evidence is kept/);
  }
  assert.deepEqual((await readdir(data)).toSorted(), ['evidence', 'keys']);
  const [file] = await readdir(join(data, 'evidence'));
  const evidence = await readFile(join(data, 'evidence', file as string));
  const verdict = await checkEvidence(evidence, {
    sha256: nodeSha256,
    verifySignature: nodeVerifySignatureAsync,
  });
  assert.equal(verdict.proven, true);
});

test('restore: a witness of another history is enough to refuse', async (t) => {
  const folder = await ownData(t);
  const [data, copy, other] = ['data', 'copy', 'other'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await cp(data, other, { recursive: true });
  await grow(data, 'one', 'two');
  await grow(other, 'another');
  await backupOf(data, copy);
  await backupOf(other, join(folder, 'fork'));
  const mirror = await serveBackup(t, join(folder, 'fork'), (path, bytes) =>
    path === '/checkpoint' ? bytes : undefined,
  );
  await loseDisk(data);
  const [code] = await faultOf(restored(data, [copy], { mirrors: [mirror] }));
  assert.equal(code, 'ledger_differs');
});

test('restore: wrong tiles, entries and blobs of a hostile source are passed over, and told', async (t) => {
  const { data, copy } = await lostDisk(t);
  const flip: Parameters<typeof serveBackup>[2] = (path, bytes) => {
    if (bytes === undefined || path === '/checkpoint') return bytes;
    const out = bytes.slice();
    const at = Math.floor(out.length / 2);
    out[at] = (out[at] as number) ^ 1;
    return out;
  };
  const keys = await contents(join(data, 'keys'));
  const bad = await serveBackup(t, copy, flip);
  const [code, words] = await faultOf(restored(data, [bad]));
  assert.equal(code, 'not_found', words);
  assert.deepEqual(await readdir(data), ['keys']);
  assert.deepEqual(await contents(join(data, 'keys')), keys);
  // Wrong bundles alone: the tiles show which, and another source has them. The blobs are told by their hash.
  const lying = await serveBackup(t, copy, (path, bytes) =>
    path.startsWith('/tile/entries') || path.startsWith('/blob/') ? flip(path, bytes) : bytes,
  );
  const result = await restored(data, [lying, copy], { acknowledged: SIZE });
  assert.deepEqual([result.size, result.verdict.outcome], [SIZE, 'verified']);
  const [first, second] = result.sources;
  assert.deepEqual([first?.entries, second?.entries], [0, SIZE]);
  assert.equal((first?.faults.length ?? 0) > 1, true, JSON.stringify(first));
});

test('restore: another log is none of its sources', async (t) => {
  const { data, folder } = await lostDisk(t);
  const stranger = await ownData(t);
  // The same origin and the same first words, and other keys.
  await rm(join(stranger, 'data'), { recursive: true });
  const { initData, NO_POLICIES } = await import('@assay/node/data/init');
  const options = { origin: 'development/folder', passphrase: undefined, policies: NO_POLICIES };
  await initData(dataFolder(join(stranger, 'data')), nodeSha256, () => 1_700_000_000, options);
  await backupOf(join(stranger, 'data'), join(folder, 'stranger'));
  const url = await serveBackup(t, join(folder, 'stranger'));
  for (const from of [url, join(folder, 'stranger'), join(stranger, 'data')]) {
    const [code, words] = await faultOf(restored(data, [from], { unconfirmed: true }));
    assert.equal(code, 'not_found', words);
  }
  assert.deepEqual(await readdir(data), ['keys']);
});

test('restore: --log-id holds it to one log', async (t) => {
  const { data, copy } = await lostDisk(t);
  const logId = '0'.repeat(64) as never;
  const [code, words] = await faultOf(restored(data, [copy], { logId, unconfirmed: true }));
  assert.equal(code, 'not_found');
  assert.match(words, /log id/);
});

test('restore: what nobody has is listed, by what names it', async (t) => {
  const { data, copy } = await lostDisk(t);
  const [hash = ''] = await readdir(join(copy, 'blob'));
  await rm(join(copy, 'blob', hash));
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual(
    result.lacking.blobs.map((each) => each.hash),
    [hash],
  );
  assert.equal(result.verdict.outcome, 'findings');
});

test('restore: of a source with many wrong blobs the first are named, and the others counted', async (t) => {
  const { data, copy } = await lostDisk(t);
  const hashes = await readdir(join(copy, 'blob'));
  for (const hash of hashes) await writeFile(join(copy, 'blob', hash), 'rot');
  const result = await restored(data, [copy], { unconfirmed: true });
  const lacking = result.lacking.blobs.length;
  // What only a manifest names is not known to be lacking.
  assert.equal(lacking > 5 && lacking <= hashes.length, true, `${lacking} of ${hashes.length}`);
  const [{ faults } = { faults: [] }] = result.sources;
  assert.equal(faults.length, 6);
  assert.equal(faults.at(-1), `and ${lacking - 5} more of the kind`);
  assert.equal(result.verdict.findings >= lacking, true);
});

test('restore: a node that runs on the folder is left alone', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  const { ledger } = await openNode(data);
  try {
    await backupOf(data, copy);
    assert.equal((await faultOf(restored(data, [copy])))[0], 'refused');
    await ledger.write(() => [{ kind: 'note/1', body: { text: 'on' } }]);
  } finally {
    await ledger.close();
  }
});

test('restore: a node that starts while the restore runs is left alone, and so is what it signed', async (t) => {
  const folder = await ownData(t);
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  await backupOf(data, copy);
  // It runs on when the result is to be put into place, or has stopped again.
  for (const stops of [false, true]) {
    const opened: Awaited<ReturnType<typeof openNode>>[] = [];
    const [code, words] = await faultOf(
      restored(data, [copy], {
        unconfirmed: true,
        async verify() {
          const node = await openNode(data);
          opened.push(node);
          const text = 'written meanwhile';
          await node.ledger.write(() => [{ kind: 'note/1', body: { text } }]);
          if (stops) await node.ledger.close();
          return { outcome: 'verified' } as never;
        },
      }),
    );
    assert.equal(code, 'refused', words);
    assert.match(words, stops ? /has gone on with them/ : /a process has the folder open/);
    if (!stops) await opened[0]?.ledger.close();
    assert.equal(await noteText(data, stops ? SIZE + 1 : SIZE), 'written meanwhile');
  }
  const result = await restored(data, [copy], { unconfirmed: true });
  assert.deepEqual([result.size, result.loss], [SIZE + 2, null]);
});

test('restore: no source, and no key', async (t) => {
  const { data, copy, folder } = await lostDisk(t);
  assert.equal((await faultOf(restored(data, [join(folder, 'nowhere')])))[0], 'not_found');
  await rename(join(data, 'keys'), join(folder, 'keys'));
  assert.equal((await faultOf(restored(data, [copy])))[0], 'key_missing');
  const result = await restored(data, [copy], { keys: join(folder, 'keys'), unconfirmed: true });
  assert.equal(result.verdict.outcome, 'verified');
  assert.equal((await stat(join(data, 'keys', 'checkpoint.json'))).mode & 0o077, 0);
});
