import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { formatHex, parseHex } from '@assay/core/bytes/hex';
import { mergeTimestamps } from '@assay/node/bitcoin/merge';
import { formatProof } from '@assay/core/ots/proof';
import type { Item, Timestamp } from '@assay/core/ots/timestamp';
import fc from 'fast-check';
import { vectors } from '../src/core/fixture/fixture.ts';
import { byPython, linesOf, readByPython } from './ots-by-python.ts';
import { compared, type Counts, described, sumOf } from './ots-differences.ts';
import { exampleProofs } from './ots-examples.ts';
import { hostileFiles } from './ots-hostile.ts';
import { drawer, mutant } from './ots-mutants.ts';
import { debianPython } from './ots-peers.ts';
import type { Reading } from './ots-reading.ts';
import { framed, numbered, ownBatch } from './ots-world.ts';

const CHILD = fileURLToPath(new URL('ots-read-child.js', import.meta.url));

/** Debian's interpreter; skips the test with a word where it has no such library. */
function pythonOf(t: TestContext): string | undefined {
  const found = debianPython();
  if ('python' in found) return found.python;
  t.skip(found.missing);
  return undefined;
}

/** Ours, in a process of its own with little room. */
function ownReadings(proofs: readonly Uint8Array[]): { all: readonly Reading[]; grown: number } {
  const args = ['--max-old-space-size=96', CHILD];
  const out = linesOf(process.execPath, args, framed(proofs));
  const last = JSON.parse(out.pop() as string) as { grown: number };
  assert.equal(out.length, proofs.length);
  return { all: out.map((line) => JSON.parse(line) as Reading), grown: last.grown };
}

test('python: every proof of the vectors reads the same, and what they refuse is explained', (t) => {
  const python = pythonOf(t);
  if (python === undefined) return;
  const accepted = vectors<readonly { hex: string }[]>('ots/accepted');
  const refused = vectors<readonly { hex: string }[]>('ots/refused');
  const good = accepted.map(({ hex }) => parseHex(hex));
  const bad = refused.map(({ hex }) => parseHex(hex));
  const counts = compared(good.concat(bad), readByPython(python, good.concat(bad)));
  t.diagnostic(described(counts));
  assert.deepEqual(counts.unexplained.slice(0, 3), []);
  assert.equal(counts.accepted >= good.length - 3, true);
});

test('python: builds the files of our batches byte for byte', async (t) => {
  const python = pythonOf(t);
  if (python === undefined) return;
  for (const size of [1, 2, 3, 5, 8, 13, 100, 1000]) {
    const batch = await ownBatch(size);
    for (const [tip, files] of [
      [batch.pendingTip, batch.pending],
      [batch.attestedTip, batch.attested],
    ] as const) {
      const task = {
        digests: batch.digests.map(formatHex),
        nonces: batch.nonces.map(formatHex),
        tip: formatHex(tip),
      };
      const made = byPython(python, 'batch', JSON.stringify(task));
      assert.deepEqual(made, files.map(formatHex), `${size} leaves`);
    }
    const read = readByPython(python, batch.attested);
    const expected = `${formatHex(batch.merkleRoot)} ${batch.height}`;
    for (const reading of read) assert.deepEqual(blocksOf(reading), [expected], `${size} leaves`);
  }
});

/** Merkle root and height of each block that a proof names. */
function blocksOf(reading: Reading): readonly string[] {
  if (!('attested' in reading)) return [];
  const blocks = reading.attested.filter(([, kind]) => kind === 'bitcoin');
  return [...new Set(blocks.map(([root, , height]) => `${root} ${height}`))];
}

const attestation = fc.oneof(
  fc.record({
    kind: fc.constantFrom('bitcoin' as const, 'litecoin' as const, 'ethereum' as const),
    height: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.maxSafeNat()),
  }),
  fc.record({
    kind: fc.constant('pending' as const),
    uri: fc.stringMatching(/^[A-Za-z0-9._/:-]{0,20}$/),
  }),
  fc.record({
    kind: fc.constant('unknown' as const),
    tag: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(formatHex),
    payload: fc.uint8Array({ maxLength: 12 }),
  }),
);

const operation = fc.oneof(
  fc.record({
    op: fc.constantFrom('append' as const, 'prepend' as const),
    argument: fc.uint8Array({ minLength: 1, maxLength: 3 }),
  }),
  fc
    .constantFrom('reverse', 'hexlify', 'sha1', 'ripemd160', 'sha256', 'keccak256')
    .map((op) => ({ op: op as 'reverse' })),
);

const { tree } = fc.letrec<{ tree: Timestamp }>((tie) => ({
  tree: fc
    .array(
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        attestation.map((each): Item => ({ attestation: each })),
        fc
          .record({ operation, next: tie('tree') as fc.Arbitrary<Timestamp> })
          .map((step): Item => step),
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((items) => ({ items })),
}));

test('python: random trees read and merge the same', (t) => {
  const python = pythonOf(t);
  if (python === undefined) return;
  const digest = numbered('random', 0);
  const proof = (timestamp: Timestamp): Uint8Array =>
    formatProof({ hash: 'sha256', digest, timestamp });
  // Each operation once a place: of two the library keeps the last one alone.
  const trees = fc
    .sample(tree, { numRuns: 4000, seed: SEED })
    .map((each) => mergeTimestamps(each, each));
  const files = trees.map(proof);
  const counts = compared(files, readByPython(python, files));
  assert.deepEqual([counts.accepted, counts.unexplained.slice(0, 3)], [files.length, []]);
  const merged = byPython(python, 'merge', framed(files));
  for (let i = 0; i + 1 < trees.length; i += 2) {
    const [a, b] = [trees[i] as Timestamp, trees[i + 1] as Timestamp];
    assert.equal(merged[i / 2], formatHex(proof(mergeTimestamps(a, b))), `pair ${i / 2}`);
    assert.equal(
      merged[i / 2],
      formatHex(proof(mergeTimestamps(b, a))),
      `pair ${i / 2}, other way`,
    );
  }
  t.diagnostic(`${files.length} trees, ${merged.length} pairs`);
});

const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 20_260_822);
const RUNS = Number(process.env['ASSAY_FUZZ_RUNS'] ?? 30_000);
/** Mutants that a process is given. */
const AT_ONCE = 10_000;

test(
  'python: mutants of real proofs are read alike, each difference for a reason',
  { timeout: 1_200_000 },
  async (t) => {
    const python = pythonOf(t);
    if (python === undefined) return;
    const examples = await exampleProofs();
    if (examples.length === 0)
      t.diagnostic('without the example proofs: npm opentimestamps could not be installed');
    const [one, few, many] = [await ownBatch(1), await ownBatch(5), await ownBatch(300)];
    const seeds = [
      ...examples.map(({ bytes }) => bytes),
      ...[one, few, many].flatMap(({ pending, attested }) =>
        [pending, attested].map((all) => all.at(-1) as Uint8Array),
      ),
    ];
    const draw = drawer(SEED);
    let counts: Counts = { accepted: 0, refused: 0, classes: new Map(), unexplained: [] };
    let most = 0;
    for (let left = RUNS; left > 0; left -= AT_ONCE) {
      const mutants = Array.from({ length: Math.min(left, AT_ONCE) }, () => mutant(seeds, draw));
      const { all, grown } = ownReadings(mutants);
      counts = sumOf(counts, compared(mutants, readByPython(python, mutants), all));
      most = Math.max(most, grown);
    }
    t.diagnostic(
      `seed ${SEED}, ${seeds.length} seeds: ${described(counts)}; ${most} MiB more at most`,
    );
    assert.deepEqual(counts.unexplained.slice(0, 3), []);
    // A generator that makes nothing but rubbish, or nothing at all, tests nothing.
    assert.equal(counts.accepted > RUNS / 10 && counts.refused > RUNS / 10, true);
    assert.equal(most < 200, true, `${most} MiB`);
  },
);

test('hostile files: refused or read within the limits, in little memory', (t) => {
  const files = hostileFiles();
  const { all, grown } = ownReadings(files.map(({ bytes }) => bytes));
  for (const [i, { name, refused }] of files.entries()) {
    const found = all[i] as Reading;
    assert.equal('crashed' in found ? found.crashed : 'refused' in found, refused, name);
  }
  t.diagnostic(`${files.length} files, ${grown} MiB more at most`);
  assert.equal(grown < 250, true, `${grown} MiB`);
});
