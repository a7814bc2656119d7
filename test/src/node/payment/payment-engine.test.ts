// The table of faults: each row says what the buyer gets, and what was taken from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http';
import { PaymentRequiredV2Schema } from '@x402/core/schemas';
import { Fault } from '@assay/core/fault';
import type { WholeReply } from '@assay/node/http/request';
import type { PaymentPayload } from '@assay/node/payment/facilitator';
import { openJws } from '@assay/node/payment/jws';
import { MAX_REQUIRED_HEADER } from '@assay/node/payment/payment-required';
import {
  advanceNonce,
  type Answered,
  changed,
  notListed,
  openWorld,
  type PayOptions,
  PRICE,
  renamed,
  transactionIn,
  type World,
  type WorldOptions,
} from './fixture/payment-world.ts';

const ID = 'purchase-0000000001';
const ETH = '/history/ETH?days=3';

/** Runs `work` and says what the buyer paid and the seller got meanwhile. They must be the same. */
async function charged(world: World, work: () => Promise<void>): Promise<bigint> {
  const before = await world.balances();
  await work();
  const after = await world.balances();
  assert.equal(before[0] - after[0], after[1] - before[1]);
  return before[0] - after[0];
}

function errorOf({ body }: Answered): string {
  return (JSON.parse(body) as { error: string }).error;
}

/** Every call of a method of the store fails, until what it returns is called. */
function fullDisk(
  { store }: World,
  method: 'hand' | 'add' | 'update' | 'byIdentifier' | 'body',
): () => void {
  const own = store[method];
  Object.assign(store, { [method]: () => Promise.reject(new Fault('no_room', 'payments')) });
  return () => Object.assign(store, { [method]: own });
}

interface Row {
  readonly fault: string;
  readonly options?: WorldOptions;
  /** How many times the price is taken. */
  readonly times: bigint;
  readonly run: (world: World) => Promise<void>;
}

async function unpaidFor(world: World, target: string, pay: PayOptions): Promise<void> {
  const header = await world.pay(target, ID, pay);
  const answer = await world.get(target, header);
  assert.equal(answer.status, 402, answer.body);
  assert.equal(
    decodePaymentResponseHeader(answer.headers['payment-response'] ?? '').success,
    false,
  );
  assert.equal(await world.store.byIdentifier(ID), undefined);
}

/** What changes after a transfer was handed out, so that what it buys is refused. */
const REFUSALS: readonly {
  readonly why: string;
  readonly change: (world: World) => Promise<void>;
  /** What a payment gets that nobody was given. */
  readonly error: RegExp;
}[] = [
  {
    why: 'the path has no price any more',
    change: (world) => world.restart({ terms: { prices: {} } }),
    error: /^tier_closed$/,
  },
  {
    why: 'the price changes and the offer is over',
    async change(world) {
      world.nowMs += 61_000;
      await world.restart({ terms: { prices: { '/history/:symbol': '20000' } } });
    },
    error: /the terms that the payment accepts/,
  },
  {
    why: 'the service has another address',
    change: (world) => world.restart({ terms: { origin: 'https://new.example' } }),
    error: /the memo of the transfer/,
  },
  {
    why: 'there is nothing to sell',
    change(world) {
      world.check = notListed;
      return Promise.resolve();
    },
    error: /^not_listed$/,
  },
];

const TABLE: readonly Row[] = [
  {
    fault: 'none: paid',
    times: 1n,
    async run(world) {
      const answer = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.headers['cache-control'], 'private, no-store');
      assert.deepEqual(JSON.parse(answer.body), { of: '/history/ETH?days=3', n: 1 });
    },
  },
  {
    fault: 'ten copies at once',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const { prepared } = world;
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.get(ETH, header)));
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
      assert.equal(answers[0]?.status, 200);
      assert.equal(world.prepared - prepared, 1, 'the work is done once');
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'ten copies at once, while the facilitator is down',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      const answers = await Promise.all(Array.from({ length: 10 }, () => world.get(ETH, header)));
      for (const answer of answers) assert.equal(errorOf(answer), 'settlement_unknown');
      assert.equal(world.facilitator.settled.length, 1, 'one attempt for all');
    },
  },
  {
    fault: 'the transfer runs with an error, and the facilitator calls it settled',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'fails';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown', 'it is not final');
      world.chain.tip += 32;
      assert.equal((await world.get(ETH, header)).status, 402, 'the chain shows that it failed');
    },
  },
  {
    fault: 'ten signatures for one purchase at once: four wait for each other',
    times: 1n,
    async run(world) {
      const headers = await Promise.all(Array.from({ length: 10 }, () => world.pay(ETH, ID)));
      const answers = await Promise.all(headers.map((header) => world.get(ETH, header)));
      const served = answers.filter(({ status }) => status === 200);
      assert.equal(served.length, 4);
      for (const answer of served) assert.deepEqual(answer, served[0]);
      const refused = answers.filter(({ status }) => status !== 200);
      for (const answer of refused) assert.equal(errorOf(answer), 'busy');
      assert.equal(world.facilitator.settled.length, 1);
      for (const header of headers) assert.deepEqual(await world.get(ETH, header), served[0]);
    },
  },
  {
    fault: 'a stranger without money queues transfers under one identifier, and with one key',
    times: 2n,
    async run(world) {
      const paid = await world.pay(ETH, ID);
      const first = await world.get(ETH, paid);
      assert.equal(first.status, 200);
      const payer = await generateKeyPairSigner();
      const attack = await Promise.all(
        Array.from({ length: 300 }, (_, i) => {
          const id = i < 150 ? 'stranger-0000000001' : `stranger-000000${i}`;
          return world.pay(ETH, id, { payer });
        }),
      );
      let release = (): void => undefined;
      world.facilitator.faults.checks = new Promise((resolve) => {
        release = resolve;
      });
      const answers = attack.map((header) => world.get(ETH, header));
      for (let i = 0; i < 200; i += 1) await new Promise(setImmediate);
      assert.deepEqual(await world.get(ETH, paid), first, 'who has paid');
      assert.deepEqual(await world.get(ETH, await world.pay(ETH, ID)), first, 'signed again');
      const buying = world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      for (let i = 0; i < 200; i += 1) await new Promise(setImmediate);
      release();
      assert.equal((await buying).status, 200, 'who buys');
      const refused = (await Promise.all(answers)).map(errorOf);
      assert.ok(refused.filter((error) => error === 'busy').length >= 296);
    },
  },
  {
    fault: 'all places are taken: who has paid is answered',
    times: 1n,
    async run(world) {
      const paid = await world.pay(ETH, ID);
      const first = await world.get(ETH, paid);
      const headers = await Promise.all(
        Array.from({ length: 256 }, async (_, i) => {
          const payer = await generateKeyPairSigner();
          return world.pay(ETH, `stranger-0000000${100 + i}`, { payer });
        }),
      );
      let release = (): void => undefined;
      world.facilitator.faults.checks = new Promise((resolve) => {
        release = resolve;
      });
      const answers = headers.map((header) => world.get(ETH, header));
      const buying = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      assert.equal(errorOf(buying), 'busy');
      assert.doesNotMatch(buying.body, /othing was charged/);
      assert.deepEqual(await world.get(ETH, paid), first);
      release();
      for (const { status } of await Promise.all(answers)) assert.equal(status, 402);
    },
  },
  {
    fault: 'many payers with invented blockhashes: a few of them wait for the node of the chain',
    times: 0n,
    async run(world) {
      const headers = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => {
          const payer = await generateKeyPairSigner();
          return world.pay(ETH, `stranger-00000000${10 + i}`, { payer });
        }),
      );
      world.chain.knowsBlockhashes = false;
      let asked = 0;
      const own = world.chain.isRecent.bind(world.chain);
      world.chain.isRecent = async () => {
        asked += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
        return own();
      };
      const answers = await Promise.all(headers.map((header) => world.get(ETH, header)));
      for (const answer of answers) assert.equal(errorOf(answer), 'facilitator_unavailable');
      assert.ok(asked < 60 * 8, `it was asked ${asked} times`);
    },
  },
  {
    fault: 'what is paid is read once for all who ask for it at the same time',
    times: 1n,
    async run(world) {
      const headers = await Promise.all(Array.from({ length: 20 }, () => world.pay(ETH, ID)));
      const [header = ''] = headers;
      const first = await world.get(ETH, header);
      let reads = 0;
      const own = world.store.body.bind(world.store);
      world.store.body = async (key) => {
        reads += 1;
        await new Promise(setImmediate);
        return own(key);
      };
      const answers = await Promise.all(headers.map((each) => world.get(ETH, each)));
      for (const answer of answers) assert.deepEqual(answer, first);
      assert.ok(reads < 20, `it was read ${reads} times`);
    },
  },
  {
    fault: 'the same payment again',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const first = await world.get(ETH, header);
      assert.equal(first.status, 200);
      assert.deepEqual(await world.get(ETH, header), first);
      assert.deepEqual(await world.get('/v1/history/ETH?days=3', header), first, 'with a version');
      await world.restart();
      assert.deepEqual(await world.get(ETH, header), first, 'after a restart');
    },
  },
  {
    fault: 'signed again for the same purchase, because the answer was lost',
    times: 1n,
    async run(world) {
      const first = await world.get(ETH, await world.pay(ETH, ID));
      const again = await world.get(ETH, await world.pay(ETH, ID));
      assert.deepEqual(again, first);
    },
  },
  {
    fault: 'asking without a payment, or with one that is refused, costs no answer',
    times: 0n,
    async run(world) {
      const payer = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { payer });
      await unpaidFor(world, ETH, { amount: 1n });
      assert.equal(world.prepared, 0);
    },
  },
  {
    fault: 'a header that is no payment',
    times: 0n,
    async run(world) {
      const base64 = (value: unknown): string =>
        Buffer.from(JSON.stringify(value)).toString('base64');
      const good = await world.pay(ETH, ID);
      const payload = JSON.parse(Buffer.from(good, 'base64').toString()) as Record<string, object>;
      for (const header of [
        '%%%',
        '',
        base64(5),
        base64(null),
        base64([]),
        base64({ x402Version: 2 }),
        base64({ ...payload, x402Version: 1 }),
        base64({ ...payload, payload: {} }),
        base64({ ...payload, payload: { transaction: 'AAAA' } }),
        base64({ ...payload, payload: { transaction: 'A'.repeat(4000) } }),
        base64({ ...payload, extensions: {} }),
        base64({ ...payload, extensions: { 'payment-identifier': { info: { id: 'short' } } } }),
        good.slice(0, good.length / 2),
        'A'.repeat(20_000),
      ]) {
        const answer = await world.get(ETH, header);
        assert.equal(answer.status, 400, header.slice(0, 40));
        assert.equal(errorOf(answer), 'invalid_payment');
      }
      assert.equal(world.facilitator.verified, 0);
    },
  },
  {
    fault: 'a transfer whose signature is of another message',
    times: 0n,
    async run(world) {
      const bytes = Buffer.from(await world.transfer(), 'base64');
      // The payer's signature is the second: 1 byte with their number, then 64 bytes each.
      bytes.writeUInt8(bytes.readUInt8(70) ^ 1, 70);
      const header = await world.pay(ETH, ID, { transaction: bytes.toString('base64') });
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 400);
      assert.match(answer.body, /not signed by its payer/);
    },
  },
  {
    fault: 'a transfer that lives for ever',
    times: 0n,
    async run(world) {
      const before = [advanceNonce(world.buyer.address)];
      const answer = await world.get(ETH, await world.pay(ETH, ID, { before }));
      assert.equal(answer.status, 400);
      assert.match(answer.body, /the programs of the scheme/);
    },
  },
  {
    fault: 'facilitator down at verify',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'down';
      const down = await world.get(ETH, header);
      assert.equal(down.status, 503);
      assert.equal(errorOf(down), 'facilitator_unavailable');
      assert.match(down.headers['retry-after'] ?? '', /^\d+$/);
      world.facilitator.faults.verify = undefined;
      assert.equal((await world.get(ETH, header)).status, 200, 'the same payment afterwards');
    },
  },
  {
    fault: 'the facilitator settles when it is asked to verify, and says "invalid"',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'sends';
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200, answer.body);
      world.facilitator.faults.verify = undefined;
      assert.deepEqual(await world.get(ETH, header), answer);
      assert.deepEqual(await world.get(ETH, await world.pay(ETH, ID)), answer, 'signed again');
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'the facilitator settles when it is asked to verify, and does not answer: signed again',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'vanishes';
      assert.equal(errorOf(await world.get(ETH, header)), 'facilitator_unavailable');
      world.facilitator.faults.verify = undefined;
      await world.restart();
      const answer = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(answer.status, 200, answer.body);
      assert.equal(world.facilitator.handed.length, 1, 'the second transfer is not handed out');
      assert.deepEqual(await world.get(ETH, header), answer);
    },
  },
  {
    fault: 'the facilitator settles when it is asked to verify, and never answers',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'vanishes';
      const first = await world.get(ETH, header);
      assert.equal(errorOf(first), 'facilitator_unavailable');
      assert.doesNotMatch(first.body, /othing was charged/);
      world.facilitator.faults.verify = 'down';
      world.chain.isUp = false;
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.isUp = true;
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200, answer.body);
      assert.equal(world.facilitator.settled.length, 0);
      assert.deepEqual(await world.get(ETH, await world.pay(ETH, ID)), answer, 'signed again');
    },
  },
  ...REFUSALS.map(({ why, change, error }): Row => ({
    fault: `the facilitator settles when it is asked to verify, does not answer, and then ${why}`,
    times: 3n,
    async run(world) {
      const ids = [ID, 'purchase-0000000002', 'purchase-0000000003'];
      const headers = await Promise.all(ids.map((id) => world.pay(ETH, id)));
      const again = await world.pay(ETH, ids[1] ?? '');
      const unsent = await world.pay(ETH, 'purchase-0000000004');
      world.facilitator.faults.verify = 'vanishes';
      for (const header of headers) {
        assert.equal(errorOf(await world.get(ETH, header)), 'facilitator_unavailable');
      }
      world.facilitator.faults.verify = undefined;
      await change(world);
      const [first = '', , third = ''] = headers;
      const answer = await world.get(ETH, first);
      assert.equal(answer.status, 200, answer.body);
      assert.equal((await world.get(ETH, again)).status, 200, 'signed again');
      assert.deepEqual(await world.get(ETH, first), answer);
      world.chain.isUp = false;
      assert.equal(errorOf(await world.get(ETH, third)), 'settlement_unknown', 'nobody can say');
      world.chain.isUp = true;
      assert.equal((await world.get(ETH, third)).status, 200);
      assert.match(errorOf(await world.get(ETH, unsent)), error, 'it was never handed out');
      assert.equal(world.facilitator.settled.length, 0);
    },
  })),
  ...REFUSALS.map(({ why, change, error }): Row => ({
    fault: `the facilitator calls a payment invalid, and then ${why}: refused when it is over`,
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const again = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'refuses';
      assert.equal((await world.get(ETH, header)).status, 402);
      await change(world);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown', 'it can still run');
      assert.equal(errorOf(await world.get(ETH, again)), 'settlement_unknown', 'signed again');
      assert.equal(world.facilitator.handed.length, 1);
      world.chain.expire();
      assert.match(errorOf(await world.get(ETH, header)), error);
    },
  })),
  {
    fault: 'the facilitator calls a payment invalid, and sends it when the buyer has signed again',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const transaction = transactionIn(header);
      world.facilitator.faults.verify = 'refuses';
      assert.equal((await world.get(ETH, header)).status, 402);
      const again = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(errorOf(again), 'settlement_unknown', 'the first can still run');
      assert.deepEqual(new Set(world.facilitator.handed), new Set([transaction]));
      world.chain.run(transaction);
      world.facilitator.faults.verify = undefined;
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'the facilitator calls a payment invalid, and it cannot run any more: signed again',
    times: 1n,
    async run(world) {
      world.facilitator.faults.verify = 'refuses';
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 402);
      world.facilitator.faults.verify = undefined;
      world.chain.expire();
      const header = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, header)).status, 200);
      assert.deepEqual(world.facilitator.settled, [transactionIn(header)]);
    },
  },
  {
    fault:
      'facilitator down at verify, and signed again when it is back: the first transfer is used',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const transaction = transactionIn(header);
      world.facilitator.faults.verify = 'down';
      assert.equal((await world.get(ETH, header)).status, 503);
      world.facilitator.faults.verify = undefined;
      const answer = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(answer.status, 200);
      assert.deepEqual(world.facilitator.settled, [transaction]);
      assert.deepEqual(await world.get(ETH, header), answer);
    },
  },
  {
    fault: 'a transfer that a facilitator sent and called invalid is copied from the chain',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const transaction = transactionIn(header);
      world.facilitator.faults.verify = 'vanishes';
      await world.get(ETH, header);
      const copied = await world.pay(ETH, 'somebody-elses-0001', { transaction });
      assert.equal((await world.get(ETH, copied)).status, 409);
      assert.equal((await world.get(ETH, header)).status, 200);
      assert.equal((await world.get(ETH, copied)).status, 409, 'also after it has a record');
      world.facilitator.faults.verify = undefined;
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'the facilitator says "invalid", and the chain cannot be asked whether it was settled',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'sends';
      world.chain.refusal = () => new Fault('timeout', 'Solana RPC');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.refusal = undefined;
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'a node of the chain that does not know the blockhash: nothing is handed out',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.chain.knowsBlockhashes = false;
      assert.equal(errorOf(await world.get(ETH, header)), 'facilitator_unavailable');
      assert.equal(world.facilitator.verified, 0);
    },
  },
  {
    fault: 'the blockhash of a transfer is over before it came: its buyer is asked to sign again',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.chain.knowsBlockhashes = false;
      for (let i = 0; i < 20; i += 1) {
        assert.equal(errorOf(await world.get(ETH, header)), 'facilitator_unavailable');
        world.nowMs += 1000;
      }
      world.nowMs += 30_000;
      const over = await world.get(ETH, header);
      assert.equal(over.status, 402, over.body);
      assert.match(errorOf(over), /sign again/);
      const again = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, again)), 'facilitator_unavailable', 'it may lag');
      assert.equal(world.facilitator.verified, 0);
      world.chain.knowsBlockhashes = true;
      assert.equal((await world.get(ETH, again)).status, 200);
    },
  },
  {
    fault: 'what was handed out is free now',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'refuses';
      assert.equal((await world.get(ETH, header)).status, 402);
      world.check = (request) => ({ ...(notListed(request) as WholeReply), status: 200 });
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'a node of another chain: nothing is handed out',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.chain.id = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
      assert.equal(errorOf(await world.get(ETH, header)), 'facilitator_unavailable');
      assert.equal(world.facilitator.verified, 0);
      assert.equal(await world.store.byIdentifier(ID), undefined);
    },
  },
  {
    fault: 'a payment that was called lost has settled: a new signature is answered from it',
    times: 1n,
    async run(world) {
      const answer = await world.get(ETH, await world.pay(ETH, ID));
      const payment = await world.store.byIdentifier(ID);
      assert.ok(payment);
      await world.store.update(payment, { state: 'lost' });
      const again = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(errorOf(again), 'settlement_unknown', 'it can still become final');
      world.chain.expire();
      assert.deepEqual(await world.get(ETH, await world.pay(ETH, ID)), answer);
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'a payment that is lost is bought again only where the chain shows that it never ran',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, header)).status, 200);
      const payment = await world.store.byIdentifier(ID);
      assert.ok(payment);
      world.chain.reorganise(transactionIn(header));
      world.chain.expire();
      await world.store.update(payment, { state: 'lost' });
      world.chain.oldest = payment.head.slot;
      const unproven = await world.get(ETH, await world.pay(ETH, ID));
      assert.equal(errorOf(unproven), 'settlement_unknown');
      world.chain.oldest = 0;
      const payer = await generateKeyPairSigner();
      assert.equal((await world.get(ETH, await world.pay(ETH, ID, { payer }))).status, 409);
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'chain down before the settlement',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.chain.isUp = false;
      const answer = await world.get(ETH, header);
      assert.equal(errorOf(answer), 'facilitator_unavailable');
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'facilitator down at settle',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      const unknown = await world.get(ETH, header);
      assert.equal(unknown.status, 503);
      assert.equal(errorOf(unknown), 'settlement_unknown');
      assert.match(unknown.headers['retry-after'] ?? '', /^\d+$/);
      world.facilitator.faults.settle = undefined;
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'facilitator down at settle, for good',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      const other = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, other)), 'settlement_unknown', 'a new signature');
      assert.equal(world.facilitator.settled.length, 1, 'the second transfer is not sent');
      world.chain.expire();
      assert.equal(world.store.tally.unknown, 2, 'both are counted');
      assert.equal((await world.get(ETH, header)).status, 402, 'it cannot be made any more');
      assert.equal((await world.store.byIdentifier(ID))?.state, 'failed');
    },
  },
  {
    fault: 'a payment that failed for good frees its identifier',
    times: 1n,
    async run(world) {
      world.facilitator.faults.settle = 'down';
      await world.get(ETH, await world.pay(ETH, ID));
      world.chain.expire();
      world.facilitator.faults.settle = undefined;
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'settled, and the answer of the facilitator is lost',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lost';
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200, 'the chain shows it at once');
      assert.deepEqual(await world.get(ETH, header), answer);
    },
  },
  {
    fault: 'settled, the answer is lost, and the chain cannot be read',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lost';
      world.facilitator.faults.onSettle = () => {
        world.chain.isUp = false;
      };
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      await world.restart();
      world.chain.isUp = true;
      const answer = await world.get(ETH, header);
      assert.equal(answer.status, 200);
      assert.equal(world.facilitator.settled.length, 1);
    },
  },
  {
    fault: 'settled, and the facilitator says that it failed',
    times: 1n,
    async run(world) {
      world.facilitator.faults.settle = 'denies';
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'the facilitator says that it failed, which is true',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'refuses';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'the buyer leaves while it is settled',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      let release = (): void => undefined;
      world.facilitator.faults.wait = new Promise((resolve) => {
        release = resolve;
      });
      const left = world.get(ETH, header);
      const again = world.get(ETH, header);
      release();
      assert.equal((await again).status, 200);
      assert.deepEqual(await again, await left);
    },
  },
  {
    fault: 'the node ends between the record and the settlement',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.wait = new Promise(() => undefined);
      void world.get(ETH, header);
      for (let i = 0; i < 5000 && world.facilitator.settled.length === 0; i += 1) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      world.facilitator.faults.wait = undefined;
      await world.restart();
      assert.equal((await world.store.byIdentifier(ID))?.state, 'settling');
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the handler throws, or has nothing to sell',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.check = notListed;
      assert.equal((await world.get(ETH, header)).status, 404);
      assert.equal((await world.get(ETH)).status, 404, 'nobody is asked to pay for that');
      assert.equal(world.facilitator.verified, 0);
      world.check = undefined;
      world.prepare = notListed;
      assert.equal((await world.get(ETH, header)).status, 404);
      world.prepare = () => {
        throw new Error('broken');
      };
      await assert.rejects(world.get(ETH, header), /broken/);
      assert.equal(world.facilitator.settled.length, 0);
    },
  },
  {
    fault: 'signed for A, spent on B',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, header)).status, 200);
      for (const other of ['/board/at', '/history/ETH?days=4', '/history/BTC?days=3']) {
        const answer = await world.get(other, header);
        assert.equal(answer.status, 409, other);
        assert.equal(errorOf(answer), 'payment_conflict');
      }
    },
  },
  {
    fault: 'signed for A, spent on B while A is being bought',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const [first, second] = await Promise.all([
        world.get('/board/at', header),
        world.get(ETH, header),
      ]);
      assert.deepEqual([first?.status, second?.status], [409, 200]);
    },
  },
  {
    fault: 'signed for A, and B sees it first',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const named = await world.get('/board/at', header);
      assert.equal(errorOf(named), 'payment_conflict');
      // Whoever copies it says that it was signed for B. The memo that was signed says what it is.
      const lies: readonly ((payload: PaymentPayload) => object)[] = [
        (payload) => ({ ...payload, resource: undefined }),
        (payload) => ({ ...payload, resource: { url: 'https://tier.example/board/at' } }),
        (payload) => ({ ...payload, resource: { url: 'no address' } }),
      ];
      for (const lie of lies) {
        const answer = await world.get('/board/at', changed(header, lie));
        assert.equal(answer.status, 402, answer.body);
        assert.match(errorOf(answer), /memo/);
      }
      assert.equal(world.facilitator.verified, 0, 'nobody was asked');
      assert.equal((await world.get(ETH, header)).status, 200, 'it buys what it was signed for');
    },
  },
  {
    fault: 'terms of A accepted with a nonce of B, or with none',
    times: 0n,
    async run(world) {
      const board = transactionIn(await world.pay('/board/at', ID));
      for (const nonce of [undefined, 'short', 7, 'A'.repeat(22)]) {
        const change = (payload: PaymentPayload): object => ({
          ...payload,
          accepted: { ...payload.accepted, extra: { ...payload.accepted.extra, nonce } },
        });
        await unpaidFor(world, ETH, { change });
        await unpaidFor(world, ETH, { change, transaction: board });
      }
      for (const extra of [undefined, null, {}]) {
        const change = (payload: PaymentPayload): object => ({
          ...payload,
          accepted: { ...payload.accepted, extra },
        });
        await unpaidFor(world, ETH, { change });
      }
      await unpaidFor(world, ETH, { memo: 'any other text' });
      await unpaidFor(world, ETH, { memo: '' });
    },
  },
  {
    fault: 'two memos, so that one transfer would pay for A and for B',
    times: 0n,
    async run(world) {
      const memo = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as Address;
      const before = [{ programAddress: memo, data: Buffer.from('another memo') }];
      const answer = await world.get(ETH, await world.pay(ETH, ID, { before }));
      assert.equal(answer.status, 400);
      assert.match(answer.body, /one memo/);
    },
  },
  {
    fault: 'signed for another shop that has the same account, and for the same shop elsewhere',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const elsewhere = { origin: 'https://other.example' };
      const others = [
        await openWorld({ beside: world, terms: elsewhere }),
        // The same address, with another key: two nodes that know nothing of each other.
        await openWorld({ beside: world }),
      ];
      for (const other of others) {
        const answer = await other.get(ETH, header);
        assert.equal(answer.status, 402);
        assert.match(errorOf(answer), /memo/);
      }
      assert.equal((await world.get(ETH, header)).status, 200);
      for (const other of others) assert.equal((await other.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'two purchases of the same in one block of the chain',
    times: 2n,
    async run(world) {
      const blockhash = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1EtWTRABZaYq6';
      const headers = [
        await world.pay(ETH, ID, { blockhash }),
        await world.pay(ETH, 'purchase-0000000002', { blockhash }),
      ];
      for (const header of headers) assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'what was bought is not sold any more, or is sold elsewhere',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const again = await world.pay(ETH, ID);
      const late = await world.pay(ETH, 'purchase-0000000002');
      const first = await world.get(ETH, header);
      assert.equal(first.status, 200);
      for (const terms of [{ prices: {} }, { origin: 'https://new.example' }]) {
        await world.restart({ terms });
        assert.deepEqual(await world.get(ETH, header), first);
        assert.deepEqual(await world.get(ETH, again), first, 'signed again');
        assert.equal((await world.get('/board/at', header)).status, 409, 'it buys nothing else');
      }
      assert.equal((await world.get(ETH, late)).status, 402, 'it was signed for the old address');
      await world.restart({ terms: { prices: {} } });
      for (const answer of [
        await world.get(ETH),
        await world.get(`${ETH}&sample=true`),
        await world.get(ETH, 'no payment'),
        await world.get(ETH, late),
      ]) {
        assert.equal(errorOf(answer), 'tier_closed');
      }
    },
  },
  {
    fault: 'what was being bought is not sold any more when it settles',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.facilitator.faults.settle = undefined;
      await world.restart({ terms: { prices: {} } });
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'a transaction copied from the chain',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, header)).status, 200);
      const answer = await world.get(ETH, renamed(header, 'somebody-elses-0001'));
      assert.equal(answer.status, 409);
      assert.doesNotMatch(answer.body, /"of"/);
    },
  },
  {
    fault: "somebody else's identifier",
    times: 1n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const payer = await generateKeyPairSigner();
      const answer = await world.get(ETH, await world.pay(ETH, ID, { payer }));
      assert.equal(answer.status, 409);
    },
  },
  {
    fault: 'a payer without funds',
    times: 0n,
    async run(world) {
      const payer = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { payer });
    },
  },
  {
    fault: 'a transfer of another amount, asset or receiver than accepted',
    times: 0n,
    async run(world) {
      const { address } = await generateKeyPairSigner();
      await unpaidFor(world, ETH, { amount: PRICE - 1n });
      await unpaidFor(world, ETH, { amount: PRICE + 1n });
      await unpaidFor(world, ETH, { mint: address });
      await unpaidFor(world, ETH, { to: address });
      assert.equal(world.facilitator.verified, 0, 'the facilitator is not needed for that');
    },
  },
  {
    fault: 'accepted terms that were lowered',
    times: 0n,
    async run(world) {
      await unpaidFor(world, ETH, {
        amount: 1n,
        change: (payload) => ({ ...payload, accepted: { ...payload.accepted, amount: '1' } }),
      });
    },
  },
  {
    fault: 'the price changes, and the payment brings back its offer',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      await world.restart({ terms: { prices: { '/history/:symbol': '20000' } } });
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the price changes, and the offer is over, for something else, or not brought back',
    times: 0n,
    async run(world) {
      const late = await world.pay(ETH, ID);
      const other = await world.pay('/history/BTC', ID);
      const none = await world.pay(ETH, ID, {
        change: ({ extensions, ...payload }) => ({
          ...payload,
          extensions: { 'payment-identifier': extensions?.['payment-identifier'] },
        }),
      });
      await world.restart({ terms: { prices: { '/history/:symbol': '20000' } } });
      assert.equal((await world.get(ETH, other)).status, 409);
      assert.equal((await world.get(ETH, none)).status, 402);
      world.nowMs += 61_000;
      const answer = await world.get(ETH, late);
      assert.equal(answer.status, 402);
      assert.match(answer.body, /"amount":"20000"/);
      assert.equal(world.facilitator.verified, 0);
    },
  },
  {
    fault: 'the receiver changes',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const { address } = await generateKeyPairSigner();
      await world.restart({ terms: { payTo: address } });
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'a facilitator that lies: nothing is served',
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'lies';
      const header = await world.pay(ETH, ID);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'the clock is set back while the chain is asked: nobody waits for it to come back',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lies';
      let asked = 0;
      world.facilitator.faults.onSettle = () => {
        const before = world.chain.transaction.bind(world.chain);
        world.chain.transaction = (...args) => {
          asked += 1;
          world.nowMs += asked < 100 ? -3_600_000 : 1e12;
          return before(...args);
        };
      };
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.ok(asked < 100, `it was asked ${asked} times`);
    },
  },
  {
    fault: 'a facilitator that lies names the transfer of somebody else',
    times: 1n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const [first] = world.chain.landed;
      world.facilitator.settle = () =>
        Promise.resolve({ kind: 'settled', signature: first?.signature ?? '' });
      const answer = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      assert.equal(errorOf(answer), 'settlement_unknown');
    },
  },
  {
    fault: 'a facilitator that lies gets no more than it is trusted with',
    options: { trusted: PRICE },
    times: 0n,
    async run(world) {
      world.facilitator.faults.settle = 'lies';
      const statuses: number[] = [];
      for (let i = 0; i < 5; i += 1) {
        const header = await world.pay(ETH, `purchase-000000000${i}`);
        statuses.push((await world.get(ETH, header)).status);
      }
      assert.deepEqual(statuses, [200, 503, 503, 503, 503]);
      await world.restart();
      const header = await world.pay(ETH, 'purchase-0000000009');
      assert.equal((await world.get(ETH, header)).status, 503, 'a restart does not forget');
      assert.equal(world.engine.concerns().length, 1);
    },
  },
  {
    fault: 'a facilitator is trusted with a signature of its own, and with no other text',
    options: { trusted: 10n * PRICE },
    times: 4n,
    async run(world) {
      const first = await world.pay(ETH, ID);
      assert.equal((await world.get(ETH, first)).status, 200);
      const signature = await world.facilitator.sign(transactionIn(first));
      assert.equal((await world.store.byIdentifier(ID))?.signature, signature);
      assert.equal((await world.store.byIdentifier(ID))?.state, 'settled');
      const settle = world.facilitator.settle.bind(world.facilitator);
      const texts = ['', '<script>', signature, `${signature}1`];
      for (const [i, text] of texts.entries()) {
        const id = `purchase-000000001${i}`;
        const header = await world.pay(ETH, id);
        // The transfer runs, except for the first text.
        world.facilitator.settle = async (payload) => {
          if (i > 0) await settle(payload);
          return { kind: 'settled', signature: text };
        };
        assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown', text);
        assert.equal((await world.store.byIdentifier(id))?.response, null, text);
        world.facilitator.settle = settle;
        if (i === 0) continue;
        const { headers, status } = await world.get(ETH, header);
        assert.equal(status, 200, 'the chain has it');
        const own = await world.facilitator.sign(transactionIn(header));
        const response = decodePaymentResponseHeader(headers['payment-response'] ?? '');
        assert.equal(response.transaction, own);
      }
    },
  },
  {
    fault: 'payments of one payer that are not settled: only two answers are made for them',
    times: 1n,
    async run(world) {
      world.facilitator.faults.settle = 'down';
      const buy = async (i: number): Promise<string> =>
        errorOf(await world.get(ETH, await world.pay(ETH, `purchase-000000000${i}`)));
      const open = await Promise.all([1, 2, 3, 4].map(buy));
      assert.deepEqual(open.sort(), ['busy', 'busy', 'settlement_unknown', 'settlement_unknown']);
      assert.equal(world.prepared, 2);
      const refused = await world.get(ETH, await world.pay(ETH, 'purchase-0000000005'));
      assert.equal(refused.status, 503);
      assert.match(refused.headers['retry-after'] ?? '', /^[0-9]+$/);
      assert.equal(world.facilitator.verified, 2, 'the facilitator is not asked either');
      await world.restart();
      assert.equal(await buy(5), 'busy', 'a restart does not forget');
      world.chain.expire();
      world.facilitator.faults.settle = undefined;
      for await (const payment of world.store.open()) await world.resolver.resolve(payment);
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'the disk is full when a payment is presented, or when its record is written',
    times: 1n,
    async run(world) {
      for (const method of ['hand', 'add'] as const) {
        const header = await world.pay(ETH, ID);
        const mended = fullDisk(world, method);
        const answer = await world.get(ETH, header);
        assert.equal(errorOf(answer), 'facilitator_unavailable', method);
        assert.match(answer.headers['retry-after'] ?? '', /^[0-9]+$/);
        mended();
      }
      assert.equal(world.facilitator.settled.length, 0);
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
    },
  },
  {
    fault: 'the records cannot be read: nobody says that nothing was begun',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const first = await world.get(ETH, header);
      assert.equal(first.status, 200);
      for (const method of ['byIdentifier', 'body'] as const) {
        const mended = fullDisk(world, method);
        const answer = await world.get(ETH, header);
        assert.equal(errorOf(answer), 'settlement_unknown', method);
        assert.match(answer.headers['retry-after'] ?? '', /^[0-9]+$/);
        mended();
      }
      assert.deepEqual(await world.get(ETH, header), first);
    },
  },
  ...[0n, PRICE].map((trusted): Row => ({
    fault: `the disk is full after the settlement was asked for, with ${trusted} trusted`,
    options: { trusted },
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      const mended = fullDisk(world, 'update');
      const answer = await world.get(ETH, header);
      assert.equal(errorOf(answer), 'settlement_unknown');
      assert.match(answer.headers['retry-after'] ?? '', /^[0-9]+$/);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown', 'it stays full');
      mended();
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  })),
  {
    fault: 'the facilitator fails to answer after the settlement, and the disk is full',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'lost';
      const mended = fullDisk(world, 'update');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      mended();
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the facilitator settles what it calls invalid, and the disk is full',
    times: 1n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.verify = 'sends';
      const mended = fullDisk(world, 'add');
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      mended();
      assert.equal((await world.get(ETH, header)).status, 200);
    },
  },
  {
    fault: 'the disk has lost the answer of a payment that is not settled',
    times: 0n,
    async run(world) {
      const header = await world.pay(ETH, ID);
      world.facilitator.faults.settle = 'down';
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      world.facilitator.faults.settle = undefined;
      world.store.body = () => Promise.resolve(undefined);
      assert.equal(errorOf(await world.get(ETH, header)), 'settlement_unknown');
      assert.equal(world.facilitator.settled.length, 1, 'nobody pays for what cannot be given');
      world.chain.expire();
      assert.equal((await world.get(ETH, header)).status, 402);
    },
  },
  {
    fault: 'another payer, another purchase',
    times: 2n,
    async run(world) {
      assert.equal((await world.get(ETH, await world.pay(ETH, ID))).status, 200);
      const other = await world.get(ETH, await world.pay(ETH, 'purchase-0000000002'));
      assert.equal(other.status, 200);
    },
  },
];

for (const { fault, options = {}, times, run } of TABLE) {
  test(`payments, the table of faults: ${fault}`, async () => {
    const world = await openWorld(options);
    assert.equal(await charged(world, () => run(world)), times * PRICE);
  });
}

test('payments: what a 402 says', async () => {
  const world = await openWorld();
  const answer = await world.get(ETH);
  assert.equal(answer.status, 402);
  assert.equal(answer.headers['cache-control'], 'no-store');
  const header = answer.headers['payment-required'] ?? '';
  assert.deepEqual(decodePaymentRequiredHeader(header), JSON.parse(answer.body));
  const required = PaymentRequiredV2Schema.parse(JSON.parse(answer.body));
  assert.equal(required.resource.url, 'https://tier.example/history/ETH?days=3');
  assert.equal(required.accepts[0]?.amount, String(PRICE));
  assert.doesNotMatch(answer.body, /development/);
  const offers = required.extensions?.['offer-receipt'] as {
    info: { offers: readonly { signature: string }[] };
  };
  const offer = openJws(offers.info.offers[0]?.signature ?? '', world.jws);
  assert.equal(offer?.['validUntil'], world.nowMs / 1000 + 60);
  assert.equal((await world.get(ETH, await world.pay(ETH, ID), 'HEAD')).status, 402);
  assert.equal(world.facilitator.settled.length, 0, 'HEAD pays for nothing');
  const sample = await world.get(`${ETH}&sample=true`);
  assert.deepEqual([sample.status, sample.body], [200, '{"sample":true}']);
});

test('payments: a 402 of a development chain says so, and its header stays small', async () => {
  const world = await openWorld({
    terms: { isDevelopment: true, origin: 'https://'.padEnd(80, 'long.') },
  });
  const longest = '/history/'.padEnd(128, 'A');
  const answer = await world.get(longest);
  const required = PaymentRequiredV2Schema.parse(JSON.parse(answer.body));
  assert.match(required.resource.description ?? '', /^development: /);
  assert.deepEqual(required.resource.tags, ['development']);
  assert.equal(required.accepts[0]?.extra?.['environment'], 'development');
  // As long as a facilitator's reason may be (`x402-facilitator.ts`).
  world.facilitator.verify = () => Promise.resolve({ kind: 'invalid', reason: 'x'.repeat(90) });
  const refused = await world.get(longest, await world.pay(longest, ID));
  assert.equal(refused.status, 402);
  for (const { headers } of [answer, refused]) {
    const { length } = headers['payment-required'] ?? '';
    assert.ok(length > 0 && length < MAX_REQUIRED_HEADER, `${length} characters`);
  }
  const over = await world.get(`${longest}A`);
  assert.equal(over.status, 400);
  assert.equal(errorOf(over), 'bad_request');
  assert.equal((await world.get(`${longest}A`, await world.pay(ETH, ID))).status, 400);
});

test('payments: the receipt names what was served, and only its key signs it', async () => {
  const world = await openWorld();
  const answer = await world.get(ETH, await world.pay(ETH, ID));
  const response = decodePaymentResponseHeader(answer.headers['payment-response'] ?? '');
  assert.equal(response.success, true);
  assert.equal(response.payer, world.buyer.address);
  assert.equal(response.transaction, world.chain.landed[0]?.signature);
  const extension = response.extensions?.['offer-receipt'] as {
    info: { receipt: { signature: string } };
  };
  const { signature } = extension.info.receipt;
  const receipt = openJws(signature, world.jws);
  assert.equal(receipt?.['resourceUrl'], 'https://tier.example/history/ETH?days=3');
  assert.equal(receipt['leafHash'], 'ab'.repeat(32));
  assert.equal(receipt['seq'], 41);
  const { createHash } = await import('node:crypto');
  assert.equal(receipt['contentSha256'], createHash('sha256').update(answer.body).digest('hex'));
  const other = (await openWorld()).jws;
  assert.equal(openJws(signature, other), undefined);
});

/** Every place in a value, as the names that lead to it. */
function placesIn(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))];
}

/** A value with another one at a place. */
function withAnother(value: unknown, place: readonly string[], other: unknown): unknown {
  const [name, ...rest] = place;
  if (name === undefined) return other;
  const inner = (value as Record<string, unknown>)[name];
  if (Array.isArray(value)) return [withAnother(inner, rest, other)];
  return { ...(value as object), [name]: withAnother(inner, rest, other) };
}

test('payments: whatever a header has in any place, it is refused or buys what it was signed for', async () => {
  const first = await openWorld();
  const payload = JSON.parse(
    Buffer.from(await first.pay(ETH, ID), 'base64').toString(),
  ) as PaymentPayload;
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...placesIn(payload)),
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(undefined, '', '%', 'https://a/%', 'https://a/board/at'),
      ),
      async (place, other) => {
        // Nothing is known of the payment yet, and its seller, chain and key are the same.
        const world = await openWorld({ beside: first, jws: first.jws });
        const text = JSON.stringify(withAnother(payload, place, other)) ?? '';
        const { status } = await world.get(ETH, Buffer.from(text).toString('base64'));
        seen.add(status);
      },
    ),
    { seed: 402, numRuns: 300 },
  );
  assert.deepEqual(seen, new Set([200, 400, 402, 409]));
});
