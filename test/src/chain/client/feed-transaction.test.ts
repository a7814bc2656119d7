import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetInstructions } from '@assay/chain/client/compute-budget';
import { requireFeedTransaction } from '@assay/chain/client/feed-transaction';
import { addRule, addSet, type FeedParameters, initFeed, rotate } from '@assay/chain/instructions';
import { parseHex } from '@assay/core/bytes/hex';
import type { Ticker } from '@assay/core/rule/ticker';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  type TransactionSigner,
} from '@solana/kit';
import { partyOf } from '../fixture/party.ts';

const PROGRAM = 'Ed25519SigVerify111111111111111111111111111' as Address;
const FEED = 'SysvarC1ock11111111111111111111111111111111' as Address;
const [LOG, NEXT, RECOVERY, OTHER] = ['a1', 'b2', 'c3', 'd4'].map((byte) => byte.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const TERMS = { log: LOG, program: PROGRAM, promised: [NEXT, RECOVERY] };
const PARAMETERS: FeedParameters = {
  cadence: 'week_ending_saturday',
  decimals: 0,
  ticker: 'LAYOFFS' as Ticker,
  log: LOG,
  nextHash: NEXT,
  recoveryHash: RECOVERY,
  rule: OTHER,
  first: 2,
  threshold: 1,
  cosigners: [OTHER],
};

function messageOf(payer: TransactionSigner, instructions: readonly Instruction[]): Uint8Array {
  const blockhash = '11111111111111111111111111111111' as Blockhash;
  const { messageBytes } = compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (m) => setTransactionMessageFeePayerSigner(payer, m),
      (m) =>
        setTransactionMessageLifetimeUsingBlockhash({ blockhash, lastValidBlockHeight: 0n }, m),
      (m) => appendTransactionMessageInstructions(instructions, m),
    ),
  );
  return new Uint8Array(messageBytes);
}

test('feed transactions: a feed is made and registered with, and nothing else is signed', async () => {
  const [payer, publisher, next] = await Promise.all(
    ['payer', 'publisher', 'next'].map(async (name) => partyOf(name)),
  );
  if (payer === undefined || publisher === undefined || next === undefined) throw new Error();
  const key = parseHex(publisher.key, 32);
  const budget = budgetInstructions({ units: 1000, price: 1n });
  const judge = (instructions: readonly Instruction[], by = payer, terms = TERMS): void =>
    requireFeedTransaction(messageOf(by.signer, [...instructions, ...budget]), key, terms);
  const made = (change: Partial<FeedParameters> = {}): Instruction =>
    initFeed(PROGRAM, payer.signer, publisher.signer, FEED, { ...PARAMETERS, ...change });
  const rule = addRule(PROGRAM, publisher.signer, FEED, OTHER, 2);
  judge([made()]);
  judge([rule]);
  judge([addSet(PROGRAM, publisher.signer, FEED, 1, [OTHER])]);
  const transfer: Instruction = {
    programAddress: '11111111111111111111111111111111' as Address,
    accounts: [{ address: publisher.signer.address, role: AccountRole.WRITABLE_SIGNER }],
    data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
  };
  const refused: readonly (readonly [string, () => void])[] = [
    ['a transfer', () => judge([transfer])],
    ['a transfer beside a rule', () => judge([rule, transfer])],
    ['a rotation', () => judge([rotate(PROGRAM, publisher.signer, next.signer, FEED, OTHER)])],
    ['the report key pays', () => judge([rule], publisher)],
    ['nothing', () => judge([])],
    ['another log', () => judge([made({ log: OTHER })])],
    ['a next key that nobody promised', () => judge([made({ nextHash: OTHER })])],
    ['a recovery key that nobody promised', () => judge([made({ recoveryHash: OTHER })])],
    ['another program', () => judge([rule], payer, { ...TERMS, program: FEED })],
    ['no chain', () => judge([rule], payer, { ...TERMS, program: null as never })],
  ];
  for (const [name, judged] of refused) assert.throws(judged, { code: 'refused' }, name);
  assert.throws(() => requireFeedTransaction(new Uint8Array(200), key, TERMS));
  assert.throws(() => requireFeedTransaction(Uint8Array.of(1), key, TERMS), { code: 'malformed' });
});
