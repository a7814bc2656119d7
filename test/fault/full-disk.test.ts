import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode } from '@assay/core/fault';
import { hashHex, leafHash } from '@assay/core/hash/hash';
import { parseConfig } from '@assay/node/production/config';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { type EntryDraft, Ledger } from '@assay/node/ledger/ledger';
import { makeLogger } from '@assay/node/production/logger';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import type { RunningNode } from '@assay/node/node';
import type { Payment } from '@assay/node/payment/record/payment';
import { PaymentStore } from '@assay/node/payment/record/payment-store';
import { openData } from '@assay/node/data/open-data';
import { startFromConfig } from '@assay/node/production/production';
import { deriveRows } from '@assay/node/ledger/derived/derived-rows';
import { openLevelStore, openScratch } from '@assay/node/ledger/store/level-store';
import { filledLedger, memoryPlace, probeStore } from '../src/node/ledger/ledger-fixture.ts';

/** Whether this process may mount a disk of its own. */
const MISSING: string | undefined = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a disk';
  const place = mkdtempSync(join(tmpdir(), 'assay-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place], { stdio: 'pipe' });
    execFileSync('umount', [place], { stdio: 'pipe' });
    return undefined;
  } catch {
    return 'no disk can be mounted here';
  } finally {
    rmdirSync(place);
  }
})();

const RESERVE = 128 * 1024 ** 2;
const note = (text: string): EntryDraft => ({ kind: 'note/1', body: { text } });

/** A disk of `megabytes` that is gone after the test. */
function disk(t: TestContext, megabytes: number) {
  const place = mkdtempSync(join(tmpdir(), 'assay-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place]);
  t.after(async () => {
    execFileSync('umount', ['-l', place]);
    await rm(place, { recursive: true, force: true });
  });
  const filler = join(place, 'filler');
  return {
    place,
    /** Leaves `bytes` free. */
    async fill(bytes: number): Promise<void> {
      await rm(filler, { force: true });
      const { bavail, bsize } = statfsSync(place);
      await writeFile(filler, new Uint8Array(Math.max(0, bavail * bsize - bytes)));
    },
    empty: () => rm(filler, { force: true }),
    mode: (mode: 'ro' | 'rw') =>
      execFileSync('mount', ['-o', `remount,${mode}`, place], { stdio: 'pipe' }),
  };
}

interface Status {
  readonly status: string;
  readonly reasons: readonly string[];
  readonly log_size: number;
}

async function statusOf({ port }: RunningNode): Promise<Status> {
  return (await fetch(`http://127.0.0.1:${port}/status`)).json() as Promise<Status>;
}

/** Asks until a status is what is waited for: the disk is looked at every ten seconds. */
async function until(node: RunningNode, is: (status: Status) => boolean): Promise<Status> {
  for (let tries = 0; tries < 600; tries += 1) {
    const status = await statusOf(node);
    if (is(status)) return status;
    await sleep(200);
  }
  assert.fail(`the status stays ${JSON.stringify(await statusOf(node))}`);
}

async function requireReads({ port }: RunningNode, size: number): Promise<void> {
  const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  const checkpoint = await at('/checkpoint');
  assert.equal(checkpoint.status, 200);
  assert.equal((await checkpoint.text()).split('\n')[1], `${size}`);
  for (const tile of [`/tile/0/000.p/${size}`, `/tile/entries/000.p/${size}`]) {
    const response = await at(tile);
    assert.equal(response.status, 200, tile);
    assert.ok((await response.arrayBuffer()).byteLength > 0);
  }
}

test('full disk: a node stops in time, serves on, and goes on by itself', async (t) => {
  if (MISSING !== undefined) return t.skip(MISSING);
  const own = disk(t, 400);
  const scratch = mkdtempSync(join(tmpdir(), 'assay-scratch-'));
  t.after(() => rm(scratch, { recursive: true, force: true }));
  const data = join(own.place, 'data');
  await initData(dataFolder(data), nodeSha256, () => 1_767_225_600, {
    origin: 'log.example/assay',
    passphrase: undefined,
    policies: NO_POLICIES,
    onchain: undefined,
  });
  const config = parseConfig(
    {
      data,
      scratch,
      contact: 'a@example.org',
      port: 0,
      poll_s: 3600,
      calendars: [],
      bitcoin_explorers: [],
      disk_reserve_bytes: RESERVE,
      disk_low_bytes: 0,
      requests_per_minute: 1_000_000,
      log_requests_per_minute: 1_000_000,
    },
    {},
    data,
  );
  const start = async (): Promise<RunningNode> => {
    const node = await startFromConfig(config, {}, makeLogger('silent'));
    assert.ok('ledger' in node, 'it serves its record');
    return node;
  };
  const append = async ({ ledger }: RunningNode, text: string): Promise<void> => {
    await ledger.write(() => [note(text)]);
  };
  const NO_ROOM =
    'Nothing is written: the disk is full or read-only; writing goes on by itself once there is room.';

  let node = await start();
  await append(node, 'one');
  await own.fill(RESERVE / 2);
  const held = await until(node, ({ reasons }) => reasons.length > 0);
  assert.deepEqual(held.reasons, [
    'The disk has about 60 MB left: nothing new is begun below 134 MB.',
  ]);
  assert.equal(node.ledger.blocked?.code, 'no_room');
  await append(node, 'what was under way is written');
  await own.fill(0);
  await assert.rejects(append(node, 'x'.repeat(30_000)), { code: 'no_room' });
  const stopped = await until(node, ({ reasons }) => reasons.includes(NO_ROOM));
  assert.deepEqual([stopped.status, stopped.log_size], ['degraded', 3]);
  await requireReads(node, 3);
  await own.empty();
  // The guard's journal lies over blocks that it has already: where it took the entry, the database gets it now.
  const { log_size: found } = await until(node, ({ status }) => status === 'ok');
  assert.ok(found === 3 || found === 4, `${found}`);
  await append(node, 'written again, without a restart');
  const size = found + 1;
  await requireReads(node, size);
  await node.close();

  await own.fill(0);
  node = await start();
  assert.ok((await statusOf(node)).reasons.includes(NO_ROOM));
  await requireReads(node, size);
  await assert.rejects(append(node, 'x'), { code: 'no_room' });
  await own.empty();
  await until(node, ({ status }) => status === 'ok');
  await append(node, 'started on a full disk');
  await requireReads(node, size + 1);
  await node.close();

  // What an earlier process left half written cannot be taken away now.
  await writeFile(join(data, 'blobs', 'tmp', 'left'), 'half');
  own.mode('ro');
  node = await start();
  assert.deepEqual((await statusOf(node)).reasons, [NO_ROOM]);
  await requireReads(node, size + 1);
  await assert.rejects(append(node, 'x'), { code: 'no_room' });
  own.mode('rw');
  await until(node, ({ status }) => status === 'ok');
  await append(node, 'started on a read-only disk');
  await requireReads(node, size + 2);
  await node.close();
  assert.deepEqual(await readdir(scratch), [], 'views are taken away');
  assert.deepEqual(
    (await readdir(data)).filter((name) => name.startsWith('ledger')),
    ['ledger'],
  );

  // Without a folder to read through, the record is not served, and that is said.
  own.mode('ro');
  const closed = await startFromConfig(
    { ...config, scratch: join(own.place, 'nowhere') },
    {},
    makeLogger('silent'),
  );
  assert.equal('ledger' in closed, false);
  const response = await fetch(`http://127.0.0.1:${closed.port}/status`);
  assert.equal(response.status, 503);
  assert.match(
    ((await response.json()) as Status).reasons.join(),
    /cannot be read: the disk is full/,
  );
  await closed.close();
  own.mode('rw');
});

test('full disk: whatever write it stops, nothing that was acknowledged is lost', async (t) => {
  if (MISSING !== undefined) return t.skip(MISSING);
  const own = disk(t, 96);
  const data = dataFolder(join(own.place, 'data'));
  await initData(data, nodeSha256, () => 1_767_225_600, {
    origin: 'log.example/assay',
    passphrase: undefined,
    policies: NO_POLICIES,
    onchain: undefined,
  });
  const open = () => openData(data, nodeSha256, { passphrase: undefined });
  const ledgerOf = ({
    store,
    guard,
    signed,
    checkpoints: signer,
  }: Awaited<ReturnType<typeof open>>) =>
    Ledger.open({
      sha256: nodeSha256,
      store,
      guard,
      signed,
      signer,
      now: () => 1_767_225_600,
      askHeads: null,
    });
  let opened = await open();
  let ledger = await ledgerOf(opened);
  const acknowledged = new Map<number, string>();
  let failures = 0;
  for (let round = 0; round < 24; round += 1) {
    // From no room at all to enough for some commits, and for a table or not.
    await own.fill((round * 37_001) % 900_000);
    for (;;) {
      const text = 'x'.repeat(1 + ((round * 7919 + acknowledged.size * 104_729) % 30_000));
      try {
        const [receipt] = await ledger.write(() => [note(text)]);
        if (receipt !== undefined) acknowledged.set(receipt.seq, receipt.leaf);
      } catch (error) {
        assert.equal(faultCode(error), 'no_room', String(error));
        failures += 1;
        break;
      }
    }
    const size = ledger.published?.size ?? 0;
    assert.ok(size > Math.max(...acknowledged.keys(), 0));
    await own.empty();
    if (round % 3 === 2) {
      await ledger.close();
      opened = await open();
      ledger = await ledgerOf(opened);
    } else {
      await ledger.resume();
    }
    assert.equal(ledger.blocked, undefined);
    assert.ok((ledger.published?.size ?? 0) >= size);
    for (const [seq, leaf] of acknowledged) {
      const bytes = await ledger.entry(seq);
      assert.ok(bytes !== undefined && hashHex(leafHash(nodeSha256, bytes)) === leaf, `${seq}`);
    }
  }
  assert.equal(failures, 24);
  await ledger.close();
});

test('full disk: payments that are acknowledged once there is room are there after a crash', async (t) => {
  if (MISSING !== undefined) return t.skip(MISSING);
  const own = disk(t, 8);
  const folder = join(own.place, 'payments');
  const store = await PaymentStore.at(folder);
  t.after(() => store.close());
  const acknowledged: string[] = [];
  const add = async (): Promise<void> => {
    const key = `payment-${acknowledged.length}`;
    await store.add(paymentOf(key), Buffer.alloc(20_000));
    acknowledged.push(key);
  };
  for (let round = 0; round < 8; round += 1) {
    await add();
    await own.fill((round * 1_501) % 9_000);
    let failures = 0;
    for (let tries = 0; tries < 30; tries += 1) {
      await store.hand(paymentOf(`stranger-${round}-${tries}`)).catch((error: unknown) => {
        assert.equal(faultCode(error), 'no_room', String(error));
        failures += 1;
      });
    }
    assert.ok(failures > 0, 'the disk was full');
    assert.equal((await store.get('payment-0'))?.key, 'payment-0', 'what was bought is read');
    await own.empty();
    for (let more = 0; more < 3; more += 1) await add();
    // It has what another process would find if this one ended now.
    const copy = await PaymentStore.copyOf(folder);
    const found: string[] = [];
    for await (const { key } of copy.all()) found.push(key);
    await copy.close();
    assert.deepEqual(found.sort(), [...acknowledged].sort());
    assert.deepEqual((await readdir(join(folder, 'answers'))).sort(), [...acknowledged].sort());
  }
});

/** A payment as it is written before it is settled. */
function paymentOf(key: string): Payment {
  const amount = '10';
  const terms = { scheme: 'exact', network: 'solana:1', amount, asset: 'mint', payTo: 'seller' };
  return {
    version: 1,
    key,
    identifier: `identifier-${key}`,
    fingerprint: 'f',
    resource: 'https://tier.example/board/at',
    path: '/board/at',
    terms: { ...terms, maxTimeoutSeconds: 60, extra: {} },
    payer: 'payer',
    transaction: 'A'.repeat(800),
    at_ms: 1,
    head: { slot: 7, height: 7 },
    answer: { content_type: 'a/b', bytes: 2, sha256: 's', leaf_hash: null, seq: null },
    state: 'settling',
    said: null,
    signature: null,
    response: null,
    paid_ms: null,
    received: null,
    kept: true,
  };
}

test('full disk: rows for which it has no room are derived in memory, and what a killed process left of some is removed', async (t) => {
  if (MISSING !== undefined) return t.skip(MISSING);
  const own = disk(t, 16);
  const folder = join(own.place, 'ledger');
  const store = await openLevelStore(folder);
  const ledger = await filledLedger({ ...(await memoryPlace()), store: probeStore(store) }, 50);
  const size = ledger.nextSeq;
  const inMemory = await deriveRows(nodeSha256, store, size);
  await own.fill(0);
  const found = await deriveRows(nodeSha256, store, size, { most: 0 });
  assert.deepEqual(found.rows.sum, inMemory.rows.sum);
  await own.empty();
  await ledger.close();
  own.mode('ro');
  await assert.rejects(openScratch(join(own.place, 'rows')), { code: 'no_room' });
  own.mode('rw');
  const left = join(own.place, `ledger.${'0'.repeat(16)}.proof`);
  await mkdir(left);
  await writeFile(join(left, '000005.ldb'), new Uint8Array(4 * 1024 * 1024));
  await own.fill(0);
  const again = await openLevelStore(folder);
  assert.equal(again.readOnly, undefined);
  await again.close();
  assert.deepEqual((await readdir(own.place)).sort(), ['filler', 'ledger']);
});
