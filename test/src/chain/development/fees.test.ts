import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address, Instruction } from '@solana/kit';
import { hasRun } from '@assay/chain/development/development-ledger';
import { feeOf, LAMPORTS_PER_SIGNATURE, unitPriceOf } from '@assay/chain/development/fees';
import {
  COMPUTE_BUDGET,
  openWorld,
  SKIP,
  SYSTEM,
  transactionOf,
  transferOf,
  type World,
} from './world.ts';

const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;

function budget(kind: 2 | 3, value: bigint): Instruction {
  const data = new Uint8Array(kind === 2 ? 5 : 9);
  data[0] = kind;
  const view = new DataView(data.buffer);
  if (kind === 2) view.setUint32(1, Number(value), true);
  else view.setBigUint64(1, value, true);
  return { programAddress: COMPUTE_BUDGET, data };
}

const memo: Instruction = { programAddress: MEMO, data: new TextEncoder().encode('hello') };

/** What the chain itself took from the payer, beside what the message says it costs. */
async function fees(world: World, instructions: readonly Instruction[]): Promise<[bigint, bigint]> {
  const wire = await transactionOf(world, instructions);
  const executed = world.ledger.execute(wire);
  assert.ok(hasRun(executed), JSON.stringify(executed.error));
  assert.equal(executed.error, null);
  return [(executed.before[0] ?? 0n) - (executed.after[0] ?? 0n), feeOf(wire.message)];
}

test('fees: what a message says it costs is what it costs', { skip: SKIP }, async () => {
  const world = await openWorld();
  const self = transferOf(world.rich, world.rich.address, 0n);
  const cases: readonly (readonly Instruction[])[] = [
    [self],
    [memo],
    [budget(2, 50_000n), memo],
    [budget(3, 7n), budget(2, 100_001n), memo],
    [budget(3, 1_000_000n), budget(2, 1n << 31n), memo],
    // No limit said: a part of the runtime has less than a program.
    [budget(3, 1_000_000n), memo, self],
  ];
  for (const [i, each] of cases.entries()) {
    const [taken, said] = await fees(world, each);
    assert.equal(said, taken, `case ${i}`);
    world.clock.time += 1;
    world.ledger.advance();
  }
});

test(
  'fees: a signature that a precompile checks costs as much as any other',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const ed25519 = 'Ed25519SigVerify111111111111111111111111111' as Address;
    const checks: Instruction = { programAddress: ed25519, data: Uint8Array.of(3, 0) };
    const { message } = await transactionOf(world, [checks]);
    assert.equal(feeOf(message), 4n * LAMPORTS_PER_SIGNATURE);
    assert.equal(unitPriceOf(message), 0n);
    assert.equal(unitPriceOf((await transactionOf(world, [budget(3, 9n)])).message), 9n);
    const system: Instruction = { programAddress: SYSTEM, data: Uint8Array.of(3, 0) };
    assert.equal(feeOf((await transactionOf(world, [system])).message), LAMPORTS_PER_SIGNATURE);
  },
);
