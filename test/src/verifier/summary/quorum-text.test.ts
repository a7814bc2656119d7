import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quorumFacts } from '@assay/verifier/summary/quorum-text';
import type { NumberFacts, QuorumFacts } from '@assay/verifier/verdict/verdict';
import { TIE } from '@assay/verifier/summary/words';
import { FINAL_NUMBER } from '../fixture/verdicts.ts';

const named = (...names: readonly string[]): QuorumFacts['cosigners'] =>
  names.map((name) => ({ name, key: '00'.repeat(32) }));

const withQuorum = (
  quorum: Partial<QuorumFacts>,
  change: Partial<NumberFacts> = {},
): NumberFacts => ({
  ...FINAL_NUMBER,
  ...change,
  quorum: { required: 2, have: 2, cosigners: named('ada', 'ben'), dissents: 0, ...quorum },
});

test('recount: who counted, and where it is on chain', () => {
  const rows = (number: NumberFacts): readonly string[] =>
    quorumFacts(number).map(({ name, text }) => `${name}: ${text.replaceAll(TIE, ' ')}`);
  const nobody = rows(FINAL_NUMBER);
  assert.deepEqual(nobody, [
    'recounted: by nobody: it names no co-signers; the bundle cannot show whether any were in force then',
  ]);
  assert.deepEqual(rows(withQuorum({ dissents: 1 })), [
    'recounted: by 2 co-signers (ada, ben); a settlement needs 2; 1 co-signer counted another number',
  ]);
  assert.deepEqual(rows(withQuorum({ have: 0, cosigners: [] })), [
    'recounted: by 0 co-signers; a settlement needs 2',
  ]);
  const account = {
    chain: 'solana:x',
    program: 'P',
    feed: 'F',
    page: 'Q',
    written: '7',
    slot: 9,
    cosigners: ['00'.repeat(32)],
    dissents: 0,
    dissent: false,
  };
  assert.deepEqual(rows({ ...FINAL_NUMBER, account }), [
    ...nobody,
    'on chain: page Q of solana:x, written at slot 7, 1 co-signer there: according to an RPC node at slot 9',
  ]);
  for (const [change, words] of [
    [{ dissents: 1, dissent: true }, '1 co-signer, 1 dissent there'],
    [{ dissent: true }, '1 co-signer, a dissent from a print of this period there'],
  ] as const) {
    const shown = { ...FINAL_NUMBER, account: { ...account, ...change } };
    assert.ok(rows(shown).join('\n').includes(words), words);
  }
});
