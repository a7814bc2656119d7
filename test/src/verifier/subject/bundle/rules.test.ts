import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BundleIndexProof } from '@assay/core/proof/bundle';
import { hashHex } from '@assay/core/hash/hash';
import { rulesTree } from '@assay/core/view/completeness-fold';
import { ruleLeaf } from '@assay/core/completeness/leaf';
import { proveIndex } from '@assay/core/completeness/proof';
import { seriesId } from '@assay/core/report/print';
import type { Report } from '@assay/core/report/report';
import { SortedTree } from '@assay/core/completeness/sorted-tree';
import type { IndexRow } from '@assay/core/view/completeness';
import { ruleVersions } from '@assay/core/view/rules';
import { nodeSha256 } from '@assay/node/platform/node-sha256';
import { checkBundleRules, type ShownRules } from '@assay/verifier/subject/bundle/rules';
import { Findings } from '@assay/verifier/verdict/finding';
import { emptyTally, NotCheckedList } from '@assay/verifier/verdict/verdict';
import {
  cpiRule,
  GENESIS,
  layoffsRule,
  SampleLog,
  sampleReport,
} from '../../../core/fixture/fixture.ts';

const { ticker, release } = layoffsRule();
const PERIOD = '2026-08-01';
const SECOND = { version: 2, applies_from: PERIOD } as const;

/** A log of versions of the rule, and what a bundle of a report under the newest would have of them. */
function shown(
  versions: readonly (readonly [at: string, change: object])[],
  { period = PERIOD, under = versions.length }: { period?: string; under?: number } = {},
): Required<ShownRules> & { readonly index: IndexRow; readonly proof: BundleIndexProof } {
  const log = new SampleLog();
  log.append('genesis/1', GENESIS, '2026-07-01T00:00:00Z');
  log.append('rule/1', { rule: cpiRule() }, '2026-07-01T00:00:00Z');
  for (const [i, [at, change]] of versions.entries()) {
    log.append('rule/1', { rule: layoffsRule({ version: i + 1, ...change }) }, at);
  }
  const rules = ruleVersions(log.views, ticker);
  const row = rules[under - 1] as (typeof rules)[number];
  const report: Report = sampleReport('final', {
    log: log.log,
    period,
    rule: { hash: row.hash, version: row.rule.version },
  });
  const size = log.entries.length;
  const tree = rulesTree(log.views, nodeSha256, size);
  const index = {
    seq: size,
    day: '2026-12-30',
    at: '2026-12-31T00:00:00Z',
    size,
    rules: { count: tree.size, root: hashHex(tree.root()) },
  } as unknown as IndexRow;
  const series = hashHex(seriesId(nodeSha256, log.log, ticker));
  const proof: BundleIndexProof = { of: 'rules', seq: size, ...proveIndex(tree, series) };
  return { report, rules, index, proof };
}

function check(of: ShownRules): {
  readonly versions: number | undefined;
  readonly codes: readonly string[];
  readonly named: readonly string[];
} {
  const findings = new Findings();
  const notChecked = new NotCheckedList();
  const context = { findings, notChecked, tally: emptyTally() } as never;
  const versions = checkBundleRules(of, nodeSha256, context);
  assert.ok(notChecked.list.every((each) => each.class === 'calendar'));
  return {
    versions,
    codes: findings.list.map(({ code }) => code),
    named: notChecked.list.map(({ what }) => what),
  };
}

const FIRST = ['2026-07-20T00:00:00Z', {}] as const;
const CLAIMED =
  'that the versions of the rule of LAYOFFS were recorded at the times of their entries';
const NOT_SHOWN = 'that no other version of the rule of LAYOFFS governs 2026-08-01';

test('bundle rules: all versions are shown, and the one that governs is the report’s', () => {
  const good = shown([FIRST, ['2026-07-25T00:00:00Z', SECOND]]);
  assert.deepEqual(check(good), { versions: 2, codes: [], named: [CLAIMED] });
  const one = shown([FIRST]);
  assert.deepEqual(check(one), { versions: 1, codes: [], named: [CLAIMED] });
});

test('bundle rules: without the list it is named that another may govern', () => {
  const of = shown([FIRST, ['2026-07-25T00:00:00Z', SECOND]]);
  const own = of.rules.slice(1);
  const none = { versions: undefined, codes: [], named: [NOT_SHOWN] };
  assert.deepEqual(check({ ...of, rules: own, proof: undefined }), none);
  assert.deepEqual(check({ ...of, rules: own, index: undefined, proof: undefined }), none);
});

test('bundle rules: an index entry with one rule in all needs no list', () => {
  const of = shown([FIRST]);
  const { report } = of;
  const [only] = of.rules;
  const tree = new SortedTree(nodeSha256, 'rules');
  const series = hashHex(seriesId(nodeSha256, report.log, ticker));
  tree.add([ruleLeaf(series, 1, report.rule.hash)]);
  const index = { ...of.index, rules: { count: 1, root: hashHex(tree.root()) } };
  const sole = { report, rules: [only as never], index, proof: undefined };
  assert.deepEqual(check(sole), { versions: 1, codes: [], named: [CLAIMED] });
  const other = { ...index, rules: { count: 1, root: report.log } };
  assert.deepEqual(check({ ...sole, index: other }).codes, ['index_differs']);
});

test('bundle rules: a version that is left out, doubled, changed or behind the index entry is found', () => {
  const of = shown([FIRST, ['2026-07-25T00:00:00Z', SECOND]]);
  const [first, second] = of.rules;
  assert.ok(first !== undefined && second !== undefined);
  const codes = (change: Partial<ShownRules>): readonly string[] =>
    check({ ...of, ...change }).codes;
  assert.deepEqual(codes({ rules: [second] }), ['index_differs']);
  assert.deepEqual(codes({ rules: [first, second, second] }), ['index_differs']);
  const changed = { ...first, rule: { ...first.rule, title: 'Another title' } };
  assert.deepEqual(codes({ rules: [changed, second] }), ['index_differs']);
  assert.deepEqual(codes({ rules: [first, { ...second, seq: of.index.seq }] }), ['index_differs']);
  const [leaf] = of.proof.leaves;
  assert.deepEqual(codes({ proof: { ...of.proof, leaves: [leaf as never] } }), [
    'index_proof_invalid',
  ]);
});

test('bundle rules: a list that leaves out a number is no list of all versions', () => {
  const later = { ...SECOND, version: 3 };
  const gap = shown([FIRST, ['2026-07-25T00:00:00Z', later]]);
  assert.deepEqual(check(gap), { versions: undefined, codes: ['rule_not_allowed'], named: [] });
  const second = shown([['2026-07-25T00:00:00Z', SECOND]]);
  assert.deepEqual(check(second).codes, ['rule_not_allowed']);
});

test('bundle rules: a report under a version that does not govern its period is found', () => {
  const late = ['2026-08-06T12:30:00Z', SECOND] as const;
  assert.deepEqual(check(shown([FIRST, late])).codes, ['rule_not_allowed', 'rule_mismatch']);
  // The version before governs, and the rule behind it is at fault all the same.
  assert.deepEqual(check(shown([FIRST, late], { under: 1 })).codes, ['rule_not_allowed']);
  const timely = ['2026-07-25T00:00:00Z', SECOND] as const;
  assert.deepEqual(check(shown([FIRST, timely], { under: 1 })).codes, ['rule_mismatch']);
});

test('bundle rules: a release that was moved in time is named', () => {
  const exceptions = [{ period: PERIOD, date: '2026-08-20' }];
  const moved = { ...SECOND, release: { ...release, exceptions } };
  assert.deepEqual(check(shown([FIRST, ['2026-07-25T00:00:00Z', moved]])), {
    versions: 2,
    codes: [],
    named: [
      'LAYOFFS of 2026-08-01: release moved later from 2026-08-06T12:30:00Z to 2026-08-20T12:30:00Z by version 2 of its rule, recorded 2026-07-25T00:00:00Z',
      CLAIMED,
    ],
  });
});
