import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { addressOfKey, DEVELOPMENT_PROGRAM } from '@assay/chain/addresses';
import { chainId } from '@assay/chain/client/rpc';
import { kitRpc } from '@assay/chain/development/kit-transport';
import { type StartedChain, startDevelopmentChain } from '@assay/chain/development/server';
import { parseEntry } from '@assay/core/log/entry';
import { formatHex } from '@assay/core/bytes/hex';
import type { PrintEntry } from '@assay/core/kind/print-entry';
import { parsePage } from '@assay/core/feed/page-account';
import { type Report, reportHash } from '@assay/core/report/report';
import { dataFolder, keyPath } from '@assay/node/platform/data-folder';
import { FileOutgoing } from '@assay/node/feed/outgoing';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { readPublicKey } from '@assay/node/key/keystore';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { SKIP } from '../src/chain/development/world.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import { anchorClock } from './anchor-clock.ts';
import { type Ended, LONG, requireReason, run } from './told.ts';

const WORKER = fileURLToPath(new URL('./feed-worker.js', import.meta.url));
const KILLS = LONG ? 60 : 3;
const ALL_PLACES = ['keep', 'out', 'append', 'forget'].flatMap((name) => [
  `before-${name}`,
  `after-${name}`,
]);
const PLACES = LONG ? ALL_PLACES : ['after-keep', 'after-out', 'after-append', 'before-forget'];

/** Simulated seconds of a slot: a blockhash lives two real seconds. */
const SLOT_S = 16;

interface Setting {
  readonly root: string;
  readonly chain: StartedChain;
  readonly worker: (...mode: readonly string[]) => readonly string[];
}

/** A log whose prints belong on a chain that is reached over a socket. */
async function setting(t: TestContext): Promise<Setting> {
  const base = await mkdtemp(join(tmpdir(), 'assay-feed-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const root = join(base, 'data');
  const epoch = Date.now();
  const now = anchorClock(epoch);
  const chain = await startDevelopmentChain({
    now,
    port: 0,
    slotSeconds: SLOT_S,
    programs: [
      {
        address: DEVELOPMENT_PROGRAM,
        elf: new Uint8Array(readFileSync(join(ROOT, 'chain/program/assay_feed.so'))),
      },
    ],
  });
  t.after(() => chain.close());
  await initData(dataFolder(root), nodeSha256, now, {
    origin: 'development/fault',
    passphrase: undefined,
    policies: NO_POLICIES,
    onchain: { chain: await chainId(kitRpc(chain.chain)), program: DEVELOPMENT_PROGRAM },
  });
  const payer = await readPublicKey(keyPath(dataFolder(root), 'payer'));
  chain.ledger.airdrop(addressOfKey(formatHex(payer)), 100_000_000_000n);
  const worker = (...mode: readonly string[]): readonly string[] => [
    process.execPath,
    WORKER,
    root,
    `${epoch}`,
    chain.rpc,
    ...mode,
  ];
  return { root, chain, worker };
}

/** Demands that every final stands on chain once, was paid for once, and that the log says so once. */
async function requireAgreement({ root, chain }: Setting): Promise<number> {
  const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
  const due = new Set<string>();
  const posted = new Map<string, PrintEntry>();
  try {
    for await (const bytes of data.store.entries(0, Number.MAX_SAFE_INTEGER)) {
      const { kind, body } = parseEntry(bytes);
      if (kind === 'report/1') due.add(reportHash(nodeSha256, body['report'] as unknown as Report));
      if (kind !== 'print/1') continue;
      const entry = body as unknown as PrintEntry;
      assert.ok(!posted.has(entry.digest), `${entry.period} is written down twice`);
      posted.set(entry.digest, entry);
    }
  } finally {
    await Promise.all([data.store.close(), data.guard.close()]);
  }
  assert.deepEqual([...posted.keys()].sort(), [...due].sort());
  const ran = chain.ledger.history
    .newest(10_000)
    .filter(({ addresses }) => addresses.includes(DEVELOPMENT_PROGRAM));
  assert.deepEqual(
    ran.filter(({ error }) => error !== null),
    [],
    'nothing was paid for in vain',
  );
  assert.equal(ran.length, due.size + 1, 'the feed, and each print once');
  for (const { digest, account, transaction, slot } of posted.values()) {
    const page = parsePage(chain.ledger.account(account as never)?.data ?? new Uint8Array());
    const settled = page.slots.find((each) => each?.settled?.report === digest)?.settled;
    assert.equal(Number(settled?.slot), slot);
    const own = ran.find(({ wire }) => wire.signature === transaction);
    assert.equal(own?.slot, slot, 'its own transaction');
  }
  const { out } = await new FileOutgoing(dataFolder(root).outgoing).get();
  assert.deepEqual(out, []);
  return due.size;
}

function requireEnd(ended: Ended): void {
  requireReason(ended);
  const bad = ended.told.lines.filter((line) => /^(?:trouble|concern)/.test(line));
  assert.deepEqual(bad, []);
}

test(
  'feed: killed at each place on the way of a print, and at any time',
  { skip: SKIP },
  async (t) => {
    const all = await setting(t);
    for (const count of LONG ? ['1', '2', '3', '4'] : ['1']) {
      for (const place of PLACES) {
        const ended = await run(all.worker(place, count));
        assert.equal(
          ended.signal,
          'SIGKILL',
          `${place} ${ended.told.lines.at(-1)} ${ended.errors}`,
        );
        requireEnd(ended);
      }
    }
    for (let kill = 0; kill < KILLS; kill += 1) {
      let timer: NodeJS.Timeout | undefined;
      const ended = await run(all.worker('endless'), {}, (child, text) => {
        if (!text.includes('open\n')) return;
        timer ??= setTimeout(() => child.kill('SIGKILL'), Math.random() * 300);
      });
      clearTimeout(timer);
      assert.equal(ended.signal, 'SIGKILL', `${ended.told.lines.at(-1)} ${ended.errors}`);
      requireEnd(ended);
    }
    const last = await run(all.worker('finish'));
    assert.ok(last.told.done, `${last.told.lines.at(-1)} ${last.errors}`);
    requireEnd(last);
    assert.ok((await requireAgreement(all)) > PLACES.length / 2);
  },
);
