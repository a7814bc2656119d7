import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import {
  AccountRole,
  type Blockhash,
  generateKeyPairSigner,
  getBase58Decoder,
  type Instruction,
  verifySignature,
} from '@solana/kit';
import fc from 'fast-check';
import { Fault } from '@assay/core/fault';
import {
  DEVELOPMENT_ASSET,
  developmentPayer,
} from '@assay/chain/development/payment/payment-accounts';
import {
  hasMessage,
  parseSignedTransfer,
  tokenAccountOf,
} from '@assay/chain/payment/signed-transfer';
import { SYSTEM, TOKEN, TOKEN_2022 } from '../development/world.ts';
import { transferOf, type TransferParts } from './transfer.ts';

const buyer = await developmentPayer('buyer');
const seller = (await developmentPayer('seller')).address;
const feePayer = (await developmentPayer('facilitator')).address;

function signed(different: Partial<TransferParts> = {}): Promise<string> {
  const blockhash = (): Blockhash =>
    getBase58Decoder().decode(new Uint8Array(32).fill(7)) as Blockhash;
  return transferOf({ buyer, seller, amount: 12_345n, feePayer, blockhash, ...different });
}

function refusal(text: string): string {
  try {
    parseSignedTransfer(text);
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.ok(error.code === 'malformed' || error.code === 'too_large');
    return error.expected ?? '';
  }
  throw new assert.AssertionError({ message: 'it is accepted' });
}

test('signed transfer: it says who pays whom, how much, and of what', async () => {
  const transfer = parseSignedTransfer(await signed({ memo: 'a purchase' }));
  assert.equal(transfer.payer, buyer.address);
  assert.equal(transfer.feePayer, feePayer);
  assert.equal(transfer.mint, DEVELOPMENT_ASSET);
  assert.equal(transfer.tokenProgram, TOKEN);
  assert.equal(transfer.amount, 12_345n);
  assert.equal(transfer.memo, 'a purchase');
  assert.equal(transfer.source, await tokenAccountOf(buyer.address, DEVELOPMENT_ASSET, TOKEN));
  assert.equal(transfer.destination, await tokenAccountOf(seller, DEVELOPMENT_ASSET, TOKEN));
  assert.equal(transfer.messageHash, createHash('sha256').update(transfer.message).digest('hex'));
  const { publicKey } = buyer.keyPair;
  assert.ok(await verifySignature(publicKey, transfer.signature as never, transfer.message));
  assert.equal(parseSignedTransfer(await signed({ memo: '' })).memo, null);
});

test('signed transfer: the same message is found in the transaction that the facilitator signed too', async () => {
  const fees = await developmentPayer('facilitator');
  const memo = 'one';
  const { message, messageHash } = parseSignedTransfer(await signed({ memo }));
  const complete = await signed({ memo, feePayer: fees });
  assert.equal(hasMessage(complete, message), true);
  assert.equal(parseSignedTransfer(complete).messageHash, messageHash);
  assert.equal(hasMessage(await signed({ memo: 'two' }), message), false);
  assert.equal(hasMessage('?', message), false);
});

test('signed transfer: what the scheme does not have is refused', async () => {
  const other: Instruction = { programAddress: SYSTEM, data: new Uint8Array([4, 0, 0, 0]) };
  const change = (edit: (transfer: Instruction) => Instruction): Partial<TransferParts> => ({
    change: (all) => all.map((each) => (each.programAddress === TOKEN ? edit(each) : each)),
  });
  const cases: readonly (readonly [string, Partial<TransferParts>])[] = [
    ['the programs of the scheme', { change: (all) => [other, ...all] }],
    ['the programs of the scheme', { change: (all) => [...all, other] }],
    ['one transfer', { change: (all) => [...all, ...all] }],
    [
      'a transfer',
      { change: (all) => all.filter(({ programAddress }) => programAddress !== TOKEN) },
    ],
    // Transfer, which names no mint.
    [
      'a TransferChecked',
      change((each) => ({ ...each, data: new Uint8Array([3, ...new Uint8Array(9)]) })),
    ],
    ['a TransferChecked', change((each) => ({ ...each, data: new Uint8Array([12, 1]) }))],
    [
      'a TransferChecked of one owner',
      change((each) => ({
        ...each,
        accounts: [...(each.accounts ?? []), { address: seller, role: AccountRole.READONLY }],
      })),
    ],
  ];
  for (const [expected, different] of cases) {
    assert.equal(refusal(await signed(different)), expected);
  }
  const accepted = await signed(change((each) => ({ ...each, programAddress: TOKEN_2022 })));
  assert.equal(parseSignedTransfer(accepted).tokenProgram, TOKEN_2022);
});

test('signed transfer: without the payer among the signers it is none', async () => {
  const stranger = await generateKeyPairSigner();
  const text = await signed({
    change: (all) =>
      all.map((each) =>
        each.programAddress === TOKEN
          ? {
              ...each,
              accounts: (each.accounts ?? []).map((account, i) =>
                i === 3 ? { address: stranger.address, role: AccountRole.READONLY } : account,
              ),
            }
          : each,
      ),
  });
  assert.equal(refusal(text), 'a payer who signs');
  const bytes = Buffer.from(await signed(), 'base64');
  bytes.fill(0, 65, 129);
  assert.equal(refusal(bytes.toString('base64')), "the payer's signature");
});

test('signed transfer: no bytes are taken for one but those of a transaction', async () => {
  const good = Buffer.from(await signed(), 'base64');
  assert.equal(refusal('A'.repeat(1645)), '1232 bytes');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      refusal(Buffer.from(bytes).toString('base64'));
    }),
  );
  fc.assert(
    fc.property(fc.nat({ max: good.length - 1 }), (length) => {
      refusal(good.subarray(0, length).toString('base64'));
    }),
  );
});
