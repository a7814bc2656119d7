import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { DEVELOPMENT } from '@assay/core/bitcoin/bitcoin-network';
import { parseHeader } from '@assay/core/bitcoin/header';
import { concatBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { formatTimestamp, parseTimestamp, type Timestamp } from '@assay/core/ots/timestamp';
import { answerTo, foldedPaths } from '@assay/core/answer/answer';
import { provenDigests } from '@assay/core/answer/proven-digests';
import { proofUrl } from '@assay/core/answer/proof';
import { proofFile, treeMaker } from '@assay/core/proof/proof-file';
import { stampedBatch } from '@assay/core/view/stamps';
import { formatTilePath, tilesOf } from '@assay/core/log/tile';
import { type AnchorRow, newestAnchor } from '@assay/core/view/anchors';
import { newestBeacon } from '@assay/core/view/beacons';
import { Anchoring } from '@assay/node/anchor/anchoring';
import { MemoryOpenBatch } from '@assay/node/anchor/open-batch';
import { CalendarClient } from '@assay/node/bitcoin/calendar-client';
import type { CalendarFetch } from '@assay/node/bitcoin/calendar-fetch';
import { coreRpc } from '@assay/node/bitcoin/core-rpc';
import { HeaderFollower } from '@assay/node/bitcoin/header-follower';
import type { Ledger } from '@assay/node/ledger/ledger';
import { openMemoryStore } from '@assay/node/ledger/store/level-store';
import { MemoryHeadGuard } from '@assay/node/ledger/guard/memory-head-guard';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { OPEN_POLICY } from '@assay/verifier/verdict/policy';
import type { Verdict } from '@assay/verifier/verdict/verdict';
import { verify } from '@assay/verifier/verify';
import { benchLedger, noteDraft } from '../bench/bench-ledger.ts';
import { type BcoinNode, startBcoin } from './ots-bcoin-node.ts';
import { byPython } from './ots-by-python.ts';
import { bcoinFolder, debianPython } from './ots-peers.ts';
import { HASHES } from './ots-world.ts';

const URI = 'https://calendar.test';
/** bcoin's coinbases can be spent after so many blocks. */
const MATURITY = 100;
const FOLLOWING = 6;

/** The timestamp from `digest` to the block that holds it, as the reference library makes it. */
function fromBlock(python: string, digest: Uint8Array, block: string, height: number): Uint8Array {
  const task = JSON.stringify({ digest: formatHex(digest), block, height });
  const [hex = ''] = byPython(python, 'block', task);
  return parseHex(hex, hex.length / 2);
}

/** A calendar whose commitments go into bcoin's blocks, one transaction each. */
class TestCalendar {
  readonly #bcoin: BcoinNode;
  readonly #python: string;
  readonly #commitments: Uint8Array[] = [];
  /** Height of bcoin's chain. */
  height = 0;

  constructor(bcoin: BcoinNode, python: string) {
    this.#bcoin = bcoin;
    this.#python = python;
  }

  readonly fetch: CalendarFetch = async ({ method, url, body }) => {
    if (method === 'POST') return this.#submit(body as Uint8Array);
    const commitment = parseHex(url.slice(`${URI}/timestamp/`.length), 32);
    const bytes = formatHex(commitment);
    for (let height = this.height - FOLLOWING; height > MATURITY; height -= 1) {
      const block = await this.#bcoin.block(height);
      if (block.includes(bytes)) {
        return { status: 200, body: fromBlock(this.#python, commitment, block, height) };
      }
    }
    return { status: 404, body: Buffer.from('Pending confirmation in Bitcoin blockchain') };
  };

  async #submit(digest: Uint8Array): Promise<{ status: number; body: Uint8Array }> {
    const nonce = new Uint8Array(16).fill(this.#commitments.length);
    const commitment = nodeSha256(concatBytes(digest, nonce));
    this.#commitments.push(commitment);
    await this.#bcoin.commit(commitment);
    const pending: Timestamp = { items: [{ attestation: { kind: 'pending', uri: URI } }] };
    const hashed: Timestamp = { items: [{ operation: { op: 'sha256' }, next: pending }] };
    const body = formatTimestamp({
      items: [{ operation: { op: 'append', argument: nonce }, next: hashed }],
    });
    return { status: 200, body };
  }
}

test(
  'bcoin: a batch goes into its block, and a reorganisation takes the block back',
  { timeout: 600_000 },
  async (t) => {
    const [python, peer] = [debianPython(), await bcoinFolder()];
    if ('missing' in python || 'missing' in peer) {
      t.skip(
        [python, peer].flatMap((each) => ('missing' in each ? [each.missing] : [])).join('; '),
      );
      return;
    }
    const bcoin = await startBcoin(peer.folder);
    t.after(() => bcoin.close());
    const calendar = new TestCalendar(bcoin, python.python);
    const mine = async (blocks: number): Promise<number> => {
      calendar.height = await bcoin.mine(blocks);
      return calendar.height;
    };
    await mine(MATURITY + 5);

    let time = Math.floor(Date.now() / 1000);
    const now = (): number => time;
    const blobs = new MemoryBlobStore();
    const ledger = await benchLedger({
      store: await openMemoryStore(),
      guard: new MemoryHeadGuard(),
      now,
    });
    t.after(() => ledger.close());
    const { url, authorization } = bcoin;
    const source = coreRpc({ name: 'bcoin', url, authorization, timeoutMs: 20_000 });
    const headers = new HeaderFollower({ network: DEVELOPMENT, sources: [source] });
    const troubles: string[] = [];
    const anchoring = new Anchoring(
      {
        ledger,
        blobs,
        openBatch: new MemoryOpenBatch(),
        calendars: new CalendarClient({
          fetch: calendar.fetch,
          pool: [URI],
          attestors: [URI],
          timeoutMs: 20_000,
          sha256: nodeSha256,
        }),
        headers,
        network: DEVELOPMENT,
        sha256: nodeSha256,
        hashes: HASHES,
        now,
        elapsed: now,
        random: (length) => new Uint8Array(randomBytes(length)),
        timing: {
          required: 1,
          stampEveryS: 60,
          beaconEveryS: 60,
          upgradeAfterS: 60,
          expireAfterS: 86_400,
          silentAfterS: 3600,
          staleAfterS: 6 * 3600,
        },
      },
      1000,
      {
        onStamped: () => undefined,
        onUpgraded: () => undefined,
        onBeacon: () => undefined,
        onCalendarFailed: (what, reason) => troubles.push(`${what}: ${reason}`),
        onError: (what, reason) => troubles.push(`${what}: ${reason}`),
      },
    );
    t.after(() => anchoring.stop());
    /** An hour later: whatever is due is done. */
    const later = async (): Promise<AnchorRow> => {
      time += 3600;
      await anchoring.poll();
      const row = newestAnchor(ledger.tip);
      assert.ok(row);
      return row;
    };

    // A batch, held by the calendar alone.
    await ledger.write(() => [noteDraft(), noteDraft()]);
    const pending = await later();
    assert.deepEqual(
      [pending.batch, pending.issue, pending.calendars, pending.bitcoin],
      [0, 0, [{ uri: URI, state: 'pending' }], []],
    );
    assert.equal(newestBeacon(ledger.tip)?.height, calendar.height);
    const first = await mine(1);
    assert.equal((await later()).issue, 0);

    // The block alone is not enough; six more on top of it are.
    await mine(FOLLOWING - 1);
    assert.equal((await later()).issue, 0);
    await mine(1);
    const attested = await later();
    assert.deepEqual(
      [attested.batch, attested.issue, attested.calendars],
      [0, 1, [{ uri: URI, state: 'attested' }]],
    );
    await assertBlock(attested, first, bcoin, blobs);
    assert.deepEqual(troubles, []);
    const before = await verdictOf(ledger, blobs);
    assert.equal(before.outcome, 'verified', JSON.stringify(before));

    // Another chain wins, without the block.
    const reorganised = await bcoin.fork(first - 1, FOLLOWING + 3);
    assert.equal(reorganised, 1);
    calendar.height += 2;
    const withdrawn = await later();
    assert.deepEqual([withdrawn.batch, withdrawn.issue, withdrawn.bitcoin], [0, 2, []]);
    assert.deepEqual(withdrawn.calendars, [{ uri: URI, state: 'pending' }]);

    // Its owner sends the transaction once more, and it is in a block of the new chain.
    await bcoin.commitAgain();
    const second = await mine(1);
    assert.equal(second > first, true);
    assert.equal((await later()).bitcoin.length, 0);
    await mine(FOLLOWING);
    const again = await later();
    assert.deepEqual([again.batch, again.issue], [0, 3]);
    assert.deepEqual(again.calendars, [{ uri: URI, state: 'attested' }]);
    await assertBlock(again, second, bcoin, blobs);

    const after = await verdictOf(ledger, blobs);
    assert.equal(after.outcome, 'verified', JSON.stringify(after));
    // Four issues, each with its proof.
    const { anchors, proofs, beacons } = after.checked;
    assert.deepEqual([anchors, proofs, beacons > 3], [4, 4, true]);
    t.diagnostic(
      `block ${first}, then ${second}; ${ledger.nextSeq} entries; ${troubles.join('; ')}`,
    );
  },
);

/** Asserts that a row names one block, by bcoin's own bytes, and that the proof leads to it. */
async function assertBlock(
  row: AnchorRow,
  height: number,
  bcoin: BcoinNode,
  blobs: MemoryBlobStore,
): Promise<void> {
  assert.deepEqual(
    row.bitcoin.map((block) => block.height),
    [height],
  );
  const header = (await bcoin.block(height)).slice(0, 160);
  assert.equal(row.bitcoin[0]?.header, header);
  const proof = await blobs.get(row.proof);
  assert.ok(proof);
  const tip = parseHex(row.tip, 32);
  const roots = evaluate(parseTimestamp(proof, 32), tip, HASHES).flatMap(
    ({ attestation, message }) => (attestation.kind === 'bitcoin' ? [formatHex(message)] : []),
  );
  assert.deepEqual(roots, [formatHex(parseHeader(parseHex(header, 80)).merkleRoot)]);
}

/** What the verifier says of the log as its server would give it. */
async function verdictOf(ledger: Ledger, blobs: MemoryBlobStore): Promise<Verdict> {
  const answers = new Map<string, { status: number; body: Uint8Array }>();
  const { published } = ledger;
  assert.ok(published);
  answers.set('/checkpoint', { status: 200, body: published.note });
  for (const tile of tilesOf(published.size)) {
    const body = (await ledger.tile(tile)) as Uint8Array;
    answers.set(`/${formatTilePath(tile)}`, { status: 200, body });
  }
  for (const path of foldedPaths(ledger.shown, nodeSha256, Number.POSITIVE_INFINITY)) {
    const answer = answerTo(ledger.shown, nodeSha256, path);
    if (answer !== undefined) answers.set(path, answer);
  }
  const treeOf = treeMaker(ledger.shown, nodeSha256);
  for (const digest of provenDigests(ledger.shown, nodeSha256, Number.POSITIVE_INFINITY)) {
    const proof = stampedBatch(ledger.shown, digest)?.anchor.proof;
    const tip = proof === undefined ? undefined : await blobs.get(proof);
    const body = tip && proofFile(ledger.shown, treeOf, digest, tip);
    if (body !== undefined) answers.set(proofUrl(digest), { status: 200, body });
  }
  for await (const hash of blobs.list()) {
    answers.set(`/blob/${hash}`, { status: 200, body: (await blobs.get(hash)) as Uint8Array });
  }
  return verify(
    {
      kind: 'log',
      reader: {
        live: false,
        get: async (path) => {
          const { status, body } = answers.get(path) ?? { status: 404, body: new Uint8Array(0) };
          return { status, body, logSize: undefined };
        },
      },
    },
    OPEN_POLICY,
  );
}
