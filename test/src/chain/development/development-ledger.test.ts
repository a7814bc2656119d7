import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Address, generateKeyPairSigner, getAddressDecoder } from '@solana/kit';
import {
  DevelopmentLedger,
  hasRun,
  type LedgerListener,
} from '@assay/chain/development/development-ledger';
import type { AccountChange, ExecutedTransaction } from '@assay/chain/development/execution';
import { requireLiteSvm } from '@assay/chain/development/litesvm';
import { parseWireTransaction } from '@assay/chain/development/wire-transaction';
import { ROOT } from '../../core/fixture/fixture.ts';
import { openWorld, SKIP, START, SYSTEM, TestClock, transactionOf, transferOf } from './world.ts';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111' as Address;

test('development ledger: slots go by the clock, and never back', { skip: SKIP }, async () => {
  const { clock, ledger } = await openWorld();
  const { slot } = ledger;
  assert.equal(ledger.blockHeight, 2, 'one by the clock, one of the transaction');
  clock.time += 0.4;
  ledger.advance();
  assert.equal(ledger.slot, slot + 1);
  clock.time -= 100;
  ledger.advance();
  assert.equal(ledger.slot, slot + 1);
  assert.equal(ledger.time, START);
  clock.time = START + 604_800;
  ledger.advance();
  assert.equal(ledger.blockHeight, 2 + 604_800 / 0.4);
  assert.equal(ledger.time, START + 604_800);
  assert.equal(ledger.blockTime(ledger.slot), ledger.time);
  assert.equal(ledger.blockTime(slot), START);
  assert.equal(ledger.blockTime(ledger.slot + 1), undefined);
});

test('development ledger: slots are as long as they are set to be', { skip: SKIP }, async () => {
  const clock = new TestClock();
  const ledger = await DevelopmentLedger.open({ now: clock.now, slotSeconds: 12_000 });
  const { slot } = ledger;
  const { blockhash } = ledger.blockhashes.latest();
  clock.time += 150 * 12_000;
  ledger.advance();
  assert.equal(ledger.slot, slot + 150);
  assert.equal(ledger.blockTime(slot + 10), START + 10 * 12_000);
  assert.equal(ledger.blockhashes.isValid(blockhash), true);
  clock.time += 12_000;
  ledger.advance();
  assert.equal(ledger.blockhashes.isValid(blockhash), false);
  for (const slotSeconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    await assert.rejects(DevelopmentLedger.open({ now: clock.now, slotSeconds }), TypeError);
  }
});

test('development ledger: programs read the same clock', { skip: SKIP }, async () => {
  const { clock, ledger } = await openWorld();
  clock.time += 1_000_000;
  ledger.advance();
  const data = ledger.account(CLOCK)?.data as Uint8Array;
  const view = new DataView(data.buffer, data.byteOffset);
  assert.equal(view.getBigUint64(0, true), BigInt(ledger.slot));
  assert.equal(view.getBigUint64(16, true), BigInt(Math.floor(ledger.slot / 432_000)));
  assert.equal(view.getBigInt64(32, true), BigInt(START + 1_000_000));
});

test(
  'development ledger: each transaction has a slot, and that has its time',
  { skip: SKIP },
  async () => {
    const { clock, ledger } = await openWorld();
    const to = (await generateKeyPairSigner()).address;
    const ran: ExecutedTransaction[] = [];
    ledger.listen({ executed: (each) => ran.push(each) });
    for (const seconds of [0, 0, 1, 0, 0.3, 1000]) {
      clock.time += seconds;
      ledger.advance();
      const { slot } = ledger;
      ledger.airdrop(to, 1_000_000n);
      assert.equal(ledger.slot, slot + 1);
      assert.equal(ran.at(-1)?.slot, ledger.slot);
      assert.equal(ledger.blockhashes.latest().lastValidBlockHeight, ledger.blockHeight + 150);
    }
    for (const { slot, blockTime } of ran) assert.equal(ledger.blockTime(slot), blockTime);
    let before = START;
    for (let slot = ledger.firstAvailable; slot <= ledger.slot; slot += 1) {
      const time = ledger.blockTime(slot) as number;
      assert.ok(time >= before && time <= ledger.time, `${slot}`);
      before = time;
    }
    assert.equal(before, ledger.time);
  },
);

test(
  'development ledger: an epoch begins with its first slot, be it a transaction’s',
  { skip: SKIP },
  async () => {
    const { clock, ledger } = await openWorld();
    const to = (await generateKeyPairSigner()).address;
    const epoch = (): [number, number] => {
      const data = ledger.account(CLOCK)?.data as Uint8Array;
      const view = new DataView(data.buffer, data.byteOffset);
      return [Number(view.getBigUint64(16, true)), Number(view.getBigInt64(8, true)) - START];
    };
    const [first, begun] = epoch();
    assert.equal(begun, 0);
    // The last slot of the first epoch, then one transaction.
    clock.time += (432_000 - 1 - 2) * 0.4 + 0.1;
    ledger.advance();
    assert.equal(ledger.slot % 432_000, 431_999);
    assert.deepEqual(epoch(), [first, 0]);
    const poor = await generateKeyPairSigner();
    ledger.execute(
      await transactionOf({ ledger, rich: poor }, [transferOf(poor, poor.address, 1n)]),
    );
    assert.deepEqual(epoch(), [first, 0], 'nothing ran');
    ledger.airdrop(to, 1_000_000n);
    assert.deepEqual(epoch(), [first + 1, ledger.time - START]);
    clock.time += 432_000 * 0.4 + 50;
    ledger.advance();
    const [, second] = epoch();
    assert.equal(ledger.blockTime((first + 2) * 432_000), START + second);
    assert.ok(second <= ledger.time - START - 49);
  },
);

test('development ledger: a transfer runs and is reported', { skip: SKIP }, async () => {
  const world = await openWorld();
  const { ledger, rich } = world;
  const to = (await generateKeyPairSigner()).address;
  const told: [ExecutedTransaction, readonly AccountChange[]][] = [];
  const listener: LedgerListener = { executed: (...each) => told.push(each) };
  const end = ledger.listen(listener);
  const wire = await transactionOf(world, [transferOf(rich, to, 1_000_000n)]);
  const executed = ledger.execute(wire);
  assert.ok(hasRun(executed));
  assert.equal(executed.error, null);
  assert.deepEqual(executed.before, [10_000_000_000n, 0n, 1n]);
  assert.deepEqual(executed.after, [9_998_995_000n, 1_000_000n, 1n]);
  assert.equal(ledger.balance(to), 1_000_000n);
  assert.equal(ledger.history.get(wire.signature), executed);
  assert.equal(told[0]?.[0], executed);
  assert.deepEqual(
    told[0][1].map(({ address, account }) => [address, account?.lamports]),
    [
      [rich.address, 9_998_995_000n],
      [to, 1_000_000n],
    ],
  );
  end();
  ledger.airdrop(to, 5n);
  assert.equal(told.length, 1);
});

test(
  'development ledger: what fails is paid for, what cannot pay leaves no trace',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { ledger, rich } = world;
    const tooMuch = transferOf(rich, (await generateKeyPairSigner()).address, 10n ** 15n);
    const failed = ledger.execute(await transactionOf(world, [tooMuch]));
    assert.ok(hasRun(failed));
    assert.deepEqual(failed.error, { InstructionError: [0, { Custom: 1 }] });
    assert.equal(ledger.balance(rich.address), 9_999_995_000n);
    const poor = await generateKeyPairSigner();
    const wire = await transactionOf({ ledger, rich: poor }, [transferOf(poor, rich.address, 1n)]);
    const dropped = ledger.execute(wire);
    assert.equal(hasRun(dropped), false);
    assert.equal(dropped.error, 'AccountNotFound');
    assert.equal(ledger.history.get(wire.signature), undefined);
  },
);

test(
  'development ledger: a forged signature is found, except where none is asked for',
  { skip: SKIP },
  async () => {
    const world = await openWorld();
    const { ledger, rich } = world;
    const { bytes } = await transactionOf(world, [transferOf(rich, rich.address, 1n)]);
    bytes[7] = (bytes[7] as number) ^ 1;
    const forged = parseWireTransaction(bytes);
    assert.equal(ledger.simulate(forged, { verify: true }).error, 'SignatureFailure');
    assert.equal(ledger.simulate(forged, { verify: false }).error, null);
    assert.equal(ledger.execute(forged).error, 'SignatureFailure');
    const before = ledger.balance(rich.address);
    assert.equal(before, 10_000_000_000n, 'nothing was changed');
  },
);

test('development ledger: airdrops of the same amount are two', { skip: SKIP }, async () => {
  const { ledger } = await openWorld();
  const to = (await generateKeyPairSigner()).address;
  const first = ledger.airdrop(to, 1_000_000n);
  assert.notEqual(ledger.airdrop(to, 1_000_000n), first);
  assert.equal(ledger.balance(to), 2_000_000n);
  const tooSmall = (await generateKeyPairSigner()).address;
  assert.equal(ledger.airdrop(tooSmall, 1n), undefined);
});

test('development ledger: it begins with the accounts it is given', { skip: SKIP }, async () => {
  await requireLiteSvm();
  const address = (await generateKeyPairSigner()).address;
  const data = Uint8Array.of(1, 2, 3);
  const ledger = await DevelopmentLedger.open({
    now: () => START,
    accounts: [{ address, owner: SYSTEM, lamports: 7n, data }],
  });
  assert.deepEqual(ledger.account(address)?.data, data);
  assert.equal(ledger.rentExemption(0) > 0n, true);
  const other = await DevelopmentLedger.open({ now: () => START + 1 });
  assert.notEqual(other.genesisHash, ledger.genesisHash);
});

test(
  'development ledger: a program is there from the start, to be run and compared',
  { skip: SKIP },
  async () => {
    const clock = new TestClock();
    const elf = new Uint8Array(readFileSync(join(ROOT, 'chain', 'program', 'assay_feed.so')));
    const programAddress = (await generateKeyPairSigner()).address;
    const programs = [{ address: programAddress, elf }];
    const ledger = await DevelopmentLedger.open({ now: clock.now, programs });
    const rich = await generateKeyPairSigner();
    ledger.airdrop(rich.address, 10_000_000_000n);
    const program = ledger.account(programAddress);
    assert.equal(program?.executable, true);
    const deployed = ledger.account(getAddressDecoder().decode(program.data.subarray(4, 36)));
    assert.deepEqual(deployed?.data.subarray(45), elf);
    assert.equal(deployed.data[12], 0, 'nobody may change it');
    // Epochs later it runs still.
    for (const seconds of [0, 1, 1_000_000]) {
      clock.time += seconds;
      ledger.advance();
      const nonsense = { programAddress, data: Uint8Array.of(200) };
      const { error, logs } = ledger.execute(await transactionOf({ ledger, rich }, [nonsense]));
      assert.match(JSON.stringify(error), /"Custom":60\d\d/);
      assert.match(logs.join(' '), /failed: custom program error/);
    }
  },
);
