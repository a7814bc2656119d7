import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HashHex } from '@assay/core/hash/hash';
import { formatEvidence, parseEvidence, type PromiseEvidence } from '@assay/core/proof/evidence';
import { checkEvidence } from '@assay/verifier/evidence/evidence-check';
import type { EvidenceVerdict } from '@assay/verifier/evidence/evidence-verdict';
import { ENVIRONMENT } from '../fixture/published.ts';
import { COSIGNER, LOG_ID, PUBLISHER } from '../fixture/evidence-world.ts';
import {
  bent,
  closedBody,
  frozenBody,
  leafOf,
  promiseOf,
  receiptOf,
  SUBJECT,
} from '../fixture/promise-files.ts';

const LEAVES = [1, 2, 3, 4, 5].map(leafOf);

function check(evidence: PromiseEvidence): Promise<EvidenceVerdict> {
  const bytes = formatEvidence(evidence);
  assert.deepEqual(parseEvidence(bytes), evidence);
  return checkEvidence(bytes, ENVIRONMENT);
}

function made(evidence: PromiseEvidence | undefined): PromiseEvidence {
  assert.ok(evidence !== undefined);
  return evidence;
}

test('evidence promise: another leaf in its place, and a batch that ends before it', async () => {
  for (const [ordinal, says] of [
    [3, `place 3 of ${SUBJECT}, and the batch has another leaf there`],
    [5, `place 5 of ${SUBJECT}, and the batch ends after 5`],
    [9, `place 9 of ${SUBJECT}, and the batch ends after 5`],
  ] as const) {
    const verdict = await check(made(promiseOf(receiptOf(ordinal, leafOf(77)), LEAVES)));
    assert.equal(verdict.proven, true, JSON.stringify(verdict));
    assert.equal(verdict.log, LOG_ID);
    assert.deepEqual(
      verdict.accused.map(({ role, key }) => [role, key]),
      [['publisher', PUBLISHER.key]],
    );
    assert.ok(verdict.says.endsWith(says), verdict.says);
  }
});

test('evidence promise: an empty batch, and a round that was frozen without a forecast', async () => {
  const none = made(promiseOf(receiptOf(0, leafOf(1)), [], ['answers/1', closedBody([])]));
  assert.equal((await check(none)).proven, true);
  const round = 'layoffs-2026-08-01';
  const receipt = receiptOf(2, leafOf(77), PUBLISHER, { subject: round });
  const frozen = made(promiseOf(receipt, LEAVES, ['freeze/1', frozenBody(LEAVES, round)]));
  const verdict = await check(frozen);
  assert.equal(verdict.proven, true, JSON.stringify(verdict));
});

test('evidence promise: a later key is a signer, whose it is the log says', async () => {
  const verdict = await check(made(promiseOf(receiptOf(3, leafOf(77), COSIGNER), LEAVES)));
  assert.equal(verdict.proven, true);
  assert.deepEqual(verdict.accused, [{ role: 'signer', key: COSIGNER.key, name: null }]);
});

test('evidence promise: nothing is made of a leaf that is in its place', () => {
  assert.equal(promiseOf(receiptOf(3, LEAVES[3] as HashHex), LEAVES), undefined);
  const taken = { type: 'taken', question: SUBJECT, first: 0, leaves: LEAVES } as const;
  assert.equal(promiseOf(receiptOf(3, leafOf(77)), LEAVES, ['answers/1', taken]), undefined);
});

test('evidence promise: what proves nothing, and why', async () => {
  const good = made(promiseOf(receiptOf(3, leafOf(77)), LEAVES));
  const { receipt, other, batch, genesis } = good;
  assert.ok(other !== null);
  const signed = (...given: Parameters<typeof receiptOf>): PromiseEvidence => ({
    ...good,
    receipt: receiptOf(...given),
  });
  const question = 'bf9dc03e-b9a2-8161-bff0-a42826f82d01';
  for (const [name, code, file] of [
    ['a receipt that nobody signed', 'signature', { ...good, receipt: { ...receipt, ordinal: 2 } }],
    [
      'a receipt of another key',
      'signature',
      { ...good, receipt: { ...receipt, key: COSIGNER.key } },
    ],
    ['a receipt of another log', 'genesis', signed(3, leafOf(77), PUBLISHER, { log: leafOf(0) })],
    [
      'a receipt of another question',
      'consistent',
      signed(3, leafOf(77), PUBLISHER, { subject: question }),
    ],
    ['the leaf in its place', 'consistent', signed(3, LEAVES[3] as HashHex)],
    [
      'a leaf that is not in the batch',
      'proof',
      { ...good, other: { ...other, leaf: bent(other.leaf) } },
    ],
    ['a proof of another place', 'proof', signed(2, leafOf(77))],
    ['no leaf where the batch has one', 'consistent', { ...good, other: null }],
    ['a batch without its proof', 'proof', { ...good, batch: { ...batch, proof: [] } }],
    ['a genesis without its proof', 'genesis', { ...good, genesis: { ...genesis, proof: [] } }],
    [
      'the genesis as a batch',
      'consistent',
      { ...good, batch: { ...batch, entry: genesis.entry } },
    ],
    ['another key of the log', 'format', { ...good, vkey: 'x' }],
  ] as const) {
    const verdict = await check(file);
    assert.equal(verdict.proven, false, name);
    assert.equal(verdict.faults[0]?.code, code, `${name}: ${verdict.faults[0]?.message}`);
  }
});
