import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Checkpoint } from '@assay/core/log/checkpoint';
import {
  checkpointsContradict,
  printsContradict,
  statementsContradict,
} from '@assay/core/proof/contradiction';
import { faultCode } from '@assay/core/fault';
import { type Hash, leafHash } from '@assay/core/hash/hash';
import { prefixRanges } from '@assay/core/log/prefix-proof';
import { dissentMessage, formatPrint, printOf } from '@assay/core/report/print';
import { rootOf } from '@assay/core/log/tree';
import { HANDS, statementOf } from '../fixture/cosigner-fixture.ts';
import { sampleReport, sha256 } from '../fixture/fixture.ts';

const leaves = (from: number): Hash[] =>
  Array.from({ length: 12 }, (_, i) => leafHash(sha256, Uint8Array.of(i < from ? 0 : 1, i)));
const ONE = leaves(12);
const OTHER = leaves(5);

function treeOf(of: readonly Hash[], size: number, origin = 'log'): Checkpoint {
  return { origin, size, root: rootOf(sha256, of.slice(0, size)) };
}

function proofOf(of: readonly Hash[], m: number, n: number): Hash[] {
  return prefixRanges(m, n).map(({ start, end }) => rootOf(sha256, of.slice(start, end)));
}

test('contradiction: of checkpoints, for every pair of sizes', () => {
  for (let n = 1; n <= 12; n += 1) {
    for (let m = 1; m <= n; m += 1) {
      const proof = m === n ? null : proofOf(OTHER, m, n);
      const own = m === n ? null : proofOf(ONE, m, n);
      const check = (a: Checkpoint, b: Checkpoint, prefix: Hash[] | null): boolean =>
        checkpointsContradict(sha256, a, b, prefix);
      const forks = m > 5;
      assert.equal(check(treeOf(ONE, m), treeOf(OTHER, n), proof), forks, `${m} ${n}`);
      assert.equal(check(treeOf(ONE, m), treeOf(ONE, n), own), false, `${m} ${n}`);
      // Hashes of another tree than the signed one show nothing.
      if (m < n && n > 5) {
        assert.equal(check(treeOf(OTHER, m), treeOf(ONE, n), proof), false);
        assert.equal(check(treeOf(ONE, m), treeOf(OTHER, n), null), false);
        assert.equal(check(treeOf(OTHER, n), treeOf(ONE, m), proof), false);
      }
      const elsewhere = treeOf(OTHER, n, 'another');
      assert.equal(check(treeOf(ONE, m), elsewhere, proof), false);
    }
  }
});

test('contradiction: of checkpoints, what shows nothing and what is no proof', () => {
  const empty: Checkpoint = { origin: 'log', size: 0, root: ONE[0] as Hash };
  assert.equal(checkpointsContradict(sha256, empty, treeOf(ONE, 3), null), false);
  assert.equal(
    checkpointsContradict(sha256, empty, { ...empty, root: ONE[1] as Hash }, null),
    false,
  );
  const [a, b] = [treeOf(ONE, 6), treeOf(OTHER, 6)];
  assert.equal(checkpointsContradict(sha256, a, b, null), true);
  assert.equal(checkpointsContradict(sha256, a, b, []), false);
  assert.throws(
    () => checkpointsContradict(sha256, a, treeOf(OTHER, 9), []),
    (error) => faultCode(error) === 'bad_proof',
  );
});

const print = (name: string, change: Readonly<Record<string, unknown>> = {}): Uint8Array =>
  formatPrint(printOf(sha256, sampleReport(name, change)));

test('contradiction: of prints, what shares a place', () => {
  const final = print('final');
  const cases: readonly (readonly [boolean, Uint8Array, Uint8Array])[] = [
    [true, final, print('final', { value: '1' })],
    [true, final, print('final', { published_at: '2026-08-07T00:00:00Z' })],
    [true, final, print('void', { period: '2026-07-25' })],
    [true, print('provisional'), print('provisional', { value: '1' })],
    [true, print('corrected'), print('corrected', { value: '1' })],
    [false, final, final],
    [false, final, print('void')],
    [false, final, print('provisional')],
    [false, final, print('corrected')],
    [false, print('provisional'), print('provisional', { issue: 1 })],
    [false, print('corrected'), print('corrected', { issue: 2 })],
    [false, final, print('final', { ticker: 'CPI', value: '1' })],
    [false, final, print('final', { log: '5e'.repeat(32), value: '1' })],
  ];
  for (const [i, [expected, a, b]] of cases.entries()) {
    assert.equal(printsContradict(a, b), expected, `${i}`);
    assert.equal(printsContradict(b, a), expected, `${i}`);
  }
  // A dissent is no print: it stands beside any.
  const dissent = dissentMessage(printOf(sha256, sampleReport('final')));
  assert.throws(() => printsContradict(final, dissent));
});

test('contradiction: of statements, agreement and dissent, or two agreements for one place', () => {
  const [hand, another] = HANDS;
  const report = sampleReport('final');
  const other = sampleReport('final', { value: '219000' });
  const dissent = {
    verdict: 'dissent',
    own: { value: '1', status: 'final', reads: [] },
    reason: 'value',
  };
  const abstain = { verdict: 'abstain', own: null, kept: null, reason: 'unread' };
  const agreed = statementOf(report, hand);
  const cases = [
    [true, statementOf(report, hand, dissent)],
    [true, statementOf(other, hand)],
    [false, agreed],
    [false, statementOf(report, hand, { signed_at: '2026-08-07T00:00:00Z' })],
    [false, statementOf(report, hand, abstain)],
    [false, statementOf(report, another, dissent)],
    [false, statementOf(other, another)],
    [false, statementOf(other, hand, dissent)],
    [false, statementOf(other, hand, abstain)],
    [false, statementOf(sampleReport('corrected'), hand)],
    [false, statementOf(sampleReport('final', { log: '5e'.repeat(32) }), hand)],
  ] as const;
  for (const [i, [expected, statement]] of cases.entries()) {
    assert.equal(statementsContradict(agreed, statement), expected, `${i}`);
    assert.equal(statementsContradict(statement, agreed), expected, `${i}`);
  }
});
