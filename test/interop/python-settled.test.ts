// A number on which a contract may settle by its bundle alone, in both implementations; and what takes that from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Bundle } from '@assay/core/proof/bundle';
import { bodyParser } from '@assay/core/kind/kinds';
import { entryBody, scanEntry } from '@assay/core/log/entry';
import { foldEntry } from '@assay/core/view/fold';
import { MemoryViews } from '@assay/core/view/state';
import { recomputeIndex } from '@assay/core/view/completeness-fold';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { settlementLacks } from '@assay/verifier/client/number-answer';
import { OPEN_POLICY, type Policy } from '@assay/verifier/verdict/policy';
import { type Chained, chained, keyOf } from '../src/verifier/fixture/chained-log.ts';
import { flip } from '../src/verifier/fixture/flip.ts';
import { wireBytes } from '../src/verifier/fixture/forge.ts';
import { judge } from '../src/verifier/fixture/published.ts';
import { bundleFor, numberOf } from '../src/verifier/fixture/recounted-bundle.ts';
import { answersOf, type PythonAnswer, PythonClient, pythonOf } from './python-peers.ts';

const PERIOD = '2026-07-18';
const BEFORE_INDEX = 'close 2026-07-23';
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Date.now() % 2 ** 31);

/** The log of co-signers, with an index entry behind a Close. */
function indexed(): Chained {
  const plain = chained();
  const last = plain.seqOf(BEFORE_INDEX);
  const views = new MemoryViews();
  const parse = bodyParser(nodeSha256);
  for (const [seq, bytes] of plain.published.entries.slice(0, last + 1).entries()) {
    const layout = scanEntry(bytes);
    const known = parse(layout.kind, entryBody(bytes, layout));
    assert.ok(known !== undefined);
    const entry = { ...known, seq, at: layout.at, log: plain.logId };
    views.write(foldEntry(entry, views, nodeSha256));
  }
  const content = recomputeIndex(views, nodeSha256, last + 1);
  const body = { day: '2026-07-23', size: last + 1, ...content };
  return chained({
    behind: (name, { at }) => (name === BEFORE_INDEX ? [{ at, kind: 'index/1', body }] : []),
  });
}

test('python client: what may be settled on may be in both', { timeout: 120_000 }, async (t) => {
  const python = await pythonOf(t);
  if (python === undefined) return;
  const client = new PythonClient(python, t);
  const log = indexed();
  const bundle = await bundleFor(log, PERIOD, null);
  const key = vkeyOf(bundle);
  const named = ['ada', 'cleo'].map((operator) => ({ operator, key: keyOf(operator) }));
  const trusted = { ...OPEN_POLICY, checkpoint_keys: [key] };
  const both = { ...trusted, cosigners: named, cosigners_required: 2 };
  const ask = async (given: unknown, policy: Policy): Promise<PythonAnswer> => {
    const text = Buffer.from(wireBytes(given)).toString('base64');
    return client.ask({
      bundle: text,
      policy,
      number: { index: 'LAYOFFS', period: PERIOD },
      now: null,
    });
  };
  const ours = numberOf(await judge({ kind: 'bundle', bytes: wireBytes(bundle) }, both));
  assert.deepEqual(settlementLacks(ours), []);
  const answer = await ask(bundle, both);
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.deepEqual([answer.lacks, answer.settleable], [[], true]);
  assert.deepEqual([answer.value, answer.status], ['216000', 'final']);

  // Without co-signers of the caller's own, it is the publisher's choice of them.
  const theirs = await ask(bundle, trusted);
  assert.ok(theirs.ok && !theirs.settleable);
  assert.deepEqual(theirs.lacks, ['own_cosigners']);
  const stranger = [...named.slice(0, 1), { operator: 'Example', key: keyOf('dora') }];
  const refused = await ask(bundle, { ...both, cosigners: stranger });
  assert.equal(!refused.ok && refused.code, 'quorum_below_policy');
  // One operator with two keys counts once.
  const twice = named.map((each) => ({ ...each, operator: 'One' }));
  assert.equal((await ask(bundle, { ...both, cosigners: twice, cosigners_required: 1 })).ok, true);

  // An entry that is left out takes it away, or neither can miss it: a set that waits, and that the print is on chain.
  const kept: number[] = [];
  for (const { seq } of bundle.entries) {
    const less = { ...bundle, entries: bundle.entries.filter((each) => each.seq !== seq) };
    const found = await ask(less, both);
    const verdict = await judge({ kind: 'bundle', bytes: wireBytes(less) }, both);
    assert.equal(found.ok, verdict.outcome === 'verified', `entry ${seq}`);
    if (found.ok && found.settleable) kept.push(seq);
  }
  assert.deepEqual(kept, [log.seqOf('cosigners/1 1'), log.seqOf(`${PERIOD} final 0 print`)]);
  for (const change of [{ index_proofs: [] }, { signatures: bundle.signatures.slice(0, 1) }]) {
    const found = await ask({ ...bundle, ...change }, both);
    assert.equal(found.ok && found.settleable, false);
  }
});

/** The paths of all values in a bundle. */
function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) yield* pathsOf(each, [...path, name]);
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce((node, name) => (node as Record<string, unknown>)[name], root);
}

test(
  'python client: a settled number is none with a bit turned or a value moved',
  { timeout: 600_000 },
  async (t) => {
    const python = await pythonOf(t);
    if (python === undefined) return;
    const bundle = await bundleFor(indexed(), PERIOD, null);
    const bytes = wireBytes(bundle);
    const named = ['ada', 'cleo'].map((operator) => ({ operator, key: keyOf(operator) }));
    const demands = { cosigners: named, cosigners_required: 2 };
    const policy = { ...OPEN_POLICY, checkpoint_keys: [vkeyOf(bundle)], ...demands };
    t.diagnostic(`seed ${SEED} (ASSAY_FUZZ_SEED)`);
    const paths = [...pathsOf(bundle)];
    const bits = fc.sample(fc.tuple(fc.nat(bytes.length - 1), fc.nat(7)), {
      seed: SEED,
      numRuns: 400,
    });
    const moves = fc.sample(fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...paths)), {
      seed: SEED,
      numRuns: 400,
    });
    const changed = [
      ...bits.map(([at, bit]) => flip(bytes, at, bit)),
      ...moves.map(([to, from]) => {
        const copy = structuredClone(bundle);
        const holder = valueAt(copy, to.slice(0, -1)) as Record<string, unknown>;
        holder[to.at(-1) as string] = structuredClone(valueAt(bundle, from));
        return wireBytes(copy);
      }),
    ].filter((each) => !Buffer.from(each).equals(bytes));
    const lines = changed.map((each) =>
      JSON.stringify({
        bundle: Buffer.from(each).toString('base64'),
        policy,
        number: { index: 'LAYOFFS', period: PERIOD },
        now: null,
      }),
    );
    for (const [i, answer] of (await answersOf(python, lines)).entries()) {
      const subject = { kind: 'bundle', bytes: changed[i] as Uint8Array } as const;
      const verdict = await judge(subject, policy);
      assert.equal(answer.ok, verdict.outcome === 'verified', lines[i]);
      assert.equal(answer.ok, false, lines[i]);
    }
  },
);

function vkeyOf({ genesis }: Bundle): string {
  const entry = JSON.parse(Buffer.from(genesis.bytes, 'base64').toString()) as {
    readonly body: { readonly checkpoint_vkey: string };
  };
  return entry.body.checkpoint_vkey;
}
