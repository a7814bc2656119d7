import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { leafHash, toHash } from '@assay/core/hash/hash';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { parseNote } from '@assay/core/log/note';
import { formatTlogProof } from '@assay/core/log/tlog-proof';
import { verifyConsistency, verifyInclusion } from '@assay/core/log/tree';
import { logRoutes } from '@assay/node/api/log-routes';
import { pipeline } from '@assay/node/http/pipeline';
import { nodeServer } from '@assay/node/http/node-server';
import { inclusionProof } from '@assay/node/cosign/inclusion-proof';
import type { Ledger } from '@assay/node/ledger/ledger';
import { logRoot } from '@assay/node/cosign/log-root';
import { MemoryBlobStore } from '@assay/node/blob/memory-blob-store';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import {
  CHECKPOINTS,
  GENESIS_DRAFT,
  memoryPlace,
  note,
  openAt,
  ORIGIN,
} from '../src/node/ledger/ledger-fixture.ts';
import { goProgram, type GoAnswer } from './go-program.ts';

/** Levels 0, 1 and 2 of the tiles, each with a partial one at its end. */
const SIZE = 66_003;

const VKEY = CHECKPOINTS.vkey;

async function filledLedger(size: number): Promise<Ledger> {
  const ledger = await openAt(await memoryPlace());
  await ledger.write(() => [GENESIS_DRAFT]);
  for (let from = 1; from < size; from += 4000) {
    const count = Math.min(4000, size - from);
    await ledger.write(() => Array.from({ length: count }, (_, i) => note(`entry ${from + i}`)));
  }
  return ledger;
}

/** Where a log is served on loopback, with `change` made to the bytes under each path. */
async function served(
  t: TestContext,
  ledger: Ledger,
  change: (path: string, bytes: Uint8Array) => Uint8Array = (_, bytes) => bytes,
): Promise<string> {
  const routes = logRoutes(
    {
      get published() {
        return ledger.published;
      },
      get shown() {
        return ledger.shown;
      },
      get blocked() {
        return ledger.blocked;
      },
      async tile(tile) {
        const bytes = await ledger.tile(tile);
        return bytes && change(`${tile.level}/${tile.index}`, bytes);
      },
    },
    new MemoryBlobStore(),
  );
  const server = nodeServer(
    pipeline(routes, {
      requestId: () => 'test',
      now: () => 0,
      onError: (error) => assert.fail(String(error)),
    }),
    {},
  );
  const listening = await server.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => listening.close());
  return `http://127.0.0.1:${listening.port}/`;
}

const said = (answer: GoAnswer): unknown => {
  assert.ok('said' in answer, 'failed' in answer ? answer.failed : '');
  return answer.said[0];
};

test("a checkpoint: Go's sumdb/note opens it with the key of the log, and with no other", async (t) => {
  const go = await goProgram(t);
  if (go === undefined) return;
  const ledger = await filledLedger(300);
  const bytes = ledger.published?.note ?? new Uint8Array();
  const { text } = parseNote(bytes);
  assert.deepEqual(said(await go.run(['note', VKEY], bytes)), {
    text,
    verified: [ORIGIN],
    unverified: 0,
  });
  const changed = Buffer.from(Buffer.from(bytes).toString().replace('\n300\n', '\n301\n'));
  assert.match(
    ((await go.run(['note', VKEY], changed)) as { failed: string }).failed,
    /invalid signature/,
  );
});

test("a log of 66,003 entries: Tessera's fsck walks every bundle and tile of it", async (t) => {
  const go = await goProgram(t);
  if (go === undefined) return;
  const ledger = await filledLedger(SIZE);
  const base = await served(t, ledger);
  assert.deepEqual(said(await go.run(['fsck', base, ORIGIN, VKEY])), { checked: true });
  // Each kind of file is looked at: one bit in any of them is found.
  for (const place of ['entries/7', '0/0', '0/257', '1/0', '1/1', '2/0']) {
    const bad = await served(t, ledger, (path, bytes) => {
      if (path !== place) return bytes;
      const copy = bytes.slice();
      copy[copy.length - 1] = (copy[copy.length - 1] as number) ^ 1;
      return copy;
    });
    const answer = await go.run(['fsck', bad, ORIGIN, VKEY]);
    assert.ok('failed' in answer, `${place} is changed, and nobody sees it`);
  }
});

test('proofs: those that Tessera builds from the tiles hold here, and ours hold there', async (t) => {
  const go = await goProgram(t);
  if (go === undefined) return;
  const ledger = await filledLedger(SIZE);
  const base = await served(t, ledger);
  const root = ledger.published?.root;
  assert.ok(root !== undefined);
  for (const [index, smaller] of [
    [0, 1],
    [255, 256],
    [256, 257],
    [65_535, 65_536],
    [66_002, 66_002],
    [12_345, 54_321],
  ] as const) {
    const theirs = said(
      await go.run(['prove', base, ORIGIN, VKEY, String(index), String(smaller)]),
    ) as { readonly inclusion: readonly string[]; readonly consistency: readonly string[] };
    const hashes = (all: readonly string[]): ReturnType<typeof toHash>[] =>
      all.map((each) => toHash(parseHex(each, 32)));
    const leaf = leafHash(nodeSha256, (await ledger.entry(index)) ?? new Uint8Array());
    verifyInclusion(nodeSha256, leaf, index, SIZE, hashes(theirs.inclusion), root);
    const old = toHash(parseHex((await logRoot(nodeSha256, ledger, smaller)) ?? '', 32));
    verifyConsistency(nodeSha256, smaller, SIZE, hashes(theirs.consistency), old, root);
    const ours = await inclusionProof(nodeSha256, ledger, index, SIZE);
    assert.deepEqual(ours.map(formatHex), theirs.inclusion);
    const text = formatTlogProof({
      index,
      hashes: ours,
      checkpoint: ledger.published?.note ?? new Uint8Array(),
    });
    assert.deepEqual(said(await go.run(['proof', ORIGIN, VKEY, formatHex(leaf)], text)), {
      index,
      size: SIZE,
    });
    const other = leafHash(nodeSha256, Buffer.from('another'));
    assert.ok('failed' in (await go.run(['proof', ORIGIN, VKEY, formatHex(other)], text)));
  }
});
