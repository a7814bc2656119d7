import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStatementEntry } from '@assay/core/kind/statement-entry';
import type { Statement } from '@assay/core/report/statement';
import { wire } from '@assay/core/wire/wire';
import { cosignOf, dissentOf, HANDS, recountedReport } from '../fixture/cosigner-fixture.ts';

const [hand] = HANDS;
const final = recountedReport('final');
const { print_signature, ...agreed } = cosignOf(final, hand);
const { dissent_signature, ...dissented } = dissentOf(final, hand);
const abstained: Statement = {
  ...agreed.statement,
  verdict: 'abstain',
  own: null,
  reason: 'unread',
};
const AGREE = { ...agreed, print_signature, dissent_signature: null };
const DISSENT = { ...dissented, print_signature: null, dissent_signature };
const ABSTAIN = {
  statement: abstained,
  signature: agreed.signature,
  print_signature: null,
  dissent_signature: null,
};

const read = (word: object): unknown => parseStatementEntry(wire(word), 'body');

test('a statement: an agreement, a dissent and an abstention, each with the signatures that it has', () => {
  for (const word of [AGREE, DISSENT, ABSTAIN])
    assert.deepEqual({ ...(read(word) as object) }, word);
});

test('a statement: a signature that its verdict does not have, or lacks, is refused with its place', () => {
  for (const [word, at] of [
    [{ ...AGREE, print_signature: null }, 'body.print_signature'],
    [{ ...AGREE, dissent_signature }, 'body.dissent_signature'],
    [{ ...DISSENT, dissent_signature: null }, 'body.dissent_signature'],
    [{ ...DISSENT, print_signature }, 'body.print_signature'],
    [{ ...ABSTAIN, print_signature }, 'body.print_signature'],
    [{ ...ABSTAIN, dissent_signature }, 'body.dissent_signature'],
    [{ ...AGREE, signature: '00' }, 'body.signature'],
  ] as const) {
    assert.throws(() => read(word), { code: 'malformed', at }, at);
  }
  const kept = { ...AGREE.statement, basis: 'retained_bytes', kept: AGREE.statement.own };
  assert.throws(() => read({ ...AGREE, statement: kept }), { code: 'malformed' });
});
