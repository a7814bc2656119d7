import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quorumReservations, quorumRows } from '@assay/cli/verify/quorum-text';
import type { NumberFacts, QuorumFacts } from '@assay/verifier/verdict/verdict';
import { FINAL_NUMBER, quietTerminal } from '../fixture/number-facts.ts';

const TERMINAL = quietTerminal(200);

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

test('recount: the first line says what keeps a final from settling, and who dissents', () => {
  // A bundle cannot show whether co-signers were in force: of one that names none it says so.
  assert.deepEqual(quorumReservations(FINAL_NUMBER), ['not recounted']);
  const withheldFromSettling = { ...FINAL_NUMBER, settleable: false, settled: false };
  assert.deepEqual(quorumReservations(withheldFromSettling), []);
  assert.deepEqual(quorumReservations(withQuorum({}, { rests_on: 'policy' })), []);
  assert.deepEqual(quorumReservations(withQuorum({}, { rests_on: 'log' })), []);
  // A set that only the bundle shows.
  assert.deepEqual(quorumReservations(withQuorum({}, { rests_on: 'bundle' })), [
    'by co-signers of a set that may have been replaced',
  ]);
  const few = { have: 1, cosigners: named('ada') };
  assert.deepEqual(quorumReservations(withQuorum(few)), ['not settled: 1 of 2 co-signers']);
  assert.deepEqual(quorumReservations(withQuorum({ dissents: 1 })), ['1 dissent']);
  assert.deepEqual(quorumReservations(withQuorum({ ...few, dissents: 2 })), [
    'not settled: 1 of 2 co-signers',
    '2 dissents',
  ]);
  // What does not settle anyway has its own words.
  const early = { status: 'provisional', settleable: false };
  assert.deepEqual(quorumReservations(withQuorum(few, early)), []);
});

test('recount: who counted, and where it is on chain', () => {
  const rows = (number: NumberFacts): readonly string[] => quorumRows(number, TERMINAL);
  const nobody = rows(FINAL_NUMBER);
  assert.deepEqual(nobody, [
    '  recounted    by nobody: it names no co-signers; the bundle cannot show whether any were in force then',
  ]);
  assert.deepEqual(rows(withQuorum({ dissents: 1 })), [
    '  recounted    by 2 co-signers (ada, ben); a settlement needs 2; 1 co-signer counted another number',
  ]);
  assert.deepEqual(rows(withQuorum({ have: 0, cosigners: [] })), [
    '  recounted    by 0 co-signers; a settlement needs 2',
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
    '  on chain     page Q of solana:x, written at slot 7, 1 co-signer there: according to an RPC node at slot 9',
  ]);
  for (const [change, words] of [
    [{ dissents: 1, dissent: true }, '1 co-signer, 1 dissent there'],
    [{ dissent: true }, '1 co-signer, a dissent from a print of this period there'],
  ] as const) {
    const shown = { ...FINAL_NUMBER, account: { ...account, ...change } };
    assert.ok(rows(shown).join('\n').includes(words), words);
    assert.deepEqual(quorumReservations(shown), ['not recounted', 'a dissent on chain']);
  }
});
