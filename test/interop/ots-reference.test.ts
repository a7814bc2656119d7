import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { parseHeader } from '@assay/core/bitcoin/header';
import { formatHex } from '@assay/core/bytes/hex';
import { batchTree, formatLeafProof } from '@assay/core/ots/batch';
import { evaluate } from '@assay/core/ots/evaluate';
import { graft } from '@assay/node/bitcoin/graft';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatProof, parseProof } from '@assay/core/ots/proof';
import { formatTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import { calendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { coreRpc } from '@assay/node/bitcoin/core-rpc';
import { DevelopmentChain } from '@assay/node/dev/bitcoin/development-chain';
import {
  type DevelopmentServer,
  startDevelopmentServer,
} from '@assay/node/dev/bitcoin/development-server';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { referenceClient } from './ots-peers.ts';
import { HASHES, numbered } from './ots-world.ts';

const BLOCK_S = 600;

interface Ran {
  readonly code: number | null;
  /** Both of its outputs, one after the other: it logs to the second. */
  readonly said: string;
}

/** A development network on this machine, and the reference client beside it. */
interface World {
  readonly folder: string;
  readonly chain: DevelopmentChain;
  readonly server: DevelopmentServer;
  readonly client: CalendarClient;
  /** Lets time pass until so many more blocks are there. */
  readonly mine: (blocks: number) => void;
  readonly ots: (...args: readonly string[]) => Promise<Ran>;
}

/** Skips the test with a word where the client cannot be had. */
async function worldOf(t: TestContext): Promise<World | undefined> {
  const found = await referenceClient();
  if ('missing' in found) {
    t.skip(found.missing);
    return undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'assay-ots-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  let now = Math.floor(Date.now() / 1000) - 30 * BLOCK_S;
  const chain = new DevelopmentChain({ blockSeconds: BLOCK_S });
  const calendars = ['alice', 'bob'].map((name) => ({ name, port: 0 }));
  const server = await startDevelopmentServer({ chain, now: () => now, calendars });
  t.after(() => server.close());
  const client = new CalendarClient({
    fetch: calendarFetch,
    pool: server.calendars,
    attestors: server.calendars,
    timeoutMs: 10_000,
    sha256: nodeSha256,
  });
  const ots = async (...args: readonly string[]): Promise<Ran> => {
    const options = ['--no-cache', '--no-default-whitelist', '--btc-regtest'];
    const allowed = server.calendars.flatMap((uri) => ['--whitelist', uri]);
    const node = ['--bitcoin-node', server.rpc];
    const all = [...found.first, ...options, ...allowed, ...node, ...args];
    const child = spawn(found.command, all, {
      cwd: folder,
      env: { ...process.env, no_proxy: '*', NO_PROXY: '*' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said };
  };
  const mine = (blocks: number): void => {
    now += blocks * BLOCK_S;
  };
  return { folder, chain, server, client, mine, ots };
}

/** The proof with what its calendars have to say by now, as the node does it. */
async function upgraded(client: CalendarClient, bytes: Uint8Array): Promise<Uint8Array> {
  const proof = parseProof(bytes);
  let { timestamp } = proof;
  for (const { attestation, message } of evaluate(timestamp, proof.digest, HASHES)) {
    if (attestation.kind !== 'pending') continue;
    const upgrade = await client.upgrade(attestation.uri, message);
    assert.equal(upgrade.kind, 'attested');
    if (upgrade.kind !== 'attested') continue;
    timestamp = graft(timestamp, proof.digest, message, upgrade.timestamp, HASHES);
  }
  return formatProof({ ...proof, timestamp });
}

/** Height and Merkle root, as explorers write it, of each block that a proof names. */
function blocksOf(bytes: Uint8Array): readonly (readonly [number, string])[] {
  const { digest, timestamp } = parseProof(bytes);
  return evaluate(timestamp, digest, HASHES).flatMap(({ attestation, message }) =>
    attestation.kind === 'bitcoin'
      ? [[attestation.height, formatHex(message.toReversed())] as const]
      : [],
  );
}

function rootAt(chain: DevelopmentChain, height: number): string {
  const block = chain.block(height);
  if (block === undefined) throw new Error(`no block ${height}`);
  return formatHex(parseHeader(block.header).merkleRoot.toReversed());
}

test(
  'reference client: stamps with our calendars, upgrades, and verifies on our chain',
  { timeout: 600_000 },
  async (t) => {
    const world = await worldOf(t);
    if (world === undefined) return;
    const { folder, chain, server, client, mine, ots } = world;
    for (const name of ['a.txt', 'b.txt', 'c.txt'])
      await writeFile(join(folder, name), `${name}\n`);
    const files = ['a.txt', 'b.txt', 'c.txt'];
    const calendars = server.calendars.flatMap((uri) => ['--calendar', uri]);
    const stamped = await ots('stamp', ...calendars, ...files);
    assert.equal(stamped.code, 0, stamped.said);

    // What it wrote reads here, with both calendars pending.
    const bytes = new Uint8Array(await readFile(join(folder, 'a.txt.ots')));
    const pending = parseProof(bytes);
    assert.equal(formatHex(pending.digest), createHash('sha256').update('a.txt\n').digest('hex'));
    assert.deepEqual(
      evaluate(pending.timestamp, pending.digest, HASHES)
        .flatMap(({ attestation }) => (attestation.kind === 'pending' ? [attestation.uri] : []))
        .sort(),
      [...server.calendars].sort(),
    );
    const early = await ots('upgrade', 'a.txt.ots');
    assert.equal(early.code, 1, early.said);
    assert.match(early.said, /Pending confirmation in Bitcoin blockchain/);
    const unverified = await ots('verify', 'b.txt.ots');
    assert.equal(unverified.code, 1, unverified.said);

    // Six blocks on top: it upgrades one, the node's own code another.
    mine(8);
    const late = await ots('upgrade', 'a.txt.ots');
    assert.equal(late.code, 0, late.said);
    assert.match(late.said, /Success! Timestamp complete/);
    const ours = await upgraded(client, new Uint8Array(await readFile(join(folder, 'b.txt.ots'))));
    await writeFile(join(folder, 'b.txt.ots'), ours);
    const theirs = new Uint8Array(await readFile(join(folder, 'a.txt.ots')));
    for (const proof of [theirs, ours]) {
      const blocks = blocksOf(proof);
      assert.equal(blocks.length > 0, true);
      for (const [height, root] of blocks) assert.equal(root, rootAt(chain, height));
    }
    for (const name of ['a.txt.ots', 'b.txt.ots']) {
      const { code, said } = await ots('verify', name);
      assert.equal(code, 0, said);
      const height = blocksOf(new Uint8Array(await readFile(join(folder, name))))[0]?.[0];
      assert.match(said, new RegExp(`Success! Bitcoin block ${height} attests existence`));
    }

    // A file that was changed, and a proof over a block that the chain has lost.
    await writeFile(join(folder, 'a.txt'), 'another\n');
    const changed = await ots('verify', 'a.txt.ots');
    assert.equal(changed.code, 1, changed.said);
    assert.match(changed.said, /File does not match original/);
    const height = blocksOf(ours)[0]?.[0] ?? 0;
    chain.reorganise(chain.tip.height - height + 1);
    const lost = await ots('verify', 'b.txt.ots');
    assert.equal(lost.code, 1, lost.said);
    assert.match(lost.said, /Bitcoin verification failed: Digest does not match merkleroot/);
  },
);

test(
  'reference client: verifies what our batches and calendars made',
  { timeout: 600_000 },
  async (t) => {
    const world = await worldOf(t);
    if (world === undefined) return;
    const { folder, chain, server, client, mine, ots } = world;
    const texts = Array.from({ length: 21 }, (_, i) => `record ${i}\n`);
    const digests = texts.map((text) => new Uint8Array(nodeSha256(Buffer.from(text))));
    const tree = batchTree(
      nodeSha256,
      digests.map((digest, i) => ({ digest, nonce: numbered('nonce', i).slice(0, 16) })),
    );
    const { answers, failures } = await client.submit(tree.tip);
    assert.deepEqual(failures, []);
    mine(7);
    let tip: Timestamp = answers.map(({ timestamp }) => timestamp).reduce(mergeTimestamps);
    const first = formatLeafProof(digests[0] as Uint8Array, [], formatTimestamp(tip));
    assert.equal(blocksOf(first).length, 0);
    for (const { attestation, message } of evaluate(tip, tree.tip, HASHES)) {
      if (attestation.kind !== 'pending') continue;
      const upgrade = await client.upgrade(attestation.uri, message);
      if (upgrade.kind !== 'attested') throw new Error(upgrade.reason);
      tip = graft(tip, tree.tip, message, upgrade.timestamp, HASHES);
    }
    // The header comes by the client's own way as well: the same JSON-RPC.
    const source = coreRpc({ url: server.rpc, timeoutMs: 10_000 });
    assert.equal(await source.tip(), chain.tip.height);
    for (const i of [0, 1, 15, 16, 20]) {
      const name = `record-${i}`;
      const proof = formatLeafProof(digests[i] as Uint8Array, tree.pathOf(i), formatTimestamp(tip));
      await writeFile(join(folder, name), texts[i] as string);
      await writeFile(join(folder, `${name}.ots`), proof);
      const [height, root] = blocksOf(proof)[0] as readonly [number, string];
      const [header] = await source.headers(height, 1);
      assert.equal(formatHex(parseHeader(header as Uint8Array).merkleRoot.toReversed()), root);
      const verified = await ots('verify', `${name}.ots`);
      assert.equal(verified.code, 0, verified.said);
      assert.match(verified.said, new RegExp(`Success! Bitcoin block ${height} attests`));
      const info = await ots('info', `${name}.ots`);
      assert.equal(info.code, 0, info.said);
      assert.match(
        info.said,
        new RegExp(`File sha256 hash: ${formatHex(digests[i] as Uint8Array)}`),
      );
      const roots = [...info.said.matchAll(/# Bitcoin block merkle root ([0-9a-f]{64})/g)];
      assert.deepEqual([...new Set(roots.map(([, each]) => each))], [root]);
      assert.match(info.said, new RegExp(`BitcoinBlockHeaderAttestation\\(${height}\\)`));
    }
  },
);
