import assert from 'node:assert/strict';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatHex } from '@assay/core/bytes/hex';
import { contentHash, hashHex } from '@assay/core/hash/hash';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { ledgerParts, openData } from '@assay/node/data/open-data';
import { readPublicKey } from '@assay/node/key/keystore';
import { Ledger } from '@assay/node/ledger/ledger';
import type { AskHeads } from '@assay/node/ledger/start';
import { dataFolder } from '@assay/node/platform/data-folder';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openHsmKeys } from '@assay/node/signer/hsm-keys';
import { makeSigner } from '@assay/node/signer/make-signer';
import { runSigner } from '@assay/node/signer/run-signer';
import type { RunningSigner } from '@assay/node/signer/signer-server';
import { readTerms, signerFolder } from '@assay/node/signer/signer-terms';
import { replaceCheckpointKey } from '../fixture/checkpoint-ceremony.ts';
import { NOON, note, temporaryFolder } from '../ledger/ledger-fixture.ts';

const LOGGER = { info: () => undefined, warn: () => undefined };

interface SignedLog {
  readonly root: string;
  readonly data: ReturnType<typeof dataFolder>;
  readonly signer: ReturnType<typeof signerFolder>;
  readonly start: () => Promise<RunningSigner>;
  readonly open: (data?: string, askHeads?: AskHeads) => Promise<Ledger>;
}

/** A log whose keys are with a signer. */
async function signedLog(t: TestContext): Promise<SignedLog> {
  const root = await temporaryFolder(t);
  const data = dataFolder(join(root, 'data'));
  await initData(data, nodeSha256, () => NOON, {
    origin: 'development/signed',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const signer = signerFolder(join(root, 'signer'));
  const made = await makeSigner(nodeSha256, data, signer, null);
  assert.equal(made.size, 1);
  await mkdir(signer.keys, { mode: 0o700 });
  for (const name of ['report.json', 'checkpoint.json']) {
    await rename(join(data.keys, name), join(signer.keys, name));
  }
  const openHsm = (): Promise<never> => Promise.reject(new Error('no HSM'));
  const start = (): Promise<RunningSigner> =>
    runSigner({
      folder: signer,
      sha256: nodeSha256,
      passphrase: undefined,
      place: undefined,
      openHsm,
      log: LOGGER,
    });
  const open = async (folder = data.root, askHeads: AskHeads | null = null): Promise<Ledger> => {
    const opened = await openData(dataFolder(folder), nodeSha256, {
      passphrase: undefined,
      signer: signer.socket,
      patienceMs: 300,
    });
    const now = (): number => NOON;
    try {
      return await Ledger.open({
        sha256: nodeSha256,
        ...ledgerParts(opened),
        now,
        askHeads,
      });
    } catch (error) {
      await opened.guard.close();
      await opened.store.close();
      throw error;
    }
  };
  return { root, data, signer, start, open };
}

test('signer: a log is written with keys that are elsewhere, and goes on after the signer was away', async (t) => {
  const { start, open } = await signedLog(t);
  let signer = await start();
  const ledger = await open();
  t.after(() => ledger.close());
  await ledger.write(() => [note('one')]);
  await signer.close();
  await assert.rejects(
    ledger.write(() => [note('two')]),
    { code: 'signer_away' },
  );
  assert.equal(ledger.stopped?.code, 'signer_away');
  await assert.rejects(
    ledger.write(() => [note('three')]),
    { code: 'signer_away' },
  );
  await assert.rejects(ledger.resume(), { code: 'signer_away' });
  signer = await start();
  t.after(() => signer.close());
  await ledger.resume();
  assert.equal(ledger.stopped, undefined);
  await ledger.write(() => [note('four')]);
  // Genesis, one, the one whose commit nobody signed, and four.
  assert.equal(ledger.published?.size, 4);
});

test('signer: a copy of the data that is older, or went on by itself, is not signed for', async (t) => {
  const { root, data, signer: folder, start, open } = await signedLog(t);
  const signer = await start();
  t.after(() => signer.close());
  const first = await open();
  await first.write(() => [note('one')]);
  await first.close();
  const copy = join(root, 'copy');
  await cp(data.root, copy, { recursive: true });
  const log = await open();
  await log.write(() => [note('two')]);
  await log.write(() => [note('three')]);
  await log.close();
  await assert.rejects(open(copy), { code: 'ledger_behind' });
  // It went on with keys of its own, to the same size.
  await cp(folder.keys, join(copy, 'keys'), { recursive: true });
  const opened = await openData(dataFolder(copy), nodeSha256, { passphrase: undefined });
  const other = await Ledger.open({
    sha256: nodeSha256,
    ...ledgerParts(opened),
    now: () => NOON,
    askHeads: null,
  });
  await other.write(() => [note('another two')]);
  await other.write(() => [note('another three')]);
  await other.close();
  await assert.rejects(open(copy), { code: 'would_fork' });
  const log2 = await open();
  await log2.write(() => [note('four')]);
  assert.equal(log2.published?.size, 5);
  await log2.close();
});

test('signer: a folder without its head guard goes on where it has what the signer signed last', async (t) => {
  const { root, data, start, open } = await signedLog(t);
  const signer = await start();
  t.after(() => signer.close());
  const log = await open();
  await log.write(() => [note('one')]);
  const { size, root: hash } = log.published ?? assert.fail();
  await log.close();
  const copy = dataFolder(join(root, 'copy'));
  await cp(data.root, copy.root, { recursive: true });
  const more = await open();
  await more.write(() => [note('two')]);
  await more.close();
  const askHeads = () =>
    Promise.resolve([{ holder: 'a mirror that lags', checkpoint: { size, root: hash } }]);
  for (const { guard } of [data, copy]) await rm(guard, { recursive: true });
  await assert.rejects(open(copy.root, askHeads), { code: 'ledger_behind' });
  const again = await open(data.root, askHeads);
  assert.equal(again.published?.size, 3);
  await again.close();
});

test('signer: a fork of the same size stops the ledger for good', async (t) => {
  const { root, data, start, open } = await signedLog(t);
  const signer = await start();
  t.after(() => signer.close());
  const copy = join(root, 'copy');
  await cp(data.root, copy, { recursive: true });
  const [log, other] = [await open(), await open(copy)];
  await log.write(() => [note('one')]);
  await log.close();
  await assert.rejects(other.write(() => [note('another one')]));
  assert.equal(other.blocked?.code, 'would_fork');
  await assert.rejects(
    other.write(() => [note('more')]),
    { code: 'would_fork' },
  );
  await other.close();
});

test('signer: a node does not start with the signer of another log, or with none', async (t) => {
  const { open, start, signer } = await signedLog(t);
  await assert.rejects(open(), { code: 'signer_away' });
  const running = await start();
  t.after(() => running.close());
  const other = await signedLog(t);
  await assert.rejects(
    openData(other.data, nodeSha256, { passphrase: undefined, signer: signer.socket }),
    { code: 'refused', at: 'log' },
  );
});

test('signer: after a change of the checkpoint key it is made again, and the log goes on', async (t) => {
  const { data, signer, start, open } = await signedLog(t);
  let running = await start();
  const first = await open();
  await first.write(() => [note('one')]);
  await first.close();
  await running.close();
  // The ceremony is done without the signer, with the key files in the data folder.
  const move = async (from: string, to: string): Promise<void> => {
    for (const name of ['report.json', 'checkpoint.json']) {
      await rename(join(from, name), join(to, name));
    }
  };
  await move(signer.keys, data.keys);
  await replaceCheckpointKey(data.root, 'promise');
  await replaceCheckpointKey(data.root, 'rotation');
  await move(data.keys, signer.keys);
  // It knows the old key alone.
  await assert.rejects(start(), { code: 'key_missing' });
  for (const path of [signer.terms, signer.memory, `${signer.memory}.tally`]) {
    await rm(path, { recursive: true });
  }
  const { terms, size } = await makeSigner(nodeSha256, data, signer, null);
  assert.equal(size, 4);
  assert.equal(terms.checkpoint_key, await keyIn(signer.keys));
  running = await start();
  t.after(() => running.close());
  // The node starts at the handover head, which it does not have signed again, and goes on.
  const ledger = await open();
  await ledger.write(() => [note('two')]);
  assert.equal(ledger.published?.size, 5);
  await ledger.close();
});

async function keyIn(folder: string): Promise<string> {
  return formatHex(await readPublicKey(join(folder, 'checkpoint.json')));
}

test('signer: it does not start without its keys or without its memory', async (t) => {
  const { signer, start } = await signedLog(t);
  const report = join(signer.keys, 'report.json');
  await rename(report, `${report}.away`);
  await assert.rejects(start(), { code: 'key_missing' });
  await rename(`${report}.away`, report);
  const checkpoint = join(signer.keys, 'checkpoint.json');
  await rename(checkpoint, `${checkpoint}.away`);
  await assert.rejects(start(), { code: 'key_missing' });
  await rename(`${checkpoint}.away`, checkpoint);
  await (await start()).close();
  await rm(signer.memory, { recursive: true });
  await assert.rejects(start(), { code: 'not_found' });
  await rm(signer.terms);
  await assert.rejects(start(), { code: 'not_found' });
});

test('signer: none is made over another, and the terms are those of the log', async (t) => {
  const { data, signer, start } = await signedLog(t);
  await assert.rejects(makeSigner(nodeSha256, data, signer, null), { code: 'not_empty' });
  const terms = await readTerms(signer);
  assert.equal(terms.origin, 'development/signed');
  assert.equal(terms.hsm, null);
  assert.equal(new Set(terms.promised).size, terms.promised.length);
  assert.ok(!terms.promised.includes(hashHex(contentHash(nodeSha256, new Uint8Array(32)))));
  await (await start()).close();
});

test('signer: an HSM needs a PIN and its binding', async () => {
  const terms = { module: '/none.so', token: 'assay', checkpoint: 'c', report: [] };
  await assert.rejects(openHsmKeys(terms, undefined), { code: 'key_locked' });
  await assert.rejects(openHsmKeys(terms, '1234', '/none'), { code: 'unsupported' });
});
