import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHeader } from '@assay/core/bitcoin/header';
import { parseHex, formatHex } from '@assay/core/bytes/hex';
import { checkpointDigest } from '@assay/core/view/stamp';
import { anchorsBack } from '@assay/core/view/anchors';
import { logRow } from '@assay/core/view/log';
import { stampedBatch, stampsBetween } from '@assay/core/view/stamps';
import { DEVELOPMENT_INDICES } from '@assay/node/dev/development-indices';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { withDemo } from '../src/node/fixture/demo-node.ts';
import { readByPython } from './ots-by-python.ts';
import { compared, described } from './ots-differences.ts';
import { otsLibrary } from './ots-library.ts';
import { debianPython } from './ots-peers.ts';

test(
  'demo: others read every proof of its log, and come to the Merkle roots of its blocks',
  { timeout: 600_000 },
  async (t) => {
    const found = debianPython();
    if ('missing' in found) {
      t.skip(found.missing);
      return;
    }
    const npm = await otsLibrary();
    if ('missing' in npm) t.diagnostic(`without npm's library: ${npm.missing}`);
    await withDemo(
      {},
      async (base, { ledger }) => {
        const state = ledger.shown;
        const digests = [...stampsBetween(state, 0, ledger.nextSeq)];
        const origin = logRow(state)?.origin ?? '';
        for (const { to, root } of anchorsBack(state)) {
          digests.push(checkpointDigest(nodeSha256, origin, to, root));
        }
        const files: Uint8Array[] = [];
        const roots: (readonly string[])[] = [];
        for (const digest of digests) {
          const batch = stampedBatch(ledger.shown, digest);
          const response = await fetch(`${base}/proof/${digest}?format=ots`);
          // One that grew in between is of no use here.
          if (stampedBatch(ledger.shown, digest)?.anchor.issue !== batch?.anchor.issue) continue;
          assert.equal(response.status, batch === undefined ? 404 : 200, digest);
          if (batch === undefined) continue;
          files.push(new Uint8Array(await response.arrayBuffer()));
          roots.push(
            batch.anchor.bitcoin.map(({ height, header }) => {
              const { merkleRoot } = parseHeader(parseHex(header, 80));
              return `${formatHex(merkleRoot)} ${height}`;
            }),
          );
        }
        const theirs = readByPython(found.python, files);
        const counts = compared(files, theirs);
        assert.deepEqual([counts.accepted, counts.unexplained.slice(0, 3)], [files.length, []]);
        for (const [i, reading] of theirs.entries()) {
          if (!('attested' in reading)) continue;
          const blocks = reading.attested.filter(([, kind]) => kind === 'bitcoin');
          const said = [...new Set(blocks.map(([root, , height]) => `${root} ${height}`))];
          assert.deepEqual(said.sort(), [...(roots[i] ?? [])].sort());
          if ('missing' in npm) continue;
          const file = npm.library.DetachedTimestampFile.deserialize(files[i] as Uint8Array);
          assert.equal(formatHex(Uint8Array.from(file.fileDigest())), reading.digest);
          const again = formatHex(Uint8Array.from(file.serializeToBytes()));
          assert.equal(again, formatHex(files[i] as Uint8Array));
        }
        const attested = roots.filter((each) => each.length > 0).length;
        const batches = [...anchorsBack(ledger.shown)].length;
        t.diagnostic(`${batches} batches, ${attested} proofs in a block: ${described(counts)}`);
        assert.equal(attested > files.length / 2, true, `${attested} of ${files.length}`);
      },
      3600,
      DEVELOPMENT_INDICES,
    );
  },
);
