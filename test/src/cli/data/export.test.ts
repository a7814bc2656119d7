import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportFile } from '@assay/core/answer/copy/export-file';
import { parseTime } from '@assay/core/time/time';
import { dataFolder } from '@assay/node/platform/data-folder';
import { Ledger } from '@assay/node/ledger/ledger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { makeMarket } from '../../node/terminal/made-market.ts';
import { stamping } from '../../verifier/fixture/anchored-log.ts';
import { assay, listen, scratch } from '../fixture/run.ts';
import { ownData } from '../fixture/data-folder.ts';

test('export: plain files that are verified, from a folder that stays as it was', async (t) => {
  const folder = await ownData(t);
  const { code, out, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, err], [0, '']);
  const size = Number(
    /^files: \d+ files, (\d+) entries; check it with assay verify files\n$/.exec(out)?.[1],
  );
  assert.equal(size > 256, true);
  const verdict = await assay(folder, ['verify', 'files']);
  assert.equal(verdict.code, 0, verdict.out);
  assert.match(verdict.out, new RegExp(`development/folder, ${size} entries`));
  const rest = await assay(folder, ['verify', 'data']);
  assert.equal(rest.code, 0, rest.out);
});

test('an export of a replay has the leaves of its ticks, and files that any host can serve', async (t) => {
  const folder = await scratch(t);
  const from = parseTime('2025-01-01T00:00:00Z');
  await makeMarket(join(folder, 'market'), { symbols: ['BTC', 'ETH'], from, ticks: 60, seed: 8 });
  const made = await assay(folder, ['replay', '--market', 'market', '--data', 'data']);
  assert.equal(made.code, 0, made.err);
  const { code, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, err], [0, '']);
  assert.equal(exportFile('/receipts', 200), 'receipts.json');
  assert.equal(exportFile('/receipts?limit=100', 200), 'receipts/100.json');
  const verdict = await assay(folder, ['verify', 'files', '--json']);
  assert.equal(verdict.code, 0, verdict.out);
  const { checked } = JSON.parse(verdict.out) as Verdict;
  assert.ok(checked.ticks > 50);
  // The leaves of each tick, and the study.
  assert.equal(checked.blobs, checked.ticks + 1);
  const check = ['receipts', 'check', '--market', 'market', '--data', 'files'];
  assert.equal((await assay(folder, check)).code, 0);
});

test('export never writes over anything', async (t) => {
  const folder = await ownData(t);
  await mkdir(join(folder, 'files'));
  await writeFile(join(folder, 'files', 'mine'), 'mine');
  const { code, out, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, out], [3, '']);
  assert.match(
    err,
    /^assay export: export folder at files: expected an empty folder.* \[not_empty\]\n$/,
  );
  assert.deepEqual(await readdir(join(folder, 'files')), ['mine']);
});

test('export says what it cannot export, and leaves no checkpoint to believe', async (t) => {
  const folder = await ownData(t);
  const blobs = join(folder, 'data', 'blobs');
  await rm(join(blobs, 'packs'), { recursive: true });
  const { code, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.equal(code, 3);
  assert.match(err, /\[blob_missing\]\n$/);
  assert.equal((await readdir(join(folder, 'files'))).includes('checkpoint'), false);
  assert.equal((await assay(folder, ['verify', 'files'])).code, 2);
});

test('export needs a folder, and a place to put it', async (t) => {
  const folder = await scratch(t);
  for (const args of [[], ['data'], ['-o', 'files'], ['a', 'b', '-o', 'files']]) {
    assert.equal((await assay(folder, ['export', ...args])).code, 2, args.join(' '));
  }
  const none = await assay(folder, ['export', 'nowhere', '-o', 'files']);
  assert.equal(none.code, 2);
  assert.deepEqual(await readdir(folder), []);
});

test('a link or a pipe in an export is no file of it', async (t) => {
  const folder = await ownData(t);
  await assay(folder, ['export', 'data', '-o', 'files']);
  await rm(join(folder, 'files', 'indices.json'));
  await symlink('/dev/zero', join(folder, 'files', 'indices.json'));
  const { code, out } = await assay(folder, ['verify', 'files']);
  assert.equal(code, 1);
  assert.match(out, /api_missing {2}\/indices\n/);
});

test('an export on a static host is verified at its URL', async (t) => {
  const folder = await ownData(t);
  await assay(folder, ['export', 'data', '-o', 'files']);
  const host = createServer((request, response) => {
    readFile(join(folder, 'files', request.url ?? '')).then(
      (body) => response.end(body),
      () => response.writeHead(404).end('<html>'),
    );
  });
  const url = await listen(t, host);
  const good = await assay(folder, ['verify', url, '--details']);
  assert.equal(good.code, 0, good.out);
  assert.match(good.out, /API answers?\n/);
  const file = join(folder, 'files', 'indices', 'LAYOFFS.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"decimals":0', '"decimals":1'));
  const bad = await assay(folder, ['verify', url]);
  assert.equal(bad.code, 1);
  assert.match(bad.out, /api_differs {2}\/indices\/LAYOFFS \/decimals\n/);
});

/** Stamps a data folder that no node is writing to, until a block holds the stamp. */
async function stampFolder(root: string): Promise<void> {
  const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
  let now = parseTime('2027-01-01T00:00:00Z');
  const ledger = await Ledger.open({
    sha256: nodeSha256,
    store: data.store,
    guard: data.guard,
    signed: data.signed,
    signer: data.checkpoints,
    now: () => now,
    askHeads: null,
  });
  const { anchoring, trouble } = stamping(ledger, data.blobs, () => now);
  for (const hours of [0, 1, 3, 7]) {
    now = parseTime('2027-01-01T00:00:00Z') + hours * 3600;
    await anchoring.poll();
  }
  assert.deepEqual(trouble, []);
  await ledger.close();
}

test('an export of a stamped log has its proofs, and is verified with them alone', async (t) => {
  const folder = await ownData(t);
  await stampFolder(join(folder, 'data'));
  const { code, err } = await assay(folder, ['export', 'data', '-o', 'files']);
  assert.deepEqual([code, err], [0, '']);
  const files = join(folder, 'files');
  assert.equal((await readdir(files)).includes('anchors.json'), true);
  const proofs = await readdir(join(files, 'proof'));
  const digests = proofs.filter((name) => name.endsWith('.ots')).map((name) => name.slice(0, -4));
  assert.equal(digests.length > 0, true);
  const named = proofs.filter((name) => name.endsWith('.json'));
  assert.deepEqual(named.sort(), digests.map((name) => `${name}.json`).sort());
  const verdict = await assay(folder, ['verify', 'files', '--json']);
  assert.equal(verdict.code, 0, verdict.out);
  const { bitcoin, checked } = JSON.parse(verdict.out) as Extract<Verdict, { outcome: 'verified' }>;
  assert.deepEqual([bitcoin?.trust, bitcoin?.pending_count, checked.beacons], ['work', 0, 4]);
  assert.equal((await assay(folder, ['verify', 'data'])).code, 0);
  // One byte of a proof file, and one of a timestamp that the log keeps.
  const [digest = ''] = digests;
  const file = join(files, 'proof', `${digest}.ots`);
  const bytes = await readFile(file);
  await writeFile(file, Buffer.concat([bytes.subarray(0, -1), Buffer.from([0])]));
  const changed = await assay(folder, ['verify', 'files']);
  assert.equal(changed.code, 1);
  assert.match(changed.out, /proof_differs {2}\/proof\//);
});
