import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { readPages } from '@assay/core/read/reading';
import { interpret } from '@assay/core/rule/interpret';
import type { Provider, Rule } from '@assay/core/rule/rule';
import type { Step } from '@assay/core/rule/vocabulary';
import { formatDate } from '@assay/core/time/time';
import fc from 'fast-check';
import { ownData } from '../src/cli/fixture/data-folder.ts';
import { assayProcess, scratch } from '../src/cli/fixture/run.ts';
import { layoffsRule, ROOT } from '../src/core/fixture/fixture.ts';
import { chain, draftsOf, publish, siteOf } from '../src/verifier/fixture/published.ts';
import { sampleLog } from '../src/verifier/fixture/sample-log.ts';
import { type Case, cases } from './recount-cases.ts';

const PROGRAM = join(ROOT, 'test', 'interop', 'recount.py');

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

function recount(args: readonly string[], input = ''): Ran {
  const { status, stdout, stderr } = spawnSync('python3', ['-I', PROGRAM, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, out: stdout, err: stderr };
}

/** Whether python3 is here; skips the test with a word where it is not. */
function hasPython(t: TestContext): boolean {
  if (spawnSync('python3', ['--version']).status === 0) return true;
  t.skip('python3 is not here');
  return false;
}

/** What the recount reads of the vectors; what a parser refuses is not its business. */
const FILES = [
  'rational/roundings.json',
  'rule/clocks.json',
  'rule/governing.json',
  'rule/operations.json',
  'rule/releases.json',
  'rule/rules.json',
  'z/standings.json',
];

test('recount: every vector comes out the same in Python', async (t) => {
  if (!hasPython(t)) return;
  const all = await Promise.all(
    ['rational', 'rule', 'z'].map(async (folder) =>
      (await readdir(join(ROOT, 'vectors', folder))).map((name) => `${folder}/${name}`),
    ),
  );
  assert.deepEqual(
    all
      .flat()
      .filter((name) => !name.includes('refused'))
      .sort(),
    FILES,
  );
  const { code, out, err } = recount(['vectors', join(ROOT, 'vectors')]);
  assert.deepEqual([code, err], [0, '']);
  const expected = await Promise.all(
    FILES.map(async (name) => {
      const { length } = JSON.parse(
        await readFile(join(ROOT, 'vectors', name), 'utf8'),
      ) as unknown[];
      return `${name} ${length} of ${length}`;
    }),
  );
  assert.deepEqual(out.trim().split('\n'), expected);
  t.diagnostic(expected.join(', '));
});

test('recount: a vector that is off by one is named', async (t) => {
  if (!hasPython(t)) return;
  const folder = await scratch(t);
  await cp(join(ROOT, 'vectors'), folder, { recursive: true });
  const file = join(folder, 'rule', 'operations.json');
  const text = await readFile(file, 'utf8');
  const wrong = text.replace('"number": "6172839/5"', '"number": "6172838/5"');
  assert.notEqual(wrong, text);
  await writeFile(file, wrong);
  const { code, err } = recount(['vectors', folder]);
  assert.equal(code, 1);
  assert.match(err, /^rule\/operations\.json differs at \d+: num: grouped\n$/);
});

/** `--seed` of a run that differed, by hand. */
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const RUNS = Number(process.env['ASSAY_FUZZ_RUNS'] ?? 4000);

function ruleOf({ kind, release, decimals, round }: Case): Rule {
  const base = layoffsRule();
  return { ...base, period: kind, release, decimals, aggregate: { ...base.aggregate, round } };
}

function providerOf(rule: Rule, { extract, checks, paging }: Case): Provider {
  const first = rule.providers[0] as Provider;
  return {
    ...first,
    request: { ...first.request, paging: paging ?? { kind: 'none' } },
    text: 'none',
    extract,
    checks,
  };
}

function said(each: Case): string {
  const rule = ruleOf(each);
  const provider = providerOf(rule, each);
  const pages = each.pages.map((bytes) => ({ status: 200, bytes }));
  const reading =
    each.paging === null
      ? interpret(rule, provider, each.pages, each.period)
      : readPages(rule, provider, pages, each.period);
  return reading.outcome === 'ok' ? `ok ${reading.value}` : reading.outcome;
}

test('recount: any rule on any bytes gives the same in both', { timeout: 600_000 }, (t) => {
  if (!hasPython(t)) return;
  t.diagnostic(`seed ${SEED}, ${RUNS} runs (ASSAY_FUZZ_SEED, ASSAY_FUZZ_RUNS)`);
  const samples = fc.sample(cases, { seed: SEED, numRuns: RUNS });
  const lines = samples.map((each) => {
    const rule = ruleOf(each);
    return JSON.stringify({
      rule: {
        period: rule.period,
        release: rule.release,
        decimals: rule.decimals,
        aggregate: rule.aggregate,
      },
      provider: providerOf(rule, each),
      answer: each.paging !== null,
      statuses: [200],
      text: null,
      pages: each.pages.map((page) => Buffer.from(page).toString('hex')),
      period: formatDate(each.period),
    });
  });
  const { code, out, err } = recount(['cases'], `${lines.join('\n')}\n`);
  assert.deepEqual([code, err], [0, '']);
  const found = out.trimEnd().split('\n');
  assert.equal(found.length, samples.length);
  const seen = new Map<string, number>();
  for (const [i, each] of samples.entries()) {
    const own = said(each);
    const [outcome = ''] = own.split(' ', 1);
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    assert.equal(own, found[i], `seed ${SEED}, case ${i}: ${lines[i]}`);
  }
  t.diagnostic([...seen].map(([outcome, count]) => `${outcome} ${count}`).join(', '));
  const ok = seen.get('ok') ?? 0;
  assert.ok(ok * 10 >= samples.length, `${ok} numbers of ${samples.length}`);
  for (const outcome of [
    'malformed',
    'not_published',
    'no_source',
    'superseded',
    'out_of_range',
    'check_failed',
    'too_large',
  ]) {
    assert.ok(seen.has(outcome), outcome);
  }
});

test('recount: texts of transactions, held to their lists', (t) => {
  if (!hasPython(t)) return;
  const rule: Rule = { ...layoffsRule(), period: 'utc_day', decimals: 0 };
  const period = 20_000;
  const from = period * 86_400;
  const signature = (mark: string): string => mark.repeat(64);
  const listed = (mark: string, blockTime: number, err: unknown = null): object => ({
    signature: signature(mark),
    slot: blockTime - from + 100_000,
    blockTime,
    err,
  });
  const rows = [
    listed('a', from + 86_400),
    listed('c', from + 86_399),
    listed('b', from + 86_399),
    listed('d', from + 5, { x: 1 }),
    listed('e', from),
    listed('f', from - 1),
  ];
  const named = (mark: string, block_time: number): object => ({
    block_time,
    signature: signature(mark),
    slot: block_time - from + 100_000,
  });
  const transactions = [named('e', from), named('b', from + 86_399), named('c', from + 86_399)];
  const instruction = (transaction: number, data = '181ec828051c0777'): object => ({
    data,
    program: '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
    transaction,
  });
  const instructions = [instruction(0), instruction(0), instruction(2, '')];
  const good = { instructions, transactions };
  const extract: readonly Step[] = [
    { op: 'utf8' },
    { op: 'json' },
    { op: 'rows', ptr: '/instructions' },
    { op: 'where', ptr: '/data', test: 'prefix', values: ['181e'] },
    { op: 'count' },
  ];
  const first = rule.providers[0] as Provider;
  const provider: Provider = { ...first, text: 'solana_instructions', extract, checks: [] };
  const answers: readonly (readonly [string, number, unknown, unknown])[] = [
    ['ok 2', 200, rows, good],
    ['bad_status', 429, rows, good],
    ['malformed', 200, rows, null],
    ['not_published', 200, rows.slice(1), good],
    ['not_published', 200, [], null],
    ['malformed', 200, rows.slice(0, -1), good],
    ['malformed', 200, [{ ...rows[0], slot: '01' }, ...rows], good],
    ['malformed', 200, [{ ...rows[0], signature: '0' }, ...rows], good],
    ['malformed', 200, rows, { ...good, transactions: transactions.toReversed() }],
    ['malformed', 200, rows, { ...good, transactions: transactions.slice(1) }],
    ['malformed', 200, rows, { ...good, instructions: [instruction(1), instruction(0)] }],
    ['malformed', 200, rows, { ...good, instructions: [instruction(3)] }],
    ['malformed', 200, rows, { ...good, instructions: [instruction(0, 'f')] }],
    ['malformed', 200, rows, { transactions, instructions }],
    ['ok 0', 200, rows, { ...good, instructions: [] }],
  ];
  const lines: string[] = [];
  for (const [expected, status, result, value] of answers) {
    const bytes = Buffer.from(JSON.stringify({ result }));
    const text = value === null ? null : Buffer.from(JSON.stringify(value));
    const reading = readPages(rule, provider, [{ status, bytes }], period, text);
    const own = reading.outcome === 'ok' ? `ok ${reading.value}` : reading.outcome;
    assert.equal(own, expected, JSON.stringify(value));
    const page = bytes.toString('hex');
    lines.push(
      JSON.stringify({
        rule,
        provider,
        pages: [page],
        period: formatDate(period),
        answer: true,
        statuses: [status],
        text: text?.toString('hex') ?? null,
      }),
    );
  }
  const { code, out, err } = recount(['cases'], `${lines.join('\n')}\n`);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    out.trimEnd().split('\n'),
    answers.map(([expected]) => expected),
  );
});

test('recount: every report of an exported log', { timeout: 300_000 }, async (t) => {
  if (!hasPython(t)) return;
  const folder = await ownData(t);
  assert.equal((await assayProcess(folder, ['export', 'data', '-o', 'files'])).code, 0);
  const files = join(folder, 'files');
  const { code, out, err } = recount(['export', files]);
  assert.deepEqual([code, err], [0, '']);
  t.diagnostic(out.trim());
  const [, reports, reads] =
    /^(\d+) reports: (\d+) reads recounted, .*, 0 wrong\n$/.exec(out) ?? [];
  assert.ok(Number(reports) >= 10 && Number(reads) >= Number(reports), out);

  const [blob = ''] = await readdir(join(files, 'blob'));
  await writeFile(join(files, 'blob', blob), 'other bytes');
  const changed = recount(['export', files]);
  assert.equal(changed.code, 1);
  assert.equal(changed.err, `blob ${blob} holds other bytes\n`);
});

/** A log's files as an export has them, with the last report that `fits` changed. */
async function forgedExport(
  t: TestContext,
  fits: (report: LooseReport) => boolean,
  change: (report: LooseReport) => void,
): Promise<Ran> {
  const log = await sampleLog();
  const drafts = structuredClone(draftsOf(log.entries)) as { body: { report?: LooseReport } }[];
  const report = drafts.findLast(({ body }) => body.report !== undefined && fits(body.report))?.body
    .report;
  assert.ok(report !== undefined);
  change(report);
  const entries = chain(drafts as unknown as Parameters<typeof chain>[0]);
  const folder = await scratch(t);
  for (const [path, { body }] of siteOf(publish(entries, log.blobs, log.checkpoints))) {
    if (!/^\/(?:checkpoint|tile\/entries\/|blob\/)/.test(path)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), body);
  }
  return recount(['export', folder]);
}

interface LooseReport {
  status: string;
  reason: string | null;
  value: string | null;
  z: string | null;
  dispersion: string | null;
  reads: { value: string | null; outcome: string }[];
}

test(
  'recount: a report that its sources do not bear out is named',
  { timeout: 300_000 },
  async (t) => {
    if (!hasPython(t)) return;
    const isFinal = ({ status }: LooseReport): boolean => status === 'final';
    const honest = await forgedExport(t, isFinal, () => undefined);
    assert.deepEqual([honest.code, honest.err], [0, '']);
    t.diagnostic(honest.out.trim());
    const lies: readonly (readonly [(report: LooseReport) => void, RegExp])[] = [
      [(report) => (report.value = '1'), /final 0: .*'1', '0'.*recounted/],
      [
        (report) => {
          report.value = '1';
          for (const read of report.reads) read.value = '1';
        },
        /final 0, \S+: \('ok', 1\), recounted \('ok', \d+\)\n/,
      ],
      [(report) => (report.z = '9.9'), /final 0, z: \('9\.9'/],
      [(report) => (report.dispersion = '1'), /final 0: /],
      [
        (report) => ((report.reads[0] as { outcome: string }).outcome = 'not_published'),
        /recounted \('ok'/,
      ],
      [
        (report) => Object.assign(report, { status: 'provisional', reason: 'no_quorum' }),
        /recounted \('final'/,
      ],
    ];
    for (const [lie, expected] of lies) {
      const { code, err, out } = await forgedExport(t, isFinal, lie);
      assert.equal(code, 1, out);
      assert.match(err, expected);
    }
  },
);
