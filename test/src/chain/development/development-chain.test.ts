import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { openDevelopmentChain } from '@assay/chain/development/development-chain';
import { SKIP, TestClock, transactionOf, transferOf } from './world.ts';

const ANYONE = 'So11111111111111111111111111111111111111112' as Address;

test(
  'development chain: it goes on after a restart where it was left',
  { skip: SKIP },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-chain-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'chain.jsonl');
    const clock = new TestClock();
    const options = { now: clock.now, file, tickMs: 0 };
    const rich = await generateKeyPairSigner();
    const first = await openDevelopmentChain(options);
    const { ledger } = first;
    assert.notEqual(ledger.airdrop(rich.address, 10_000_000_000n), undefined);
    clock.time += 100.2;
    ledger.advance();
    const wire = await transactionOf({ ledger, rich }, [transferOf(rich, ANYONE, 7_000_000n)]);
    const executed = ledger.execute(wire);
    const failing = transferOf(rich, ANYONE, 10n ** 15n);
    ledger.execute(await transactionOf({ ledger, rich }, [failing]));
    first.close();
    clock.time += 1000;
    const again = await openDevelopmentChain(options);
    t.after(() => again.close());
    assert.equal(again.ledger.genesisHash, ledger.genesisHash);
    assert.equal(again.ledger.balance(rich.address), ledger.balance(rich.address));
    assert.equal(again.ledger.balance(ANYONE), ledger.balance(ANYONE));
    assert.deepEqual(again.ledger.history.get(wire.signature), executed);
    assert.equal(again.ledger.history.total, 3);
    assert.equal(again.ledger.slot, ledger.slot + 2500);
    // The faucet does not give what it gave before.
    assert.notEqual(again.ledger.airdrop(rich.address, 10_000_000_000n), undefined);
    again.close();
    const third = await openDevelopmentChain(options);
    t.after(() => third.close());
    assert.equal(third.ledger.history.total, 4);
  },
);

test(
  'development chain: its file says how long a slot is, so that transactions have theirs again',
  { skip: SKIP },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-chain-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'chain.jsonl');
    const clock = new TestClock();
    const options = { now: clock.now, file, tickMs: 0 };
    const rich = await generateKeyPairSigner();
    const first = await openDevelopmentChain({ ...options, slotSeconds: 12_000 });
    const { ledger } = first;
    assert.notEqual(ledger.airdrop(rich.address, 10_000_000_000n), undefined);
    clock.time += 60_001;
    ledger.advance();
    const wire = await transactionOf({ ledger, rich }, [transferOf(rich, ANYONE, 7_000_000n)]);
    ledger.execute(wire);
    const slot = ledger.history.get(wire.signature)?.slot;
    first.close();
    // Another length, and none: the file wins.
    for (const other of [{ slotSeconds: 0.4 }, {}]) {
      const again = await openDevelopmentChain({ ...options, ...other });
      assert.equal(again.ledger.slotSeconds, 12_000);
      assert.equal(again.ledger.history.get(wire.signature)?.slot, slot);
      assert.equal(again.ledger.slot, ledger.slot);
      again.close();
    }
  },
);

test(
  'development chain: subscribers hear of slots though nobody calls',
  { skip: SKIP },
  async (t) => {
    const clock = new TestClock();
    const chain = await openDevelopmentChain({ now: clock.now, tickMs: 1 });
    t.after(() => chain.close());
    const told: unknown[] = [];
    const subscriber = chain.subscribe((each) => told.push(each));
    subscriber.methods.get('slotSubscribe')?.([]);
    clock.time += 4;
    while (told.length === 0) await sleep(1);
    assert.equal(told.length, 1);
  },
);
