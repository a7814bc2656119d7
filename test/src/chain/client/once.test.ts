import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FeedClient } from '@assay/chain/client/feed-client';
import type { Outcome, Outgoing, Sender } from '@assay/chain/client/sender';
import { isRecordOf } from '@assay/chain/client/print-record';
import { pageAddress } from '@assay/chain/addresses';
import { Fault } from '@assay/core/fault';
import { parseFeed } from '@assay/core/feed/feed-account';
import { ordinalOf, pagePlace } from '@assay/core/feed/ordinal';
import { parsePage } from '@assay/core/feed/page-account';
import type { Print } from '@assay/core/report/print';
import { needsSvm } from '../fixture/world.ts';
import { flakyRpc, LIES, type Trouble, TROUBLED, type Troubles, TROUBLES } from './flaky.ts';
import { type ClientWorld, openClientWorld, PERIOD, PROGRAM, publishPrint } from './world.ts';

/** How often somebody starts anew, as a node does. */
const LIVES = 60;

/** The bits of those whom the record of a print shows as co-signed; undefined where it does not stand. */
async function cosignersOf(world: ClientWorld, print: Print): Promise<number | undefined> {
  const { ledger } = world.chain;
  const { index, slot } = pagePlace(ordinalOf('week_ending_saturday', print.period));
  const [address] = await pageAddress(PROGRAM, world.feed, index);
  const account = ledger.account(address);
  if (account === undefined) return undefined;
  const found = parsePage(account.data).slots[slot] ?? null;
  const record = print.status === 'provisional' ? found?.provisional : found?.settled;
  const feed = parseFeed(ledger.account(world.feed)?.data ?? new Uint8Array());
  const stands = record !== undefined && record !== null && isRecordOf(feed, record, print);
  return stands ? record.cosigners : undefined;
}

/** Until a transaction that is out can no longer land, or its end is known. */
async function settle(world: ClientWorld, sender: Sender, out: Outgoing): Promise<Outcome> {
  for (;;) {
    try {
      const outcome = await sender.outcome(out);
      if (outcome.kind !== 'pending') return outcome;
    } catch (error) {
      assert.ok(error instanceof Fault, String(error));
    }
    world.time.seconds += 5;
  }
}

/** Brings a print through a node with troubles, as one who keeps what is out and is killed now and then. */
async function bringThrough(
  world: ClientWorld,
  troubles: Troubles,
  fields: Partial<Print>,
): Promise<readonly Outgoing[]> {
  const outs: Outgoing[] = [];
  const print = world.print(fields);
  for (let life = 0; life < LIVES; life += 1) {
    const crash = new AbortController();
    const rpc = flakyRpc(world.chain, world.time, troubles, () => crash.abort());
    const client: FeedClient = world.client(rpc);
    for (const out of outs) await settle(world, world.sender({ rpc }), out);
    try {
      const done = await publishPrint(world, client, fields, {
        signal: crash.signal,
        onOut: async (out) => {
          outs.push(out);
          await Promise.resolve();
        },
      });
      const bits = await cosignersOf(world, print);
      assert.equal(bits, 2 ** world.cosigners.length - 1, `${done.kind} was said too soon`);
      return outs;
    } catch (error) {
      assert.ok(error instanceof Fault, String((error as Error).stack));
      // A node that is not asked answers nothing wrong: what it refuses is refused.
      assert.ok(error.code !== 'refused' || error.message.startsWith('Solana RPC'), error.message);
    }
    world.time.seconds += 5;
  }
  throw new Error(`not there after ${LIVES} lives`);
}

/** Troubles of each method; those that make it give up at once are not the most interesting. */
function troublesOf(kinds: readonly Trouble[]): fc.Arbitrary<Troubles> {
  const each = fc.array(fc.constantFrom(...kinds), { maxLength: 10 });
  return fc.record(Object.fromEntries(TROUBLED.map((method) => [method, each])));
}

/** `transactions`: how many it takes to bring a print and all who signed it. */
function propertyOf(
  world: ClientWorld,
  kinds: readonly Trouble[],
  mayPayMore: boolean,
  transactions = 1,
) {
  let week = PERIOD;
  return fc.asyncProperty(troublesOf(kinds), fc.boolean(), async (troubles, isFinal) => {
    week -= 7;
    const { ledger } = world.chain;
    const payer = world.payer.address;
    const paidBefore = world.paid.length;
    const ranBefore = ledger.history.total;
    const balance = ledger.balance(payer);
    const rent = pagesRent(world);
    const fields: Partial<Print> = { period: week, status: isFinal ? 'final' : 'provisional' };
    const outs = await bringThrough(world, structuredClone(troubles), fields);
    assert.equal(await cosignersOf(world, world.print(fields)), 2 ** world.cosigners.length - 1);
    const ran = ledger.history.newest(ledger.history.total - ranBefore);
    const landed = ran.length;
    assert.equal(ran.filter(({ error }) => error === null).length, transactions);
    if (!mayPayMore) assert.equal(landed, transactions, 'paid more than once');
    // Whatever was paid was out before, and is accounted for.
    const fees = ran.reduce((sum, { fee }) => sum + fee, 0n);
    assert.equal(balance - ledger.balance(payer), fees + pagesRent(world) - rent);
    const told = new Map(world.paid.slice(paidBefore).map((each) => [each.transaction, each]));
    for (const { wire, fee, error } of ran) {
      const out = outs.find(({ signature }) => signature === wire.signature);
      assert.ok(out, 'a transaction landed that nobody was told of');
      const outcome = await world.sender().outcome(out);
      assert.equal(outcome.kind, error === null ? 'finalized' : 'failed');
      assert.ok('fee' in outcome && outcome.fee === fee);
      const paid = told.get(wire.signature);
      if (!mayPayMore) assert.ok(paid === undefined || paid.fee === fee);
    }
  });
}

/** What stands in the pages' accounts. */
function pagesRent({ chain: { ledger } }: ClientWorld): bigint {
  return ledger.accountsOf(PROGRAM).reduce((sum, { lamports }) => sum + lamports, 0n);
}

test(
  'once: whatever the node does, a print stands once and is paid for once',
  needsSvm,
  async (t) => {
    const world = await openClientWorld();
    t.after(() => world.chain.close());
    await fc.assert(propertyOf(world, TROUBLES, false), { numRuns: 120 });
  },
);

test(
  'once: a node that lies can make it pay for more, and no more than that',
  needsSvm,
  async (t) => {
    const world = await openClientWorld();
    t.after(() => world.chain.close());
    await fc.assert(propertyOf(world, [...TROUBLES, ...LIES, ...LIES], true), { numRuns: 120 });
  },
);

test(
  'once: co-signers that do not fit are brought by a second transaction, once',
  needsSvm,
  async (t) => {
    const world = await openClientWorld({ cosigners: 8 });
    t.after(() => world.chain.close());
    await fc.assert(propertyOf(world, TROUBLES, false, 2), { numRuns: 60 });
  },
);
