// The module in samples/python, held to this implementation: on every bundle that the tests of the verifier judge.
import assert from 'node:assert/strict';
import { execFile, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { settlementLacks } from '@assay/verifier/client/number-answer';
import type { NumberFacts } from '@assay/verifier/verdict/verdict';
import { scratch } from '../src/cli/fixture/run.ts';
import { ROOT } from '../src/core/fixture/fixture.ts';
import type { JudgedBundle } from '../src/verifier/fixture/judged.ts';
import { codesOf, judge } from '../src/verifier/fixture/published.ts';
import { answersOf, type PythonAnswer, pythonOf } from './python-peers.ts';

const run = promisify(execFile);
const SAMPLE = join(ROOT, 'samples', 'python');

/** Tests of the verifier that judge bundles: honest ones, changed bit by bit, and signed again by who holds every key. */
const JUDGING = [
  'tamper-bundle',
  'tamper-anchored',
  'tamper-chained',
  'governing-version',
  'first-print',
  'subject/verify-bundle',
  'subject/demands',
  'subject/asked-number',
  'subject/bundle/completeness',
  'subject/bundle/recount',
  'subject/bundle/clocks',
  'subject/bundle/blocks',
  'subject/bundle/accounts',
  'check/key-check',
  'check/read-check',
  'bitcoin/stamp-check',
  'trust/trust',
];

/** Every bundle that the tests of the verifier judge, with its verdict, a line each. */
async function judgedBundles(t: TestContext): Promise<readonly string[]> {
  const folder = await scratch(t);
  const files = JUDGING.map((name) =>
    join(ROOT, 'test', 'dist', 'src', 'verifier', `${name}.test.js`),
  );
  const env = { ...process.env, ASSAY_JUDGED: folder, NODE_TEST_CONTEXT: undefined };
  const args = ['--test', '--test-concurrency=2', '--test-reporter=dot', ...files];
  await run(process.execPath, args, { env, maxBuffer: 64 * 1024 * 1024 });
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  );
  return [...new Set(texts.flatMap((text) => text.trimEnd().split('\n')))];
}

/** Findings about accounts of the chain, which the module says that it does not check. */
const ACCOUNT_CODES = [
  'feed_differs',
  'feed_print_missing',
  'feed_signature_unlogged',
  'print_differs',
];

/** What keeps a number of the module from a settlement, and not one of this implementation. */
const OWN_LACKS: readonly string[] = ['superseded', 'blocks', 'account'];

/** Why an answer is none that this verdict allows; undefined where it is one. */
function disagreement(
  { outcome, codes, facts, policy }: JudgedBundle,
  answer: PythonAnswer,
): string | undefined {
  if (outcome === 'incomplete') {
    // Here it is no finding against a publisher; the module refuses what it is given.
    return !answer.ok && answer.code === 'bundle_malformed' ? undefined : 'no bundle';
  }
  if (outcome !== 'verified') {
    if (!answer.ok)
      return codes.includes(answer.code) ? undefined : `${answer.code}: ${answer.why}`;
    if (policy.complete && codes.every((code) => code === 'log_incomplete')) return undefined;
    const isLeftOut =
      !answer.settleable &&
      answer.lacks.includes('account') &&
      codes.every((code) => ACCOUNT_CODES.includes(code));
    return isLeftOut ? undefined : 'a number';
  }
  if (!answer.ok) return `${answer.code}: ${answer.why}`;
  const number = facts as NumberFacts | null;
  if (number === null) return 'a number';
  const { quorum } = number;
  const ours = {
    ticker: number.ticker,
    period: number.period,
    status: number.status,
    value: number.value,
    unit: number.unit,
    report_hash: number.report_hash,
    governs: number.governs,
    clocks: number.clocks,
    first_print: number.first_print,
    index_day: number.index?.day ?? null,
    dissents: quorum.dissents,
    cosigners_required: quorum.required,
  };
  for (const [name, value] of Object.entries(ours)) {
    const found = answer[name as keyof typeof ours];
    if (found !== value) return `${name} ${found}, and not ${value}`;
  }
  if (answer.cosigners.length !== quorum.have) return `${answer.cosigners.length} co-signers`;
  const own = answer.lacks.filter((lack) => !OWN_LACKS.includes(lack));
  const lacks = settlementLacks(number);
  if (own.join() !== lacks.join()) return `lacks ${own.join()}, and not ${lacks.join()}`;
  return answer.settleable === (answer.lacks.length === 0) ? undefined : 'settleable';
}

test(
  'python client: the same verdict on every bundle that the tests of the verifier judge',
  { timeout: 900_000 },
  async (t) => {
    const python = await pythonOf(t);
    if (python === undefined) return;
    const lines = await judgedBundles(t);
    const answers = await answersOf(python, lines);
    assert.equal(answers.length, lines.length);
    const seen = new Map<string, number>();
    for (const [i, line] of lines.entries()) {
      const judged = JSON.parse(line) as JudgedBundle;
      const answer = answers[i] as PythonAnswer;
      assert.equal(disagreement(judged, answer), undefined, `${judged.codes.join()}: ${line}`);
      const kind = `${judged.outcome} ${answer.ok ? 'number' : 'refused'}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    t.diagnostic([...seen].map(([kind, count]) => `${kind} ${count}`).join(', '));
    assert.ok((seen.get('verified number') ?? 0) >= 30);
    assert.ok((seen.get('findings refused') ?? 0) >= 1000);
  },
);

/** Python that runs something of the sample's folder, which is its first argument. */
const TESTS = `
import os, runpy, sys, unittest
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "hostile":
    runpy.run_module("tests.hostile", run_name="__main__")
else:
    found = unittest.defaultTestLoader.discover(os.path.join(sys.argv[1], "tests"), top_level_dir=sys.argv[1])
    sys.exit(not unittest.TextTestRunner(stream=sys.stderr).run(found).wasSuccessful())
`;

function runTests(python: string, what: string): SpawnSyncReturns<string> {
  const args = ['-I', '-c', TESTS, SAMPLE, what];
  return spawnSync(python, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

test('python client: its own tests pass', async (t) => {
  const python = await pythonOf(t);
  if (python === undefined) return;
  const { status, stderr } = runTests(python, 'all');
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^Ran [1-9][0-9]* tests/m);
});

test('python client: the lies that it makes up are refused here for the same reason', async (t) => {
  const python = await pythonOf(t);
  if (python === undefined) return;
  const { status, stdout, stderr } = runTests(python, 'hostile');
  assert.equal(status, 0, stderr);
  const lies = stdout.trimEnd().split('\n');
  assert.ok(lies.length >= 60);
  for (const line of lies) {
    const lie = JSON.parse(line) as Record<'name' | 'key' | 'bundle' | 'code', string>;
    const bytes = new Uint8Array(Buffer.from(lie.bundle, 'base64'));
    const verdict = await judge({ kind: 'bundle', bytes }, { checkpoint_keys: [lie.key] });
    const codes: readonly string[] = codesOf(verdict);
    assert.ok(codes.includes(lie.code), `${lie.name}: ${codes.join()}, and not ${lie.code}`);
  }
});
