import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { BITCOIN } from '@assay/core/bitcoin/bitcoin-network';
import { blockId, headerHash, parseHeader } from '@assay/core/bitcoin/header';
import { meetsTarget } from '@assay/core/bitcoin/work';
import { equalBytes } from '@assay/core/bytes/bytes';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { evaluate } from '@assay/core/ots/evaluate';
import { parseProof } from '@assay/core/ots/proof';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { exampleProofs } from './ots-examples.ts';
import { type OtsFile, type OtsLibrary, otsLibrary, type OtsTimestamp } from './ots-library.ts';
import { opentimestampsFolder } from './ots-peers.ts';
import { readOurs } from './ots-reading.ts';
import { HASHES, numbered, ownBatch } from './ots-world.ts';

/** The header of Bitcoin block 358,391, which says by its own work that it is one. */
const HEIGHT = 358_391;
const HEADER = parseHex(
  '02000000b96394585a281b7e5f438fd1c9ed492645a1fd61cb3802040000000000000000' +
    '007ee445d23ad061af4a36b809501fab1ac4f2d7e7a739817dd0cbb7ec661b8a1e376755f58616186272def6',
);

/** npm's library in this process; skips the test with a word where it cannot be had. */
async function libraryOf(t: TestContext): Promise<OtsLibrary | undefined> {
  const found = await otsLibrary();
  if ('library' in found) return found.library;
  t.skip(found.missing);
  return undefined;
}

/** Message, kind and what the kind says, of every attestation, sorted: as `readOurs` has it. */
function attestedBy(timestamp: OtsTimestamp): readonly string[] {
  const found: string[] = [];
  const open = [timestamp];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    const message = formatHex(Uint8Array.from(each.msg));
    for (const { constructor, height, uri } of each.attestations) {
      if (constructor.name === 'BitcoinBlockHeaderAttestation') {
        found.push(`${message} bitcoin ${height}`);
      } else if (constructor.name === 'PendingAttestation') {
        found.push(`${message} pending ${uri}`);
      } else found.push(`${message} ${constructor.name}`);
    }
    open.push(...each.ops.values());
  }
  return found.sort();
}

function attestedHere(bytes: Uint8Array): readonly string[] {
  const reading = readOurs(bytes);
  if (!('attested' in reading)) throw new Error(JSON.stringify(reading));
  return reading.attested
    .map(([message, kind, value]) =>
      /^[0-9a-f]{16}$/.test(kind ?? '')
        ? `${message} UnknownAttestation`
        : `${message} ${kind} ${value}`,
    )
    .sort();
}

test('npm: reads every proof of our batches, and comes to the same Merkle root', async (t) => {
  const library = await libraryOf(t);
  if (library === undefined) return;
  let count = 0;
  for (const size of [1, 2, 3, 7, 100]) {
    const batch = await ownBatch(size);
    for (const [i, bytes] of [...batch.pending, ...batch.attested].entries()) {
      const file = library.DetachedTimestampFile.deserialize(bytes);
      assert.deepEqual(
        Uint8Array.from(file.fileDigest()),
        batch.digests[i % size],
        `${size} leaves, file ${i}`,
      );
      const found = attestedBy(file.timestamp);
      assert.deepEqual(found, attestedHere(bytes));
      assert.equal(formatHex(Uint8Array.from(file.serializeToBytes())), formatHex(bytes));
      const block = `${formatHex(batch.merkleRoot)} bitcoin ${batch.height}`;
      assert.equal(found.filter((each) => each === block).length, i < size ? 0 : 2);
      count += 1;
    }
  }
  t.diagnostic(`${count} files`);
});

test('npm: proofs that it makes are read here, and come to its tip', async (t) => {
  const library = await libraryOf(t);
  if (library === undefined) return;
  const { OpSHA256 } = library.Ops;
  const { PendingAttestation } = library.Notary;
  if (OpSHA256 === undefined || PendingAttestation === undefined)
    throw new Error('not its library');
  for (const size of [1, 2, 5, 33]) {
    const files: readonly OtsFile[] = Array.from({ length: size }, (_, i) =>
      library.DetachedTimestampFile.fromHash(new OpSHA256(), numbered('npm', i)),
    );
    const tip: OtsTimestamp = library.makeMerkleTree(files);
    tip.attestations.push(new PendingAttestation('https://calendar.example'));
    const expected = `${formatHex(Uint8Array.from(tip.msg))} pending https://calendar.example`;
    for (const file of files) {
      const bytes = Uint8Array.from(file.serializeToBytes());
      assert.deepEqual(attestedHere(bytes), [expected], `${size} leaves`);
    }
  }
});

/** What there is to say of each of its examples, with no header but that of block 358,391. */
const EXAMPLES: readonly (readonly [name: string, file: string | undefined, outcome: string])[] = [
  ['bad-stamp.txt.ots', 'bad-stamp.txt', 'block 358391: differs'],
  ['empty.ots', 'empty', 'block 129405: no header'],
  ['hello-world.txt.ots', 'hello-world.txt', 'block 358391: attested'],
  ['incomplete.txt.ots', 'incomplete.txt', '1 pending'],
  ['known-and-unknown-notary.txt.ots', 'known-and-unknown-notary.txt', '1 pending, 1 unknown'],
  ['merkle1.txt.ots', 'merkle1.txt', '2 pending'],
  ['merkle2.txt.ots', 'merkle2.txt', '2 pending'],
  ['merkle3.txt.ots', 'merkle3.txt', '2 pending'],
  ['osdsp.txt.ots', 'osdsp.txt', 'block 523364: no header, 4 pending'],
  ['ripemd160/README.md.ots', 'ripemd160/README.md', '3 pending'],
  // Two files of one SHA-1: the stamp is of both.
  ['sha1/a_or_b.ots', 'sha1/a', 'block 466906: no header, 3 pending'],
  ['two-calendars.txt.ots', 'two-calendars.txt', '2 pending'],
  ['unknown-notary.txt.ots', 'unknown-notary.txt', '1 unknown'],
];

function outcomeOf(bytes: Uint8Array): string {
  const { digest, timestamp } = parseProof(bytes);
  const said: string[] = [];
  const counts = new Map<string, number>();
  for (const { attestation, message } of evaluate(timestamp, digest, HASHES)) {
    if (attestation.kind !== 'bitcoin') {
      counts.set(attestation.kind, (counts.get(attestation.kind) ?? 0) + 1);
      continue;
    }
    const known = attestation.height === HEIGHT;
    const same = equalBytes(parseHeader(HEADER).merkleRoot, message);
    said.push(
      `block ${attestation.height}: ${known ? (same ? 'attested' : 'differs') : 'no header'}`,
    );
  }
  const kinds = [...counts.keys()].sort();
  for (const kind of kinds) said.push(`${counts.get(kind)} ${kind}`);
  return said.join(', ');
}

test('npm: each of its examples does here what it should', async (t) => {
  const id = headerHash(nodeSha256, HEADER);
  const { bits } = parseHeader(HEADER);
  assert.equal(meetsTarget(id, bits), true, `${blockId(id)} on ${BITCOIN.name}`);
  assert.equal(blockId(id).slice(0, 16), '0'.repeat(16));
  const library = await libraryOf(t);
  const peer = await opentimestampsFolder();
  if (library === undefined || 'missing' in peer) return;
  const examples = await exampleProofs();
  const outcomes = examples.map(({ name, bytes }) => [name, outcomeOf(bytes)]);
  assert.deepEqual(
    outcomes,
    EXAMPLES.map(([name, , outcome]) => [name, outcome]),
  );
  for (const [i, { name, bytes }] of examples.entries()) {
    const { hash, digest } = parseProof(bytes);
    const file: Uint8Array = await readFile(join(peer.folder, 'examples', EXAMPLES[i]?.[1] ?? ''));
    assert.equal(createHash(hash).update(file).digest('hex'), formatHex(digest), name);
    const theirs: OtsFile = library.DetachedTimestampFile.deserialize(bytes);
    assert.deepEqual(attestedBy(theirs.timestamp), attestedHere(bytes), name);
    t.diagnostic(`${name}, ${bytes.length} bytes: ${outcomes[i]?.[1]}`);
  }
});

test('npm: a proof cut short is refused here, though not always there', async (t) => {
  const library = await libraryOf(t);
  if (library === undefined) return;
  // It tells each tag that it does not know.
  t.mock.method(console, 'error', () => {});
  t.mock.method(console, 'log', () => {});
  let [cuts, taken] = [0, 0];
  for (const { name, bytes } of await exampleProofs()) {
    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length);
      assert.equal('refused' in readOurs(cut), true, `${name} of ${length} bytes`);
      cuts += 1;
      try {
        library.DetachedTimestampFile.deserialize(cut);
        taken += 1;
      } catch {
        // It should not take it either.
      }
    }
  }
  t.diagnostic(`${cuts} cut proofs, of which it takes ${taken} and we none`);
});
