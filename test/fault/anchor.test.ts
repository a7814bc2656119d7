import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseEntry } from '@assay/core/log/entry';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import type { Anchor } from '@assay/core/kind/anchor';
import { evaluate } from '@assay/core/ots/evaluate';
import { otsHashes } from '@assay/core/ots/hashes';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import type { AnchorRow } from '@assay/core/view/anchors';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import {
  type DevelopmentServer,
  startDevelopmentServer,
} from '@assay/node/dev/bitcoin/development-server';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { dataFolder } from '@assay/node/platform/data-folder';
import { initData, NO_POLICIES } from '@assay/node/data/init';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { openData } from '@assay/node/data/open-data';
import { BROKEN_HOSTS, closedHost, localHost } from '../src/node/bitcoin/local-host.ts';
import { ALICE, AnchorWorld, BOB } from '../src/node/anchor/anchor-fixture.ts';
import { note } from '../src/node/ledger/ledger-fixture.ts';
import { ANCHOR_BLOCK_S, ANCHOR_START, anchorClock } from './anchor-clock.ts';
import { type Ended, LONG, requireKept, requireReason, run, type Told } from './told.ts';

const ANCHOR_WORKER = fileURLToPath(new URL('./anchor-worker.js', import.meta.url));
const KILLS = LONG ? 120 : 12;

const PLACES = ['keep', 'submit', 'put', 'append', 'forget', 'ask'].flatMap((name) => [
  `before-${name}`,
  `after-${name}`,
]);

interface Setting {
  readonly root: string;
  readonly chain: DevelopmentChain;
  readonly worker: (...mode: readonly string[]) => readonly string[];
  readonly now: () => number;
}

/** A log, and two calendars with a Bitcoin RPC on real sockets. */
async function setting(t: TestContext): Promise<Setting> {
  const base = await mkdtemp(join(tmpdir(), 'assay-anchor-'));
  t.after(() => rm(base, { recursive: true, force: true }));
  const root = join(base, 'data');
  const epoch = Date.now();
  const now = anchorClock(epoch);
  await initData(dataFolder(root), nodeSha256, now, {
    origin: 'development/fault',
    passphrase: undefined,
    policies: NO_POLICIES,
  });
  const chain = new DevelopmentChain({ blockSeconds: ANCHOR_BLOCK_S });
  chain.advance(ANCHOR_START - 30 * ANCHOR_BLOCK_S);
  const server: DevelopmentServer = await startDevelopmentServer({
    chain,
    now,
    calendars: [
      { name: 'alice', port: 0 },
      { name: 'bob', port: 0 },
    ],
  });
  t.after(() => server.close());
  const worker = (...mode: readonly string[]): readonly string[] => [
    process.execPath,
    ANCHOR_WORKER,
    root,
    `${epoch}`,
    server.rpc,
    server.calendars.join(),
    ...mode,
  ];
  return { root, chain, worker, now };
}

/** Demands that every record is in exactly one batch, and every batch in blocks of the chain. */
async function requireStamped({ root, chain }: Setting): Promise<number> {
  const data = await openData(dataFolder(root), nodeSha256, { passphrase: undefined });
  try {
    const batches = new Map<number, Anchor>();
    const digests = new Set<string>();
    let size = 0;
    let covered = 0;
    for await (const bytes of data.store.entries(0, Number.MAX_SAFE_INTEGER)) {
      const entry = parseEntry(bytes);
      size = entry.seq + 1;
      if (entry.kind !== 'anchor/1') continue;
      const anchor = entry.body as unknown as Anchor;
      if (anchor.issue === 0) {
        assert.equal(anchor.from, covered, 'without a gap');
        assert.equal(anchor.batch, batches.size);
        assert.ok(!digests.has(anchor.tip), 'no tip twice');
        digests.add(anchor.tip);
        covered = anchor.to;
      }
      batches.set(anchor.batch, anchor);
    }
    for await (const bytes of data.store.entries(covered, size)) {
      assert.match(parseEntry(bytes).kind, /^(?:anchor|beacon)\/1$/, 'nothing is left out');
    }
    const hashes = otsHashes(nodeSha256);
    for (const anchor of batches.values()) {
      const proof = await data.blobs.get(anchor.proof);
      assert.ok(proof !== undefined);
      let blocks = 0;
      const tip = parseHex(anchor.tip, 32);
      for (const { attestation, message } of evaluate(parseTimestamp(proof, 32), tip, hashes)) {
        if (attestation.kind !== 'bitcoin') continue;
        blocks += 1;
        const header = chain.block(attestation.height)?.header ?? new Uint8Array();
        assert.equal(formatHex(header.slice(36, 68)), formatHex(message));
      }
      assert.ok(blocks >= 2, `batch ${anchor.batch} is in ${blocks} blocks`);
    }
    return batches.size;
  } finally {
    await Promise.all([data.store.close(), data.guard.close()]);
  }
}

function requireEnd(ended: Ended): void {
  requireReason(ended);
  const bad = ended.told.lines.filter((line) => /^(?:trouble|unreadable|failed)/.test(line));
  assert.deepEqual(bad, []);
}

test('anchor: killed at each place on the way of a stamp, and no record is lost', async (t) => {
  const all = await setting(t);
  const tolds: Told[] = [];
  for (const count of LONG ? ['1', '2', '3', '4', '5'] : ['1', '2']) {
    for (const place of PLACES) {
      const ended = await run(all.worker(place, count));
      assert.equal(ended.signal, 'SIGKILL', `${place} ${ended.told.lines.at(-1)} ${ended.errors}`);
      requireEnd(ended);
      tolds.push(ended.told);
    }
  }
  const ended = await run(all.worker('finish'));
  assert.ok(ended.told.done, `${ended.told.lines.at(-1)} ${ended.errors}`);
  const batches = await requireStamped(all);
  await requireKept(all.root, ...tolds, ended.told);
  t.diagnostic(`${tolds.length} kills, ${batches} batches`);
});

test(`anchor: killed ${KILLS} times at a random moment, and no record is lost`, async (t) => {
  const all = await setting(t);
  const tolds: Told[] = [];
  for (let i = 0; i < KILLS; i += 1) {
    let timer: NodeJS.Timeout | undefined;
    const ended = await run(all.worker('endless'), {}, (child, text) => {
      if (timer !== undefined || !text.includes('open\n')) return;
      timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * 400);
    });
    assert.equal(ended.signal, 'SIGKILL', `${ended.told.lines.at(-1)} ${ended.errors}`);
    requireEnd(ended);
    tolds.push(ended.told);
  }
  const ended = await run(all.worker('finish'));
  assert.ok(ended.told.done, `${ended.told.lines.at(-1)} ${ended.errors}`);
  const batches = await requireStamped(all);
  await requireKept(all.root, ...tolds, ended.told);
  t.diagnostic(`${batches} batches`);
});

/** The world of a unit test with its calendars behind real sockets: `hosts` stand in for some. */
async function overSockets(
  t: TestContext,
  hosts: Readonly<Record<string, RequestListener | 'closed'>>,
  timeoutMs: number,
): Promise<AnchorWorld> {
  const world = await AnchorWorld.make();
  for (const [uri, listener] of Object.entries(hosts)) {
    const address = listener === 'closed' ? await closedHost() : await localHost(t, listener);
    world.behave.set(uri, async ({ method, url, body }) => {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      try {
        return await calendarFetch({
          method,
          url: `${address}${url.slice(uri.length)}`,
          ...(body === undefined ? {} : { body }),
          signal: controller.signal,
        });
      } finally {
        clearTimeout(timer);
      }
    });
  }
  return world;
}

/** Timestamps that a calendar had better not send, for a submission and for a question. */
const HOSTILE: readonly Uint8Array[] = [
  new Uint8Array(0),
  new Uint8Array(10_000),
  new Uint8Array(10_000).fill(0xff),
  Buffer.from('f2'.repeat(9_999), 'hex'),
  // More than 255 operations, and then an end.
  Buffer.concat([
    Buffer.alloc(300, 0x08),
    formatTimestamp({ items: [{ attestation: { kind: 'bitcoin', height: 50 } }] }),
  ]),
  Buffer.from('<html>a captive portal</html>'),
  formatTimestamp({ items: [{ attestation: { kind: 'pending', uri: 'http://127.0.0.1:1' } }] }),
  formatTimestamp({ items: [{ attestation: { kind: 'bitcoin', height: 43 } }] }),
  formatTimestamp({ items: [{ attestation: { kind: 'litecoin', height: 43 } }] }),
  formatTimestamp(wide(700)),
];

/** So many blocks, each behind an operation. */
function wide(count: number): Timestamp {
  return {
    items: Array.from({ length: count }, (_, i) => ({
      operation: { op: 'append', argument: Uint8Array.of(i, i >> 8) },
      next: { items: [{ attestation: { kind: 'bitcoin', height: 40 + i } }] },
    })),
  };
}

const bytes =
  (body: Uint8Array): RequestListener =>
  (request, response) => {
    request.resume();
    response.end(body);
  };

test('anchor: one of two calendars does not answer, in every way: nothing is claimed, nothing lost', async (t) => {
  const ways: readonly (readonly [string, RequestListener | 'closed'])[] = [
    ['closed', 'closed'],
    ...BROKEN_HOSTS,
    ...HOSTILE.map((body, i) => [`hostile ${i}`, bytes(body)] as const),
  ];
  for (const [name, listener] of ways) {
    // The time-out is only there for those that hang.
    const world = await overSockets(t, { [BOB]: listener }, name === 'timeout' ? 150 : 30_000);
    await world.append(note(name));
    for (let i = 0; i < 3; i += 1) await world.poll(600);
    assert.equal(world.rows().length, 0, name);
    assert.ok(world.failed.length > 0 && world.failed.every((line) => line.startsWith(BOB)), name);
    await world.requireSound();
    // It takes the submission, and then is as it was.
    const broken = world.behave.get(BOB);
    world.behave.delete(BOB);
    await world.poll(600);
    assert.equal(world.rows().length, 1, name);
    if (broken !== undefined) world.behave.set(BOB, broken);
    for (let i = 0; i < 12; i += 1) await world.poll(1200);
    const [row] = world.rows();
    assert.deepEqual(
      row?.calendars.map(({ state }) => state),
      ['attested', 'pending'],
      name,
    );
    await world.requireSound();
    world.behave.delete(BOB);
    for (let i = 0; i < 12; i += 1) await world.poll(1800);
    const after: AnchorRow | undefined = world.rows().at(-1);
    assert.deepEqual(
      after?.calendars.map(({ state }) => state),
      ['attested', 'attested'],
      name,
    );
    await world.requireSound();
  }
});

test('anchor: every calendar fails, each in its way, and then all come back', async (t) => {
  const [slow, , drip] = BROKEN_HOSTS.map(([, listener]) => listener);
  assert.ok(slow !== undefined && drip !== undefined);
  const world = await overSockets(t, { [ALICE]: slow, [BOB]: drip }, 100);
  for (let i = 0; i < 5; i += 1) {
    await world.append(note(`${i}`));
    await world.poll(600);
  }
  assert.equal(world.rows().length, 0);
  world.behave.clear();
  for (let i = 0; i < 30; i += 1) await world.poll(600);
  const rows = world.rows();
  assert.ok(rows.length >= 1);
  assert.equal(rows.at(-1)?.from, 0);
  for (const { calendars } of rows) {
    assert.ok(calendars.every(({ state }) => state === 'attested'));
  }
  await world.requireSound();
});

test('anchor: a calendar that stamped another message is never recorded with a block', async () => {
  const world = await AnchorWorld.make();
  // Valid by itself: over a digest that is not the batch's tip.
  world.behave.set(BOB, ({ method }) => {
    if (method !== 'POST') return undefined;
    const operation = { op: 'append', argument: new Uint8Array(8).fill(7) } as const;
    const next: Timestamp = { items: [{ attestation: { kind: 'pending', uri: BOB } }] };
    return { status: 200, body: formatTimestamp({ items: [{ operation, next }] }) };
  });
  await world.append(note('new'));
  for (let i = 0; i < 100; i += 1) await world.poll(1200);
  const [row] = world.rows();
  assert.deepEqual(
    row?.calendars.map(({ state }) => state),
    ['attested', 'pending'],
  );
  assert.match(world.failed.join('\n'), /not found/i);
  await world.requireSound();
});
